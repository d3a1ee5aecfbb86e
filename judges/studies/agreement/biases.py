"""Biases of a bench: what sways it beside the arguments (side, length, its own model family)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd

from arena.languages import SIDES
from arena.output.interval_text import format_interval_method
from arena.output.tables import Table
from arena.plugins import families_of, model_families
from arena.read.heading import Heading
from arena.records import Bench
from arena.text import counted
from judges.studies.agreement.bench_agreement import rate_participants
from judges.studies.agreement.material import Material
from judges.studies.statistics.estimates import Estimate, estimate_mean, estimate_share
from judges.studies.tables import format_percent, tabulate_fields
from ratings import TIE

#: Elo points per unit of a Bradley-Terry strength (natural logarithm of the odds).
_ELO = 400 / np.log(10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """The biases of one bench. Shares count a tie as half.

    A whole matchup is one of which the bench has judged both legs, so both participants speak for
    both sides.

    Attributes:
        pro: Pro's share over whole matchups.
        same_side: share of whole matchups that the same side wins twice.
        longer: the share of the side that speaks longer.
        beyond: how much more that side gets than its rating by this bench predicts.
        own: the share of participants of the bench's own model family, in debates in which only
            one side is of it.
        own_elsewhere: their share by benches without a model of that family, on the same debates.
        preference: `own` minus `own_elsewhere`.
    """

    bench: Annotated[str, Heading("bench")]
    pro: Annotated[Estimate, Heading("Pro's share", format_percent)]
    same_side: Annotated[
        Estimate,
        Heading("same side twice", format_percent),
        Heading("matchups", ",", read=lambda bias: bias.same_side.count),
    ]
    longer: Annotated[Estimate, Heading("longer's share", format_percent)]
    beyond: Annotated[Estimate, Heading("beyond rating", format_percent)]
    own: Annotated[Estimate, Heading("own family", format_percent)]
    own_elsewhere: Annotated[Estimate, Heading("by others", format_percent)]
    preference: Annotated[Estimate, Heading("preference", format_percent)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSides:
    """How one bench's verdicts on one motion are spread over the sides.

    Attributes:
        matchups: number of whole ones.
        same_side: share of them that the same side wins twice.
        pro: Pro's share, a tie as half.
    """

    motion: str
    bench: str
    matchups: int
    same_side: float
    pro: float


def measure_biases(material: Material) -> Iterator[Bias]:
    """Yield the biases of every bench, in the order of the configuration."""
    for bench in material.benches:
        verdicts = material.verdicts_of(bench)
        whole = select_whole_matchups(verdicts)
        twice = _won_twice(whole)
        longer = _longer_sides(verdicts, material.lengths)
        own = _own_family(material, bench)
        mean = partial(_mean, material, bench)
        yield Bias(
            bench=bench.name,
            pro=mean("pro", whole["outcome"], whole["matchup_id"]),
            same_side=estimate_share(twice, twice.index),
            longer=mean("longer", longer["share"], longer["matchup_id"]),
            beyond=mean("beyond", longer["beyond"], longer["matchup_id"]),
            own=mean("own", own["own"], own["matchup_id"]),
            own_elsewhere=mean("others", own["others"], own["matchup_id"]),
            preference=mean("family", own["own"] - own["others"], own["matchup_id"]),
        )


def measure_motion_sides(material: Material) -> Iterator[MotionSides]:
    """Yield every motion by every bench, where there are whole matchups."""
    for bench in material.benches:
        whole = select_whole_matchups(material.verdicts_of(bench))
        twice = _won_twice(whole)
        motions = whole.groupby("matchup_id")["motion"].first()
        pro = whole.groupby("motion")["outcome"].mean()
        for motion, same_side in twice.groupby(motions):
            yield MotionSides(
                motion=str(motion),
                bench=bench.name,
                matchups=len(same_side),
                same_side=float(same_side.mean()),
                pro=float(pro[motion]),
            )


def select_whole_matchups(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return a bench's verdicts on those matchups of which it has judged both legs.

    The groups of imported debates may be of any two debates; legs have exchanged sides.
    """
    groups = verdicts.groupby("matchup_id")
    legs, pro, con = groups["debate_id"].transform("size"), groups["pro"], groups["con"]
    is_exchanged = (pro.transform("first") == con.transform("last")) & (
        pro.transform("last") == con.transform("first")
    )
    return verdicts[(legs == 2) & is_exchanged]


