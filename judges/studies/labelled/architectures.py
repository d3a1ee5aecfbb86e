"""Accuracies in the form of the paper's Tables 1 to 3, its own figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.output.tables import Table
from arena.papers.published import MARK, PublishedTable, published_table
from arena.records import OFFLINE, Bench
from judges.methods.criteria import SCORED, read_scored
from judges.studies.labelled.accuracy import Accuracy, Contrast
from judges.studies.labelled.score_gaps import DistanceComparison

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

    It is the first one that scores defences, as in the paper, and fuses those of MORE; else the
    first one.
    """
    names: dict[Architecture, str] = {}
    for bench in sorted(benches, key=_rank_by_closeness):
        architecture = architecture_of(bench)
        if bench.model == model and architecture is not None:
            names.setdefault(architecture, bench.name)
    return names


def _rank_by_closeness(bench: Bench) -> tuple[int, bool]:
    return SCORED.index(read_scored(bench.options)), "aggregate" in bench.options


def paper_tables(
    models: Sequence[ModelBenches],
    accuracies: Sequence[Accuracy],
    contrasts: Sequence[Contrast],
) -> Iterator[Table]:
    """Yield Tables 1 to 3 for the models that have a bench of one of the architectures."""
    if not models:
        return
    shares = {accuracy.bench: accuracy for accuracy in accuracies}
    yield Table(
        title="Accuracy by architecture (the form of Table 1)",
        head=("model", *ARCHITECTURES.values()),
        rows=(*(_accuracy_row(model, shares) for model in models), *_published("T1").marked_rows()),
        notes=(_format_source("T1"),),
    )
    if any("baseline" in model.benches and len(model.benches) > 1 for model in models):
        yield _gains_table(models, shares, contrasts)
        yield _tests_table(models, contrasts)


def _accuracy_row(model: ModelBenches, shares: Mapping[str, Accuracy]) -> tuple[str, ...]:
    cells = []
    for architecture in ARCHITECTURES:
        bench = shares.get(model.benches.get(architecture, ""))
        cells.append(f"{bench.share:.2f} ({bench.pairs})" if bench and bench.pairs else "-")
    return (model.label, *cells)


def published_record() -> dict[str, Any]:
    """Return the paper's Tables 1 to 3 for JSON, by model and with their source."""
    accuracy, gains, tests = map(_published, ("T1", "T2", "T3"))
    return {
        "source": [table.source for table in (accuracy, gains, tests)],
        "architectures": list(ARCHITECTURES.values()),
        "accuracy": _by_model(accuracy),
        "gains": _by_model(gains),
        "t_and_p": _by_model(tests),
    }


def _by_model(table: PublishedTable) -> dict[str, list[Any]]:
    return {row[0]: row[1:] for row in table.as_record()["rows"]}


def _published(table: str) -> PublishedTable:
    return published_table("more_samre", table)


def _format_source(table: str) -> str:
    return f"{MARK}: {_published(table).source}; for orientation, not measured here."


def _gains_table(
    models: Sequence[ModelBenches],
    shares: Mapping[str, Accuracy],
    contrasts: Sequence[Contrast],
) -> Table:
    names = [ARCHITECTURES[architecture] for architecture in _GAINS]
    rows = []
    for model in models:
        if "baseline" in model.benches:
            share = shares[model.benches["baseline"]].share
            cells = [model.label]
            for architecture in _GAINS:
                contrast = _find_contrast(contrasts, model, architecture)
                if contrast is None or not contrast.pairs:
                    cells += ("-", "-")
                else:
                    gain = contrast.difference
                    cells += (f"{gain:+.2f}", f"{gain / share:+.1%}" if share else "-")
            rows.append(tuple(cells))
    published = (
        (name, f"+{more}", f"+{more_relative}%", f"+{samre}", f"+{samre_relative}%")
        for name, more, more_relative, samre, samre_relative in _published("T2").marked_rows()
    )
    return Table(
        title="Gains over the baseline (the form of Table 2)",
        head=("model", *(cell for name in names for cell in (name, f"{name}, %"))),
        rows=(*rows, *published),
        notes=("Over the pairs that both have judged. " + _format_source("T2"),),
    )


def _tests_table(models: Sequence[ModelBenches], contrasts: Sequence[Contrast]) -> Table:
    rows = []
    for model in models:
        contrast = _find_contrast(contrasts, model, "samre_alone")
        if contrast is not None:
            is_unknown = contrast.t != contrast.t
            cells = ("-", "-") if is_unknown else (f"{contrast.t:.2f}", f"{contrast.t_p:.3f}")
            rows.append((model.label, *cells, f"{contrast.mcnemar_p:.3f}"))
    rows += [(name, t, p, "-") for name, t, p in _published("T3").marked_rows()]
    return Table(
        title="SAMRE without juries against the baseline (the form of Table 3)",
        head=("model", "t", "p", "p of McNemar"),
        rows=tuple(rows),
        notes=(_format_source("T3"),),
    )


def _find_contrast(
    contrasts: Sequence[Contrast], model: ModelBenches, architecture: Architecture
) -> Contrast | None:
    """Return the contrast of an architecture with the baseline, the baseline first."""
    if "baseline" not in model.benches or architecture not in model.benches:
        return None
    pair = (model.benches["baseline"], model.benches[architecture])
    for contrast in contrasts:
        if (contrast.first, contrast.second) == pair:
            return contrast
        if (contrast.second, contrast.first) == pair:
            return contrast.swapped()
    return None
