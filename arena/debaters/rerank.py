"""`rerank`: several drafts, of which a scoring call takes the best.

He et al. 2023, arXiv 2305.04118, score translations with a trained estimator; for speeches there
is none, so the model itself gives the marks.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from arena.debaters.dialogue import Dialogue
from arena.debaters.drafting import Choosing
from arena.debaters.forms import Form


class Options(BaseModel):
    """How many drafts are sampled."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    samples: int = Field(default=4, ge=1, le=20)


class Mark(Form):
    """One draft's mark, and why."""

    draft: int
    reason: str
    mark: int = Field(ge=1, le=10)


class Marks(Form):
    """The marks of all drafts."""

    marks: list[Mark] = Field(min_length=1)


class Rerank(Choosing):
    """The highest mark wins, the earlier draft where two are equal."""

    contests = ("debate", "essay")
    Options = Options

    async def choose(self, work: Dialogue) -> int | None:
        """One call that marks every draft."""
        found = await work.attempt("rate", Marks, agent="Chooser")
        if found is None:
            return None
        marks = {one.draft: one.mark for one in found.marks}
        work.note("Chooser", marks={str(number): marks[number] for number in sorted(marks)})
        return min(marks, key=lambda number: (-marks[number], number))
