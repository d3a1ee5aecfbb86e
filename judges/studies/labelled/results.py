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
from judges.studies.ballots import read_taken
from judges.studies.labelled import accuracy, concordance, recounts, rewording, score_gaps
from judges.studies.labelled.architectures import (
    ModelBenches,
    group_by_model,
    paper_tables,
    published_record,
)
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.pairs import MOST_ROWS
from judges.studies.labelled.verdicts import read_verdicts, read_wordings
from judges.studies.tables import lay_out

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
    votes: tuple[accuracy.VoteAgreement, ...]
    accuracies: tuple[accuracy.Accuracy, ...]
    categories: Mapping[str, tuple[accuracy.Accuracy, ...]]
    contrasts: tuple[accuracy.Contrast, ...]
    models: tuple[ModelBenches, ...]
    gaps: tuple[score_gaps.Gaps, ...]
    iterations: tuple[score_gaps.IterationComparison, ...]
    sweeps: tuple[recounts.Sweep, ...]
    rankings: tuple[recounts.RankingComparison, ...]
    advocates: tuple[concordance.AdvocateAgreement, ...]
    jurors: tuple[concordance.JurorAgreement, ...]
    rewordings: tuple[rewording.Rewording, ...]

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
    defences = list(concordance.read_defences(store, requests, ballots))
    return EvaluationResults(
        file=evaluation.file,
        simulated=evaluation.simulated,
        caveat=evaluation.caveat,
        pairs=len(evaluation.pairs),
        layout=evaluation.content.layout,
        skipped=evaluation.content.skipped,
        repeats=evaluation.content.repeats,
        votes=accuracy.measure_votes(names, verdicts, evaluation.pairs),
        accuracies=_measure_accuracies(evaluation, verdicts),
        categories=_measure_categories(evaluation, verdicts),
        contrasts=tuple(accuracy.contrast_benches(names, verdicts)),
        models=tuple(group_by_model(benches, verdicts)),
        gaps=_without_none(
            score_gaps.measure_gaps(bench.name, [v for v in verdicts if v.bench == bench.name])
            for bench in benches
            if _plays_all_rounds(bench)
        ),
        iterations=tuple(score_gaps.compare_iterations(benches, verdicts)),
        sweeps=_without_none(
            recounts.measure_sweep(bench, evaluation, ballots) for bench in benches
        ),
        rankings=tuple(recounts.compare_rankings(benches, evaluation, ballots, verdicts)),
        advocates=_without_none(
            concordance.measure_advocates(name, defences, _rng()) for name in names
        ),
        jurors=_without_none(concordance.measure_jurors(name, requests, ballots) for name in names),
        rewordings=_measure_rewordings(evaluation, list(read_wordings(evaluation, ballots))),
    )


def result_tables(results: EvaluationResults) -> Iterator[Table]:
    """Yield the tables of an evaluation, those with nothing to show left out."""
    title = titled(results.file, "judges against people", caveat=results.caveat)
    accuracies = accuracy.accuracies_table(results.accuracies, title)
    yield replace(accuracies, notes=(*accuracies.notes, *_notes_on_rows(results)))
    yield from lay_out(
        (accuracy.votes_table, results.votes),
        (accuracy.categories_table, results.categories),
        (accuracy.contrasts_table, results.contrasts),
    )
    yield from paper_tables(results.models, results.accuracies, results.contrasts)
    yield from lay_out(
        (score_gaps.distances_table, [each for model in results.models for each in model.apart]),
        (score_gaps.iterations_table, results.iterations),
    )
    yield from map(score_gaps.gaps_table, results.gaps)
    yield from map(recounts.sweep_table, results.sweeps)
    yield from lay_out(
        (recounts.rankings_table, results.rankings),
        (concordance.advocates_table, results.advocates),
        (concordance.jurors_table, results.jurors),
        (rewording.rewordings_table, results.rewordings),
    )


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
    evaluation: Evaluation, verdicts: Sequence[accuracy.PairVerdict], category: str | None = None
) -> tuple[accuracy.Accuracy, ...]:
    """Return every bench's accuracy on the pairs of one category, or on all pairs."""
    pairs = sum(category in (None, pair.category) for pair in evaluation.pairs)
    own = {
        bench.name: [
            v for v in verdicts if v.bench == bench.name and category in (None, v.category)
        ]
        for bench in evaluation.resolved.benches
    }
    return tuple(
        accuracy.measure_accuracy(bench, judged, missing=pairs - len(judged))
        for bench, judged in own.items()
    )


def _measure_categories(
    evaluation: Evaluation, verdicts: Sequence[accuracy.PairVerdict]
) -> dict[str, tuple[accuracy.Accuracy, ...]]:
    names = list(dict.fromkeys(pair.category for pair in evaluation.pairs))
    if len(names) < 2:
        return {}
    return {name: _measure_accuracies(evaluation, verdicts, name) for name in names}


def _plays_all_rounds(bench: Bench) -> bool:
    if bench.judge == "more":
        return int(bench.options.get("rounds", 1)) > 1
    return bench.judge == "samre" and not bench.options["early_stop"]


def _measure_rewordings(
    evaluation: Evaluation, wordings: Sequence[rewording.WordingOutcomes]
) -> tuple[rewording.Rewording, ...]:
    own = {
        bench.name: [pair for pair in wordings if pair.bench == bench.name]
        for bench in (evaluation.resolved.benches if evaluation.rewordings else ())
    }
    return tuple(
        rewording.measure_rewording(
            bench, outcomes, missing=len(evaluation.pairs) - len(outcomes), rng=_rng()
        )
        for bench, outcomes in own.items()
    )


def _rng() -> np.random.Generator:
    """Return a new generator for each figure, so that no figure depends on the others."""
    return np.random.default_rng(0)


def _without_none(figures: Iterable[_Figure | None]) -> tuple[_Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)
