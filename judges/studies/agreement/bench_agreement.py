"""Agreement of the benches of a tournament with each other, and of each with itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

from arena.battles.judgements import MOST_BENCHES
from arena.config.imported import JUDGES
from arena.console.tables import Table
from arena.text import counted
from judges.studies.agreement.material import Material, matchup_codes
from judges.studies.cells import format_interval, format_value
from judges.studies.statistics.agreement import (
    cohen_kappa,
    confusion,
    count_meetings,
    count_values,
    estimate_alpha,
    fleiss_kappa,
    fleiss_terms,
    lenient_agreement,
    strict_agreement,
)
from judges.studies.statistics.estimates import Estimate, estimate_agreement, sum_by_cluster

_SINGLE_BENCH = "There is only one bench, so nothing to compare."
_ADD_ANOTHER = " Another costs only its judge tokens (`arena rejudge`)."
_SHARED = (
    f"More than {MOST_BENCHES} judges share the bench {JUDGES}, so they are not compared by name; "
    "the agreement of the bench with itself is that of every two of them on a debate. To compare "
    f"some by name, import a file of the verdicts of at most {MOST_BENCHES}."
)
#: Matchups with which intervals of alpha cover 95 % in all measured cases (docs/coverage.md).
_ENOUGH = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two benches on the debates that both have judged in full.

    Attributes:
        debates: number of them.
        strict: share of equal outcomes.
        lenient: share of agreement where a tie agrees with everything.
        kappa: Cohen's.
    """

    first: str
    second: str
    debates: int
    strict: Estimate
    lenient: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAgreement:
    """All benches together.

    Attributes:
        judges: number of benches.
        fleiss: Fleiss' kappa, of the debates that all have judged.
        alpha: Krippendorff's, nominal; of the debates that two or more have judged.
        ordered: Krippendorff's, ordinal: a tie stands between the sides.
    """

    judges: int
    fleiss: Estimate
    alpha: Estimate
    ordered: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest:
    """Agreement of one bench's ballots on the same debate.

    Attributes:
        debates: number of those with two ballots or more.
        strict: share of equal outcomes, over all pairs of ballots of a debate.
        lenient: the same where a tie agrees with everything.
        alpha: Krippendorff's, ordinal: a tie stands between the sides.
    """

    bench: str
    debates: int
    strict: Estimate
    lenient: Estimate
    alpha: Estimate


def measure_pairs(material: Material) -> Iterator[PairAgreement]:
    """Yield the agreement of every two benches, on the debates that both have judged."""
    wide = material.outcomes_by_bench()
    for first, second in combinations(wide.columns, 2):
        both = wide[[first, second]].dropna()
        tables = sum_by_cluster(confusion(both[first], both[second]), matchup_codes(both))
        yield PairAgreement(
            first=str(first),
            second=str(second),
            debates=len(both),
            strict=estimate_agreement(tables, strict_agreement, count=len(both)),
            lenient=estimate_agreement(tables, lenient_agreement, count=len(both)),
            kappa=estimate_agreement(tables, cohen_kappa, count=len(both)),
        )


def measure_panel(material: Material) -> PanelAgreement:
    """Return the agreement of all benches of a tournament together."""
    wide = material.outcomes_by_bench()
    judges = wide.shape[1]
    counts = count_values(wide)
    clusters = matchup_codes(wide)
    terms = fleiss_terms(counts, judges)
    complete = terms[:, 0].sum()
    return PanelAgreement(
        judges=judges,
        fleiss=estimate_agreement(
            sum_by_cluster(terms, clusters),
            fleiss_kappa,
            count=complete,
            comparisons=complete * judges * (judges - 1) / 2,
        ),
        alpha=estimate_alpha(counts, clusters, "nominal"),
        ordered=estimate_alpha(counts, clusters, "ordinal"),
    )


