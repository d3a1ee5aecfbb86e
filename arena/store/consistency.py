"""Checks of what a database holds: every row belongs somewhere, adds up, and fits its hash.

Each check is a query whose rows are the faults. None of them changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, get_args

from arena.records import ENDED, DebateStatus
from arena.store.battles import BATTLE_LOGS, COLUMNS, STORED_COLUMNS
from arena.store.database import Store
from arena.store.seals import (
    GROUP_KEYS,
    ROW_TABLES,
    UNIT_KEYS,
    VERSION,
    VERSIONS,
    group_hashes,
    part_of_units,
    row_hashes,
    unit_hashes,
)

#: How many faulty rows a message names.
_LISTED: Final = 3
#: USD that sums of rounded numbers may differ by.
_CENT_FRACTION: Final = 1e-9

#: Units whose hashes are made by one query: a thousand take up to 4 MB.
_UNITS_AT_ONCE: Final = 10_000
_FAULTY: Final = (
    f"SELECT count(*) AS count, list(CAST(id AS TEXT) ORDER BY id)[1:{_LISTED}] AS ids "
    "FROM ({}) faulty(id)"
)

_IMPORTED: Final = "(SELECT tournament FROM tournaments WHERE json_exists(config, '$.source'))"
_UNIT_IDS: Final = (
    f"(SELECT debate_id FROM debates WHERE status IN {ENDED} UNION ALL "
    "SELECT ballot_id FROM ballots UNION ALL SELECT ballot_id FROM trials UNION ALL "
    "SELECT unit FROM diversity)"
)
_BATTLES: Final = f"SELECT {COLUMNS} FROM battles"
_STORED_BATTLES: Final = f"""
    SELECT {STORED_COLUMNS} FROM debates d
    LEFT JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    LEFT JOIN ballots b ON b.debate_id = d.debate_id
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    WHERE d.tournament IN {BATTLE_LOGS}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inconsistency:
    """Something that is wrong in a database.

    Attributes:
        what: a sentence without its subject and its full stop.
        rows: the ids of the rows that are named, at most three.
    """

    table: str
    what: str
    rows: tuple[str, ...] = ()
    count: int = 1

    def __str__(self) -> str:
        """Return the message: table, number and ids of rows, and what is wrong with them."""
        more = f" and {self.count - len(self.rows):,} more" if self.count > len(self.rows) else ""
        where = f" ({', '.join(self.rows)}{more})" if self.rows else ""
        return f"{self.table}: {self.what}{where}"


def _not_stored(table: str, key: str, *, row: str, parent: str) -> tuple[str, str, str]:
    """Return the check of rows whose `key` is in no row of another table, named by `row`."""
    what = key.removesuffix("_id")
    query = f"SELECT {row} FROM {table} WHERE {key} NOT IN (SELECT {key} FROM {parent})"
    return table, f"{what} is not stored", query