def biases_table(biases: Sequence[Bias]) -> Table:
    """Lay out a row per bench: side, length, family."""
    means = (
        (bias.pro, bias.longer, bias.beyond, bias.own, bias.own_elsewhere, bias.preference)
        for bias in biases
    )
    clusters = [mean.clusters for row in means for mean in row]
    return tabulate_fields(
        biases,
        title="Biases, % (a tie counts as half)",
        notes=(
            "Pro's share and `same side twice` are computed over whole matchups, in which both "
            "speak for both sides, so their strength cancels out. `beyond rating`: how much more "
            "the longer speaker wins than its rating predicts. `own family`: the share won by "
            "participants on a model of the bench's family; then the share in the same debates by "
            "benches without such a model, and the difference. A jury with models of several "
            "families has no family, unless `family` is set.",
            "Intervals of `same side twice`: Wilson's, clustered by matchup; of all other shares: "
            f"{format_interval_method('matchup', clusters)}.",
            "For comparison, on a public leaderboard of 764 matchups the same side wins 27 % of "
            "them twice, and Pro gets 58 % of the votes.",
        ),
    )


def motion_sides_table(motions: Sequence[MotionSides], most: int) -> Table:
    """Lay out the `most` motions that the same side wins most often, a column per bench."""
    cells = {
        (motion.motion, motion.bench): f"{100 * motion.same_side:.0f} ({motion.matchups})"
        for motion in motions
    }
    benches = list(dict.fromkeys(motion.bench for motion in motions))
    order = _sort_by_same_side(motions)
    left = len(order) - len(order[:most])
    return Table(
        title="Matchups in which one side wins both debates, by motion: % (number of matchups)",
        head=("motion", *benches),
        rows=tuple(
            (motion, *(cells.get((motion, bench), "") for bench in benches))
            for motion in order[:most]
        ),
        notes=(f"{counted(left, 'more motion')}: --motions {len(order)}, or --format json.",)
        if left
        else (),
    )


def _sort_by_same_side(motions: Sequence[MotionSides]) -> list[str]:
    """Return the motions, those that the same side wins most often by all benches first."""
    counts: dict[str, tuple[int, int]] = {}
    for motion in motions:
        twice, matchups = counts.get(motion.motion, (0, 0))
        twice += round(motion.same_side * motion.matchups)
        counts[motion.motion] = (twice, matchups + motion.matchups)
    return sorted(counts, key=lambda name: (-counts[name][0] / counts[name][1], name))


def _won_twice(whole: pd.DataFrame) -> pd.Series[bool]:
    """Tell of each whole matchup whether one side wins both legs."""
    total = whole.groupby("matchup_id")["outcome"].sum()
    least = whole.groupby("matchup_id")["outcome"].min()
    return (total == 2) | ((total == 0) & (least == 0))


def _longer_sides(verdicts: pd.DataFrame, lengths: pd.DataFrame) -> pd.DataFrame:
    """Return how the longer side fares in debates of unequal length.

    Returns:
        A row per debate: matchup_id, share (the longer side's), beyond (what it gets more than its
        rating predicts).
    """
    debates = verdicts.merge(lengths, on="debate_id")
    debates = debates[debates["pro_words"] != debates["con_words"]]
    sign = np.where(debates["pro_words"] > debates["con_words"], 1.0, -1.0)
    expected = np.zeros(0)
    if len(debates):
        ratings = rate_participants(verdicts, weighted=False)
        pro, con = (debates[side].map(ratings).to_numpy(float) for side in SIDES)
        expected = 1 / (1 + np.exp(-(pro - con) / _ELO))
    return debates.assign(
        share=0.5 + sign * (debates["outcome"] - 0.5),
        beyond=sign * (debates["outcome"] - expected),
    )


