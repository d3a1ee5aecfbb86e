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


class ChainOfThought(Debater):
    """A debater that reasons in a field of its answer which is not delivered."""

    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Ask once for the reasoning and the speech (or the answer)."""
        if turn.stage == "answer":
            return await answer_with_reasoning(self.seat)
        dialogue = AgentDialogue(self.seat, turn, prompts=DRAFT_PROMPTS)
        answer = await dialogue.ask("reason", Reasoned, agent="Writer")
        length = self.seat.language.count(answer.reasoning)
        dialogue.add_step("Writer", marker="finished", thought=length)
        return Draft(text=answer.speech, trace=dialogue.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect three calls, each with reasoning about as long as the speech."""
        speech = words * 1.4
        return Forecast.per_call(
            (3, 3, 6),
            read=(500 + speech, 700 + 2.2 * speech, 1000 + 5 * speech),
            said=(0.6 * speech, 1.5 * speech, 4 * speech),
        )
