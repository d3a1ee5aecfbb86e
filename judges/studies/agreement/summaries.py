"""Each judge in one sentence: its agreement with the others, the side it favours, its failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
import pandas as pd

from arena.boards.selecting import select_comparisons
from arena.config.resolved import ResolvedConfig
from arena.report.overview.answers import side_effect
from arena.store.database import Store
from judges.studies.agreement.costs import BallotCosts
from judges.studies.agreement.material import Material
from judges.studies.statistics.agreement import confusion, strict_agreement
from judges.studies.statistics.estimates import Estimate, estimate_agreement, sum_by_cluster

#: The share of what chance leaves below which agreement is slight (Landis and Koch 1977,
#: doi 10.2307/2529310).
_LITTLE = 0.2
#: More participants take minutes to rate with the effect of a side.
_MOST_RATED = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """What matters most about one bench.

    Attributes:
        agreement: the share of its verdicts that equal another bench's on the same debate.
        chance: that share, were the verdicts of the benches independent of each other.
        side_elo, side_lower, side_upper: what being Pro is worth by its verdicts, in Elo points,
            with the 95 % interval; NaN where that cannot be estimated.
        failure_rate: the share of all attempts at a ballot that failed; NaN of none.
    """

    bench: str
    agreement: Estimate
    chance: float
    side_elo: float
    side_lower: float
    side_upper: float
    failure_rate: float

    @property
    def sentence(self) -> str:
        """The summary in words."""
        return self.format_sentence(self._format_agreement())

    def format_sentence(self, agreement: str = "") -> str:
        """Return the summary in words; '' where there are none.

        Args:
            agreement: its beginning.
        """
        parts = list(filter(None, [agreement, self._format_side(), self._format_failures()]))
        return f"{self.bench} {', '.join(parts)}." if parts else ""

    def _format_agreement(self) -> str:
        share = self.agreement
        if isnan(share.value):
            return "has no other bench to agree with"
        interval = "" if isnan(share.lower) else f" [{share.lower:.2f} to {share.upper:.2f}]"
        return f"agrees with the others {share.value:.2f}{interval}"

    def _format_side(self) -> str:
        if isnan(self.side_elo):
            return ""
        interval = f"[{self.side_lower:.0f} to {self.side_upper:.0f}]"
        if self.side_lower <= 0 <= self.side_upper:
            return f"favours neither side for certain (Pro {self.side_elo:+z.0f} Elo {interval})"
        if self.side_elo > 0:
            return f"favours Pro by {self.side_elo:.0f} Elo {interval}"
        interval = f"[{-self.side_upper:.0f} to {-self.side_lower:.0f}]"
        return f"favours Con by {-self.side_elo:.0f} Elo {interval}"

    def _format_failures(self) -> str:
        if isnan(self.failure_rate):
            return ""
        if not self.failure_rate:
            return "no ballot unreadable"
        if self.failure_rate > 0.5:
            return f"{100 * self.failure_rate:.0f} % of ballots unreadable"
        return f"one ballot in {1 / self.failure_rate:.0f} unreadable"


def format_summaries(summaries: Sequence[JudgeSummary]) -> list[str]:
    """Return the summaries in words; how far two benches agree with each other is one sentence."""
    if len(summaries) != 2 or isnan(summaries[0].agreement.value):  # noqa: PLR2004
        return [each.sentence for each in summaries]
    first, second = summaries
    share, chance = first.agreement, first.chance
    ends = "" if isnan(share.lower) else f" [{100 * share.lower:.0f} to {100 * share.upper:.0f}]"
    if isnan(share.lower) or share.lower <= chance:
        beside = "not surely more than chance"
    elif share.value - chance < _LITTLE * (1 - chance):
        beside = "little more than chance"
    else:
        beside = "more than chance"
    together = (
        f"{first.bench} and {second.bench} agree on {100 * share.value:.0f} % of debates{ends}, "
        f"{beside} ({100 * chance:.0f} %)."
    )
    return [together, *filter(None, (each.format_sentence() for each in summaries))]


def summarize_judges(
    store: Store, resolved: ResolvedConfig, material: Material, upkeep: Sequence[BallotCosts]
) -> Iterator[JudgeSummary]:
    """Yield a summary of every bench that has judged, in the order of the configuration."""
    wide = material.outcomes_by_bench()
    for costs in upkeep:
        if not costs.ballots:
            continue
        side_elo, side_lower, side_upper = _favour(store, resolved, material, costs.bench)
        yield JudgeSummary(
            bench=costs.bench,
            agreement=_agreement(wide, costs.bench),
            chance=_chance(wide, costs.bench),
            side_elo=side_elo,
            side_lower=side_lower,
            side_upper=side_upper,
            failure_rate=costs.failure_rate,
        )


def _chance(wide: pd.DataFrame, bench: str) -> float:
    """Return the share of equal verdicts if those of the benches were independent; NaN of none."""
    others = [name for name in wide.columns if name != bench]
    both = [confusion(wide[bench], wide[name]).sum(axis=0) for name in others]
    total = sum(table.sum() for table in both)
    equal = sum(
        table.sum(axis=0) @ table.sum(axis=1) / table.sum() for table in both if table.sum()
    )
    return float(equal / total) if total else nan


def _agreement(wide: pd.DataFrame, bench: str) -> Estimate:
    """Return the share of equal verdicts of a bench and each other one, by matchups."""
    others = [name for name in wide.columns if name != bench]
    # Each debate counts once for each of the other benches that have judged it.
    tables = sum(
        (confusion(wide[bench], wide[name]) for name in others), np.zeros((len(wide), 3, 3))
    )
    matchups = pd.factorize(wide.index.get_level_values("matchup_id"))[0]
    clustered = sum_by_cluster(tables, matchups)
    judged = int((tables.sum(axis=(1, 2)) > 0).sum())
    return estimate_agreement(
        clustered, strict_agreement, count=judged, comparisons=float(tables.sum())
    )


def _favour(
    store: Store, resolved: ResolvedConfig, material: Material, bench: str
) -> tuple[float, float, float]:
    """Return what being Pro is worth by a bench's verdicts, and the ends of its interval."""
    selection = replace(material.selection, bench=bench)
    comparisons = select_comparisons(store, resolved, selection).comparisons
    if len(comparisons.names) > _MOST_RATED:
        return nan, nan, nan
    effect = side_effect(comparisons)
    return (nan, nan, nan) if effect is None else (effect.elo, effect.lower, effect.upper)


def agreement_frame(summaries: Sequence[JudgeSummary]) -> pd.DataFrame:
    """Return what a chart of intervals shows of three judges or more: their agreement, in percent.

    Columns: participant (the bench), rating, lower, upper.
    """
    rows = [
        {
            "participant": each.bench,
            "rating": 100 * each.agreement.value,
            "lower": 100 * each.agreement.lower,
            "upper": 100 * each.agreement.upper,
        }
        for each in summaries
        if not isnan(each.agreement.value) and len(summaries) > 2  # noqa: PLR2004
    ]
    frame = pd.DataFrame(rows, columns=["participant", "rating", "lower", "upper"])
    return frame.sort_values("rating", ascending=False, kind="stable", ignore_index=True)
