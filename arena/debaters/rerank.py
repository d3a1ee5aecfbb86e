"""`rerank`: several drafts, of which a scoring call takes the best.

He et al. 2023, arXiv 2305.04118, score translations with a trained estimator; for speeches there
is none, so the model itself gives the marks, and for answers to questions, translations too.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Draft, Turn
from arena.debaters.answering import ANSWERING, sample
from arena.debaters.dialogue import Dialogue
from arena.debaters.drafting import Choosing
from arena.debaters.forms import Form
from arena.languages import CONTESTS, Contest


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

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Drafts and their marks; of a question, answers with the reasons that led to them."""
        if turn.stage == "answer":
            return await self._answer(turn)
        return await super().speak(turn)

    async def _answer(self, turn: Turn) -> Draft:
        work = Dialogue(self.seat, turn, prompts=ANSWERING)
        drafts: dict[int, str] = {}
        found = await sample(self.seat, self.options.samples)
        for number, (draft, fault) in enumerate(found, start=1):
            if draft is None:
                assert fault is not None
                work.missed("Writer", fault)
                continue
            drafts[number] = draft.text
            work.trace += draft.trace
            work.say("Writer", str(draft.trace[0]["reasoning"]), str(number))
            work.show("draft", draft.text, str(number))
        return await self.settle(work, drafts)

    async def choose(self, work: Dialogue) -> int | None:
        """One call that marks every draft."""
        found = await work.attempt("rate", Marks, agent="Chooser")
        if found is None:
            return None
        marks = {one.draft: one.mark for one in found.marks}
        work.note("Chooser", marks={str(number): marks[number] for number in sorted(marks)})
        return min(marks, key=lambda number: (-marks[number], number))
