"""What sways a judge beside the arguments: the side, the length, a relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.debates.families import families_of, related
from arena.records import Bench
from judges.studies.agreement.material import Material
from judges.studies.agreement.ratings import ratings
from judges.studies.agreement.statistics import Array, Measured, by_cluster, measured, share

_ELO = 400 / np.log(10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """What sways one bench. Shares count a tie as half.

    Attributes:
        pro: Pro's share over whole matchups, in which both participants speak for both sides.
        same_side: share of whole matchups that the same side wins twice.
        longer: the share of whoever spoke longer in a debate.
        beyond: how much more whoever spoke longer gets than its rating by this bench predicts.
        own: the share of participants of the bench's own model family, where only one side is.
        own_elsewhere: their share by benches without a model of that family, on the same debates.
        preference: the difference of these two.
    """

    bench: str
    pro: Measured
    same_side: Measured
    longer: Measured
    beyond: Measured
    own: Measured
    own_elsewhere: Measured
    preference: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSides:
    """The sides of one motion by one bench.

    Attributes:
        matchups: whole ones.
        same_side: share of them that the same side wins twice.
        pro: Pro's share, ties half.
    """

    motion: str
    bench: str
    matchups: int
    same_side: float
    pro: float


def biases(material: Material) -> Iterator[Bias]:
    """Every bench, in its order."""
    for bench in material.benches:
        given = material.of(bench)
        whole = whole_matchups(given)
        twice = _twice(whole)
        longer = _longer(given, material.lengths)
        own = _own(material, bench)
        yield Bias(
            bench=bench.name,
            pro=_mean(material, bench, "pro", whole["outcome"], whole["matchup_id"]),
            same_side=_mean(material, bench, "twice", twice, twice.index),
            longer=_mean(material, bench, "longer", longer["share"], longer["matchup_id"]),
            beyond=_mean(material, bench, "beyond", longer["beyond"], longer["matchup_id"]),
            own=_mean(material, bench, "own", own["own"], own["matchup_id"]),
            own_elsewhere=_mean(material, bench, "others", own["others"], own["matchup_id"]),
            preference=_mean(
                material, bench, "family", own["own"] - own["others"], own["matchup_id"]
            ),
        )


def motion_sides(material: Material) -> Iterator[MotionSides]:
    """Every motion by every bench, where there are whole matchups."""
    for bench in material.benches:
        whole = whole_matchups(material.of(bench))
        twice = _twice(whole)
        motions = whole.groupby("matchup_id")["motion"].first()
        pro = whole.groupby("motion")["outcome"].mean()
        for motion, found in twice.groupby(motions):
            yield MotionSides(
                motion=str(motion),
                bench=bench.name,
                matchups=len(found),
                same_side=float(found.mean()),
                pro=float(pro[motion]),
            )


def whole_matchups(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of those matchups of which a bench has judged both legs."""
    legs = verdicts.groupby("matchup_id")["debate_id"].transform("size")
    return verdicts[legs == 2]


def _twice(whole: pd.DataFrame) -> pd.Series[bool]:
    """Of each whole matchup, whether one side wins both legs."""
    total = whole.groupby("matchup_id")["outcome"].sum()
    least = whole.groupby("matchup_id")["outcome"].min()
    return (total == 2) | ((total == 0) & (least == 0))


def _longer(verdicts: pd.DataFrame, lengths: pd.DataFrame) -> pd.DataFrame:
    """Of debates of unequal length: matchup_id, share of the longer side, and beyond its rating."""
    found = verdicts.merge(lengths, on="debate_id")
    found = found[found["pro_words"] != found["con_words"]]
    toward = np.where(found["pro_words"] > found["con_words"], 1.0, -1.0)
    expected = _expected(verdicts, found) if len(found) else np.zeros(0)
    return found.assign(
        share=0.5 + toward * (found["outcome"] - 0.5),
        beyond=toward * (found["outcome"] - expected),
    )


def _expected(verdicts: pd.DataFrame, of: pd.DataFrame) -> Array:
    """Pro's share in some debates, as the ratings by these verdicts predict it."""
    rating = ratings(verdicts, weighed=False)
    apart = of["pro"].map(rating).to_numpy(float) - of["con"].map(rating).to_numpy(float)
    return np.asarray(1 / (1 + np.exp(-apart / _ELO)))


def _own(material: Material, bench: Bench) -> pd.DataFrame:
    """Of debates with one side of a bench's family: matchup_id, own, others (its shares)."""
    family = bench.family.lower()
    kinship = {
        one.name: bool(family) and family in related([one])
        for one in material.resolved.participants
    }
    verdicts = material.verdicts.assign(
        pro_own=material.verdicts["pro"].map(kinship), con_own=material.verdicts["con"].map(kinship)
    )
    mixed = verdicts[verdicts["pro_own"] != verdicts["con_own"]]
    shares = mixed["outcome"].where(mixed["pro_own"].astype(bool), 1 - mixed["outcome"])
    mixed = mixed.assign(share=shares.astype(float))
    foreign = [one.name for one in material.benches if family not in families_of(one)]
    others = mixed[mixed["bench"].isin(foreign)].groupby("debate_id")["share"].mean()
    own = mixed[mixed["bench"] == bench.name].set_index("debate_id")
    return pd.DataFrame(
        {"matchup_id": own["matchup_id"], "own": own["share"], "others": others.reindex(own.index)}
    )


def _mean(
    material: Material, bench: Bench, what: str, values: pd.Series, clusters: object
) -> Measured:
    """A mean of what is known, with its interval by matchups."""
    given = np.asarray(values, dtype=float)
    known = np.isfinite(given)
    items = np.column_stack([given, np.ones(len(given))])[known]
    clustered = by_cluster(items, pd.factorize(np.asarray(clusters)[known])[0])
    return measured(clustered, share, count=len(items), rng=material.rng(bench.name, what))
