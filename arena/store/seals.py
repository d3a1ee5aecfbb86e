"""Seals: hashes that stored results carry, over fixed lists of columns, to find later changes.

A debate or ballot that has ended carries two: `result_hash` of what was said and decided, which is
the same whenever and however often it is played on the same answers, and `record_hash` of all else
(times, costs, calls, the stored requests and answers). Both are made by DuckDB in the transaction
that stores the rows, from the rows as they are stored, and `arena verify` makes them again by the
same statements.

A hash begins with the version of the lists of columns. The lists of a version stay as they are: a
column that is added to a table is covered by no hash until a further version is written, beside the
earlier ones, which the rows of older files keep. Imported battles carry
none; they are stored twice, and compared with each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from arena.records import ENDED, IMPORTED
from arena.store.battles import BATTLE_LOGS

#: Columns that are no text, and how they become one; all others are cast.
_AS_TEXT: Final[Mapping[str, str]] = {
    name: "epoch_us({0})"
    for name in (
        "started_at", "finished_at", "taken_at", "measured_at", "created_at", "calibrated_at",
        "since", "opened_at",
    )
}  # fmt: skip
#: Lists of columns by what a hash is made over: the name of a table, and of its part.
Lists: TypeAlias = Mapping[str, tuple[str, ...]]

_FIRST: Final[Lists] = {
    "debates.result": (
        "debate_id", "matchup_id", "tournament", "motion_id", "language", "leg", "repeat", "pro",
        "con", "status", "reason", "forfeited",
    ),
    "debates.record": (
        "debate_id", "replays", "cost_usd", "started_at", "finished_at", "erred", "traceback",
    ),
    "speeches.said": ("side", "stage", "text", "words", "trimmed", "references"),
    "speeches.made": ("side", "stage", "trace"),
    "drafts": ("side", "stage", "text"),
    "awaited": ("side", "stage", "since", "opened_at", "speaker", "making"),
    "calls": (
        "path", "attempt", "task", "prompt_hash", "model", "input_tokens", "output_tokens",
        "cached_tokens", "reasoning_tokens", "cost_usd", "seconds", "retries", "finish_reason",
        "dropped", "structured", "served_model", "fingerprint", "reserved_usd", "bent",
    ),
    "exchanges": ("part", "content_hash"),
    "ballots.result": (
        "ballot_id", "debate_id", "bench", "run", "status", "voter", "weight", "swapped",
    ),
    "ballots.record": (
        "ballot_id", "reason", "rationale", "confidence", "seconds", "cost_usd", "asked", "trace",
        "traceback",
    ),
    "ballot_scores.decided": ("dimension", "outcome", "pro_mark", "con_mark"),
    "ballot_scores.explained": ("dimension", "comment"),
    "trials": (
        "ballot_id", "kind", "source", "item", "defect", "side", "bench", "judge", "model", "run",
        "status", "reason", "rationale", "trace", "outcome", "pro_mark", "con_mark", "seconds",
        "cost_usd", "asked", "taken_at", "traceback",
    ),
    "diversity": (
        "unit", "tournament", "participant", "motion_id", "language", "essays", "embedding",
        "points_by", "self_bleu", "self_emb", "perspective", "points", "unread", "cost_usd",
        "measured_at",
    ),
    "motions": (
        "motion_id", "motion_set", "category", "topic", "language", "text", "info_slide", "brief",
        "answers",
    ),
    "structured_modes": ("tournament", "model", "address", "structured"),
    "request_shapes": (
        "tournament", "model", "address", "merged_system", "left_out", "output_tokens",
        "context_tokens", "thinks",
    ),
    "call_limits": ("tournament", "model", "address", "calls"),
    "waves": (
        "tournament", "wave", "schedule", "judged", "left_out", "usd", "meetings", "byes", "phase",
        "motions", "retired", "note", "created_at",
    ),
    "board_states": (
        "board_id", "tournament", "bench", "dimension", "category", "entry", "debates", "content",
        "created_at",
    ),
    "boards": (
        "board", "tournament", "settings", "config", "seed", "entry", "data_hash", "versions",
        "content", "created_at",
    ),
    "ratings": (
        "board_id", "tournament", "bench", "dimension", "category", "method", "participant",
        "rating", "median", "lower", "upper", "rank_low", "rank_high", "tie_group", "comparisons",
        "data_hash", "seed", "created_at", "percentile_lower", "percentile_upper",
    ),
    "calibrations": (
        "selection_id", "tournament", "bench", "dimension", "category", "model", "comparisons",
        "log_loss", "gain", "gain_error", "better", "effect", "effect_lower", "effect_upper",
        "calibrated_at",
    ),
}  # fmt: skip
#: The lists of each version. A later one repeats only the lists that it adds columns to:
#: `2: {**_FIRST, "debates.record": (*_FIRST["debates.record"], "new_column")}`.
VERSIONS: Final[Mapping[int, Lists]] = {1: _FIRST}
#: The version of what is sealed now.
VERSION: Final = max(VERSIONS)

#: The column that names a unit of work, by table.
UNIT_KEYS: Final[Mapping[str, str]] = {
    "debates": "debate_id",
    "ballots": "ballot_id",
    "trials": "ballot_id",
    "diversity": "unit",
}
#: The tables whose rows are sealed one by one.
ROW_TABLES: Final = (
    "motions", "structured_modes", "request_shapes", "call_limits", "waves", "board_states",
    "boards",
)  # fmt: skip
#: The tables whose rows are sealed together, and the column that the rows of a group share.
GROUP_KEYS: Final[Mapping[str, str]] = {"ratings": "board_id", "calibrations": "selection_id"}


def sealed_columns(version: int | None = None) -> dict[str, set[str]]:
    """Return the sealed columns by table, of a version of the lists; of the present one if None."""
    columns: dict[str, set[str]] = {}
    for name, names in VERSIONS[version or VERSION].items():
        columns.setdefault(name.partition(".")[0], set()).update(names)
    return columns


def _row(columns: Sequence[str], *, table: str = "") -> str:
    """Return the SQL of a row's hash; `table` is the alias of its table."""
    prefix = f"{table}." if table else ""
    cells = (
        f"CAST({_AS_TEXT.get(name, '{0}').format(prefix + chr(34) + name + chr(34))} AS TEXT)"
        for name in columns
    )
    return f"sha256(to_json([{', '.join(cells)}]))"


