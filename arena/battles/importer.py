"""Import of files of verdicts: each becomes a tournament of debates with ballots.

A battle is a debate with a ballot of its own. Where rows say which debate they judge, a debate has
a ballot of each of its judges.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from pydantic import ValidationError

from arena.battles.columns import Hints
from arena.battles.judgements import MOST_BENCHES, check_weights
from arena.battles.source import sql_text
from arena.battles.staging_table import ReadingOptions, Staged, stage
from arena.config.sections import TournamentSection
from arena.config.stored import (
    JUDGES,
    ImportedConfig,
    SourceSection,
    imported_benches,
    imported_model,
)
from arena.errors import ConfigError
from arena.records import IMPORTED, Participant, digest
from arena.store.arriving import VerdictKind, count_verdicts, find_arriving, store_arriving
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.lookups import read_stored_configs
from arena.store.rows import participant_rows, write_tournament
from arena.text import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import.

    Attributes:
        known: the number of verdicts of the file that were stored before.
        repeats: the number of rows in which a judge repeats its verdict on a debate.
        participants: their number.
        judges: the number of those whose debates have several; 0 where each row is a debate.
        shared: whether these judges share a bench.
        staged: the file as it was read.
    """

    tournament: str
    added: int
    known: int
    repeats: int
    participants: int
    judges: int
    shared: bool
    staged: Staged

    @property
    def ignored(self) -> tuple[str, ...]:
        """The columns that were not used."""
        return self.staged.columns.ignored

    @property
    def hints(self) -> Hints:
        """What was taken from columns that nobody named."""
        return self.staged.hints


def import_battles(
    store: Store,
    file: Path,
    *,
    tournament: str,
    seed: int | None,
    reading: ReadingOptions | None = None,
) -> ImportResult:
    """Store a file of verdicts as a tournament; of a stored file, store the rows added since.

    Args:
        file: in one of the forms of `open_source`.
        seed: that of the bootstrap; None for that of the exported board, or 0.
        reading: how the file is read; None to find out all.

    Raises:
        ConfigError: the file cannot be used, or the name is that of another tournament.
    """
    store.check()
    with TemporaryDirectory() as folder:
        staged = stage(file, reading or ReadingOptions(), into=Path(folder))
        if seed is None:
            seed = staged.hints.seed or 0
        with store.runner_lock():
            shared = _share_bench(store, tournament, staged)
            if shared:
                check_weights(staged.columns, where=str(file))
            content = _stored_config(staged, file, tournament=tournament, seed=seed, shared=shared)
            _check_name(store, tournament, content)
            results: list[ImportResult] = []

            def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
                link.execute(f"SET temp_directory = {sql_text(folder)}")
                results.append(_insert_battles(link, staged, content))

            store.write(batch)
            return results[0]


def _share_bench(store: Store, tournament: str, staged: Staged) -> bool:
    """Return whether the judges share a bench: if they are many, or did so when first imported."""
    stored = [] if store.empty() else read_stored_configs(store, tournament)
    if not stored:
        return len(staged.judges) > MOST_BENCHES
    return _is_shared(json.loads(stored[0].config))


def _is_shared(content: Mapping[str, Any]) -> bool:
    """Return whether the judges of a stored configuration share a bench; it may have none."""
    return any(bench["name"] == JUDGES for bench in content.get("benches", ()))


def _stored_config(
    staged: Staged, file: Path, *, tournament: str, seed: int, shared: bool
) -> dict[str, Any]:
    try:
        section = TournamentSection(name=tournament, seed=seed)
    except ValidationError:
        raise ConfigError(
            f"{tournament!r} cannot be the name of a tournament: it must begin with a letter or "
            "digit, followed by letters, digits, spaces and . + @ : / - _, at most 80 characters. "
            "Choose a name with --name."
        ) from None
    return ImportedConfig(
        tournament=section,
        benches=imported_benches(staged.judges, shared=shared, simulated=staged.simulated),
        source=SourceSection(file=file.name, rows=staged.verdicts),
    ).stored()


def _insert_battles(link: Any, staged: Staged, content: dict[str, Any]) -> ImportResult:  # noqa: ANN401
    name = content["tournament"]["name"]
    shared = _is_shared(content)
    kind = VerdictKind(judged=bool(staged.judges), shared=JUDGES if shared else "")
    stored = count_verdicts(link, name, kind)
    added, first = find_arriving(link, name, staged.path, kind)
    known = staged.verdicts - added
    if known < stored:
        raise ConfigError(_explain_shrunk(name, stored=stored, first=first, hints=staged.hints))
    row = {
        "tournament": name,
        "config": content,
        "config_hash": digest(content),
        "seed": content["tournament"]["seed"],
        "schema_version": SCHEMA_VERSION,
        "code_version": version("debate-arena"),
        "created_at": pd.Timestamp(datetime.now(UTC)),
    }
    write_tournament(link, row)
    model = imported_model(simulated=staged.simulated)
    participants = (
        Participant(name=participant, debater=IMPORTED, model=model)
        for participant in staged.participants
    )
    insert(link, "participants", participant_rows(participants, name))
    store_arriving(link, name, kind)
    return ImportResult(
        tournament=name,
        added=added,
        known=known,
        repeats=staged.rows - staged.verdicts,
        participants=len(staged.participants),
        judges=len(staged.judges),
        shared=shared,
        staged=staged,
    )


def _check_name(store: Store, tournament: str, content: Mapping[str, Any]) -> None:
    """Check that a name is free, or names battles with the same seed and models."""
    if store.empty():
        return
    for found in read_stored_configs(store, tournament):
        stored = json.loads(found.config)
        if "source" not in stored:
            raise ConfigError(
                f"{store.path}: {tournament!r} is a tournament that was played. Choose another "
                "name for the battles with --name."
            )
        for what, old, new in (
            ("seed", found.seed, content["tournament"]["seed"]),
            ("models", stored["benches"][0]["model"], content["benches"][0]["model"]),
        ):
            if old != new:
                raise ConfigError(
                    f"{store.path}: the battles {tournament!r} are stored with {what} {old!r}; "
                    f"given was {new!r}. Choose another name for these battles with --name."
                )


def _explain_shrunk(name: str, *, stored: int, first: int | None, hints: Hints) -> str:
    """Return the message on a file whose first rows are not the stored battles.

    Args:
        stored: the number of these.
        first: the first row of the file that is not among them.
    """
    what = "ends before them" if first is None else f"differs from row {first} on"
    ungroup = f", or do not group them by {hints.group}: --no-group" if hints.group else ""
    return (
        f"{counted(stored, 'verdict' if hints.debate else 'battle', style=',')} of {name!r} "
        f"{'is' if stored == 1 else 'are'} already stored, and the file {what}. A file can be "
        "imported again only if rows were added at its end. Choose another name for these "
        f"battles with --name{ungroup}."
    )
