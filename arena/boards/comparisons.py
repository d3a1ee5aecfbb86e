"""Comparisons: ballots become outcomes of debates, by one query for any selection of them.

A side's score is the sum of its outcomes over up to three runs (0 to 3), and 3 × their mean over
more runs. A debate gives a comparison only when every planned run of the bench has a valid ballot,
or of a bench of people from the first vote on.
Its outcome is the sign of the difference Δ of the scores, its weight 1 / (1 + e^−|Δ|) (Zhang et
al. 2024, arXiv 2408.04472); an imported battle has a weight of its own. On request, the votes of a
bench of people decide by majority instead (`arena.boards.vote_rules`); the weight stays the same.
The debates of a bench whose ballots count one by one have shares of ballots as outcomes, and other
weights (`arena.boards.ballot_counts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from arena.boards.agreement import RunAgreement, measure_agreement
from arena.boards.ballot_counts import count_by_ballot
from arena.boards.forfeits import count_as_losses, read_forfeits
from arena.boards.selection import IN_WINDOW, OF_KIND, Scope, Selection
from arena.boards.votes import FULL_SCORE, VoteProgress
from arena.records import IMPORTED
from arena.store.battles import (
    COUNT_BATTLES,
    COUNT_PARAMETERS,
    NO_MOTION,
    repeat_clustered,
)
from arena.store.database import Store
from ratings import Comparisons, Pairing, PlanProgress
from ratings.comparisons import PLAYED
from ratings.intervals.forfeits import are_uneven

#: The selected debates with the sums of their ballots, one row per debate and bench. Ballots of
#: judges who are left out count as taken, so that a debate does not seem to wait for them.
JUDGED = f"""
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id,
               unnest(CAST($names AS TEXT[])) AS name,
               unnest(CAST($places AS INTEGER[])) AS place
    ), planned AS (
        SELECT unnest(CAST($benches AS TEXT[])) AS bench, unnest(CAST($runs AS INTEGER[])) AS runs,
               unnest(CAST($majority AS BOOLEAN[])) AS majority,
               unnest(CAST($partial AS BOOLEAN[])) AS partial
    ), taken AS (
        SELECT b.debate_id, b.bench, s.outcome, s.pro_mark, s.con_mark, b.voter,
               CASE WHEN s.outcome IS NOT NULL THEN b.weight END AS weight,
               s.outcome IS NOT NULL
               AND NOT list_contains(CAST($without AS TEXT[]), b.voter) AS kept
        FROM ballots b
        LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
        WHERE b.status = 'valid' AND ($entry IS NULL OR b.entry <= $entry)
    ), judged AS (
        SELECT d.debate_id, d.matchup_id, d.motion_id, d.language, d.finished_at, m.category,
               planned.bench, pro.place AS first, con.place AS second,
               pro.name AS pro, con.name AS con,
               CASE m.motion_set WHEN 'imported' THEN m.text ELSE m.motion_id END AS motion,
               count(t.bench) AS ballots, count(t.outcome) AS taken,
               planned.runs AS runs, planned.majority AS majority, planned.partial AS partial,
               count(*) FILTER (t.kept AND t.outcome = 1) AS votes_for_pro,
               count(*) FILTER (t.kept AND t.outcome = 0) AS votes_for_con,
               count(*) FILTER (t.kept) AS counted, sum(t.outcome) FILTER (t.kept) AS won,
               max(t.weight) AS given, any_value(t.voter) FILTER (t.kept) AS voter,
               avg(t.pro_mark) FILTER (t.kept) AS pro_mark,
               avg(t.con_mark) FILTER (t.kept) AS con_mark
        FROM debates d JOIN motions m USING (motion_id, language)
        JOIN seats pro ON pro.participant_id = d.pro
        JOIN seats con ON con.participant_id = d.con
        CROSS JOIN planned
        LEFT JOIN taken t ON t.debate_id = d.debate_id AND t.bench = planned.bench
        WHERE status = 'finished' AND {OF_KIND} AND {IN_WINDOW}
        GROUP BY ALL
    ), compared AS (
        SELECT *, taken >= CASE WHEN partial THEN 1 ELSE greatest(runs, 1) END AS complete,
               ballots < runs AS open, ballots >= greatest(runs, 1) AND NOT complete AS silent,
               counted = 0 AS left_out,
               CASE WHEN counted > {FULL_SCORE} THEN {FULL_SCORE}.0 / counted ELSE 1.0 END AS scale,
               (2 * won - counted) * scale AS delta,
               CASE WHEN NOT majority THEN (sign(delta) + 1) / 2
                    WHEN 2 * votes_for_pro > counted THEN 1.0
                    WHEN 2 * votes_for_con > counted THEN 0.0 ELSE 0.5 END AS outcome,
               coalesce(given, 1 / (1 + exp(-abs(delta)))) AS weight
        FROM judged
    )