def _together(hashes: str) -> str:
    """Return the SQL of one hash of a group's hashes, whatever their order."""
    return f"sha256(array_to_string(list_sort(list({hashes})), ''))"


def _sealed(version: int, *hashes: str) -> str:
    """Return the SQL of a stored hash: the version, and 32 digits over some hashes."""
    joined = ", ".join(f"coalesce({part}, '-')" for part in hashes)
    return f"'{version}:' || substr(sha256(concat_ws(' ', {joined})), 1, 32)"


def _called(lists: Lists, units: str) -> str:
    return f"""
    called AS (
        SELECT unit, {_together("hash")} AS calls
        FROM (SELECT unit, {_row(lists["calls"])} AS hash FROM calls WHERE {units}) GROUP BY unit
    ), exchanged AS (
        SELECT unit, {_together("hash")} AS exchanges
        FROM (SELECT unit, {_row(lists["exchanges"])} AS hash
              FROM exchanges WHERE {units}) GROUP BY unit
    )
    """


def _debates(version: int, keys: str, units: str) -> str:
    lists = VERSIONS[version]
    # The hash of the motion of a debate whose motion is not stored.
    absent = f"sha256(to_json([{', '.join(['CAST(NULL AS TEXT)'] * len(lists['motions']))}]))"
    result, record = (_row(lists[f"debates.{name}"], table="base") for name in ("result", "record"))
    return f"""
    WITH base AS (
        SELECT * FROM debates WHERE status IN {ENDED} AND {keys}
          AND tournament NOT IN {BATTLE_LOGS}
    ), spoken AS (
        SELECT debate_id, {_together("said")} AS said, {_together("made")} AS made
        FROM (SELECT debate_id, {_row(lists["speeches.made"])} AS made,
                     {_row(lists["speeches.said"])} AS said
              FROM speeches WHERE {keys}) GROUP BY debate_id
    ), submitted AS (
        SELECT debate_id, {_together("hash")} AS drafts
        FROM (SELECT debate_id, {_row(lists["drafts"])} AS hash
              FROM drafts WHERE handed_in AND {keys} UNION ALL
              SELECT debate_id, {_row(lists["awaited"])}
              FROM awaited WHERE {keys}) GROUP BY debate_id
    ), worded AS (
        SELECT motion_id, language, {_row(lists["motions"])} AS worded FROM motions
    ), {_called(lists, units)}
    SELECT debate_id AS key,
           {_sealed(version, result, f"coalesce(worded, {absent})", "said")} AS result_hash,
           {_sealed(version, record, "made", "drafts", "calls", "exchanges")} AS record_hash
    FROM base
    LEFT JOIN worded m ON m.motion_id = base.motion_id AND m.language = base.language
    LEFT JOIN spoken USING (debate_id) LEFT JOIN submitted USING (debate_id)
    LEFT JOIN called ON called.unit = debate_id LEFT JOIN exchanged ON exchanged.unit = debate_id
    """


def _ballots(version: int, keys: str, units: str) -> str:
    lists = VERSIONS[version]
    result, record = (_row(lists[f"ballots.{name}"], table="base") for name in ("result", "record"))
    return f"""
    WITH scored AS (
        SELECT ballot_id, {_together("decided")} AS decided, {_together("explained")} AS explained
        FROM (SELECT ballot_id, {_row(lists["ballot_scores.decided"])} AS decided,
                     {_row(lists["ballot_scores.explained"])} AS explained
              FROM ballot_scores WHERE {keys}) GROUP BY ballot_id
    ), {_called(lists, units)}
    SELECT ballot_id AS key,
           {_sealed(version, result, "decided")} AS result_hash,
           {_sealed(version, record, "explained", "calls", "exchanges")} AS record_hash
    FROM (SELECT * FROM ballots
          WHERE status IN ('valid', 'failed') AND bench <> '{IMPORTED}' AND {keys}) base
    LEFT JOIN scored USING (ballot_id)
    LEFT JOIN called ON called.unit = ballot_id LEFT JOIN exchanged ON exchanged.unit = ballot_id
    """