def measure_retests(material: Material) -> Iterator[Retest]:
    """Yield the agreement of each bench with itself, over the ballots of the same debate."""
    for bench in material.benches:
        ballots = material.ballot_counts(bench.name)
        several = ballots[ballots.sum(axis=1) > 1]
        counts, clusters = several.to_numpy(dtype=float), matchup_codes(several)
        tables, size = sum_by_cluster(count_meetings(counts), clusters), len(counts)
        pairs = tables.sum()
        yield Retest(
            bench=bench.name,
            debates=size,
            strict=estimate_agreement(tables, strict_agreement, count=size, comparisons=pairs),
            lenient=estimate_agreement(tables, lenient_agreement, count=size, comparisons=pairs),
            alpha=estimate_alpha(counts, clusters, "ordinal"),
        )


def matrix_table(
    benches: Sequence[str],
    pairs: Sequence[PairAgreement],
    panel: PanelAgreement,
    *,
    imported: bool,
) -> Table:
    """Lay out the benches against each other: shares above the diagonal, kappas below.

    Args:
        benches: all names.
        pairs: every two of them.
        panel: all of them together.
        imported: whether the debates were imported, so that no bench can be added, and many judges
            may share one.
    """
    cells = {
        (pair.first, pair.second): f"{format_value(pair.strict)} ({pair.debates})" for pair in pairs
    }
    cells |= {(pair.second, pair.first): format_value(pair.kappa) for pair in pairs}
    head = ("#", "bench", *(str(number) for number in range(1, len(benches) + 1)))
    rows = tuple(
        (str(number), row, *(cells.get((row, column), "") for column in benches))
        for number, row in enumerate(benches, start=1)
    )
    alone = _SHARED if imported and JUDGES in benches else _SINGLE_BENCH
    notes = (alone + _ADD_ANOTHER * (not imported),) if len(benches) < 2 else _panel_notes(panel)
    return Table(title="Agreement of the benches", head=head, rows=rows, labels=2, notes=notes)


def pairs_table(pairs: Sequence[PairAgreement]) -> Table:
    """Lay out a row per pair of benches."""
    rows = tuple(
        (
            f"{pair.first} and {pair.second}",
            f"{pair.debates:,}",
            *map(format_interval, (pair.strict, pair.lenient, pair.kappa)),
        )
        for pair in pairs
    )
    return Table(
        title="Agreement of every two benches",
        head=("benches", "debates", "equal", "ties agree", "Cohen's kappa"),
        rows=rows,
        notes=(
            "95 % intervals of agreement, here and below: Wilson's, clustered by matchup; those of "
            "kappa and alpha contain the uncertainty of chance agreement.",
        ),
    )


def retests_table(retests: Sequence[Retest]) -> Table:
    """Lay out a row per bench that has several ballots on a debate."""
    rows = tuple(
        (
            retest.bench,
            f"{retest.debates:,}",
            *map(format_interval, (retest.strict, retest.lenient, retest.alpha)),
        )
        for retest in retests
        if retest.debates
    )
    return Table(
        title="Agreement of each bench with itself, over every two runs on a debate",
        head=("bench", "debates", "equal", "ties agree", "Krippendorff's alpha"),
        rows=rows,
        notes=few_matchups_notes([retest.alpha for retest in retests]),
    )


def few_matchups_notes(alphas: Iterable[Estimate]) -> tuple[str, ...]:
    """Return what is to be said of the intervals of Krippendorff's alpha on few matchups."""
    few = sorted({each.clusters for each in alphas if not isnan(each.lower)} & set(range(_ENOUGH)))
    if not few:
        return ()
    return (
        f"Few matchups ({', '.join(map(str, few))}): intervals of the alpha of several judges who "
        "nearly always favour the same side cover 91 to 92 % with 6 to 10 matchups, not 95 %.",
    )


def _panel_notes(panel: PanelAgreement) -> tuple[str, ...]:
    return (
        "Above the diagonal: share of equal outcomes (number of debates). Below: Cohen's kappa.",
        f"All {panel.judges} benches: Fleiss' kappa {format_interval(panel.fleiss)} on "
        f"{counted(panel.fleiss.count, 'debate')}; Krippendorff's alpha "
        f"{format_interval(panel.alpha)}, with a tie between the sides "
        f"{format_interval(panel.ordered)}, on {panel.alpha.count}.",
        *few_matchups_notes([panel.alpha, panel.ordered] if panel.judges > 2 else ()),
    )
