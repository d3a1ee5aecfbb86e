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
from arena.store.battles import KEEP
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.rows import participant_rows
from arena.store.seals import seal_rows, seal_units
from arena.text import counted

#: A group that looks like the id of one is such an id, from an export, and stays what it is: what
#: is imported and exported again is the same file.
_COMMON_IDS = """
    CASE WHEN cluster IS NULL THEN debate_id
         WHEN regexp_full_match(cluster, '[0-9a-f]{{16}}') THEN cluster
         ELSE substr(sha256(to_json([$tournament, 'group', cluster])), 1, 16)
    END AS matchup_id,
    substr(sha256(to_json([$tournament, category, motion])), 1, 16) AS motion_id
"""
_VERDICT = """CAST(outcome AS TEXT), CAST(weight AS TEXT), CAST(score_a AS TEXT),
    CAST(score_b AS TEXT), CAST(epoch_us(finished_at) AS TEXT), judge"""
#: Battles. Ids: that of a debate hashes its row number and its content; that of a ballot is made as
#: for any other ballot.
_BATTLES = f"""
    CREATE TEMP TABLE arriving AS
    WITH numbered AS (
        SELECT *, substr(sha256(to_json([$tournament, CAST(row AS TEXT), first, second,
                   {_VERDICT}, category, motion, language, cluster])), 1, 16) AS debate_id
        FROM read_parquet({{path}})
    )
    SELECT * EXCLUDE (debate, cluster, problem), {_COMMON_IDS}, '{IMPORTED}' AS bench, 0 AS run,
           substr(sha256('["' || debate_id || '","{IMPORTED}",0]'), 1, 16) AS ballot_id,
           TRUE AS is_first
    FROM numbered
    WHERE debate_id NOT IN (SELECT debate_id FROM debates WHERE tournament = $tournament)
"""
#: Judgements: the first row of each judge on each debate. The id of a debate hashes its own id and
#: what all its rows share; that of a ballot also the verdict, so that a changed one is noticed.
_JUDGEMENTS = f"""
    CREATE TEMP TABLE arriving AS
    WITH own AS (
        SELECT *, substr(sha256(to_json([$tournament, 'debate', debate, first, second, category,
                   motion, language, cluster])), 1, 16) AS debate_id
        FROM read_parquet({{path}})
        QUALIFY row_number() OVER (PARTITION BY debate, judge ORDER BY row) = 1
    ), placed AS (
        SELECT *, row_number() OVER (PARTITION BY debate ORDER BY row) - 1 AS place,
               substr(sha256(to_json([debate_id, {_VERDICT}])), 1, 16) AS ballot_id
        FROM own
    )
    SELECT * EXCLUDE (debate, cluster, problem, place), {_COMMON_IDS},
           CASE WHEN {{shared}} THEN '{JUDGES}' ELSE judge END AS bench,
           CASE WHEN {{shared}} THEN place ELSE 0 END AS run, place = 0 AS is_first
    FROM placed WHERE ballot_id NOT IN (SELECT ballot_id FROM ballots)
"""
_STORE = (
    f"""
    INSERT INTO motions (motion_id, motion_set, category, topic, language, text, info_slide, brief)
    SELECT DISTINCT motion_id, '{IMPORTED}', category, '', language, motion, '', '{{}}'
    FROM arriving ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO debates (debate_id, matchup_id, tournament, motion_id, language, leg, repeat, pro,
                         con, status, finished_at)
    SELECT debate_id, matchup_id, $tournament, motion_id, language, 0, 0, p.participant_id,
           c.participant_id, 'finished', finished_at
    FROM (FROM arriving WHERE is_first)
    JOIN participants p ON p.tournament = $tournament AND p.name = first
    JOIN participants c ON c.tournament = $tournament AND c.name = second
    ORDER BY row
    """,
    """
    INSERT INTO ballots (ballot_id, debate_id, bench, run, status, voter, weight)
    SELECT ballot_id, debate_id, bench, run, 'valid', judge, weight FROM arriving ORDER BY row
    """,
    """
    INSERT INTO ballot_scores (ballot_id, dimension, outcome, pro_mark, con_mark, comment)
    SELECT ballot_id, 'overall', outcome, score_a, score_b, '' FROM arriving ORDER BY row
    """,
)


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
    query = "SELECT config->>'$.benches[0].name' AS bench FROM tournaments WHERE tournament = $name"
    rows = [] if store.empty() else store.rows(query, {"name": tournament})
    return rows[0]["bench"] == JUDGES if rows else len(staged.judges) > MOST_BENCHES


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
    shared = content["benches"][0]["name"] == JUDGES
    ballots = " JOIN ballots USING (debate_id)" if staged.judges else ""
    count = f"SELECT count(*) FROM debates{ballots} WHERE tournament = $name"
    stored = int(link.execute(count, {"name": name}).fetchall()[0][0])
    rows = (_JUDGEMENTS if staged.judges else _BATTLES).format(
        path=sql_text(str(staged.path)), shared=shared
    )
    link.execute(rows, {"tournament": name})
    added = int(link.execute("SELECT count(*) FROM arriving").fetchall()[0][0])
    known = staged.verdicts - added
    _check_grown(link, name, stored=stored, known=known, hints=staged.hints)
    row = {
        "tournament": name,
        "config": content,
        "config_hash": digest(content),
        "seed": content["tournament"]["seed"],
        "schema_version": SCHEMA_VERSION,
        "code_version": version("debate-arena"),
        "created_at": pd.Timestamp(datetime.now(UTC)),
    }
    insert(link, "tournaments", [row])
    model = imported_model(simulated=staged.simulated)
    participants = (
        Participant(name=participant, debater=IMPORTED, model=model)
        for participant in staged.participants
    )
    insert(link, "participants", participant_rows(participants, name))
    for statement in _STORE if staged.judges else (*_STORE, KEEP):
        link.execute(statement, {"tournament": name} if "$tournament" in statement else {})
    seal_rows(link, "motions")
    link.execute(
        "UPDATE tournaments SET config = $config, config_hash = $hash WHERE tournament = $name",
        {"config": json.dumps(content, ensure_ascii=False), "hash": digest(content), "name": name},
    )
    if staged.judges:
        for table, key in (("debates", "debate_id"), ("ballots", "ballot_id")):
            keys = link.execute(f"SELECT DISTINCT {key} FROM arriving").fetchall()
            seal_units(link, table, [str(row[0]) for row in keys])
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
    rows = store.rows(
        "SELECT seed, config FROM tournaments WHERE tournament = $name", {"name": tournament}
    )
    for row in rows:
        stored = json.loads(row["config"])
        if "source" not in stored:
            raise ConfigError(
                f"{store.path}: {tournament!r} is a tournament that was played. Choose another "
                "name for the battles with --name."
            )
        for what, old, new in (
            ("seed", row["seed"], content["tournament"]["seed"]),
            ("models", stored["benches"][0]["model"], content["benches"][0]["model"]),
        ):
            if old != new:
                raise ConfigError(
                    f"{store.path}: the battles {tournament!r} are stored with {what} {old!r}; "
                    f"given was {new!r}. Choose another name for these battles with --name."
                )


def _check_grown(link: Any, name: str, *, stored: int, known: int, hints: Hints) -> None:  # noqa: ANN401
    """Check that the stored battles are the first rows of the file."""
    if known < stored:
        first = link.execute("SELECT min(row) FROM arriving").fetchall()[0][0]
        what = "ends before them" if first is None else f"differs from row {first} on"
        ungroup = f", or do not group them by {hints.group}: --no-group" if hints.group else ""
        raise ConfigError(
            f"{counted(stored, 'verdict' if hints.debate else 'battle', style=',')} of {name!r} "
            f"{'is' if stored == 1 else 'are'} already stored, and the file {what}. A file can be "
            "imported again only if rows were added at its end. Choose another name for these "
            f"battles with --name{ungroup}."
        )
