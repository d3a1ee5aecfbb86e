"""`self_consistency`: several drafts, of which the one is taken that agrees most with the rest.

Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning", arXiv 2203.11171: their
answers are counted, and so are answers to questions here; speeches can't be, so the model says
where the drafts agree.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from arena.answers import normal
from arena.debater import Draft, Turn
from arena.debaters.answering import sample
from arena.debaters.dialogue import Dialogue
from arena.debaters.drafting import Choosing
from arena.debaters.forms import Form
from arena.languages import CONTESTS, Contest


class Options(BaseModel):
    """How many drafts are sampled."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    samples: int = Field(default=5, ge=1, le=20)


class Agreement(Form):
    """Where the drafts agree, and the number of the one that agrees most."""

    reason: str
    chosen: int


class SelfConsistency(Choosing):
    """The choice is by agreement, not by quality."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Drafts and a choice; of a question, the answer that most samples give."""
        if turn.stage == "answer":
            return await self._majority()
        return await super().speak(turn)

    async def _majority(self) -> Draft:
        found = await sample(self.seat, self.options.samples)
        drafts = [draft for draft, _ in found if draft]
        votes = Counter(normal(one.text) for one in drafts)
        most = max(votes.values())  # of several, the one that was given first
        chosen = next(one for one in drafts if votes[normal(one.text)] == most)
        trace = [step for one in drafts for step in one.trace]
        return Draft(text=chosen.text, trace=[*trace, {"agent": "Chooser", "votes": dict(votes)}])

    async def choose(self, work: Dialogue) -> int | None:
        """One call that reads all drafts."""
        found = await work.attempt("agree", Agreement, agent="Chooser")
        return found.chosen if found else None
