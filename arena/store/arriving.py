"""The verdicts of a checked battle log on their way into the tables, as the table `arriving`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.records import IMPORTED
from arena.store.battles import COLUMNS
from arena.store.seals import seal_rows, seal_units

#: A group that looks like the id of one is such an id, from an export, and stays what it is: what
#: is imported and exported again is the same file.
_COMMON_IDS = """
    CASE WHEN cluster IS NULL THEN debate_id
         WHEN regexp_full_match(cluster, '[0-9a-f]{16}') THEN cluster
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
        FROM read_parquet($path)
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
        FROM read_parquet($path)
        QUALIFY row_number() OVER (PARTITION BY debate, judge ORDER BY row) = 1
    ), placed AS (
        SELECT *, row_number() OVER (PARTITION BY debate ORDER BY row) - 1 AS place,
               substr(sha256(to_json([debate_id, {_VERDICT}])), 1, 16) AS ballot_id
        FROM own
    )
    SELECT * EXCLUDE (debate, cluster, problem, place), {_COMMON_IDS},
           CASE $shared WHEN '' THEN judge ELSE $shared END AS bench,
           CASE $shared WHEN '' THEN 0 ELSE place END AS run, place = 0 AS is_first
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
#: Fills the one table with all that a board needs of battles.
_BATTLE_ROWS = f"""
    INSERT INTO battles ({COLUMNS})
    SELECT $tournament, p.participant_id, c.participant_id, outcome, weight, judge, category,
           language, motion_id, CASE matchup_id WHEN debate_id THEN '' ELSE matchup_id END,
           finished_at
    FROM arriving
    JOIN participants p ON p.tournament = $tournament AND p.name = first
    JOIN participants c ON c.tournament = $tournament AND c.name = second
    ORDER BY row
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictKind:
    """What the rows of a log are.

    Attributes:
        judged: whether they are verdicts of several judges on debates; else each is a battle, a
            debate with a ballot of its own.
        shared: the name of the bench that these judges share; '' where each has its own.
    """

    judged: bool
    shared: str


def count_verdicts(connection: Any, tournament: str, kind: VerdictKind) -> int:  # noqa: ANN401
    """Count the verdicts that an imported tournament has."""
    ballots = " JOIN ballots USING (debate_id)" if kind.judged else ""
    query = f"SELECT count(*) FROM debates{ballots} WHERE tournament = $tournament"
    return int(connection.execute(query, {"tournament": tournament}).fetchall()[0][0])


def find_arriving(
    connection: Any,  # noqa: ANN401 - DuckDB
    tournament: str,
    path: Path,
    kind: VerdictKind,
) -> tuple[int, int | None]:
    """Find the verdicts of a checked log that are not stored.

    Args:
        path: the Parquet file of `arena.battles.staging_table.Staged`.

    Returns:
        Their number, and the first row with one.
    """
    asked = {"tournament": tournament, "path": str(path)}
    if kind.judged:
        connection.execute(_JUDGEMENTS, asked | {"shared": kind.shared})
    else:
        connection.execute(_BATTLES, asked)
    ((added, first),) = connection.execute("SELECT count(*), min(row) FROM arriving").fetchall()
    return int(added), first


def store_arriving(connection: Any, tournament: str, kind: VerdictKind) -> None:  # noqa: ANN401
    """Store the verdicts that were found; the tournament and its participants are stored."""
    for statement in _STORE if kind.judged else (*_STORE, _BATTLE_ROWS):
        asked = {"tournament": tournament} if "$tournament" in statement else {}
        connection.execute(statement, asked)
    seal_rows(connection, "motions")
    if kind.judged:
        for table, key in (("debates", "debate_id"), ("ballots", "ballot_id")):
            keys = connection.execute(f"SELECT DISTINCT {key} FROM arriving").fetchall()
            seal_units(connection, table, [str(row[0]) for row in keys])
