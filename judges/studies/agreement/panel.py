"""How far the benches of a tournament agree with each other, and each with itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from judges.studies.agreement.material import Material
from judges.studies.agreement.statistics import (
    Array,
    Level,
    Measured,
    by_cluster,
    cohen_kappa,
    coincidences,
    confusion,
    fleiss_kappa,
    fleiss_terms,
    krippendorff_alpha,
    lenient,
    measured,
    meetings,
    strict,
    value_counts,
)
from ratings.outcomes import OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two benches on the debates that both have judged in full.

    Attributes:
        debates: how many.
        strict: share of equal outcomes.
        lenient: share of agreement where a tie agrees with everything.
        kappa: Cohen's.
    """

    first: str
    second: str
    debates: int
    strict: Measured
    lenient: Measured
    kappa: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """All benches together.

    Attributes:
        judges: how many.
        fleiss: Fleiss' kappa, of the debates that all have judged.
        alpha: Krippendorff's, outcomes equal or not; of the debates that two or more have judged.
        ordered: Krippendorff's, a tie standing between the sides.
    """

    judges: int
    fleiss: Measured
    alpha: Measured
    ordered: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest:
    """The runs of one bench with each other.

    Attributes:
        debates: those with two ballots or more.
        strict: share of equal outcomes, over all pairs of ballots of a debate.
        lenient: the same where a tie agrees with everything.
        alpha: Krippendorff's, a tie standing between the sides.
    """

    bench: str
    debates: int
    strict: Measured
    lenient: Measured
    alpha: Measured


def pairs(material: Material) -> Iterator[Pair]:
    """Every two benches, on the debates that both have judged."""
    wide = material.side_by_side()
    for first, second in combinations(wide.columns, 2):
        both = wide[[first, second]].dropna()
        tables = by_cluster(confusion(both[first], both[second]), matchups(both))
        rng = material.rng(str(first), str(second))
        yield Pair(
            first=str(first),
            second=str(second),
            debates=len(both),
            strict=measured(tables, strict, count=len(both), rng=rng),
            lenient=measured(tables, lenient, count=len(both), rng=rng),
            kappa=measured(tables, cohen_kappa, count=len(both), rng=rng),
        )


def panel(material: Material) -> Panel:
    """All benches of a tournament together."""
    wide = material.side_by_side()
    judges = wide.shape[1]
    counts = value_counts(wide)
    clusters = matchups(wide)
    terms = fleiss_terms(counts, judges)
    return Panel(
        judges=judges,
        fleiss=measured(
            by_cluster(terms, clusters),
            fleiss_kappa,
            count=terms[:, 0].sum(),
            rng=material.rng("fleiss"),
        ),
        alpha=alpha_of(counts, clusters, "nominal", material.rng("alpha")),
        ordered=alpha_of(counts, clusters, "ordinal", material.rng("ordered")),
    )


def retests(material: Material) -> Iterator[Retest]:
    """Each bench with itself, where it has taken several ballots of a debate."""
    for bench in material.benches:
        taken = run_counts(material, bench.name)
        several = taken[taken.sum(axis=1) > 1]
        counts, clusters = several.to_numpy(dtype=float), matchups(several)
        tables = by_cluster(meetings(counts), clusters)
        rng = material.rng(bench.name, "retest")
        yield Retest(
            bench=bench.name,
            debates=len(counts),
            strict=measured(tables, strict, count=len(counts), rng=rng),
            lenient=measured(tables, lenient, count=len(counts), rng=rng),
            alpha=alpha_of(counts, clusters, "ordinal", rng),
        )


def run_counts(material: Material, bench: str) -> pd.DataFrame:
    """How often one bench's valid ballots gave each debate each outcome.

    Returns:
        A row per debate_id and matchup_id, a column per outcome, in their order.
    """
    ballots = material.ballots
    taken = ballots[(ballots["bench"] == bench) & ballots["outcome"].notna()]
    index = [taken["debate_id"], taken["matchup_id"]]
    return pd.DataFrame({one: taken["outcome"] == one for one in OUTCOMES}).groupby(index).sum()


def alpha_of(counts: Array, clusters: Array, level: Level, rng: np.random.Generator) -> Measured:
    """Krippendorff's alpha of items by clusters; counted are those with two verdicts or more."""
    return measured(
        by_cluster(coincidences(counts), clusters),
        lambda tables: krippendorff_alpha(tables, level=level),
        count=(counts.sum(axis=1) > 1).sum(),
        rng=rng,
    )


def matchups(frame: pd.DataFrame) -> Array:
    """(rows,) codes of the matchups in an index."""
    return np.asarray(pd.factorize(frame.index.get_level_values("matchup_id"))[0], dtype=float)
