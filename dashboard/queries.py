"""The queries of the pages on tournaments and debates: stored results as frames."""

from __future__ import annotations

import pandas as pd

from arena.records import LOCAL, OFFLINE
from arena.store.database import Store

#: The number of debates that a list shows at most; neither a browser nor a person scrolls further.
LISTED = 5_000

_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_name = 'tournaments'"
BENCHES = """
    SELECT tournament, bench->>'name' AS bench, bench->>'judge' AS judge, bench->>'model' AS model,
           CAST(bench->>'runs' AS INTEGER) AS runs, CAST(bench->'options' AS TEXT) AS options,
           position
    FROM (SELECT tournament, unnest(config->'$.benches[*]') AS bench,
                 unnest(range(CAST(json_array_length(config->'$.benches') AS BIGINT))) AS position
          FROM tournaments)
"""
#: Tournaments in which a model with a prefix debates or judges. Panels and teams name their models
#: in their options.
_WITH_PREFIX = f"""
    SELECT tournament FROM (
        SELECT tournament, model, CAST(options AS TEXT) AS options FROM participants
        UNION ALL SELECT tournament, model, options FROM ({BENCHES})
    ) WHERE starts_with(model, $prefix) OR contains(options, '"' || $prefix)
"""
_SIMULATED = _WITH_PREFIX.replace("$prefix", "$offline")
_VERY_SMALL = _WITH_PREFIX.replace("$prefix", "$local")
_PREFIXES = {"offline": OFFLINE, "local": LOCAL}
_TOURNAMENTS = f"""
    SELECT tournament, created_at, tournament IN ({_SIMULATED}) AS simulated,
           tournament IN ({_VERY_SMALL}) AS very_small
    FROM tournaments ORDER BY created_at DESC, tournament
"""
_PROGRESS = f"""
    WITH counted AS (
        SELECT count(*) AS debates,
               count(*) FILTER (status = 'planned') AS planned,
               count(*) FILTER (status = 'playing') AS playing,
               count(*) FILTER (status = 'waiting') AS waiting,
               count(*) FILTER (status = 'finished') AS finished,
               count(*) FILTER (status = 'forfeit') AS forfeit,
               count(*) FILTER (status = 'void') AS void,
               count(*) FILTER (status = 'error') AS error
        FROM debates WHERE tournament = $tournament
    ), taken AS (
        SELECT count(*) FILTER (b.status = 'valid') AS ballots,
               count(*) FILTER (b.status = 'failed') AS failed,
               count(*) FILTER (b.status = 'error') AS erred
        FROM ballots b JOIN debates USING (debate_id) WHERE tournament = $tournament
    )
    SELECT *, finished * (SELECT coalesce(sum(runs), 0) FROM ({BENCHES})
                          WHERE tournament = $tournament) AS ballots_due
    FROM counted, taken
"""
_SEATED = """
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
"""
_DEBATES = f"""
    SELECT d.debate_id, d.motion_id, m.text AS motion, m.category, d.language, p.name AS pro,
           c.name AS con, d.status, v.pro_score, v.con_score
    {_SEATED}
    LEFT JOIN (
        SELECT b.debate_id, sum(s.outcome) AS pro_score, sum(1 - s.outcome) AS con_score
        FROM ballots b JOIN ballot_scores s USING (ballot_id)
        WHERE b.status = 'valid' AND s.dimension = 'overall' AND b.bench = $bench
        GROUP BY b.debate_id
    ) v ON v.debate_id = d.debate_id
    WHERE d.tournament = $tournament
    ORDER BY d.motion_id, d.language, d.matchup_id, d.leg LIMIT $listed
"""
_DEBATE = f"""
    SELECT d.debate_id, d.tournament, d.status, d.reason, d.leg, d.language, d.motion_id,
           m.text AS motion, m.category, m.info_slide,
           (SELECT t.config->>'$.tournament.contest' FROM tournaments t
            WHERE t.tournament = d.tournament) AS contest,
           p.name AS pro, p.debater AS pro_debater, p.model AS pro_model,
           c.name AS con, c.debater AS con_debater, c.model AS con_model,
           d.tournament IN ({_SIMULATED}) AS simulated,
           d.tournament IN ({_VERY_SMALL}) AS very_small
    {_SEATED} WHERE d.debate_id = $id
"""
_BALLOTS = """
    SELECT b.bench, b.run, b.status, b.reason, b.voter, s.dimension, s.outcome, s.pro_mark,
           s.con_mark, s.comment
    FROM ballots b LEFT JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id = $id
    ORDER BY b.bench, b.run, s.dimension <> 'overall', s.dimension
"""


def tournaments(store: Store) -> pd.DataFrame:
    """Return the stored tournaments, the newest first.

    Columns: tournament, created_at, simulated, very_small.

    Raises:
        StoreError: there is no such database.
    """
    if store.read(_TABLES).empty:
        columns = ("tournament", "created_at", "simulated", "very_small")
        return pd.DataFrame({column: [] for column in columns})
    return store.read(_TOURNAMENTS, _PREFIXES)


def benches(store: Store, tournament: str) -> pd.DataFrame:
    """Return a tournament's benches in their order; columns: bench, judge, model, runs."""
    return store.read(
        f"SELECT bench, judge, model, runs FROM ({BENCHES}) "  # noqa: S608 - a constant
        "WHERE tournament = $tournament ORDER BY position",
        {"tournament": tournament},
    )


def progress(store: Store, tournament: str) -> pd.DataFrame:
    """Return one row of counts: debates (also by status), ballots, failed, erred, ballots_due."""
    return store.read(_PROGRESS, {"tournament": tournament})


def debates(store: Store, tournament: str) -> pd.DataFrame:
    """Return the first `LISTED` debates of a tournament, with the first bench's overall score.

    Columns: debate_id, motion_id, motion, category, language, pro, con (names), status, pro_score,
    con_score (NaN where nothing is judged yet).
    """
    bench = next(iter(benches(store, tournament)["bench"]), "")
    return store.read(_DEBATES, {"tournament": tournament, "bench": bench, "listed": LISTED})


def filtered(
    frame: pd.DataFrame, *, participant: str = "", motion: str = "", status: str = ""
) -> pd.DataFrame:
    """Return the rows of `debates` that fit; the participant may be on either side; '' fits all."""
    mask = pd.Series(True, index=frame.index)
    if participant:
        mask &= (frame["pro"] == participant) | (frame["con"] == participant)
    if motion:
        mask &= frame["motion"] == motion
    if status:
        mask &= frame["status"] == status
    return frame[mask].reset_index(drop=True)


def debate(store: Store, debate_id: str) -> pd.DataFrame:
    """Return a debate with its motion and sides: one row, or none if there is no such debate.

    Its columns `simulated` and `very_small` say whether such a model debates or judges in its
    tournament.
    """
    return store.read(_DEBATE, {"id": debate_id, **_PREFIXES})


def ballots(store: Store, debate_id: str) -> pd.DataFrame:
    """Return the verdicts on a debate: a row per bench, run and dimension, or lost ballot."""
    return store.read(_BALLOTS, {"id": debate_id})
