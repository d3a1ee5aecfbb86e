"""Accuracies in the form of the paper's Tables 1 to 3, its own figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from arena.output.tables import Table
from arena.papers.published import MARK, PublishedTable, published_table
from arena.records import OFFLINE, Bench
from judges.methods.criteria import SCORED, read_scored
from judges.studies.labelled.accuracy import Accuracy, Contrast, PairVerdict
from judges.studies.labelled.score_gaps import DistanceComparison, compare_distances
from judges.studies.tables import format_number

Architecture = Literal["baseline", "more", "samre", "samre_alone"]
ARCHITECTURES: Mapping[Architecture, str] = {
    "baseline": "baseline",
    "more": "MORE",
    "samre": "SAMRE",
    "samre_alone": "SAMRE without juries",
}
#: The architectures of Table 2.
_GAINS: tuple[Architecture, Architecture] = ("more", "samre_alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBenches:
    """One model's benches of the paper's four architectures.

    Attributes:
        benches: the name of the first bench of each architecture, where there is one.
        apart: distances by MORE and by SAMRE (with or without jurors) on the same pairs.
    """

    model: str
    benches: Mapping[Architecture, str]
    apart: tuple[DistanceComparison, ...]

    @property
    def label(self) -> str:
        """The model's name in a table."""
        return f"{self.model} (simulated)" if self.model.startswith(OFFLINE) else self.model


def architecture_of(bench: Bench) -> Architecture | None:
    """Return which of the paper's four architectures a bench has; `None` for any other."""
    options = bench.options
    if bench.judge == "samre":
        stops = options["early_stop"]
        return ("samre_alone" if options["jurors"] == 0 else "samre") if stops else None
    if bench.judge == "more":
        return "more" if bench.options.get("rounds", 1) == 1 else None
    return "baseline" if bench.judge == "single" else None


def find_architectures(benches: Sequence[Bench], model: str) -> dict[Architecture, str]:
    """Return the name of a model's bench of each architecture.

    It is the first one with the paper's preset; else the first that scores defences, as in the
    paper, and fuses those of MORE; else the first one.
    """

    def closeness(bench: Bench) -> tuple[bool, int, bool]:
        scored = SCORED.index(read_scored(bench.options))
        return "preset" not in bench.options, scored, "aggregate" in bench.options

    names: dict[Architecture, str] = {}
    for bench in sorted(benches, key=closeness):
        architecture = architecture_of(bench)
        if bench.model == model and architecture is not None:
            names.setdefault(architecture, bench.name)
    return names


def group_by_model(
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
                rng = np.random.default_rng(0)
                pair = (names["more"], names[architecture])
                comparison = compare_distances(*pair, verdicts, rng, scored=scored)
                if comparison is not None:
                    yield comparison


def paper_tables(
    models: Sequence[ModelBenches],
    accuracies: Sequence[Accuracy],
    contrasts: Sequence[Contrast],
) -> Iterator[Table]:
    """Yield Tables 1 to 3 for the models that have a bench of one of the architectures."""
    if not models:
        return
    shares = {accuracy.bench: accuracy for accuracy in accuracies}

    def share(model: ModelBenches, architecture: Architecture) -> str:
        bench = shares.get(model.benches.get(architecture, ""))
        return f"{bench.share:.2f} ({bench.pairs})" if bench and bench.pairs else "-"

    own = [(model.label, *(share(model, each) for each in ARCHITECTURES)) for model in models]
    yield Table(
        title="Accuracy by architecture (the form of Table 1)",
        head=("model", *ARCHITECTURES.values()),
        rows=(*own, *_published("T1").marked_rows()),
        notes=(_format_source("T1"),),
    )
    if any("baseline" in model.benches and len(model.benches) > 1 for model in models):
        yield _gains_table(models, shares, contrasts)
        yield _tests_table(models, contrasts)


def published_record() -> dict[str, Any]:
    """Return the paper's Tables 1 to 3 for JSON, by model and with their source."""
    tables = {"accuracy": "T1", "gains": "T2", "t_and_p": "T3"}
    return {
        "source": [_published(table).source for table in tables.values()],
        "architectures": list(ARCHITECTURES.values()),
        **{
            key: {row[0]: row[1:] for row in _published(table).as_record()["rows"]}
            for key, table in tables.items()
        },
    }


def _published(table: str) -> PublishedTable:
    return published_table("more_samre", table)


def _format_source(table: str) -> str:
    return f"{MARK}: {_published(table).source}; for orientation, not measured here."


def _gains_table(
    models: Sequence[ModelBenches],
    shares: Mapping[str, Accuracy],
    contrasts: Sequence[Contrast],
) -> Table:
    def gain(model: ModelBenches, architecture: Architecture) -> tuple[str, str]:
        contrast = _find_contrast(contrasts, model, architecture)
        if contrast is None or not contrast.pairs:
            return "-", "-"
        share = shares[contrast.first].share
        relative = f"{contrast.difference / share:+.1%}" if share else "-"
        return f"{contrast.difference:+.2f}", relative

    own = (
        (model.label, *(cell for architecture in _GAINS for cell in gain(model, architecture)))
        for model in models
        if "baseline" in model.benches
    )
    published = (
        (name, f"+{more}", f"+{more_relative}%", f"+{samre}", f"+{samre_relative}%")
        for name, more, more_relative, samre, samre_relative in _published("T2").marked_rows()
    )
    names = [ARCHITECTURES[architecture] for architecture in _GAINS]
    return Table(
        title="Gains over the baseline (the form of Table 2)",
        head=("model", *(cell for name in names for cell in (name, f"{name}, %"))),
        rows=(*own, *published),
        notes=("Over the pairs that both have judged. " + _format_source("T2"),),
    )


def _tests_table(models: Sequence[ModelBenches], contrasts: Sequence[Contrast]) -> Table:
    own = (
        (
            model.label,
            format_number(contrast.t, ".2f"),
            format_number(contrast.t_p, ".3f"),
            f"{contrast.mcnemar_p:.3f}",
        )
        for model in models
        if (contrast := _find_contrast(contrasts, model, "samre_alone")) is not None
    )
    published = ((name, t, p, "-") for name, t, p in _published("T3").marked_rows())
    return Table(
        title="SAMRE without juries against the baseline (the form of Table 3)",
        head=("model", "t", "p", "p of McNemar"),
        rows=(*own, *published),
        notes=(_format_source("T3"),),
    )


def _find_contrast(
    contrasts: Sequence[Contrast], model: ModelBenches, architecture: Architecture
) -> Contrast | None:
    """Return the contrast of an architecture with the baseline, the baseline first."""
    if "baseline" not in model.benches or architecture not in model.benches:
        return None
    pair = (model.benches["baseline"], model.benches[architecture])
    either = (each for contrast in contrasts for each in (contrast, contrast.swapped()))
    return next((each for each in either if (each.first, each.second) == pair), None)
