"""Agreement of the benches of a tournament with each other, and of each with itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import isnan, nan
from typing import Annotated

import pandas as pd

from arena.battles.judgements import MOST_BENCHES
from arena.boards.ranks import Correlation, correlations
from arena.config.stored import JUDGES
from arena.output.tables import Table
from arena.read.heading import Heading
from arena.text import counted
from judges.studies.agreement.material import Material, matchup_codes
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
from judges.studies.tables import format_interval, format_number, format_value, tabulate_fields
from ratings import Comparisons, fit

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
        lenient: share of agreement where a tie agrees with everything.
    """

    first: str
    second: Annotated[str, Heading("benches", read=lambda pair: f"{pair.first} and {pair.second}")]
    debates: Annotated[int, Heading("debates", ",")]
    strict: Annotated[Estimate, Heading("equal")]
    lenient: Annotated[Estimate, Heading("ties agree")]
    kappa: Annotated[Estimate, Heading("Cohen's kappa")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAgreement:
    """All benches together.

    Attributes:
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

    bench: Annotated[str, Heading("bench")]
    debates: Annotated[int, Heading("debates", ",")]
    strict: Annotated[Estimate, Heading("equal")]
    lenient: Annotated[Estimate, Heading("ties agree")]
    alpha: Annotated[Estimate, Heading("Krippendorff's alpha")]


def measure_pairs(material: Material) -> Iterator[PairAgreement]:
    """Yield the agreement of every two benches, on the debates that both have judged."""
    wide = material.outcomes_by_bench()
    for first, second in combinations(wide.columns, 2):
        both = wide[[first, second]].dropna()
        tables = sum_by_cluster(confusion(both[first], both[second]), matchup_codes(both))
        estimate = partial(estimate_agreement, tables, count=len(both))
        yield PairAgreement(
            first=str(first),
            second=str(second),
            debates=len(both),
            strict=estimate(strict_agreement),
            lenient=estimate(lenient_agreement),
            kappa=estimate(cohen_kappa),
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
        tables = sum_by_cluster(count_meetings(counts), clusters)
        estimate = partial(estimate_agreement, tables, count=len(counts), comparisons=tables.sum())
        yield Retest(
            bench=bench.name,
            debates=len(counts),
            strict=estimate(strict_agreement),
            lenient=estimate(lenient_agreement),
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
        imported: whether the debates were imported, so that no bench can be added, and many judges
            may share one.
    """
    cells = {
        (pair.first, pair.second): f"{format_value(pair.strict)} ({pair.debates})" for pair in pairs
    }
    cells |= {(pair.second, pair.first): format_value(pair.kappa) for pair in pairs}
    head = ("#", "bench", *map(str, range(1, len(benches) + 1)))
    rows = tuple(
        (str(number), row, *(cells.get((row, column), "") for column in benches))
        for number, row in enumerate(benches, start=1)
    )
    alone = _SHARED if imported and JUDGES in benches else _SINGLE_BENCH
    notes = (alone + _ADD_ANOTHER * (not imported),) if len(benches) < 2 else _panel_notes(panel)
    return Table(title="Agreement of the benches", head=head, rows=rows, labels=2, notes=notes)


def pairs_table(pairs: Sequence[PairAgreement]) -> Table:
    """Lay out a row per pair of benches."""
    return tabulate_fields(
        pairs,
        title="Agreement of every two benches",
        notes=(
            "95 % intervals of agreement, here and below: Wilson's, clustered by matchup; those of "
            "kappa and alpha contain the uncertainty of chance agreement.",
        ),
    )


def retests_table(retests: Sequence[Retest]) -> Table:
    """Lay out a row per bench, each with several ballots on a debate."""
    return tabulate_fields(
        retests,
        title="Agreement of each bench with itself, over every two runs on a debate",
        notes=few_matchups_notes(retest.alpha for retest in retests),
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


def rate_participants(verdicts: pd.DataFrame, *, weighted: bool = True) -> dict[str, float]:
    """Return each participant's Elo rating by the default weighted Bradley-Terry model.

    Args:
        verdicts: columns pro, con, outcome, weight.
        weighted: whether the weights count; else each comparison counts once.
    """
    # Equal comparisons are counted first: the fit is the same, and there are far fewer names.
    rows = verdicts if weighted else verdicts.assign(weight=1.0)
    cells = rows.groupby(["pro", "con", "outcome", "weight"]).size().reset_index(name="times")
    outcomes, weights = cells["outcome"].to_numpy(), cells["weight"].to_numpy(dtype=float)
    comparisons = Comparisons.of(cells["pro"], cells["con"], outcomes, weights)
    fitted = fit(comparisons.counted(cells["times"].to_numpy()))
    return dict(zip(fitted.names, map(float, fitted.rating), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """Ratings with one bench left out.

    Attributes:
        without: the bench; '' where none is left out.
        ratings: Elo by participant.
        largest: the participant whose rating moves most; '' where none is left out.
        moved: by how much, in Elo points.
        order: rank correlation with the ratings by all benches; None where no bench is left out,
            or no rating is left.
    """

    without: str
    comparisons: int
    ratings: Mapping[str, float]
    largest: str = ""
    moved: float = 0.0
    order: Correlation | None = None


def leave_one_out(material: Material) -> Iterator[LeaveOneOut]:
    """Rate by all benches, then without each; yield nothing where only one bench has judged."""
    verdicts = material.verdicts
    judging = [bench.name for bench in material.benches if len(material.verdicts_of(bench))]
    if len(judging) < 2:
        return
    whole = rate_participants(verdicts)
    yield LeaveOneOut(without="", comparisons=len(verdicts), ratings=whole)
    for bench in judging:
        rest = verdicts[verdicts["bench"] != bench]
        ratings = rate_participants(rest)
        moved = {name: ratings[name] - whole[name] for name in ratings}
        largest = max(moved, key=lambda name: abs(moved[name]))
        yield LeaveOneOut(
            without=bench,
            comparisons=len(rest),
            ratings=ratings,
            largest=largest,
            moved=moved[largest],
            order=next(iter(correlations({"all": whole, bench: ratings})), None),
        )


def leave_one_out_table(boards: Sequence[LeaveOneOut]) -> Table:
    """Lay out a row per participant, a column per bench left out; the first board has all."""
    whole = boards[0].ratings
    return Table(
        title="Elo by all benches together, and with each left out",
        head=("participant", "all", *(f"no {board.without}" for board in boards[1:])),
        rows=tuple(
            (name, *(format_number(board.ratings.get(name, nan), ".0f") for board in boards))
            for name in sorted(whole, key=lambda name: (-whole[name], name))
        ),
        notes=tuple(
            f"Without {board.without}: Kendall {board.order.kendall:.2f}, Spearman "
            f"{board.order.spearman:.2f}; {board.largest} moves most, by {board.moved:+.0f}."
            for board in boards
            if board.order is not None
        ),
    )
