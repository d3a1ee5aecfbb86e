"""The results of an evaluation: everything that its tables and its JSON show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from arena.output.formats import titled
from arena.output.tables import Table
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted
from judges.methods.criteria import SCORED, read_scored
from judges.studies.ballots import read_taken
from judges.studies.labelled.accuracy import (
    Accuracy,
    Contrast,
    PairVerdict,
    VoteAgreement,
    accuracies_table,
    categories_table,
    contrast_benches,
    contrasts_table,
    measure_accuracy,
    measure_votes,
    votes_table,
)
from judges.studies.labelled.architectures import (
    Architecture,
    ModelBenches,
    find_architectures,
    paper_tables,
    published_record,
)
from judges.studies.labelled.concordance import (
    AdvocateAgreement,
    JurorAgreement,
    advocates_table,
    jurors_table,
    measure_advocates,
    measure_jurors,
    read_defences,
)
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.pairs import MOST_ROWS
from judges.studies.labelled.recounts import (
    RankingComparison,
    Sweep,
    compare_rankings,
    measure_sweep,
    rankings_table,
    sweep_table,
)
from judges.studies.labelled.rewording import (
    Rewording,
    WordingOutcomes,
    measure_rewording,
    rewordings_table,
)
from judges.studies.labelled.score_gaps import (
    DistanceComparison,
    Gaps,
    IterationComparison,
    compare_distances,
    compare_iterations,
    distances_table,
    gaps_table,
    iterations_table,
    measure_gaps,
)
from judges.studies.labelled.verdicts import read_verdicts, read_wordings

_Figure = TypeVar("_Figure")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResults:
    """What was measured about some benches on a file of labelled pairs.

    Attributes:
        layout: as which the file was read.
        votes: how far judges agree with each vote; empty where no pair has several.
        skipped: a line for each row that could not be used.
        repeats: number of pairs that repeat an earlier one and were left out.
        categories: accuracy by category and bench; empty with fewer than two categories.
        gaps: of the benches that play all rounds.
        iterations: rounds until a gap, by MORE and by SAMRE.
        sweeps: of the temperatures of the benches that aggregate by softmax.
        rankings: scoring against ranking, of the benches whose jurors give marks.
        advocates: of the benches that have several for a side.
        jurors: of the benches that ask several.
        rewordings: of every bench, where prompts in other words were tried.
    """

    file: str
    simulated: bool
    caveat: str
    pairs: int
    layout: str
    skipped: tuple[str, ...]
    repeats: int
    votes: tuple[VoteAgreement, ...]
    accuracies: tuple[Accuracy, ...]
    categories: Mapping[str, tuple[Accuracy, ...]]
    contrasts: tuple[Contrast, ...]
    models: tuple[ModelBenches, ...]
    gaps: tuple[Gaps, ...]
    iterations: tuple[IterationComparison, ...]
    sweeps: tuple[Sweep, ...]
    rankings: tuple[RankingComparison, ...]
    advocates: tuple[AdvocateAgreement, ...]
    jurors: tuple[JurorAgreement, ...]
    rewordings: tuple[Rewording, ...]

    def content(self) -> dict[str, Any]:
        """Return the results as plain data for JSON."""
        measured = asdict(self)
        for row, bench in zip(measured["gaps"], self.gaps, strict=True):
            row["model"] |= {"mean": bench.model.mean, "variance": bench.model.variance}
        return measured | {"published": published_record()}


def measure(store: Store, evaluation: Evaluation) -> EvaluationResults:
    """Measure the benches of an evaluation by the ballots that are stored so far."""
    ballots = read_taken(store, evaluation.all_requests)
    verdicts = list(read_verdicts(store, evaluation, ballots))
    benches = evaluation.resolved.benches
    names = [bench.name for bench in benches]
    requests = evaluation.plain_requests
    defences = list(read_defences(store, requests, ballots))
    wordings = list(read_wordings(evaluation, ballots))
    return EvaluationResults(
        file=evaluation.file,
        simulated=evaluation.simulated,
        caveat=evaluation.caveat,
        pairs=len(evaluation.pairs),
        layout=evaluation.content.layout,
        skipped=evaluation.content.skipped,
        repeats=evaluation.content.repeats,
        votes=measure_votes(names, verdicts, evaluation.pairs),
        accuracies=tuple(_measure_accuracies(evaluation, verdicts)),
        categories=_measure_categories(evaluation, verdicts),
        contrasts=tuple(contrast_benches(names, verdicts)),
        models=tuple(_group_by_model(benches, verdicts)),
        gaps=_without_none(
            measure_gaps(bench.name, [v for v in verdicts if v.bench == bench.name])
            for bench in benches
            if _plays_all_rounds(bench)
        ),
        iterations=tuple(compare_iterations(benches, verdicts)),
        sweeps=_without_none(measure_sweep(bench, evaluation, ballots) for bench in benches),
        rankings=tuple(compare_rankings(benches, evaluation, ballots, verdicts)),
        advocates=_without_none(measure_advocates(name, defences, _rng()) for name in names),
        jurors=_without_none(measure_jurors(name, requests, ballots) for name in names),
        rewordings=tuple(_measure_rewordings(evaluation, wordings)),
    )


def result_tables(results: EvaluationResults) -> Iterator[Table]:
    """Yield the tables of an evaluation, those with nothing to show left out."""
    title = titled(results.file, "judges against people", caveat=results.caveat)
    accuracies = accuracies_table(results.accuracies, title)
    yield replace(accuracies, notes=(*accuracies.notes, *_notes_on_rows(results)))
    if results.votes:
        yield votes_table(results.votes)
    if results.categories:
        yield categories_table(results.categories)
    if results.contrasts:
        yield contrasts_table(results.contrasts)
    yield from paper_tables(results.models, results.accuracies, results.contrasts)
    distances = [comparison for model in results.models for comparison in model.apart]
    if distances:
        yield distances_table(distances)
    if results.iterations:
        yield iterations_table(results.iterations)
    yield from map(gaps_table, results.gaps)
    yield from map(sweep_table, results.sweeps)
    if results.rankings:
        yield rankings_table(results.rankings)
    if results.advocates:
        yield advocates_table(results.advocates)
    if results.jurors:
        yield jurors_table(results.jurors)
    if results.rewordings:
        yield rewordings_table(results.rewordings)


def _notes_on_rows(results: EvaluationResults) -> Iterator[str]:
    """Yield notes on the rows that were left out, where there are any."""
    if results.repeats:
        repeats = counted(results.repeats, "pair")
        yield f"{repeats} left out: the texts and votes of an earlier pair; each counts once."
    if skipped := results.skipped:
        shown = "; ".join(skipped[:MOST_ROWS])
        more = f"; and {len(skipped) - MOST_ROWS} more" if len(skipped) > MOST_ROWS else ""
        yield f"{counted(len(skipped), 'row')} could not be used and left out: {shown}{more}."


def _measure_accuracies(
    evaluation: Evaluation, verdicts: Sequence[PairVerdict], category: str | None = None
) -> Iterator[Accuracy]:
    """Yield every bench's accuracy on the pairs of one category, or on all pairs."""
    pairs = [pair for pair in evaluation.pairs if category in (None, pair.category)]
    for bench in evaluation.resolved.benches:
        own = [v for v in verdicts if v.bench == bench.name and category in (None, v.category)]
        yield measure_accuracy(bench.name, own, missing=len(pairs) - len(own))