"""
_ROWS = f"""{JUDGED}
    SELECT debate_id, bench, voter, first, second, outcome, weight, delta AS difference, complete,
           open, silent, left_out, 1 AS times, category, votes_for_pro, votes_for_con, counted,
           taken,
           CASE WHEN $by_motion THEN motion_id ELSE '' END AS motion,
           CAST(hash(CASE $cluster WHEN 'matchup' THEN matchup_id WHEN 'motion' THEN motion_id
                     ELSE debate_id END) >> 1 AS BIGINT) AS cluster
    FROM compared ORDER BY debate_id, bench
"""
_BATTLES = "SELECT count(*) AS battles FROM battles WHERE tournament = $tournament"
_WITHOUT_MOTION = """
    SELECT count(*) AS debates FROM debates
    WHERE tournament = $tournament AND motion_id IN (
        SELECT motion_id FROM motions WHERE motion_set = 'imported' AND text = $unnamed
    )
"""
#: The number of battles up to which motions are looked at by default: they split the rows.
_MOST_WITH_MOTIONS = 100_000
_DEBATES = f"""{JUDGED}
    SELECT debate_id, matchup_id, motion_id, motion, category, language, finished_at, bench, voter,
           $dimension AS dimension, pro, con, outcome, weight,
           won * scale AS pro_score, (counted - won) * scale AS con_score, pro_mark, con_mark,
           votes_for_pro, votes_for_con, counted AS votes
    FROM compared WHERE complete AND NOT left_out
    ORDER BY debate_id, bench
"""
_ANY_WAVE = "SELECT wave FROM waves WHERE tournament = $tournament LIMIT 1"
#: How the pairs of the counted debates came about, and the end of play (`Comparisons.pairing`), a
#: row for each wave, and one for the matchups of none: waves of `adaptive` that do not say which
#: share results guided are of versions in which results guided all but a fixed share.
_WAVES = """
    WITH in_waves AS (
        SELECT wave, unnest(meetings->>'$[*].matchup_id') AS matchup_id,
               CAST(schedule->>'$.planned' AS INTEGER) AS planned,
               CASE WHEN (schedule->>'$.target.objective') = 'newcomer'
                    THEN schedule->>'$.schedule.newcomers[0]' END AS newcomer,
               phase <> '' OR kind IN ('swiss', 'knockout')
               OR kind = 'adaptive' AND guided IS NULL AS is_guided
        FROM (SELECT *, schedule->>'$.schedule.kind' AS kind, schedule->>'$.guided' AS guided
              FROM waves WHERE tournament = $tournament)
    ), stored AS (
        SELECT d.matchup_id, status, wave, planned, newcomer, is_guided, EXISTS (
                   FROM ballots b WHERE b.debate_id = d.debate_id
                   AND ($entry IS NULL OR b.entry <= $entry)
                   AND list_contains(CAST($benches AS TEXT[]), b.bench)
               ) AS is_judged
        FROM debates d LEFT JOIN in_waves w USING (matchup_id) WHERE tournament = $tournament
    )
    SELECT wave, planned, coalesce(newcomer, '') AS newcomer,
           coalesce(is_guided, false) AS is_guided,
           count(*) AS debates, count(DISTINCT matchup_id) AS matchups,
           count(*) FILTER (status IN ('forfeit', 'void', 'error')) AS lost,
           count(*) FILTER (is_judged) AS judged
    FROM stored GROUP BY ALL ORDER BY wave NULLS FIRST
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonSet:
    """The comparisons of a selection.

    Attributes:
        comparisons: one per debate and bench, Pro named first. Equal imported battles that are
            clusters of their own share a row (`Comparisons.times`): ten million rate in a second.
        rows: for each comparison: debate_id ('' where a row stands for several), bench, voter,
            motion (its id; '' unless asked for), difference (Pro's score less Con's, -3 to 3).
        open: the number of finished debates (per bench) that lack ballots.
        left_out: the number of debates that do not count because their judges are left out.
        silent: the number of those that have all their ballots, some without a verdict on the
            dimension: that is newer than they are, or their judge does not know it.
        agreement: of the ballots of a bench on a debate; None where few debates have two.
        votes: how far each bench of people is.
    """

    comparisons: Comparisons
    rows: pd.DataFrame
    open: int
    left_out: int
    silent: int = 0
    agreement: RunAgreement | None = None
    votes: tuple[VoteProgress, ...] = ()


