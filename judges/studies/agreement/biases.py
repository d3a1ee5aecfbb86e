"""Biases of a bench: what sways it beside the arguments (side, length, its own model family)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.console.tables import Table
from arena.debates.families import families_of, model_families
from arena.languages import SIDES
from arena.records import Bench
from arena.report.interval_text import format_interval_method
from arena.text import counted
from judges.studies.agreement.material import Material
from judges.studies.agreement.ratings import rate_participants
from judges.studies.cells import format_percent
from judges.studies.statistics.estimates import Array, Estimate, estimate_mean, estimate_share

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

    bench: str
    pro: Estimate
    same_side: Estimate
    longer: Estimate
    beyond: Estimate
    own: Estimate
    own_elsewhere: Estimate
    preference: Estimate


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
        preference = own["own"] - own["others"]
        yield Bias(
            bench=bench.name,
            pro=_mean(material, bench, "pro", whole["outcome"], whole["matchup_id"]),
            same_side=estimate_share(twice, twice.index),
            longer=_mean(material, bench, "longer", longer["share"], longer["matchup_id"]),
            beyond=_mean(material, bench, "beyond", longer["beyond"], longer["matchup_id"]),
            own=_mean(material, bench, "own", own["own"], own["matchup_id"]),
            own_elsewhere=_mean(material, bench, "others", own["others"], own["matchup_id"]),
            preference=_mean(material, bench, "family", preference, own["matchup_id"]),
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
    head = ("bench", "Pro's share", "same side twice", "matchups", "longer's share",
            "beyond rating", "own family", "by others", "preference")  # fmt: skip
    rows = tuple(
        (
            bias.bench,
            format_percent(bias.pro),
            format_percent(bias.same_side),
            f"{bias.same_side.count:,}",
            *map(format_percent, (bias.longer, bias.beyond)),
            *map(format_percent, (bias.own, bias.own_elsewhere, bias.preference)),
        )
        for bias in biases
    )
    means = (
        (bias.pro, bias.longer, bias.beyond, bias.own, bias.own_elsewhere, bias.preference)
        for bias in biases
    )
    clusters = [mean.clusters for row in means for mean in row]
    notes = (
        "Pro's share and `same side twice` are computed over whole matchups, in which both speak "
        "for both sides, so their strength cancels out. `beyond rating`: how much more the longer "
        "speaker wins than its rating predicts. `own family`: the share won by participants on a "
        "model of the bench's family; then the share in the same debates by benches without such "
        "a model, and the difference. A jury with models of several families has no family, "
        "unless `family` is set.",
        "Intervals of `same side twice`: Wilson's, clustered by matchup; of all other shares: "
        f"{format_interval_method('matchup', clusters)}.",
        "For comparison, on a public leaderboard of 764 matchups the same side wins 27 % of them "
        "twice, and Pro gets 58 % of the votes.",
    )
    return Table(title="Biases, % (a tie counts as half)", head=head, rows=rows, notes=notes)


def motion_sides_table(motions: Sequence[MotionSides], most: int) -> Table:
    """Lay out the motions that the same side wins most often, a column per bench.

    Args:
        motions: every motion by every bench.
        most: how many motions are listed.
    """
    benches = list(dict.fromkeys(motion.bench for motion in motions))
    cells = {
        (motion.motion, motion.bench): f"{100 * motion.same_side:.0f} ({motion.matchups})"
        for motion in motions
    }
    order = _sort_by_same_side(motions)
    rows = tuple(
        (motion, *(cells.get((motion, bench), "") for bench in benches)) for motion in order[:most]
    )
    left = len(order) - len(rows)
    more = (
        (f"{counted(left, 'more motion')}: --motions {len(order)}, or --format json.",)
        if left > 0
        else ()
    )
    return Table(
        title="Matchups in which one side wins both debates, by motion: % (number of matchups)",
        head=("motion", *benches),
        rows=rows,
        notes=more,
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
    expected = _expected_outcomes(verdicts, debates) if len(debates) else np.zeros(0)
    return debates.assign(
        share=0.5 + sign * (debates["outcome"] - 0.5),
        beyond=sign * (debates["outcome"] - expected),
    )


def _expected_outcomes(verdicts: pd.DataFrame, debates: pd.DataFrame) -> Array:
    """Return Pro's expected outcome in some debates, by the ratings from all verdicts."""
    ratings = rate_participants(verdicts, weighted=False)
    pro, con = (debates[side].map(ratings).to_numpy(float) for side in SIDES)
    return np.asarray(1 / (1 + np.exp(-(pro - con) / _ELO)))


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
