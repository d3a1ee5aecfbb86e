"""From ballots to comparisons: one query, for any subset of what is stored.

A side's score is the sum of its outcomes over up to three runs (0 to 3), and 3 × the mean over
more; a debate gives a comparison only when every planned run has a valid ballot. The outcome is
the sign of the difference, its weight 1 / (1 + e^−|Δ|) (Zhang et al. 2024, arXiv 2408.04472), or
the weight that an imported battle came with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.records import IMPORTED
from arena.store.battles import COUNT_BATTLES, COUNT_PARAMETERS, repeat_clustered
from arena.store.database import Store
from ratings import Comparisons

#: A score is a sum over at most so many runs.
FULL_SCORE = 3

#: What is resampled together: both legs of a pair on a motion, all on a motion, or one debate.
Cluster = Literal["matchup", "motion", "debate"]

_OBSERVED: Mapping[Cluster, str] = {
    "motion": "intervals count all debates on a motion as one observation",
    "debate": "intervals count each debate as an observation of its own, although legs are related",
}
#: Selected debates, one row per bench, with the bench's ballots on them summed; the ballots of
#: those who are left out count as taken, so that a debate does not seem to wait for them.
_JUDGED = f"""
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id,
               unnest(CAST($names AS TEXT[])) AS name,
               unnest(CAST($places AS INTEGER[])) AS place
    ), planned AS (
        SELECT unnest(CAST($benches AS TEXT[])) AS bench, unnest(CAST($runs AS INTEGER[])) AS runs
    ), taken AS (
        SELECT b.debate_id, b.bench, s.outcome, s.pro_mark, s.con_mark, b.weight, b.voter,
               NOT list_contains(CAST($without AS TEXT[]), b.voter) AS kept
        FROM ballots b JOIN ballot_scores s ON s.ballot_id = b.ballot_id
        WHERE b.status = 'valid' AND s.dimension = $dimension
    ), judged AS (
        SELECT d.debate_id, d.matchup_id, d.motion_id, d.language, d.finished_at, m.category,
               planned.bench, pro.place AS first, con.place AS second,
               pro.name AS pro, con.name AS con,
               CASE m.motion_set WHEN 'imported' THEN m.text ELSE m.motion_id END AS motion,
               count(t.outcome) AS taken, planned.runs AS runs,
               count(*) FILTER (t.kept) AS counted, sum(t.outcome) FILTER (t.kept) AS won,
               max(t.weight) AS given, any_value(t.voter) FILTER (t.kept) AS voter,
               avg(t.pro_mark) FILTER (t.kept) AS pro_mark,
               avg(t.con_mark) FILTER (t.kept) AS con_mark
        FROM debates d
        JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
        JOIN seats pro ON pro.participant_id = d.pro
        JOIN seats con ON con.participant_id = d.con
        CROSS JOIN planned
        LEFT JOIN taken t ON t.debate_id = d.debate_id AND t.bench = planned.bench
        WHERE d.tournament = $tournament AND d.status = 'finished'
          AND $category IN ('all', m.category) AND $language IN ('all', d.language)
          AND ($since IS NULL OR d.finished_at >= $since)
          AND ($until IS NULL OR d.finished_at < $until)
        GROUP BY ALL
    ), compared AS (
        SELECT *, taken >= runs AS complete, counted = 0 AS left_out,
               CASE WHEN counted > {FULL_SCORE} THEN {FULL_SCORE}.0 / counted ELSE 1.0 END AS scale,
               (2 * won - counted) * scale AS delta,
               (sign(delta) + 1) / 2 AS outcome,
               coalesce(given, 1 / (1 + exp(-abs(delta)))) AS weight
        FROM judged
    )
"""
_ROWS = f"""{_JUDGED}
    SELECT debate_id, bench, voter, first, second, outcome, weight, delta AS difference, complete,
           left_out, 1 AS times, category,
           CASE WHEN $by_motion THEN motion_id ELSE '' END AS motion,
           CAST(hash(CASE $cluster WHEN 'matchup' THEN matchup_id WHEN 'motion' THEN motion_id
                     ELSE debate_id END) >> 1 AS BIGINT) AS cluster
    FROM compared ORDER BY debate_id, bench