def compare(
    store: Store,
    selection: Selection,
    scope: Scope,
    *,
    by_motion: bool = False,
    by_judge: bool = False,
) -> ComparisonSet:
    """Read the comparisons of a selection; their names include participants without any.

    Motions are named where they stand for motions in general, and on request.

    Args:
        by_motion: whether to name motions in any case; they split rows of imported battles.
        by_judge: whether to name the judges of imported battles (those of debates always are).
    """
    parameters = query_parameters(selection, scope)
    over_motions = _is_over_motions(store, selection, scope)
    by_motion |= over_motions
    parameters |= {"cluster": _cluster(selection), "by_motion": by_motion}
    if scope.imported:
        rows, forfeits = _read_imported(store, parameters | {"by_judge": by_judge}), None
    else:
        rows, forfeits = store.read(_ROWS, parameters), read_forfeits(store, parameters)
    return _comparison_set(
        rows,
        forfeits,
        scope,
        paired=_read_pairing(store, parameters),
        by_motion=by_motion,
        over_motions=over_motions,
    )


def _is_over_motions(store: Store, selection: Selection, scope: Scope) -> bool:
    """Return whether statements are for motions in general: each of them is known."""
    if selection.cluster != "auto":
        return False
    if scope.imported:
        battles = store.rows(_BATTLES, {"tournament": selection.tournament})[0]["battles"]
        if battles > _MOST_WITH_MOTIONS:
            return False
    return not count_without_motion(store, selection.tournament)


def count_without_motion(store: Store, tournament: str) -> int:
    """Return the number of imported debates that have no motion."""
    parameters = {"tournament": tournament, "unnamed": NO_MOTION}
    return int(store.rows(_WITHOUT_MOTION, parameters)[0]["debates"])


