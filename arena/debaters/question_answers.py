"""Answers to questions: a debater delivers the short answer, its trace keeps the reasoning."""

from __future__ import annotations

from importlib.resources import files
from typing import TypeVar

from pydantic import Field

from arena.debater import Draft, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import AnswerForm, Review
from arena.debaters.samples import gather_samples
from arena.errors import ContentFault
from arena.llm.model import schema_of
from arena.prompts import Prompts

_Form = TypeVar("_Form", bound=AnswerForm)
#: Prompts for short answers to questions.
QUESTION_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "answering")


class Answered(AnswerForm):
    """An answer alone."""

    answer: str = Field(pattern=r"\S")


class Derived(AnswerForm):
    """An answer after the reasoning that led to it."""

    reasoning: str
    answer: str = Field(pattern=r"\S")


async def answer_directly(seat: Seat, *, path: str = "answer/writer/1") -> Draft:
    """Ask the model for its answer, without reasoning.

    Raises:
        ContentFault: the model refused, or its answer was unusable, repair included.
    """
    answer = await _ask(seat, "plain", Answered, path=path)
    return Draft(text=answer.answer, trace=[{"agent": "Writer", "marker": "finished"}])


async def answer_with_reasoning(seat: Seat, *, path: str = "answer/writer/1") -> Draft:
    """Ask the model for step-by-step reasoning and then its answer.

    Raises:
        ContentFault: the model refused, or its answer was unusable, repair included.
    """
    answer = await _ask(seat, "steps", Derived, path=path)
    step = {"agent": "Writer", "marker": "finished", "reasoning": answer.reasoning}
    return Draft(text=answer.answer, trace=[step])


async def answer_with_critiques(seat: Seat, turn: Turn, *, max_revisions: int) -> Draft:
    """Revise an answer after critiques by the same model, until a critique accepts it.

    An unusable critique or revision ends the work; the answer before it stands.

    Raises:
        ContentFault: there is no usable first answer, or the model refused.
    """
    dialogue = AgentDialogue(seat, turn, prompts=QUESTION_PROMPTS)
    first = await answer_directly(seat, path=dialogue.next_path("Writer"))
    dialogue.add_quotation("draft", first.text)
    text = first.text
    for number in range(1, max_revisions + 1):
        rounds = {"round": str(number), "rounds": str(max_revisions)}
        review = await dialogue.ask_or_skip("critique", Review, agent="Reviewer", **rounds)
        if review is None:
            break
        dialogue.add_step("Reviewer", marker=review.marker, suggestions=review.suggestions)
        if review.marker == "accept":
            break
        dialogue.add_turn("Reviewer", "\n".join([dialogue.term("revise"), *review.suggestions]))
        revision = await dialogue.ask_or_skip("revise", Answered, agent="Writer")
        if revision is None:
            break
        text = revision.answer
        dialogue.add_quotation("draft", text)
        dialogue.add_step("Writer", marker="finished")
    else:
        dialogue.add_step("protocol", cap="max_revisions")
    return Draft(text=text, trace=[*first.trace, *dialogue.trace])


async def sample_answers(seat: Seat, count: int) -> list[Draft | ContentFault]:
    """Ask for several answers with reasoning at the same time.

    Returns:
        the answers in order; a failed one is represented by its fault.

    Raises:
        ContentFault: all answers failed.
    """
    paths = [f"answer/writer/{number}" for number in range(1, count + 1)]
    answers = await gather_samples(answer_with_reasoning(seat, path=path) for path in paths)
    faults = [answer for answer in answers if isinstance(answer, ContentFault)]
    if len(faults) == count:
        raise faults[0]
    return answers


async def _ask(seat: Seat, name: str, form: type[_Form], *, path: str) -> _Form:
    variables = {"motion": seat.motion, "schema": schema_of(form).text()}
    prompt = QUESTION_PROMPTS.render(name, seat.language.code, variables)
    return await seat.model.ask(prompt, form, path=path)