#: Checks of single tables and of rows that belong together: table, what is wrong, and the query of
#: the faulty rows' ids.
_CHECKS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "debates",
        "status is not known",
        f"SELECT debate_id FROM debates WHERE status NOT IN {get_args(DebateStatus)}",
    ),
    _not_stored("debates", "tournament", row="debate_id", parent="tournaments"),
    (
        "debates",
        "motion is not stored",
        "SELECT debate_id FROM debates d ANTI JOIN motions m "
        "ON m.motion_id = d.motion_id AND m.language = d.language",
    ),
    *(
        (
            "debates",
            f"the participant who argues for {side.title()} is not stored",
            f"SELECT debate_id FROM debates d ANTI JOIN participants p "
            f"ON p.participant_id = d.{side} AND p.tournament = d.tournament",
        )
        for side in ("pro", "con")
    ),
    (
        "debates",
        "planned debates are not the two legs of their matchup, with sides swapped",
        f"""SELECT matchup_id FROM debates
        WHERE tournament NOT IN {_IMPORTED} AND tournament NOT IN (SELECT tournament
            FROM tournaments WHERE config->>'$.tournament.ranks' IS NOT NULL)
        GROUP BY matchup_id HAVING count(*) <> 2 OR sum(leg) <> 1 OR min(pro) <> min(con)
            OR max(pro) <> max(con) OR count(DISTINCT (tournament, motion_id, language, repeat)) > 1
            OR NOT bool_and(debate_id = substr(
                sha256('["' || matchup_id || '",' || leg || ']'), 1, 16))""",
    ),
    (
        "debates",
        "a debate without an error or a forfeit names a side at fault",
        "SELECT debate_id FROM debates WHERE forfeited <> '' AND status <> 'forfeit' "
        "OR erred <> '' AND status <> 'error'",
    ),
    *(
        _not_stored(table, "debate_id", row="debate_id", parent="debates")
        for table in ("speeches", "drafts", "awaited")
    ),
    *(
        (
            table,
            "belongs to no debate that has ended, ballot, trial or measurement",
            f"SELECT DISTINCT unit FROM {table} WHERE unit NOT IN {_UNIT_IDS}",
        )
        for table in ("calls", "exchanges")
    ),
    (
        "exchanges",
        "requests and answers were changed: they differ from their hash",
        "SELECT unit FROM exchanges WHERE content_hash <> sha256(requests_and_answers)",
    ),
    (
        "calls",
        "reserved part is not between 0 and the cost",
        f"SELECT unit || ' ' || path FROM calls WHERE reserved_usd < 0 OR cost_usd < 0 "
        f"OR reserved_usd > cost_usd + {_CENT_FRACTION}",
    ),
    (
        "ballots",
        "debate is not stored, or has not finished",
        "SELECT ballot_id FROM ballots WHERE debate_id NOT IN "
        "(SELECT debate_id FROM debates WHERE status = 'finished')",
    ),
    (
        "ballots",
        "is neither valid with an overall verdict, nor failed or in error with a reason",
        """SELECT ballot_id FROM ballots b
        LEFT JOIN (SELECT ballot_id, bool_or(dimension = 'overall') AS overall FROM ballot_scores
                   GROUP BY ALL) s USING (ballot_id)
        WHERE NOT CASE status WHEN 'valid' THEN coalesce(overall, FALSE)
            WHEN 'failed' THEN reason <> '' AND overall IS NULL
            WHEN 'error' THEN traceback <> '' AND overall IS NULL ELSE FALSE END""",
    ),
    (
        "ballots",
        "two ballots for one debate, bench and run",
        "SELECT min(ballot_id) FROM ballots GROUP BY debate_id, bench, run HAVING count(*) > 1",
    ),
    _not_stored("ballot_scores", "ballot_id", row="ballot_id", parent="ballots"),
    (
        "ballot_scores",
        "outcome is not 1, 0.5 or 0",
        "SELECT ballot_id FROM ballot_scores WHERE outcome NOT IN (0, 0.5, 1)",
    ),
    *(
        _not_stored(table, "tournament", row="DISTINCT tournament", parent="tournaments")
        for table in (
            "participants", "structured_modes", "request_shapes", "call_limits", "diversity",
            "battles", "ratings", "calibrations", "boards", "board_states", "waves",
        )
    ),
    (
        "structured_modes",
        "mode is not schema, object or prompt",
        "SELECT model FROM structured_modes WHERE structured NOT IN ('schema', 'object', 'prompt')",
    ),
    (
        "waves",
        "a wave before it is missing",
        "SELECT tournament || ' ' || wave FROM (SELECT *, row_number() OVER "
        "(PARTITION BY tournament ORDER BY wave) - 1 AS place FROM waves) WHERE wave <> place",
    ),
    (
        "waves",
        "matchup is not stored",
        "SELECT matchup_id FROM (SELECT tournament, unnest(CAST(meetings AS JSON[]))"
        "->>'$.matchup_id' AS matchup_id FROM waves) "
        "WHERE matchup_id NOT IN (SELECT matchup_id FROM debates)",
    ),
    ("call_limits", "limit is below 1", "SELECT model FROM call_limits WHERE calls < 1"),
    (
        "battles",
        "differs from the imported debates, or is stored once only",
        f"""SELECT tournament || ' ' || motion_id FROM (
            ({_BATTLES} EXCEPT ALL {_STORED_BATTLES}) UNION ALL
            ({_STORED_BATTLES} EXCEPT ALL {_BATTLES}))""",
    ),
)  # fmt: skip