def compare_by_category(
    store: Store, selection: Selection, scope: Scope
) -> dict[str, ComparisonSet]:
    """Read the comparisons of each category and of `all` by one query; not of imported battles."""
    parameters = query_parameters(selection, scope)
    over_motions = _is_over_motions(store, selection, scope)
    parameters |= {"cluster": _cluster(selection), "by_motion": over_motions}
    rows, forfeits = store.read(_ROWS, parameters), read_forfeits(store, parameters)
    make = partial(
        _comparison_set,
        scope=scope,
        paired=_read_pairing(store, parameters),
        by_motion=over_motions,
        over_motions=over_motions,
    )
    by_category = {
        str(category): make(group, forfeits[forfeits["category"] == category])
        for category, group in rows.groupby("category")
    }
    return {**by_category, "all": make(rows, forfeits)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairing:
    """How far results decided who met whom, and when play ended (`Comparisons.pairing`)."""

    kind: Pairing
    plan: PlanProgress = PLAYED


def _read_pairing(store: Store, parameters: Mapping[str, Any]) -> _Pairing:
    bound = {name: parameters[name] for name in ("tournament", "entry", "benches")}
    if not store.rows(_ANY_WAVE, {"tournament": bound["tournament"]}):
        # Else each board of millions of imported battles would look at all of their ballots.
        return _Pairing(kind="fixed")
    waves = store.rows(_WAVES, bound)
    return _pairing_of(waves, parameters["names"], asks_all=bound["entry"] is None)


def _pairing_of(
    waves: Sequence[Mapping[str, Any]], names: Sequence[str], *, asks_all: bool
) -> _Pairing:
    """Return how play came about from what is stored of its waves.

    Where each matchup has a wave, and each wave a plan, results did not end play. Played are so
    many of the planned debates as are judged, without those that came to no end. Newcomers whose
    debates were added after those of the others have plans of their own.

    Args:
        waves: in their order, at first the matchups of none.
        names: of those who are rated; who has left the tournament is no newcomer of it.
        asks_all: whether all debates count; else waves without a judged one do not.
    """
    counted = [row for row in waves if row["judged"] or asks_all]
    if any(row["is_guided"] for row in counted):
        return _Pairing(kind="guided")
    if all(row["wave"] is None for row in counted):
        return _Pairing(kind="fixed")
    others = [row for row in waves if not row["newcomer"]]
    if not any(row["judged"] for row in others):
        others = list(waves)  # a tournament of nothing else
    if all(row["wave"] is None for row in others):
        pairing = _Pairing(kind="fixed")
    elif not (plan := _read_plan(others, beside=0)):
        return _Pairing(kind="mixed")
    else:
        pairing = _Pairing(kind="planned", plan=plan)
    plans: dict[str, PlanProgress] = {}
    for name in sorted({row["newcomer"] for row in waves if row not in others}):
        own = [row for row in waves if row["newcomer"] == name]
        earlier = [row for row in waves if row not in own and (row["wave"] or 0) < own[-1]["wave"]]
        if plan := _read_plan(own, beside=sum(row["matchups"] for row in earlier)):
            plans |= {name: plan} if name in names else {}
        elif any(row["judged"] for row in own):
            return _Pairing(kind="mixed")
    return replace(pairing, plan=replace(pairing.plan, newcomers=plans))


def _read_plan(waves: Sequence[Mapping[str, Any]], *, beside: int) -> PlanProgress | None:
    """Return how far the plan of some waves is played; `None` where there is none, or no result.

    Each new number of matchups is one change. A number that was planned before has its own part of
    the error from then, so a plan that is changed and changed back is the one that it was.

    Args:
        beside: matchups of other waves that the planned ones count as well.
    """
    judged, debates = (sum(row[name] for row in waves) for name in ("judged", "debates"))
    if not judged or any(row["planned"] is None for row in waves):
        return None
    each = debates / sum(row["matchups"] for row in waves)
    planned = (waves[-1]["planned"] - beside) * each - sum(row["lost"] for row in waves)
    plans = dict.fromkeys(row["planned"] for row in waves)
    changes = list(plans).index(waves[-1]["planned"])
    return PlanProgress(share=judged / max(planned, judged), changes=changes)


def _cluster(selection: Selection) -> str:
    return "matchup" if selection.cluster == "auto" else selection.cluster


def _comparison_set(
    rows: pd.DataFrame,
    forfeits: pd.DataFrame | None,
    scope: Scope,
    *,
    paired: _Pairing,
    by_motion: bool,
    over_motions: bool,
) -> ComparisonSet:
    """Make a comparison set of the rows of a query.

    Args:
        forfeits: as `read_forfeits` has them; None where nobody can forfeit.
        by_motion: whether the rows name motions.
        over_motions: whether these stand for motions in general.
    """
    counted = rows[rows["complete"] & ~rows["left_out"]].reset_index(drop=True)
    keys = counted["cluster"].to_numpy()  # -1 stands for a cluster of its own
    comparisons = Comparisons(
        names=scope.names,
        first=counted["first"].to_numpy(dtype=np.intp),
        second=counted["second"].to_numpy(dtype=np.intp),
        outcome=counted["outcome"].to_numpy(dtype=np.float64),
        weight=counted["weight"].to_numpy(dtype=np.float64),
        cluster=np.where(keys < 0, len(keys) + np.arange(len(keys)), pd.factorize(keys)[0]),
        times=counted["times"].to_numpy(dtype=np.intp),
        pairing=paired.kind,
        plan=paired.plan,
    )
    if scope.by_ballot:
        comparisons = count_by_ballot(comparisons, counted, scope.by_ballot)
    if by_motion:
        comparisons = comparisons.described(motion=counted["motion"], over_motions=over_motions)
    if forfeits is not None and len(forfeits) and len(counted):
        lost = count_as_losses(forfeits, counted, comparisons, scope)
        beside = replace(
            comparisons, forfeits=lost.described(motion=forfeits["motion"]) if by_motion else lost
        )
        if are_uneven(beside):  # else nothing that is stated depends on them
            comparisons = beside
    return ComparisonSet(
        comparisons=comparisons,
        rows=counted[["debate_id", "bench", "voter", "motion", "difference"]],
        open=int(rows["open"].sum()),
        left_out=int(rows["times"][rows["complete"] & rows["left_out"]].sum()),
        silent=int(rows["silent"].sum()),
        agreement=None if scope.imported else measure_agreement(counted),
        votes=tuple(
            VoteProgress.of(str(bench), scope.runs[str(bench)], own["taken"].tolist())
            for bench, own in rows.groupby("bench")
            if bench in scope.partial
        ),
    )


def compared_debates(store: Store, selection: Selection, scope: Scope) -> pd.DataFrame:
    """Read the comparisons of a selection as a table, with the debates that they are of.

    Columns: debate_id, matchup_id, motion_id, motion (its id, or the text of an imported one),
    category, language, finished_at, bench, voter, dimension, pro, con (names), outcome, weight,
    pro_score and con_score (0 to 3), pro_mark and con_mark (means, 1-10), votes_for_pro,
    votes_for_con and votes (numbers of ballots).
    """
    return store.read(_DEBATES, query_parameters(selection, scope))


def _read_imported(store: Store, parameters: Mapping[str, Any]) -> pd.DataFrame:
    if IMPORTED not in parameters["benches"] or parameters["dimension"] != "overall":
        parameters = {**parameters, "ids": [], "places": []}  # selects no battle
    rows = store.read(COUNT_BATTLES, {name: parameters[name] for name in COUNT_PARAMETERS})
    difference = 2 * rows["outcome"] - 1
    return repeat_clustered(
        rows.assign(debate_id="", bench=IMPORTED, difference=difference, open=False, silent=False)
    )


def query_parameters(selection: Selection, scope: Scope) -> dict[str, Any]:
    """Return the parameters of queries that begin with `JUDGED`."""
    place = {name: number for number, name in enumerate(scope.names)}
    selected = scope.runs if selection.bench == "all" else {selection.bench}
    benches = [name for name in scope.runs if name in selected and name not in selection.without]
    return {
        **selection.parameters,
        "dimension": selection.dimension,
        "entry": selection.entry,
        "without": list(selection.without),
        "ids": list(scope.participants),
        "names": list(scope.participants.values()),
        "places": [place[name] for name in scope.participants.values()],
        "benches": benches,
        "runs": [scope.runs[name] for name in benches],
        "majority": [name in scope.majority for name in benches],
        "partial": [name in scope.partial for name in benches],
    }
