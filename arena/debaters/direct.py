"""`direct`: one call per speech. The floor that every framework must beat.

Its drafts, and its short answers to questions, are what other debaters improve or choose from.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import Field

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import AnswerForm, contest_flags, prompt_context
from arena.languages import CONTESTS, Contest
from arena.llm.schemas import schema_of
from arena.prompts import Prompts, Rendered

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

_FOLDER = files("arena.debaters") / "prompts"
_PROMPTS = Prompts(_FOLDER / "direct")
#: Prompts of debaters with a single writer, whose drafts are those of `direct`.
DRAFT_PROMPTS = Prompts(_FOLDER / "drafting")
#: Prompts for short answers to questions.
QUESTION_PROMPTS = Prompts(_FOLDER / "answering")
#: The same as papers ask for them, where ours ask for something else.
PAPER_QUESTION_PROMPTS = Prompts(_FOLDER / "answering_paper")
#: Length of an answer (which may be a translation), in words.
ANSWER_WORDS: Final = 100


class Answered(AnswerForm):
    """An answer alone."""

    answer: str = Field(pattern=r"\S")


class Direct(Debater):
    """A debater that delivers the model's answer to one prompt.

    The prompt shows the motion, the side, the stage and the debate so far.
    """

    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Ask once for the speech (or the answer)."""
        seat, path = self.seat, f"{turn.stage}/writer/1"
        if turn.stage == "answer":
            text = await answer_directly(seat, seat.model, path)
        else:
            text = await seat.model.write(draft_prompt(seat, turn), path=path, words=seat.words)
        return Draft(text=text, trace=[{"agent": "Writer", "marker": "finished"}])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect one call per speech; later ones read the earlier speeches."""
        speech = words * 1.4
        return Forecast(
            calls=(3, 3, 6),
            input_tokens=(900 + 3 * speech, 1200 + 6.5 * speech, 3000 + 16 * speech),
            output_tokens=(1.2 * speech, 2.2 * speech, 6 * speech),
        )


def draft_prompt(seat: Seat, turn: Turn) -> Rendered:
    """Return the prompt of a plain draft."""
    variables = prompt_context(seat, turn)
    if turn.stage == "constructive":
        del variables["transcript"]
    flags = contest_flags(seat)
    return _PROMPTS.render(turn.stage, seat.language.code, variables, flags=flags)


def question_prompt(
    seat: Seat,
    name: str,
    form: type[AnswerForm],
    *,
    prompts: Prompts = QUESTION_PROMPTS,
    **variables: str,
) -> Rendered:
    """Return a prompt that shows a question and the form of the answer."""
    context = {"motion": seat.motion, "schema": schema_of(form).text(), **variables}
    return prompts.render(name, seat.language.code, context)


async def answer_directly(seat: Seat, model: LanguageModel, path: str) -> str:
    """Ask a model for its answer to a question, without reasoning."""
    prompt, length = question_prompt(seat, "plain", Answered), seat.language.limit(ANSWER_WORDS)
    return (await model.ask(prompt, Answered, path=path, words=length)).answer
