"""How far advocates, jurors and members agree, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from arena.console.tables import Table
from judges.studies.agreement.cells import interval, with_ends
from judges.studies.labelled.concordance import Advocates, Jurors


def advocates_table(found: Sequence[Advocates]) -> Table:
    """A row per bench with several advocates for a side."""
    rows = tuple(
        (
            *(one.bench, str(one.advocates), str(one.hearings)),
            *(with_ends(figure, 100, ".0f") for figure in (one.same, one.other)),
            with_ends(one.beyond, 100, "+.0f"),
        )
        for one in found
    )
    return Table(
        title="Agreement among advocates",
        head=("judge", "advocates a side", "hearings", "same answer", "other answer", "difference"),
        rows=rows,
        notes=(
            "How alike the defences of every two advocates are who plead for the same answer, "
            "before they are fused, and of every two who plead for different ones: the mean "
            "cosine of their hashed words, times 100 (a measure of ours; 100 is word for word). "
            "Both read the same task and answers, so `other answer` is what these alone make "
            "alike; the difference is what advocates of one answer find in it alike. Intervals of "
            "95 % by a bootstrap over questions.",
        ),
    )


def jurors_table(found: Sequence[Jurors]) -> Table:
    """A row per bench that asks several."""
    rows = tuple(
        (
            *(one.bench, str(one.seats), str(one.hearings)),
            *(interval(figure) for figure in (one.unanimous, one.equal, one.alpha)),
        )
        for one in found
    )
    return Table(
        title="Agreement among jurors",
        head=("judge", "asked", "hearings", "unanimous", "equal", "Krippendorff's alpha"),
        rows=rows,
        notes=(
            "Of what the jurors of `samre` and the members of a `jury` say, winner or tie. equal: "
            "share of every two on one hearing who say the same. alpha: the same beyond chance (1 "
            "is perfect, 0 what chance gives). Of a jury that stops early only those count that "
            "were asked, so it is called unanimous where a later vote might have differed. "
            "Intervals of 95 % by a bootstrap over questions.",
        ),
    )