"""
_DEBATES = f"""{_JUDGED}
    SELECT debate_id, matchup_id, motion_id, motion, category, language, finished_at, bench, voter,
           $dimension AS dimension, pro, con, outcome, weight,
           won * scale AS pro_score, (counted - won) * scale AS con_score, pro_mark, con_mark
    FROM compared WHERE complete AND NOT left_out
    ORDER BY debate_id, bench
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which comparisons are meant.

    Attributes:
        bench: one, or `all` of them together.
        category: of motions, or `all`.
        language: a code, or `all`.
        since: debates that finished then or later.
        until: debates that finished before.
        without: benches and judges (the voters of ballots) to leave out.
        cluster: what intervals count as one observation, and is resampled together.
    """

    tournament: str
    bench: str
    dimension: str = "overall"
    category: str = "all"
    language: str = "all"
    since: datetime | None = None
    until: datetime | None = None
    without: tuple[str, ...] = ()
    cluster: Cluster = "matchup"

    @property
    def title(self) -> str:
        """The selection in words, for the head of a table."""
        bench = "all benches" if self.bench == "all" else f"bench {self.bench}"
        parts = [self.tournament, bench, self.dimension, f"{self.category} motions", *self._rest()]
        parts += [f"without {', '.join(self.without)}"] if self.without else []
        return " · ".join(parts)

    @property
    def clustering(self) -> tuple[str, ...]:
        """What intervals count as one observation, in words, where it is not the matchup."""
        return () if self.cluster == "matchup" else (_OBSERVED[self.cluster],)

    @property
    def narrowing(self) -> tuple[str, ...]:
        """In words, what leaves debates out of it; nothing where all of a tournament are in it."""
        category = () if self.category == "all" else (f"{self.category} motions",)
        return (*category, *self._rest())

    def _rest(self) -> list[str]:
        language = [] if self.language == "all" else [f"in {self.language}"]
        return [*language, *self.window]

    @property
    def window(self) -> tuple[str, ...]:
        """The window of time in words; nothing where there is none."""
        ends = ("since", self.since), ("until", self.until)
        return tuple(f"{word} {moment(at)}" for word, at in ends if at is not None)


def moment(at: datetime) -> str:
    """A time in words: the date, with hours and minutes where it is not midnight."""
    return f"{at:%Y-%m-%d}" if at.hour == at.minute == 0 else f"{at:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose comparisons count.

    Attributes:
        runs: what each bench plans; a debate with fewer valid ballots gives no comparison.
        participants: their names by id; two ids of one name are one participant.
        imported: whether these are imported battles, one verdict each, which one table holds.
    """

    runs: Mapping[str, int]
    participants: Mapping[str, str]
    imported: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The participants' names, sorted."""
        return tuple(sorted(set(self.participants.values())))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonSet:
    """What a selection holds.

    Attributes:
        comparisons: one per debate and bench, Pro first named; imported battles of a cluster of
            their own that are equal share a row (`Comparisons.times`): ten million of them are
            then rated in a second.
        rows: what else is known of each row: debate_id ('' where a row is no single debate),
            bench, voter, motion (its id; '' where motions are not told apart), difference (of
            Pro's score and Con's, -3 to 3).
        open: finished debates (per bench) that do not count yet: a ballot is missing or failed.
        left_out: those that do not count because their judges are left out.
    """

    comparisons: Comparisons
    rows: pd.DataFrame
    open: int
    left_out: int