def _own_family(material: Material, bench: Bench) -> pd.DataFrame:
    """Return how participants of a bench's family fare in debates with one of them.

    Returns:
        A row per debate: matchup_id, own (their share by the bench), others (by benches without a
        model of that family).
    """
    family = bench.family.lower()
    is_own = {
        participant.name: bool(family) and family in model_families([participant])
        for participant in material.resolved.participants
    }
    verdicts = material.verdicts.assign(
        pro_own=material.verdicts["pro"].map(is_own), con_own=material.verdicts["con"].map(is_own)
    )
    mixed = verdicts[verdicts["pro_own"] != verdicts["con_own"]]
    shares = mixed["outcome"].where(mixed["pro_own"].astype(bool), 1 - mixed["outcome"])
    mixed = mixed.assign(share=shares.astype(float))
    unrelated = [judge.name for judge in material.benches if family not in families_of(judge)]
    others = mixed[mixed["bench"].isin(unrelated)].groupby("debate_id")["share"].mean()
    own = mixed[mixed["bench"] == bench.name].set_index("debate_id")
    return pd.DataFrame(
        {"matchup_id": own["matchup_id"], "own": own["share"], "others": others.reindex(own.index)}
    )


def _mean(
    material: Material, bench: Bench, figure: str, values: pd.Series, matchups: object
) -> Estimate:
    """Return the mean of the known values, with its interval by matchups."""
    numbers = np.asarray(values, dtype=float)
    known = np.isfinite(numbers)
    clusters = pd.factorize(np.asarray(matchups)[known])[0]
    return estimate_mean(numbers[known], clusters, material.rng(bench.name, figure))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBias:
    """The effect of the order on one bench's ballots that were taken in both orders.

    Attributes:
        flipped: share of ballots with one winner in one order and the other in the other.
        one_sided: share of ballots with a winner in one order and a tie in the other.
        first: the share, a tie as half, of the answer that stands first; each answer does so once,
            so which of the two is better plays no part.
    """

    bench: Annotated[str, Heading("bench")]
    ballots: Annotated[int, Heading("ballots", ",")]
    flipped: Annotated[Estimate, Heading("flipped", format_percent)]
    one_sided: Annotated[Estimate, Heading("in one order only", format_percent)]
    first: Annotated[Estimate, Heading("first's share", format_percent)]


def measure_order_biases(material: Material) -> Iterator[OrderBias]:
    """Yield the effect of the order on every bench that judged anything in both orders."""
    for bench in material.benches:
        ballots = material.orders[material.orders["bench"] == bench.name]
        if ballots.empty:
            continue
        given = ballots["given"].to_numpy(dtype=float)
        exchanged = ballots["exchanged"].to_numpy(dtype=float)
        winners = (given != TIE).astype(int) + (exchanged != TIE)
        matchups = ballots["matchup_id"]
        rng = material.rng(bench.name, "orders")
        yield OrderBias(
            bench=bench.name,
            ballots=len(ballots),
            flipped=estimate_share(np.abs(given - exchanged) == 1, matchups),
            one_sided=estimate_share(winners == 1, matchups),
            first=estimate_mean((given + 1 - exchanged) / 2, matchups, rng),
        )


def order_biases_table(biases: Sequence[OrderBias]) -> Table:
    """Lay out a row per bench."""
    return tabulate_fields(
        biases,
        title="Both orders of a pair, %",
        notes=(
            "`flipped`: the winner changes when the two answers change places; the ballot counts "
            "as a tie. `in one order only`: a winner in one order and a tie in the other, which "
            "also counts as a tie. `first's share`: how often the answer shown first wins, a tie "
            "counting as half; without a position bias it is 50, whichever answer is better. Its "
            "interval: "
            f"{format_interval_method('matchup', (bias.first.clusters for bias in biases))}; those "
            "of the other shares are Wilson's, clustered by matchup.",
        ),
    )