def _measure_categories(
    evaluation: Evaluation, verdicts: Sequence[PairVerdict]
) -> dict[str, tuple[Accuracy, ...]]:
    names = list(dict.fromkeys(pair.category for pair in evaluation.pairs))
    if len(names) < 2:
        return {}
    return {name: tuple(_measure_accuracies(evaluation, verdicts, name)) for name in names}


def _group_by_model(
    benches: Sequence[Bench], verdicts: Sequence[PairVerdict]
) -> Iterator[ModelBenches]:
    """Yield the models that have a bench of one of the paper's architectures."""
    for model in dict.fromkeys(bench.model for bench in benches):
        names = find_architectures(benches, model)
        if names:
            distances = tuple(compare_more_with_samre(benches, model, verdicts))
            yield ModelBenches(model=model, benches=names, apart=distances)


def compare_more_with_samre(
    benches: Sequence[Bench], model: str, verdicts: Sequence[PairVerdict]
) -> Iterator[DistanceComparison]:
    """Compare the benches of a model that score defences, and those that score answers."""
    samres: tuple[Architecture, Architecture] = ("samre", "samre_alone")
    for scored in SCORED:
        alike = [bench for bench in benches if read_scored(bench.options) == scored]
        names = find_architectures(alike, model)
        for architecture in samres:
            if "more" in names and architecture in names:
                pair = (names["more"], names[architecture])
                comparison = compare_distances(*pair, verdicts, _rng(), scored=scored)
                if comparison is not None:
                    yield comparison


def _plays_all_rounds(bench: Bench) -> bool:
    if bench.judge == "more":
        return int(bench.options.get("rounds", 1)) > 1
    return bench.judge == "samre" and not bench.options["early_stop"]


def _measure_rewordings(
    evaluation: Evaluation, wordings: Sequence[WordingOutcomes]
) -> Iterator[Rewording]:
    for bench in evaluation.resolved.benches if evaluation.rewordings else ():
        own = [pair for pair in wordings if pair.bench == bench.name]
        missing = len(evaluation.pairs) - len(own)
        yield measure_rewording(bench.name, own, missing=missing, rng=_rng())


def _rng() -> np.random.Generator:
    """Return a new generator for each figure, so that no figure depends on the others."""
    return np.random.default_rng(0)


def _without_none(figures: Iterable[_Figure | None]) -> tuple[_Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)
