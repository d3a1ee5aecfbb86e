"""`cot` (chain of thought): one call per speech, with step-by-step reasoning before the speech.

Kojima et al. 2022, "Large Language Models are Zero-Shot Reasoners", arXiv 2205.11916.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue, AnswerForm, Reasoned
from arena.debaters.direct import (
    ANSWER_WORDS,
    DRAFT_PROMPTS,
    PAPER_QUESTION_PROMPTS,
    QUESTION_PROMPTS,
    question_prompt,
)
from arena.languages import CONTESTS, Contest
from arena.presets import PresetOptions

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

#: Length of the reasoning as a share of the speech's.
_THOUGHTS: Final = 0.5
#: Length of the steps that lead to a short answer, in words.
STEPS_WORDS: Final = 300


class Derived(AnswerForm):
    """An answer after the reasoning that led to it."""

    reasoning: str
    answer: str = Field(pattern=r"\S")


class Options(PresetOptions):
    """Options of `cot`: the preset leaves out the hint to check the first answer to a question."""

    @model_serializer(mode="wrap")
    def _leave_out_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class ChainOfThought(Debater):
    """A debater that reasons before the speech; the reasoning is not delivered."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Ask once for the reasoning and the speech (or the answer)."""
        if turn.stage == "answer":
            seat, paper = self.seat, bool(self.options.preset)
            return await answer_with_reasoning(seat, seat.model, "answer/writer/1", paper=paper)
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
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect three calls, each with reasoning half as long as the speech, or longer."""
        speech = words * 1.4
        return Forecast.per_call(
            (3, 3, 6),
            read=(500 + speech, 700 + 2.2 * speech, 1000 + 5 * speech),
            said=(0.6 * speech, 1.5 * speech, 4 * speech),
        )


async def answer_with_reasoning(
    seat: Seat, model: LanguageModel, path: str, *, paper: bool = False
) -> Draft:
    """Ask a model for step-by-step reasoning, then its answer to a question.

    Args:
        paper: whether it is told to think step by step, as Kojima et al. do, and no more.
    """
    prompts = PAPER_QUESTION_PROMPTS if paper else QUESTION_PROMPTS
    length = seat.language.limit(STEPS_WORDS + ANSWER_WORDS)
    prompt = question_prompt(seat, "steps", Derived, prompts=prompts)
    answer = await model.ask(prompt, Derived, path=path, words=length)
    step = {"agent": "Writer", "marker": "finished", "reasoning": answer.reasoning}
    return Draft(text=answer.answer, trace=[step])