def find_faults(store: Store) -> Iterator[Inconsistency]:
    """Yield what is wrong in a database, table by table.

    Each check is a query of its own, which sees the database as it is at one moment, also while a
    tournament is being played in it. Hashes are made of some units at a time.
    """
    faults: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for table, what, query in (*_CHECKS, *_cost_checks(), *_hash_checks(store)):
        (row,) = store.plain_rows(_FAULTY.format(query))
        if row["count"]:
            count, ids = faults.get((table, what), (0, []))
            faults[table, what] = count + row["count"], ids + row["ids"]
    for (table, what), (count, ids) in faults.items():
        rows = tuple(ids if count == len(ids) else sorted(ids))[:_LISTED]
        yield Inconsistency(table=table, what=what, rows=rows, count=count)


def _cost_checks() -> Iterator[tuple[str, str, str]]:
    """Yield the checks of the units whose cost is not that of their calls."""
    for table, key in UNIT_KEYS.items():
        ended = f"status IN {ENDED}" if table == "debates" else "TRUE"
        yield (
            table,
            "cost differs from the sum of the calls",
            f"""SELECT base.{key} FROM {table} base
            LEFT JOIN (SELECT unit, sum(cost_usd) AS usd FROM calls GROUP BY unit) called
            ON called.unit = base.{key}
            WHERE {ended} AND abs(base.cost_usd - coalesce(called.usd, 0)) >
                {_CENT_FRACTION} * greatest(1, abs(base.cost_usd))""",
        )


#: The columns that name rows which are sealed one by one, where it is not the model.
_ROW_KEYS = {"waves": "wave", "motions": "motion_id", "boards": "board", "board_states": "board_id"}


def _hash_checks(store: Store) -> Iterator[tuple[str, str, str]]:
    """Yield the checks of rows that differ from their hash, carry none or a newer program's."""
    for table, key in UNIT_KEYS.items():
        units = store.plain_rows(f"SELECT count(*) AS units FROM {table}")[0]["units"]
        parts = -(-units // _UNITS_AT_ONCE)
        sealed = ("result_hash", "record_hash") if table in ("debates", "ballots") else ()
        for column in sealed or ("record_hash",):
            for version, part in product(_versions(store, table, column), range(parts)):
                hashes = unit_hashes(table, part_of_units(part, parts), version=version)
                yield from _differences(
                    table,
                    f"SELECT key, stored.{column} AS stored, made.{column} AS expected "
                    f"FROM ({hashes}) made JOIN {table} stored ON stored.{key} = key",
                    "result" if column == "result_hash" else "record",
                    version,
                )
    for table in ROW_TABLES:
        key = _ROW_KEYS.get(table, "model")
        for version in _versions(store, table):
            hashes = row_hashes(table, version=version)
            query = f"SELECT {key} AS key, record_hash AS stored, expected FROM ({hashes})"
            yield from _differences(table, query, "row", version)
    for table, key in GROUP_KEYS.items():
        for version in _versions(store, table):
            query = (
                "SELECT DISTINCT key, stored.record_hash AS stored, expected "
                f"FROM ({group_hashes(table, version=version)}) made "
                f"JOIN {table} stored ON stored.{key} = made.key"
            )
            yield from _differences(table, query, "group of rows", version)


def _versions(store: Store, table: str, column: str = "record_hash") -> list[int]:
    """Return the versions of the lists that rows of a table were sealed by, the present one too."""
    prefix = f"TRY_CAST(split_part({column}, ':', 1) AS INTEGER)"
    rows = store.plain_rows(f"SELECT DISTINCT {prefix} AS version FROM {table}")
    return sorted({VERSION, *(row["version"] for row in rows)} & VERSIONS.keys())


def _differences(
    table: str, hashes: str, content: str, version: int
) -> Iterator[tuple[str, str, str]]:
    """Yield checks of rows with a `key`, the `stored` hash and the `expected` one, of a version.

    Rows without a hash, and with one of a version that is not known, are those of the present one.
    """
    own = f"stored LIKE '{version}:%'"
    present = version == VERSION
    unsealed = " OR stored = ''" if present else ""
    yield (
        table,
        f"{content} was changed: it differs from its hash, or carries none",
        f"SELECT key FROM ({hashes}) WHERE stored <> expected AND ({own}{unsealed})",
    )
    if present:
        known = " OR ".join(f"stored LIKE '{number}:%'" for number in VERSIONS)
        yield (
            table,
            "hash is of another version of debate-arena",
            f"SELECT key FROM ({hashes}) WHERE stored <> '' AND NOT ({known})",
        )
