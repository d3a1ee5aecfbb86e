"""What a bench's runs cost and tell, measured in a stored tournament, and how many are cheapest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from arena.boards.participation import MEASURED_BALLOTS, MEASURED_DEBATES
from arena.boards.selection import CHOSEN_DEBATES, Selection
from arena.config.resolved import ResolvedConfig
from arena.plugins import judge_class
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons
from ratings.diagnostics.runs import (
    MOST_RUNS,
    RunNoise,
    cheapest_runs,
    measure_runs,
    relative_cost,
)

#: Fewer debates with two runs say too little about how alike runs are.
LEAST_DEBATES: Final = 20
#: What a saving must be for advice to be worth a sentence.
_WORTH: Final = 1.05

_RUNS = f"""{CHOSEN_DEBATES}
    SELECT b.debate_id, chosen.pro, chosen.con, s.outcome
    FROM chosen JOIN ballots b USING (debate_id)
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
    WHERE b.bench = $bench AND b.status = 'valid'
      AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    ORDER BY b.debate_id, b.run
"""
_COSTS = f"""{CHOSEN_DEBATES}
    SELECT (SELECT coalesce(avg(usd), 0) FROM chosen JOIN {MEASURED_DEBATES} USING (debate_id))
               AS debate_usd,
           (SELECT coalesce(sum(b.usd) / nullif(count(*) FILTER (b.status = 'valid'), 0), 0)
            FROM chosen JOIN {MEASURED_BALLOTS} b USING (debate_id) WHERE b.bench = $bench)
               AS run_usd
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeEffort:
    """What the runs of a bench cost and tell.

    Attributes:
        runs: per debate, as the configuration has it.
        icc: correlation of two runs on a debate, beyond what strengths and side explain; NaN where
            it is not measured.
        debates: number of debates with two runs or more.
        debate_usd: what a debate costs on average, without ballots of any bench, as far as bills
            are known.
        run_usd: what a valid run costs on average, failed ones included.
    """

    bench: str
    runs: int
    icc: float
    debates: int
    debate_usd: float
    run_usd: float

    @property
    def is_measured(self) -> bool:
        """Whether there are enough debates with two runs to say anything."""
        return self.debates >= LEAST_DEBATES and math.isfinite(self.icc)

    @property
    def cheapest(self) -> int | None:
        """How many runs per debate are cheapest; `None` where runs are free or not measured."""
        if not self.is_measured or not self.run_usd:
            return None
        return cheapest_runs(self.icc, self.debate_usd, self.run_usd)

    @property
    def excess(self) -> float:
        """What the runs of now cost more for the same precision, as a share; NaN if unknown."""
        if self.cheapest is None:
            return math.nan
        costs = (self.icc, self.debate_usd, self.run_usd)
        return relative_cost(self.runs, *costs) / relative_cost(self.cheapest, *costs) - 1


def measure_effort(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> Iterator[JudgeEffort]:
    """Yield the effort of every selected bench that is no bench of people."""
    if resolved.imported or store.empty():
        return
    for bench in resolved.benches:
        is_selected = selection.bench in ("all", bench.name) and bench.name not in selection.without
        if is_selected and not judge_class(bench.judge).by_people:
            yield _measure(store, resolved, selection, bench)


def measure_noise(store: Store, resolved: ResolvedConfig, selection: Selection) -> RunNoise | None:
    """Measure how the runs of one bench come about; `None` where it has judged nothing.

    Args:
        selection: of one bench; participants are named by their ids.
    """
    rows = _read_runs(store, resolved, selection)
    return None if rows.empty else _measure_noise(rows)


def format_effort(effort: JudgeEffort) -> str:
    """Say in a sentence how many runs of a bench are worth their price, or what would tell."""
    start = f"Bench {effort.bench}: how many runs per debate are worth their price is not known"
    if not effort.is_measured and effort.runs < 2:
        return (
            f"{start}, because it has one run per debate; two on {LEAST_DEBATES} debates would "
            "tell (`runs = 2`)."
        )
    if not effort.is_measured:
        have = f"debates have two runs; {effort.debates} have so far"
        return f"{start} before {LEAST_DEBATES} {have}."
    alike = _format_icc(effort)
    if effort.cheapest is None:
        return f"Bench {effort.bench}: a run costs nothing, so only time limits the runs; {alike}."
    most = " or more" if effort.cheapest == MOST_RUNS else ""
    costs = (
        f"Bench {effort.bench}: a debate costs {effort.debate_usd:.3g} USD, a run "
        f"{effort.run_usd:.3g}, {alike}"
    )
    if 1 + effort.excess < _WORTH:
        return f"{costs}: {counted(effort.runs, 'run')} per debate are about the cheapest."
    best = f"{counted(effort.cheapest, 'run')}{most} per debate would be cheapest"
    more = f"the same precision of mean verdicts costs {100 * effort.excess:.0f} % more"
    return f"{costs}: {best}; with {effort.runs}, {more}."


def format_advice(effort: JudgeEffort, *, by_ballot: bool) -> str:
    """Say in a line which number of runs the next file should have; nothing without a reason.

    Args:
        by_ballot: whether ratings count ballots; otherwise more of them would not lower any cost.
    """
    if effort.cheapest is None or 1 + effort.excess < _WORTH:
        return ""
    counting = ' and `count = "ballots"`' if effort.cheapest > effort.runs and not by_ballot else ""
    return (
        f"for the next file: `runs = {effort.cheapest}`{counting} for bench {effort.bench}; with "
        f"{counted(effort.runs, 'run')}, the same precision of mean verdicts costs "
        f"{100 * effort.excess:.0f} % more; {_format_icc(effort)}"
    )


def _format_icc(effort: JudgeEffort) -> str:
    debates = counted(effort.debates, "debate")
    return f"two runs on a debate correlate by {effort.icc:.2f} (ICC, over {debates})"


def _measure(
    store: Store, resolved: ResolvedConfig, selection: Selection, bench: Bench
) -> JudgeEffort:
    named = {"ids": list(resolved.names), "bench": bench.name}
    costs = store.rows(_COSTS, selection.parameters | named)[0]
    rows = _read_runs(store, resolved, replace(selection, bench=bench.name))
    # Without two runs on a debate there is nothing to measure, and thousands take long to rate.
    noise = _measure_noise(rows) if rows["debate_id"].duplicated().any() else None
    return JudgeEffort(
        bench=bench.name,
        runs=bench.runs,
        icc=math.nan if noise is None else noise.icc,
        debates=0 if noise is None else noise.debates,
        debate_usd=costs["debate_usd"],
        run_usd=costs["run_usd"],
    )


def _read_runs(store: Store, resolved: ResolvedConfig, selection: Selection) -> pd.DataFrame:
    named = {
        "ids": list(resolved.names),
        "bench": selection.bench,
        "dimension": selection.dimension,
        "without": list(selection.without),
    }
    return store.read(_RUNS, selection.parameters | named)


def _measure_noise(rows: pd.DataFrame) -> RunNoise:
    outcome = rows["outcome"].to_numpy(dtype=float)
    return measure_runs(
        Comparisons.of(rows["pro"], rows["con"], outcome, cluster=rows["debate_id"])
    )
