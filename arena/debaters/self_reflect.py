"""`self_reflect`: a draft that the same model criticises and rewrites until it accepts it.

Shinn et al. 2023, "Reflexion", arXiv 2303.11366, as Liang et al. 2023 (arXiv 2305.19118) compare
their debates with it. The cap on the revisions is this project's.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.best_of_n import DRAFT_PROMPTS
from arena.debaters.direct import draft_prompt
from arena.debaters.question_answers import answer_with_critiques
from arena.debaters.refinement import refine, rewrite_once
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.languages import CONTESTS, Contest


class Options(RoleOptions):
    """The cap on critiques, each of which may lead to a rewrite."""

    roles = ("writer", "reviewer")
    max_revisions: int = Field(default=3, ge=0, le=20)


class SelfReflect(RoleDebater):
    """A debater that writes the draft of `direct` and revises it after critiques."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._dialogue: AgentDialogue | None = None

    async def speak(self, turn: Turn) -> Draft:
        """Write a draft, then revise it after at most `max_revisions` critiques.

        Raises:
            ContentFault: there is no first draft, because the writer refused or said nothing.
        """
        options, length = self.options, self.seat.words
        if turn.stage == "answer":
            return await answer_with_critiques(self.seat, turn, options.max_revisions, options)
        dialogue = AgentDialogue(self.seat, turn, prompts=DRAFT_PROMPTS, roles=options)
        self._dialogue = dialogue
        prompt, path = draft_prompt(self.seat, turn), dialogue.next_path("Writer")
        draft = await dialogue.model("Writer").write(prompt, path=path, words=length)
        dialogue.add_turn("Writer", draft)
        dialogue.add_step("Writer", marker="finished", round=0, answer=draft)
        text = await refine(dialogue, draft, max_revisions=options.max_revisions, length=length)
        return Draft(text=text, trace=dialogue.trace)

    async def review(self, text: str, turn: Turn) -> Draft:  # noqa: ARG002 - the stage just made
        """Ask for a critique of the shortened speech, and rewrite it at most once."""
        dialogue = self._dialogue
        if dialogue is None or not self.options.max_revisions:
            return Draft(text=text)
        steps = len(dialogue.trace)
        dialogue.add_turn("Writer", text)
        rewrite = await rewrite_once(dialogue, text, place="1/1", length=self.seat.words)
        return Draft(text=text if rewrite is None else rewrite, trace=dialogue.trace[steps:])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per speech, a draft, one or more critiques, and a rewrite after most of them."""
        most = options.max_revisions
        calls = tuple(3.0 * (1 + n) for n in (min(1, most), min(3, 2 * most), 2 * most))
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(500 + 2 * speech, 700 + 4 * speech, 1000 + 9 * speech),
            said=(0.4 * speech, 0.7 * speech, 1.5 * speech),
        )
