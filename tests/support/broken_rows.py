"""A database with rows in every table, and what breaks one row of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.store.database import Store
from arena.store.rows import write_units
from arena.store.seals import seal_all
from tests.support.command_line import done
from tests.support.stored_databases import change
from tests.support.tournaments import unit

_TIME = "TIMESTAMPTZ '2025-01-01 00:00:00+00'"
#: Rows of the tables that a small tournament leaves empty.
_MORE = (
    "INSERT INTO structured_modes BY NAME (SELECT 'small' AS tournament, 'a/b' AS model, "
    "'' AS address, 'schema' AS structured)",
    "INSERT INTO request_shapes BY NAME (SELECT 'small' AS tournament, 'a/b' AS model, "
    "'' AS address, true AS merged_system, '' AS left_out, false AS thinks)",
    "INSERT INTO call_limits BY NAME (SELECT 'small' AS tournament, 'a/b' AS model, "
    "'' AS address, 8 AS calls)",
    f"""INSERT INTO waves BY NAME (SELECT 'small' AS tournament, unnest([0, 1]) AS wave,
    '{{}}' AS schedule, '[]' AS judged, '{{}}' AS left_out, '{{}}' AS usd, '[]' AS meetings,
    '[]' AS byes, '' AS phase, '[]' AS motions, '[]' AS retired, '' AS note,
    {_TIME} AS created_at)""",
    f"""INSERT INTO diversity BY NAME (SELECT 'set-1' AS unit, 'small' AS tournament,
    'fair' AS participant, 'm' AS motion_id, 'en' AS language, 2 AS essays, 'e' AS embedding,
    'p' AS points_by, 50 AS self_bleu, 0.5 AS self_emb, 0.5 AS perspective, 4 AS points,
    0 AS unread, 0.25 AS cost_usd, {_TIME} AS measured_at)""",
    f"""INSERT INTO trials BY NAME (SELECT 'trial-1' AS ballot_id, 'probe' AS kind,
    'small' AS source, 'd' AS item, 'none' AS defect, 'pro' AS side, 'bench' AS bench,
    'single' AS judge, 'a/b' AS model, 0 AS run, 'valid' AS status, '' AS reason,
    'So.' AS rationale, '[]' AS trace, 1 AS outcome, 2 AS pro_mark, 1 AS con_mark, 1 AS seconds,
    0.5 AS cost_usd, 1 AS asked, {_TIME} AS taken_at)""",
    f"""INSERT INTO calibrations BY NAME (SELECT 'sel' AS selection_id, 'small' AS tournament,
    'bench' AS bench, 'overall' AS dimension, 'all' AS category, unnest(['side', 'ties']) AS model,
    6 AS comparisons, 0.6 AS log_loss, 0.01 AS gain, 0.001 AS gain_error, TRUE AS better,
    {_TIME} AS calibrated_at)""",
    f"""INSERT INTO drafts BY NAME (SELECT debate_id, 'pro' AS side, 'rebuttal' AS stage,
    'Said.' AS text, TRUE AS handed_in, {_TIME} AS changed_at FROM debates LIMIT 1)""",
    f"""INSERT INTO awaited BY NAME (SELECT debate_id, 'pro' AS side, 'rebuttal' AS stage,
    {_TIME} AS since FROM debates LIMIT 1)""",
)

#: What changes a row, by table; every row of it is changed alike.
CHANGED = {
    "tournaments": "UPDATE tournaments SET config = replace(config::TEXT, 'strong', 'string')",
    "motions": "UPDATE motions SET text = text || '!'",
    "participants": "UPDATE participants SET model = 'offline/good' WHERE name = 'fair'",
    "debates": "UPDATE debates SET finished_at = finished_at + INTERVAL 1 SECOND "
    "WHERE debate_id = (SELECT min(debate_id) FROM debates WHERE tournament = 'small')",
    "speeches": "UPDATE speeches SET trace = '[]' WHERE side = 'pro' AND stage = 'rebuttal'",
    "drafts": "UPDATE drafts SET text = 'Else.'",
    "awaited": "UPDATE awaited SET speaker = 'eve'",
    "calls": "UPDATE calls SET seconds = seconds + 1 WHERE path LIKE 'pro/rebuttal%'",
    "structured_modes": "UPDATE structured_modes SET structured = 'prompt'",
    "request_shapes": "UPDATE request_shapes SET context_tokens = 4096",
    "call_limits": "UPDATE call_limits SET calls = 9",
    "waves": "UPDATE waves SET note = 'Otherwise.' WHERE wave = 1",
    "exchanges": "UPDATE exchanges SET requests_and_answers = 'x'::BLOB WHERE part = 1",
    "ballots": "UPDATE ballots SET rationale = 'Otherwise.'",
    "ballot_scores": "UPDATE ballot_scores SET outcome = 1 - outcome WHERE outcome <> 0.5",
    "diversity": "UPDATE diversity SET self_bleu = 1",
    "trials": "UPDATE trials SET outcome = 0",
    "battles": "UPDATE battles SET outcome = 1 - outcome WHERE voter = 'ann'",
    "ratings": "UPDATE ratings SET rating = rating + 1 WHERE participant = 'fair'",
    "calibrations": "UPDATE calibrations SET gain = 1 WHERE model = 'side'",
    "boards": "UPDATE boards SET content = replace(content::TEXT, 'strong', 'string')",
    "board_states": "UPDATE board_states SET debates = debates + 1",
}
#: What removes a row. What the next run finds out again, and motions without a debate, may go.
REMOVED = {
    "tournaments": "DELETE FROM tournaments WHERE tournament = 'small'",
    "motions": "DELETE FROM motions WHERE motion_id = (SELECT min(motion_id) FROM debates "
    "WHERE tournament = 'small')",
    "participants": "DELETE FROM participants WHERE name = 'fair'",
    "debates": "DELETE FROM debates WHERE debate_id = (SELECT min(debate_id) FROM debates)",
    "speeches": "DELETE FROM speeches WHERE rowid = (SELECT min(rowid) FROM speeches)",
    "drafts": "DELETE FROM drafts",
    "awaited": "DELETE FROM awaited",
    "calls": "DELETE FROM calls WHERE rowid = (SELECT min(rowid) FROM calls)",
    "exchanges": "DELETE FROM exchanges WHERE rowid = (SELECT min(rowid) FROM exchanges)",
    "ballots": "DELETE FROM ballots WHERE rowid = (SELECT min(rowid) FROM ballots)",
    "ballot_scores": "DELETE FROM ballot_scores WHERE rowid = (SELECT min(rowid) FROM "
    "ballot_scores WHERE dimension <> 'overall')",
    "waves": "DELETE FROM waves WHERE wave = 0",
    "diversity": "DELETE FROM diversity",
    "trials": "DELETE FROM trials",
    "battles": "DELETE FROM battles WHERE voter = 'ann'",
    "ratings": "DELETE FROM ratings WHERE participant = 'fair' AND dimension = 'overall'",
    "calibrations": "DELETE FROM calibrations WHERE model = 'side'",
}
#: Columns by which a copied row becomes another one, by table.
_KEYS = {
    "tournaments": "'copy' AS tournament",
    "motions": "'copy' AS motion_id, '' AS record_hash",
    "participants": "'copy' AS participant_id",
    "debates": "'copy' AS debate_id",
    "speeches": "'close' AS stage",
    "drafts": "'summary' AS stage",
    "awaited": "'summary' AS stage",
    "calls": "path || '/copy' AS path",
    "structured_modes": "'copy' AS model",
    "request_shapes": "'copy' AS model",
    "call_limits": "'copy' AS model",
    "waves": "wave + 2 AS wave",
    "exchanges": "part + 1 AS part",
    "ballots": "'copy' AS ballot_id",
    "ballot_scores": "'copy' AS dimension",
    "diversity": "'copy' AS unit",
    "trials": "'copy' AS ballot_id",
    "battles": "voter AS voter",
    "ratings": "'copy' AS participant",
    "calibrations": "'copy' AS model",
    "boards": "'copy' AS board",
    "board_states": "'copy' AS board_id",
}
#: What adds a row: a copy of one, under another key.
ADDED = {
    table: f"INSERT INTO {table} SELECT * REPLACE ({keys}) FROM {table} LIMIT 1"
    for table, keys in _KEYS.items()
}
#: Tables whose rows may be missing without a trace: models are asked again, a motion without
#: debates and boards that can be computed again are in no other table. A published digest shows
#: that a board is gone.
MAY_GO = {"structured_modes", "request_shapes", "call_limits", "boards", "board_states"}


def fill_all_tables(database: Path, log: Path) -> None:
    """Fill the tables that a small tournament leaves empty; two battles come from a log."""
    store = Store(database)
    change(store, *_MORE)

    def add_units(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        write_units(connection, [(unit("set-1", ("points", 0.25)), 1)])
        write_units(connection, [(unit("trial-1", ("run/0", 0.5)), 1)])
        connection.execute("UPDATE ballots SET record_hash = '', result_hash = ''")
        seal_all(connection)

    store.write(add_units)
    log.write_text("model_a,model_b,winner,judge\na,b,model_a,ann\nb,c,tie,bob\n", "utf-8")
    done("import", log, "--db", database, "--name", "log")