def unit_hashes(table: str, selected: str = "TRUE", *, version: int | None = None) -> str:
    """Return the query of the hashes of units: `key`, `record_hash`, of some tables `result_hash`.

    Args:
        selected: which units, a condition with `{0}` for their key (`part_of_units`); all if it is
            not given.
        version: of the lists; the present one if None.
    """
    version, key = version or VERSION, UNIT_KEYS[table]
    keys, units = selected.format(key), selected.format("unit")
    if table == "debates":
        return _debates(version, keys, units)
    if table == "ballots":
        return _ballots(version, keys, units)
    row = _row(VERSIONS[version][table], table="base")
    return f"""
    WITH {_called(VERSIONS[version], units)}
    SELECT base.{key} AS key, {_sealed(version, row, "calls", "exchanges")} AS record_hash
    FROM (SELECT * FROM {table} WHERE {keys}) base
    LEFT JOIN called ON called.unit = base.{key}
    LEFT JOIN exchanged ON exchanged.unit = base.{key}
    """


def _row_hash(table: str, version: int) -> str:
    return _sealed(version, _row(VERSIONS[version][table]))


def row_hashes(table: str, *, version: int | None = None) -> str:
    """Return the query of the rows of a table with the hash that each should have, `expected`."""
    return f"SELECT *, {_row_hash(table, version or VERSION)} AS expected FROM {table}"


def group_hashes(table: str, *, version: int | None = None) -> str:
    """Return the query of the hash that each group of rows should have: `key`, `expected`."""
    version, key = version or VERSION, GROUP_KEYS[table]
    return (
        f"SELECT key, {_sealed(version, _together('hash'))} AS expected "
        f"FROM (SELECT {key} AS key, {_row(VERSIONS[version][table])} AS hash FROM {table}) "
        "GROUP BY key"
    )


def part_of_units(number: int, parts: int) -> str:
    """Return the condition of one of some parts of all units (for `unit_hashes`), from 0."""
    return f"hash({{0}}) % {parts} = {number}"


def seal_units(connection: Any, table: str, keys: Collection[str]) -> None:  # noqa: ANN401 - DuckDB
    """Give units that have ended their hashes, and ballots the number of this writing.

    Args:
        keys: of the units; those that have not ended get none.
    """
    if keys:
        _seal_units(connection, table, unit_hashes(table, f"{{0}} IN ({_quoted(keys)})"))


def _seal_units(connection: Any, table: str, query: str) -> None:  # noqa: ANN401 - DuckDB
    results = ", result_hash = made.result_hash" if table in ("debates", "ballots") else ""
    if table == "ballots":
        entry = connection.execute("SELECT coalesce(max(entry), 0) + 1 FROM ballots").fetchone()[0]
        results += f", entry = {int(entry)}"
    connection.execute(
        f"UPDATE {table} SET record_hash = made.record_hash{results} "
        f"FROM ({query}) made WHERE {table}.{UNIT_KEYS[table]} = made.key"
    )


def seal_rows(connection: Any, table: str) -> None:  # noqa: ANN401 - DuckDB
    """Give the rows of a table that have no hash theirs."""
    connection.execute(
        f"UPDATE {table} SET record_hash = {_row_hash(table, VERSION)} WHERE record_hash = ''"
    )


def seal_groups(connection: Any, table: str, keys: Collection[str]) -> None:  # noqa: ANN401 - DuckDB
    """Give the rows of some groups their group's hash."""
    if keys:
        key = GROUP_KEYS[table]
        connection.execute(
            f"UPDATE {table} SET record_hash = made.expected FROM ({group_hashes(table)}) made "
            f"WHERE {table}.{key} = made.key AND {table}.{key} IN ({_quoted(keys)})"
        )


def seal_all(connection: Any) -> None:  # noqa: ANN401 - DuckDB
    """Give all rows of a database that an older program wrote their hashes."""
    connection.execute(
        "UPDATE exchanges SET content_hash = sha256(requests_and_answers) WHERE content_hash = ''"
    )
    for table in UNIT_KEYS:
        _seal_units(connection, table, unit_hashes(table))
    connection.execute("UPDATE ballots SET entry = 0")
    for table in ROW_TABLES:
        seal_rows(connection, table)
    for table, column in GROUP_KEYS.items():
        keys = connection.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()
        seal_groups(connection, table, [str(key) for (key,) in keys])


def _quoted(keys: Collection[str]) -> str:
    """Return ids as SQL."""
    return ", ".join("'" + str(key).replace("'", "''") + "'" for key in sorted(keys)) or "''"
