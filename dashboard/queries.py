"""The queries of the pages: stored results as frames. No page ever bootstraps a rating."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet, Scope, Selection, compare
from arena.boards.exclusions import uncounted
from arena.boards.matrix import Kind, Matrix, matrix
from arena.boards.method import STORED
from arena.boards.provenance import participant_notes, provenance_notes
from arena.boards.rank_correlation import correlations, format_correlation
from arena.boards.stored_calibrations import calibration_notes
from arena.boards.vote_rules import majority_benches, read_vote_rules, rule_notes
from arena.records import IMPORTED, LOCAL, OFFLINE
from arena.store.database import Store
from ratings import confidence, cyclicity, score_difference, standing_notes, win_rate

#: The number of debates that a list shows at most; neither a browser nor a person scrolls further.
LISTED = 5_000

_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_name = 'tournaments'"
_BENCHES = """
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
        UNION ALL SELECT tournament, model, options FROM ({_BENCHES})
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
_BOARDS = f"""
    SELECT DISTINCT bench, dimension, category, position
    FROM ratings LEFT JOIN ({_BENCHES}) USING (tournament, bench)
    WHERE tournament = $tournament
    ORDER BY position, bench, dimension <> 'overall', dimension, category <> 'all', category
"""
_BOARD = """
    SELECT row_number() OVER (ORDER BY comparisons = 0, rating DESC, participant) AS rank,
           participant, rating,
           lower, upper, percentile_lower, percentile_upper, rank_low, rank_high, tie_group,
           comparisons AS debates, created_at
    FROM ratings
    WHERE tournament = $tournament AND bench = $bench AND dimension = $dimension
      AND category = $category
    ORDER BY rank
"""
_BY_BENCH = f"""
    SELECT bench, participant, rating
    FROM ratings LEFT JOIN ({_BENCHES}) USING (tournament, bench)
    WHERE tournament = $tournament AND dimension = $dimension AND category = $category
    ORDER BY bench <> $bench, position, bench, participant
"""
_SEATS = """
    SELECT participant_id, name FROM participants
    WHERE tournament = $tournament AND list_contains($names, name)
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
    SELECT *, finished * (SELECT coalesce(sum(runs), 0) FROM ({_BENCHES})
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """A stored board, with the counts and notes of this moment.

    Attributes:
        frame: a row per participant, the best first: rank, participant, rating, lower, upper
            (Elo points), percentile_lower, percentile_upper (of the bootstrap), rank_low,
            rank_high, tie_group (NaN on boards of older versions, like the percentiles), debates
            (their number behind the rating), created_at (when it was rated), win_rate (0 to 1,
            NaN where unplayed), note.
        notes: the limits of what the comparisons can tell.
        rated: the number of debates that the ratings are based on.
        judged: the number of debates that have all their ballots by now.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]
    rated: int
    judged: int


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
        f"SELECT bench, judge, model, runs FROM ({_BENCHES}) "  # noqa: S608 - a constant
        "WHERE tournament = $tournament ORDER BY position",
        {"tournament": tournament},
    )


def boards(store: Store, tournament: str) -> pd.DataFrame:
    """Return the stored boards of a tournament, the usual ones first.

    Columns: bench, dimension, category.
    """
    return store.read(_BOARDS, {"tournament": tournament}).drop(columns="position")


def standings(store: Store, selection: Selection) -> Standings:
    """Return a board with the win rates of this moment; an empty one where it is not stored."""
    frame = store.read(_BOARD, _board_parameters(selection))
    if frame.empty:
        return Standings(frame=frame, notes=(), rated=0, judged=0)
    scope = _scope(store, selection, frame["participant"])
    comparisons = compare(store, selection, scope).comparisons
    notes = standing_notes(comparisons)
    lost = participant_notes(store, selection.tournament)
    now = pd.DataFrame(
        {
            "participant": list(comparisons.names),
            "win_rate": win_rate(comparisons),
            "note": [
                "; ".join(filter(None, (*lines, lost.get(name, ""))))
                for name, lines in zip(comparisons.names, notes.participants, strict=True)
            ],
        }
    )
    return Standings(
        frame=frame.merge(now, on="participant", how="left"),
        notes=(
            *uncounted(store, selection, scope).said,
            *notes.board,
            *rule_notes(read_vote_rules(store, selection.tournament), selection),
            *provenance_notes(store, selection.tournament),
            *_correlation_notes(store, selection),
            *calibration_notes(store, selection, STORED, comparisons=len(comparisons)),
        ),
        rated=int(frame["debates"].sum()) // 2,
        judged=len(comparisons),
    )


def _correlation_notes(store: Store, selection: Selection) -> Iterator[str]:
    """Yield how well the order of the participants agrees with the other benches' boards."""
    frame = store.read(_BY_BENCH, _board_parameters(selection))
    ratings = {
        str(bench): dict(zip(rows["participant"], rows["rating"], strict=True))
        for bench, rows in frame.groupby("bench", sort=False)
    }
    own = ratings.pop(selection.bench)
    for bench, others in ratings.items():
        for correlation in correlations({selection.bench: own, bench: others}):
            yield format_correlation(correlation).removesuffix(".")


def win_rates(store: Store, selection: Selection, kind: Kind) -> Matrix | None:
    """Return the matrix of one kind for a stored board; `None` for fewer than two participants."""
    frame = store.read(_BOARD, _board_parameters(selection))
    if len(frame) < 2:
        return None
    compared = compare(store, selection, _scope(store, selection, frame["participant"]))
    rating = dict(zip(frame["participant"], frame["rating"], strict=True))
    value = _cells(compared, kind) if len(compared.comparisons) else None
    return matrix(compared.comparisons, rating, kind=kind, value=value)


def _cells(compared: ComparisonSet, kind: Kind) -> NDArray[np.float64] | None:
    """Return the cells of a kind that needs more than ratings and counts; else `None`."""
    comparisons = compared.comparisons
    if kind == "superiority":
        return confidence(comparisons).superiority
    if kind == "residual":
        return cyclicity(comparisons, rounds=1, seed=0).surplus  # the cells, without the test
    if kind == "difference":
        return score_difference(comparisons, compared.rows["difference"])
    return None


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


def _board_parameters(selection: Selection) -> dict[str, str]:
    """Return the parameters that name a stored board; boards of, say, a period are not stored."""
    return {
        "tournament": selection.tournament,
        "bench": selection.bench,
        "dimension": selection.dimension,
        "category": selection.category,
    }


def _scope(store: Store, selection: Selection, names: pd.Series) -> Scope:
    seats = store.read(_SEATS, {"tournament": selection.tournament, "names": list(names)})
    listed = benches(store, selection.tournament)
    return Scope(
        runs=dict(zip(listed["bench"], listed["runs"], strict=True)),
        participants=dict(zip(seats["participant_id"], seats["name"], strict=True)),
        imported=list(listed["judge"]) == [IMPORTED],
        majority=majority_benches(read_vote_rules(store, selection.tournament)),
    )
