"""`cot` (chain of thought): one call per speech, with step-by-step reasoning before the speech.

Kojima et al. 2022, "Large Language Models are Zero-Shot Reasoners", arXiv 2205.11916.
"""

from __future__ import annotations

from typing import Any, ClassVar

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import Reasoned
from arena.debaters.best_of_n import DRAFT_PROMPTS
from arena.debaters.question_answers import answer_with_reasoning
from arena.languages import CONTESTS, Contest

#: Length of the reasoning as a share of the speech's.
_THOUGHTS = 0.5


class ChainOfThought(Debater):
    """A debater that reasons before the speech; the reasoning is not delivered."""

    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Ask once for the reasoning and the speech (or the answer)."""
        if turn.stage == "answer":
            return await answer_with_reasoning(self.seat)
        dialogue = AgentDialogue(self.seat, turn, prompts=DRAFT_PROMPTS)
        thoughts = round(_THOUGHTS * self.seat.words)
        answer = await dialogue.compose(
            "reason",
            Reasoned,
            agent="Writer",
            length=self.seat.words + thoughts,
            thoughts=str(thoughts),
        )
        reasoning = answer.form.reasoning if answer.form else ""
        dialogue.add_step("Writer", marker="finished", reasoning=reasoning)
        return Draft(text=answer.text, trace=dialogue.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect three calls, each with reasoning half as long as the speech, or longer."""
        speech = words * 1.4
        return Forecast.per_call(
            (3, 3, 6),
            read=(500 + speech, 700 + 2.2 * speech, 1000 + 5 * speech),
            said=(0.6 * speech, 1.5 * speech, 4 * speech),
        )
