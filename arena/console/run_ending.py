"""Why a run ended, in a sentence: for its record, for its notification, and for reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.console.figures import Figures
from arena.llm.traffic.remedies import STOPPED
from arena.llm.traffic.traffic import Traffic
from arena.text import as_sentence, counted, first_sentence
from arena.tournament.paid_work import WorkTally
from arena.tournament.results import Tally

#: How a run ended that had nothing left to do.
ALL_DONE = "all that was open is done."


def format_ending(
    tally: WorkTally, figures: Figures, *, stopped: Mapping[str, str], aim: str
) -> str:
    """Return why a run ended, or that all is done.

    It holds names and numbers, and no word of a debate or of a provider's answers, so that it can
    be sent to anybody.

    Args:
        tally: how its work went.
        figures: how far it is.
        stopped: by model, why nobody can call it before a person mends something.
        aim: how far the target is reached, or why the schedule has come to its end; '' where the
            schedule has none.
    """
    reasons = [*(f"{model}: {why}" for model, why in stopped.items()), *_own_reasons(tally)]
    if tally.stopped:
        return as_sentence("; ".join([first_sentence(tally.stopped).rstrip("."), *reasons]))
    left = list(_left(figures))
    if left:
        number = sum(count.left + count.failed + count.waiting for count in figures.units)
        verb = "is" if number == 1 else "are"
        because = f": {'; '.join(reasons)}" if reasons else ""
        reached = f"{aim.rstrip('.')}; " if aim else ""
        return f"{reached}{' and '.join(left)} {verb} left{because}."
    return as_sentence(aim) if aim else ALL_DONE


def stopped_models(traffic: Traffic) -> dict[str, str]:
    """Return by model why nobody can call it before a person mends something."""
    return {
        model: STOPPED[gate.stopped.remedy or "model"]
        for model, gate in traffic.stopped().items()
        if gate.stopped is not None
    }


def _own_reasons(tally: WorkTally) -> Iterator[str]:
    """Yield which participants have no money left, and whether a provider failed."""
    if tally.capped:
        have, caps = ("has", "its cap") if len(tally.capped) == 1 else ("have", "their caps")
        yield f"{', '.join(sorted(tally.capped))} {have} reached {caps}"
    if tally.open or (isinstance(tally, Tally) and tally.voided):
        yield "a provider failed"


def _left(figures: Figures) -> Iterator[str]:
    """Yield of each kind how many units are left, and how many of them failed or wait."""
    for count in figures.units:
        if not (number := count.left + count.failed + count.waiting):
            continue
        parts = [f"{count.failed} failed"] if count.failed else []
        parts += [f"{count.waiting} waiting for a person"] if count.waiting else []
        details = f" ({', '.join(parts)})" if parts else ""
        yield f"{counted(number, count.noun)}{details}"
