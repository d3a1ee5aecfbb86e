"""Accuracies in the form of the paper's Tables 1 to 3, its own figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.console.tables import Table
from judges.studies.labelled.accuracy import Contrast
from judges.studies.labelled.published import ACCURACY, ARCHITECTURES, MARK, TESTS, Architecture
from judges.studies.labelled.results import Measured, Worth

_SOURCE = (
    f"{MARK}: Bandi and Harrasse 2024 (arXiv 2410.04663), on human preferences of MT-Bench; for "
    "orientation, not measured here."
)
#: Those whose gains Table 2 has.
_GAINS: tuple[Architecture, Architecture] = ("more", "samre_alone")


def paper_tables(worth: Worth) -> Iterator[Table]:
    """Tables 1 to 3 of the models that have a bench of one of the architectures."""
    if not worth.models:
        return
    yield Table(
        title="Accuracy by architecture (the form of Table 1)",
        head=("model", *ARCHITECTURES.values()),
        rows=(*(_accuracy(worth, one) for one in worth.models), *_published_accuracy()),
        notes=(_SOURCE,),
    )
    if any("baseline" in one.benches and len(one.benches) > 1 for one in worth.models):
        yield _gains(worth)
        yield _tests(worth)


def _accuracy(worth: Worth, one: Measured) -> tuple[str, ...]:
    shares = {found.bench: found for found in worth.accuracies}
    cells = []
    for kind in ARCHITECTURES:
        found = shares.get(one.benches.get(kind, ""))
        cells.append(f"{found.share:.2f} ({found.pairs})" if found and found.pairs else "-")
    return (_model(worth, one), *cells)


def _published_accuracy() -> Iterator[tuple[str, ...]]:
    for name, row in ACCURACY.items():
        yield (f"{MARK}: {name}", *(f"{value:.2f}" for value in row))


def _gains(worth: Worth) -> Table:
    names = [ARCHITECTURES[kind] for kind in _GAINS]
    rows = [
        (_model(worth, one), *_gain(worth, one))
        for one in worth.models
        if "baseline" in one.benches
    ]
    for name, row in ACCURACY.items():
        known = dict(zip(ARCHITECTURES, row, strict=True))
        rows.append(
            (
                f"{MARK}: {name}",
                *(_cells(known[kind] - row[0], row[0])[n] for kind in _GAINS for n in (0, 1)),
            )
        )
    return Table(
        title="Gains over the baseline (the form of Table 2)",
        head=("model", *(cell for name in names for cell in (name, f"{name}, %"))),
        rows=tuple(rows),
        notes=("On the pairs that both have judged. " + _SOURCE,),
    )


def _gain(worth: Worth, one: Measured) -> tuple[str, ...]:
    cells: list[str] = []
    for kind in _GAINS:
        found = _against_baseline(worth.contrasts, one, kind)
        share = _baseline_share(worth, one)
        known = found is not None and found.pairs
        cells += _cells(found.difference, share) if found and known else ("-", "-")
    return tuple(cells)


def _tests(worth: Worth) -> Table:
    rows = []
    for one in worth.models:
        found = _against_baseline(worth.contrasts, one, "samre_alone")
        if found is not None:
            unknown = found.t != found.t
            cells = ("-", "-") if unknown else (f"{found.t:.2f}", f"{found.t_p:.3f}")
            rows.append((_model(worth, one), *cells, f"{found.mcnemar_p:.3f}"))
    rows += [(f"{MARK}: {name}", f"{t:.2f}", f"{p:.3f}", "-") for name, (t, p) in TESTS.items()]
    return Table(
        title="SAMRE without juries against the baseline (the form of Table 3)",
        head=("model", "t", "p", "p of McNemar"),
        rows=tuple(rows),
        notes=(_SOURCE,),
    )


def _against_baseline(
    found: Sequence[Contrast], one: Measured, kind: Architecture
) -> Contrast | None:
    """The contrast of an architecture with the baseline, the baseline first."""
    if "baseline" not in one.benches or kind not in one.benches:
        return None
    pair = (one.benches["baseline"], one.benches[kind])
    for contrast in found:
        if (contrast.first, contrast.second) == pair:
            return contrast
        if (contrast.second, contrast.first) == pair:
            return contrast.turned()
    return None


def _baseline_share(worth: Worth, one: Measured) -> float:
    return next(found.share for found in worth.accuracies if found.bench == one.benches["baseline"])


def _cells(gain: float, share: float) -> tuple[str, str]:
    relative = f"{gain / share:+.1%}" if share else "-"
    return f"{gain:+.2f}", relative


def _model(worth: Worth, one: Measured) -> str:
    return f"{one.model} (simulated)" if one.model.startswith("offline/") else one.model
