"""Whole debates as documents: motion, sides, speeches with their making, references, ballots.

The speeches of exported debates may come back translated.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pandas as pd
from pydantic import BaseModel, Field, ValidationError

from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import LANGUAGES, SIDES, Side, Stage
from arena.records import Speech
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.store.seals import VERSION, VERSIONS
from arena.text import format_unreadable
from motions.text_files import decode_text, read_file

#: Debates that are read at once, so that memory does not grow with the tournament.
_BATCH: Final = 100

_IDS: Final = """
    SELECT d.debate_id FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $tournament AND d.status IN ('finished', 'forfeit')
      AND $category IN ('all', m.category) AND $language IN ('all', d.language)
      AND ($since IS NULL OR d.finished_at >= $since)
      AND ($until IS NULL OR d.finished_at < $until)
    ORDER BY d.motion_id, d.language, d.matchup_id, d.leg
"""
_DEBATES: Final = """
    SELECT d.*, m.motion_set, m.category, m.topic, m.text, m.info_slide, m.answers,
           p.name AS pro_name, p.debater AS pro_debater,
           p.model AS pro_model, p.options AS pro_options, c.name AS con_name,
           c.debater AS con_debater, c.model AS con_model, c.options AS con_options
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE list_contains(CAST($ids AS TEXT[]), d.debate_id)
"""
_BALLOTS: Final = """
    SELECT b.ballot_id, b.debate_id, b.bench, b.run, b.status, b.reason, b.voter, b.swapped,
           b.confidence, b.rationale, b.cost_usd, b.trace, s.dimension, s.outcome, s.pro_mark,
           s.con_mark, s.comment
    FROM ballots b LEFT JOIN ballot_scores s USING (ballot_id)
    WHERE list_contains(CAST($ids AS TEXT[]), b.debate_id) AND $bench IN ('all', b.bench)
      AND NOT list_contains(CAST($without AS TEXT[]), b.bench)
      AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    ORDER BY b.debate_id, b.bench, b.run, b.ballot_id, s.dimension = 'overall', s.dimension
"""
#: Columns of a debate that stand in other parts of its document.
_ELSEWHERE: Final = frozenset({"tournament", "motion_id", "pro", "con"})

Document = dict[str, Any]


def debate_ids(store: Store, selection: Selection) -> list[str]:
    """Return the ids of the ended debates of a selection: by motion, language, matchup and leg."""
    parameters = {
        name: getattr(selection, name)
        for name in ("tournament", "category", "language", "since", "until")
    }
    return [str(value) for value in store.read(_IDS, parameters)["debate_id"]]


def debate_languages(store: Store, ids: Sequence[str]) -> dict[str, str]:
    """Return the language of each debate, by id."""
    rows = store.rows(
        "SELECT debate_id, language FROM debates "
        "WHERE list_contains(CAST($ids AS TEXT[]), debate_id)",
        {"ids": list(ids)},
    )
    return {row["debate_id"]: row["language"] for row in rows}


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
        batch = list(ids[start : start + _BATCH])
        rows = {row["debate_id"]: row for row in store.rows(_DEBATES, {"ids": batch})}
        speeches, ballots = read_speeches(store, batch), _read_ballots(store, selection, batch)
        for debate_id in batch:
            yield _document(
                rows[debate_id], resolved, speeches.get(debate_id, ()), ballots[debate_id]
            )


def json_line(document: Document) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _document(
    row: Mapping[str, Any],
    resolved: ResolvedConfig,
    speeches: Iterable[Speech],
    ballots: Sequence[Document],
) -> Document:
    at = row["finished_at"]
    own = [name for name in VERSIONS[VERSION]["debates.result"] if name not in _ELSEWHERE]
    return {
        "tournament": resolved.name,
        "contest": resolved.config.tournament.contest,
        **{name: row[name] for name in own},
        "finished_at": None if pd.isna(at) else at.isoformat(),
        "cost_usd": row["cost_usd"],
        "simulated": resolved.simulated,
        "motion": {
            "id": row["motion_id"],
            "set": row["motion_set"],
            **{name: row[name] for name in ("category", "topic", "text", "info_slide")},
            "answers": json.loads(row["answers"]),
        },
        **{side: _participant(row, side) for side in SIDES},
        "speeches": [_speech(speech) for speech in speeches],
        "ballots": list(ballots),
    }


def _participant(row: Mapping[str, Any], side: str) -> Document:
    own = {name: row[f"{side}_{name}"] for name in ("name", "debater", "model")}
    return {**own, "options": json.loads(row[f"{side}_options"])}


def _speech(speech: Speech) -> Document:
    content = asdict(speech)
    content["making"] = list(content.pop("trace"))
    return {**content, "references": list(content["references"])}


def _read_ballots(
    store: Store, selection: Selection, ids: Sequence[str]
) -> Mapping[str, list[Document]]:
    """Return the ballots by debate, each with its verdicts."""
    parameters = {"ids": ids, "bench": selection.bench, "without": list(selection.without)}
    ballots: dict[str, Document] = {}
    by_debate: defaultdict[str, list[Document]] = defaultdict(list)
    for row in store.rows(_BALLOTS, parameters):
        if row["ballot_id"] not in ballots:
            ballots[row["ballot_id"]] = _ballot(row)
            by_debate[row["debate_id"]].append(ballots[row["ballot_id"]])
        if isinstance(row["dimension"], str):
            ballots[row["ballot_id"]]["verdicts"].append(_verdict(row))
    return by_debate


def _ballot(row: Mapping[str, Any]) -> Document:
    own = ("ballot_id", "bench", "run", "status", "reason", "voter", "swapped", "rationale")
    return {
        **{name: row[name] for name in own},
        "confidence": _known(row["confidence"]),
        "cost_usd": row["cost_usd"],
        "verdicts": [],
        "making": json.loads(row["trace"]),
    }


def _verdict(row: Mapping[str, Any]) -> Document:
    return {
        "dimension": row["dimension"],
        "outcome": row["outcome"],
        **{mark: _known(row[mark]) for mark in ("pro_mark", "con_mark")},
        "comment": row["comment"],
    }


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


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
