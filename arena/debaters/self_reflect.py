"""`self_reflect`: a draft, a critique of it by the same model, a rewrite, until it satisfies.

Shinn et al. 2023, "Reflexion", arXiv 2303.11366, as Liang et al. 2023 (arXiv 2305.19118) use it
beside their debates. The cap is ours.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.answering import reflect
from arena.debaters.dialogue import Dialogue
from arena.debaters.direct import draft_prompt
from arena.debaters.drafting import PROMPTS
from arena.debaters.refining import refine
from arena.languages import CONTESTS, Contest


class Options(BaseModel):
    """How often a draft may be criticised and rewritten."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    max_revisions: int = Field(default=3, ge=0, le=20)


class SelfReflect(Debater):
    """The draft is `direct`'s, so the two differ in nothing but the reflection."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """One draft, then at most `max_revisions` critiques, each with a rewrite."""
        if turn.stage == "answer":
            return await reflect(self.seat, turn, most=self.options.max_revisions)
        work = Dialogue(self.seat, turn, prompts=PROMPTS)
        prompt = draft_prompt(self.seat, turn)
        draft = await self.seat.model.write(prompt, path=work.path("Writer"))
        work.say("Writer", draft)
        work.note("Writer", marker="finished")
        text = await refine(work, draft, most=self.options.max_revisions)
        return Draft(text=text, trace=work.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Per speech a draft, one critique at least, and a rewrite after most of them."""
        most = options.max_revisions
        calls = tuple(3.0 * (1 + n) for n in (min(1, most), min(3, 2 * most), 2 * most))
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(500 + 2 * speech, 700 + 4 * speech, 1000 + 9 * speech),
            said=(0.4 * speech, 0.7 * speech, 1.5 * speech),
        )
