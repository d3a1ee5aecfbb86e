"""`cot`: one call per speech, in which the model thinks step by step before it answers.

Kojima et al. 2022, "Large Language Models are Zero-Shot Reasoners", arXiv 2205.11916.
"""

from __future__ import annotations

from typing import Any, ClassVar

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.answering import derive
from arena.debaters.dialogue import Dialogue
from arena.debaters.drafting import PROMPTS
from arena.debaters.forms import Reasoned
from arena.languages import CONTESTS, Contest


class ChainOfThought(Debater):
    """The thoughts stand in a field of their own, before the speech, and are not delivered."""

    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """One call: thoughts, then the speech (or the answer)."""
        if turn.stage == "answer":
            return await derive(self.seat)
        work = Dialogue(self.seat, turn, prompts=PROMPTS)
        answer = await work.ask("reason", Reasoned, agent="Writer")
        thought = self.seat.language.count(answer.reasoning)
        work.note("Writer", marker="finished", thought=thought)
        return Draft(text=answer.speech, trace=work.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Three calls, each with thoughts about as long as the speech."""
        speech = words * 1.4
        return Forecast.per_call(
            (3, 3, 6),
            read=(500 + speech, 700 + 2.2 * speech, 1000 + 5 * speech),
            said=(0.6 * speech, 1.5 * speech, 4 * speech),
        )
