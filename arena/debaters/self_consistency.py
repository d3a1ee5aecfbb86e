"""`self_consistency`: several drafts, of which the one is taken that agrees most with the rest.

Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning", arXiv 2203.11171: their
answers are counted, which speeches can't be, so the model says where the drafts agree.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from arena.debaters.dialogue import Dialogue
from arena.debaters.drafting import Choosing
from arena.debaters.forms import Form


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

    async def choose(self, work: Dialogue) -> int | None:
        """One call that reads all drafts."""
        found = await work.attempt("agree", Agreement, agent="Chooser")
        return found.chosen if found else None
