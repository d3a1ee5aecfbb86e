"""What an evaluation found: everything that its tables and its JSON say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from arena.records import Bench
from arena.store.database import Store
from judges.studies.ballots import read_taken
from judges.studies.labelled.accuracy import Accuracy, Contrast, Judged, accuracy, contrasts
from judges.studies.labelled.concordance import Advocates, Jurors, advocates_of, jurors_of
from judges.studies.labelled.defences import read_pleas
from judges.studies.labelled.plan import Evaluation, judged, readings
from judges.studies.labelled.published import ACCURACY, ARCHITECTURES, TESTS, Architecture
from judges.studies.labelled.rewording import Reading, Rewording, rewording
from judges.studies.labelled.rounds import Apart, Gaps, apart, gaps_of

_Figure = TypeVar("_Figure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One model's benches of the paper's four architectures.

    Attributes:
        benches: the name of the first bench of each, where there is one.
        apart: distances by MORE and by SAMRE (with or without jurors) on the same pairs.
    """

    model: str
    benches: Mapping[Architecture, str]
    apart: tuple[Apart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What the benches are worth on a file of labelled pairs.

    Attributes:
        categories: accuracy by category and bench; nothing without at least two categories.
        gaps: of the benches that play all rounds.
        advocates: of the benches that have several for a side.
        jurors: of the benches that ask several.
        rewordings: of every bench, where prompts in other words were tried.
    """

    file: str
    simulated: bool
    pairs: int
    accuracies: tuple[Accuracy, ...]
    categories: Mapping[str, tuple[Accuracy, ...]]
    contrasts: tuple[Contrast, ...]
    models: tuple[Measured, ...]
    gaps: tuple[Gaps, ...]
    advocates: tuple[Advocates, ...]
    jurors: tuple[Jurors, ...]
    rewordings: tuple[Rewording, ...]

    def content(self) -> dict[str, Any]:
        """For programs."""
        known = asdict(self)
        for mine, one in zip(known["gaps"], self.gaps, strict=True):
            mine["model"] |= {"mean": one.model.mean, "variance": one.model.variance}
        published = {
            "source": "Bandi and Harrasse 2024, arXiv 2410.04663, Tables 1 and 3 (MT-Bench)",
            "architectures": list(ARCHITECTURES.values()),
            "accuracy": {name: list(row) for name, row in ACCURACY.items()},
            "t_and_p": {name: list(row) for name, row in TESTS.items()},
        }
        return known | {"published": published}


def measure(store: Store, planned: Evaluation) -> Worth:
    """What the benches are worth by the ballots that were taken so far."""
    taken = read_taken(store, planned.every)
    found = list(judged(store, planned, taken))
    benches = planned.resolved.benches
    names = [one.name for one in benches]
    heard = list(read_pleas(store, planned.own, taken))
    return Worth(
        file=planned.file,
        simulated=planned.simulated,
        pairs=len(planned.pairs),
        accuracies=tuple(_accuracies(planned, found)),
        categories=_categories(planned, found),
        contrasts=tuple(contrasts(names, found)),
        models=tuple(_measured(benches, found)),
        gaps=tuple(_gaps(benches, found)),
        advocates=tuple(_known_of(advocates_of(one, heard, _rng()) for one in names)),
        jurors=tuple(_known_of(jurors_of(one, planned.own, taken, _rng()) for one in names)),
        rewordings=tuple(_rewordings(planned, list(readings(planned, taken)))),
    )


def architecture(bench: Bench) -> Architecture | None:
    """Which of the paper's four a bench is; `None` of any other."""
    options = bench.options
    if bench.judge == "samre":
        stops = options["early_stop"]
        return ("samre_alone" if options["jurors"] == 0 else "samre") if stops else None
    return {"single": "baseline", "more": "more"}.get(bench.judge)  # type: ignore[return-value]


def _accuracies(
    planned: Evaluation, found: Sequence[Judged], category: str | None = None
) -> Iterator[Accuracy]:
    pairs = [one for one in planned.pairs if category in (None, one.category)]
    for bench in planned.resolved.benches:
        own = [one for one in found if one.bench == bench.name and category in (None, one.category)]
        yield accuracy(bench.name, own, missing=len(pairs) - len(own))


def _categories(planned: Evaluation, found: Sequence[Judged]) -> dict[str, tuple[Accuracy, ...]]:
    names = list(dict.fromkeys(one.category for one in planned.pairs))
    if len(names) < 2:
        return {}
    return {name: tuple(_accuracies(planned, found, name)) for name in names}


def _measured(benches: Sequence[Bench], found: Sequence[Judged]) -> Iterator[Measured]:
    for model in dict.fromkeys(one.model for one in benches):
        own: dict[Architecture, str] = {}
        for bench in benches:
            kind = architecture(bench)
            if bench.model == model and kind is not None:
                own.setdefault(kind, bench.name)
        if own:
            yield Measured(model=model, benches=own, apart=tuple(_apart(own, found)))


def _apart(own: Mapping[Architecture, str], found: Sequence[Judged]) -> Iterator[Apart]:
    for kind in ("samre", "samre_alone"):
        if "more" in own and kind in own:
            compared = apart(own["more"], own[kind], found, _rng())
            if compared is not None:
                yield compared


def _gaps(benches: Sequence[Bench], found: Sequence[Judged]) -> Iterator[Gaps]:
    for bench in benches:
        if bench.judge == "samre" and not bench.options["early_stop"]:
            evolved = gaps_of(bench.name, [one for one in found if one.bench == bench.name])
            if evolved is not None:
                yield evolved


def _rewordings(planned: Evaluation, read: Sequence[Reading]) -> Iterator[Rewording]:
    for bench in planned.resolved.benches if planned.reworded else ():
        own = [one for one in read if one.bench == bench.name]
        yield rewording(bench.name, own, missing=len(planned.pairs) - len(own), rng=_rng())


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _known_of(found: Iterable[_Figure | None]) -> Iterator[_Figure]:
    return (one for one in found if one is not None)