def compare(
    store: Store,
    selection: Selection,
    scope: Scope,
    *,
    by_motion: bool = False,
    by_judge: bool = False,
) -> ComparisonSet:
    """The comparisons of a selection; all participants are named, those without any too.

    They carry their motions only where a model is to tell these apart: they are part of the data's
    hash, and whatever tells imported battles apart leaves more rows of them.

    Args:
        store: where the ballots are.
        selection: which of them.
        scope: whose.
        by_motion: whether to name motions.
        by_judge: whether to name the judges of imported battles (those of debates always are).
    """
    given = _parameters(selection, scope) | {"cluster": selection.cluster, "by_motion": by_motion}
    if scope.imported:
        rows = repeat_clustered(_imported(store, given | {"by_judge": by_judge}))
    else:
        rows = store.read(_ROWS, given)
    return _compared(rows, scope, by_motion=by_motion)


def compare_by_category(
    store: Store, selection: Selection, scope: Scope
) -> dict[str, ComparisonSet]:
    """The comparisons of all categories and of each one, as `compare` gives them, by one query.

    Not of imported battles: these are counted where they are stored.
    """
    given = _parameters(selection, scope) | {"cluster": selection.cluster, "by_motion": False}
    rows = store.read(_ROWS, given)
    each = {str(category): _compared(own, scope) for category, own in rows.groupby("category")}
    return {**each, "all": _compared(rows, scope)}


def _compared(rows: pd.DataFrame, scope: Scope, *, by_motion: bool = False) -> ComparisonSet:
    """What rows of the query come to; the option is that of `compare`."""
    chosen = rows[rows["complete"] & ~rows["left_out"]].reset_index(drop=True)
    found = Comparisons(
        names=scope.names,
        first=chosen["first"].to_numpy(dtype=np.intp),
        second=chosen["second"].to_numpy(dtype=np.intp),
        outcome=chosen["outcome"].to_numpy(dtype=np.float64),
        weight=chosen["weight"].to_numpy(dtype=np.float64),
        cluster=_clusters(chosen["cluster"].to_numpy()),
        times=chosen["times"].to_numpy(dtype=np.intp),
    )
    if by_motion:
        found = found.described(motion=chosen["motion"])
    return ComparisonSet(
        comparisons=found,
        rows=chosen[["debate_id", "bench", "voter", "motion", "difference"]],
        open=int((~rows["complete"]).sum()),
        left_out=int(rows["times"][rows["complete"] & rows["left_out"]].sum()),
    )


def compared_debates(store: Store, selection: Selection, scope: Scope) -> pd.DataFrame:
    """The comparisons of a selection, with what they are about.

    Columns: debate_id, matchup_id, motion_id, motion (its id; what an imported battle says it is),
    category, language, finished_at, bench, voter, dimension, pro, con (names), outcome, weight,
    pro_score and con_score (0 to 3), pro_mark and con_mark (means, 1-10).
    """
    return store.read(_DEBATES, _parameters(selection, scope))


def _imported(store: Store, given: Mapping[str, Any]) -> pd.DataFrame:
    if IMPORTED not in given["benches"] or given["dimension"] != "overall":
        given = {**given, "ids": [], "places": []}
    return store.read(COUNT_BATTLES, {name: given[name] for name in COUNT_PARAMETERS}).assign(
        debate_id="", bench=IMPORTED, difference=lambda each: 2 * each["outcome"] - 1
    )


def _clusters(given: NDArray[np.int64]) -> NDArray[np.intp]:
    """Number clusters; every row of -1 is one of its own."""
    number = pd.factorize(given)[0].astype(np.intp)
    own = given < 0
    number[own] = len(given) + np.arange(own.sum())
    return number


def _parameters(selection: Selection, scope: Scope) -> dict[str, Any]:
    place = {name: number for number, name in enumerate(scope.names)}
    chosen = scope.runs if selection.bench == "all" else {selection.bench}
    benches = [name for name in scope.runs if name in chosen and name not in selection.without]
    return {
        "tournament": selection.tournament,
        "dimension": selection.dimension,
        "category": selection.category,
        "language": selection.language,
        "since": selection.since,
        "until": selection.until,
        "without": list(selection.without),
        "ids": list(scope.participants),
        "names": list(scope.participants.values()),
        "places": [place[name] for name in scope.participants.values()],
        "benches": benches,
        "runs": [scope.runs[name] for name in benches],
    }
