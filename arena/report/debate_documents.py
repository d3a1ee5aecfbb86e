"""Whole debates as documents: motion, sides, speeches with their making, references, ballots.

The speeches of exported debates may come back translated.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import LANGUAGES, SIDES, Side, Stage
from arena.read.ballots import BallotRow, read_ballots
from arena.read.debates import DebateRow, read_debates, seat
from arena.read.selected import Narrowing
from arena.records import ENDED, Speech
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.store.seals import VERSION, VERSIONS
from arena.text import format_unreadable
from motions.text_files import decode_text, read_file

#: Debates that are read at once, so that memory does not grow with the tournament.
_BATCH: Final = 100

#: Columns of a debate that stand in other parts of its document.
_ELSEWHERE: Final = frozenset({"tournament", "motion_id", "pro", "con"})

Document = dict[str, Any]


def debate_ids(store: Store, selection: Selection) -> list[str]:
    """Return the ids of the ended debates of a selection: by motion, language, matchup and leg."""
    rows = read_debates(store, selection, Narrowing(statuses=ENDED))
    return [row.debate_id for row in rows]


def debate_languages(store: Store, tournament: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the language of each debate, by id."""
    selection = Selection(tournament=tournament, bench="all")
    rows = read_debates(store, selection, Narrowing(ids=tuple(ids)))
    return {row.debate_id: row.language for row in rows}


def find_debate_ids(store: Store, tournament: str, prefixes: Iterable[str]) -> list[str]:
    """Return the ids of the ended debates of a tournament that begin as given, one each.

    Raises:
        ConfigError: no ended debate, or more than one, begins so.
    """
    selection = Selection(tournament=tournament, bench="all")
    ended = debate_ids(store, selection)
    listing = command_line("debates", db=store.path, tournament=tournament)
    ids = []
    for prefix in prefixes:
        matches = [debate_id for debate_id in ended if prefix and debate_id.startswith(prefix)]
        if len(matches) != 1:
            what = "is the start of more than one id" if matches else "is no ended debate"
            raise ConfigError(
                f"--debate {prefix!r} {what} of {tournament!r}. They are listed by: {listing}"
            )
        ids += matches
    return list(dict.fromkeys(ids))


def debate_documents(
    store: Store, resolved: ResolvedConfig, selection: Selection, ids: Sequence[str]
) -> Iterator[Document]:
    """Yield debates as documents of texts, numbers, lists and objects, ready for JSON.

    Args:
        selection: says which benches' ballots are in the documents.

    Raises:
        ConfigError: the debates are imported battles, which have no speeches.
    """
    if resolved.imported:
        raise ConfigError(
            f"{resolved.name!r} was imported: its battles have verdicts, but no speeches. Export "
            "them with --what battles."
        )
    for start in range(0, len(ids), _BATCH):
        batch = tuple(ids[start : start + _BATCH])
        wanted, narrowing = Selection(tournament=resolved.name, bench="all"), Narrowing(ids=batch)
        rows = {row.debate_id: row for row in read_debates(store, wanted, narrowing)}
        asked = replace(wanted, bench=selection.bench, without=selection.without)
        ballots = defaultdict[str, list[BallotRow]](list)
        for ballot in read_ballots(store, asked, narrowing):
            ballots[ballot.debate_id].append(ballot)
        speeches = read_speeches(store, batch)
        for debate_id in batch:
            yield _document(
                rows[debate_id], resolved, speeches.get(debate_id, ()), ballots[debate_id]
            )


def json_line(document: Document) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _document(
    row: DebateRow,
    resolved: ResolvedConfig,
    speeches: Iterable[Speech],
    ballots: Sequence[BallotRow],
) -> Document:
    at = row.finished_at
    own = [name for name in VERSIONS[VERSION]["debates.result"] if name not in _ELSEWHERE]
    return {
        "tournament": resolved.name,
        "contest": resolved.config.tournament.contest,
        **{name: getattr(row, name) for name in own},
        "finished_at": None if at is None else at.isoformat(),
        "cost_usd": row.cost_usd,
        "simulated": resolved.simulated,
        "motion": {
            "id": row.motion_id,
            "set": row.motion_set,
            "category": row.category,
            "topic": row.topic,
            "text": row.motion,
            "info_slide": row.info_slide,
            "answers": row.answers,
        },
        **{side: _participant(row, side) for side in SIDES},
        "speeches": [_speech(speech) for speech in speeches],
        "ballots": [_ballot(ballot) for ballot in ballots],
    }


def _participant(row: DebateRow, side: Side) -> Document:
    own = {name: getattr(row, f"{side}_{name}") for name in ("debater", "model", "options")}
    return {"name": seat(row, side), **own}


def _speech(speech: Speech) -> Document:
    content = asdict(speech)
    content["making"] = list(content.pop("trace"))
    return {**content, "references": list(content["references"])}


def _ballot(ballot: BallotRow) -> Document:
    own = ("ballot_id", "bench", "run", "status", "reason", "voter", "swapped", "rationale")
    return {
        **{name: getattr(ballot, name) for name in own},
        "confidence": ballot.confidence,
        "cost_usd": ballot.cost_usd,
        "verdicts": [asdict(verdict) for verdict in ballot.verdicts],
        "making": list(ballot.trace),
    }


class _Reference(BaseModel):
    number: int
    origin: str = ""
    excerpt: str = ""
    given: bool = True
    side: Side | None = None


class _Speech(BaseModel):
    side: Side
    stage: Stage
    text: str = Field(min_length=1)
    references: list[_Reference] = []


class _Motion(BaseModel):
    text: str = Field(min_length=1)
    info_slide: str = ""


class _Translation(BaseModel):
    """What is read of a line; other fields are ignored."""

    debate_id: str
    language: str
    motion: _Motion
    speeches: list[_Speech] = Field(min_length=1)


def read_translations(path: Path, debates: Mapping[str, str]) -> list[Document]:
    """Read the translations of some debates; those of other debates are skipped.

    Args:
        path: JSON lines with `debate_id`, `language`, `motion` (text) and `speeches` (side, stage,
            text); other fields are ignored.
        debates: the language of each debate, by id.

    Raises:
        ConfigError: the file cannot be read, a line is no translation, or it is in the language
            of the debate itself.
    """
    try:
        lines = decode_text(read_file(path)).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(path, error)) from None
    parsed = [
        _parse(line, where=f"{path}, line {number}", debates=debates)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    return [document for document in parsed if document["debate_id"] in debates]


def _parse(line: str, *, where: str, debates: Mapping[str, str]) -> Document:
    try:
        translation = _Translation.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(
            f"{where}: {place}: {first['msg']}. A translation is a line that `arena export --what "
            "debates` wrote, with `language`, `motion.text` and each `speeches.text` translated."
        ) from None
    if translation.language not in LANGUAGES:
        raise ConfigError(
            f"{where}: language is {translation.language!r}; accepted: {', '.join(LANGUAGES)}."
        )
    if debates.get(translation.debate_id) == translation.language:
        raise ConfigError(
            f"{where}: the debate itself is in {translation.language!r}; set `language` to that of "
            "the translation."
        )
    return translation.model_dump()
