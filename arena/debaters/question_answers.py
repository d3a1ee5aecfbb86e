"""Answers to questions: a debater delivers the short answer, its trace keeps the reasoning."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from pydantic import Field

from arena.debater import Draft, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import REVIEW_WORDS, AnswerForm, Review
from arena.debaters.roles import RoleOptions
from arena.debaters.samples import gather_samples
from arena.errors import ContentFault
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, Rendered
from arena.records import Step

#: Prompts for short answers to questions.
QUESTION_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "answering")
#: Length of an answer (which may be a translation), and of the steps that lead to it, in words.
ANSWER_WORDS: Final = 100
STEPS_WORDS: Final = 300


class Answered(AnswerForm):
    """An answer alone."""

    answer: str = Field(pattern=r"\S")


class Derived(AnswerForm):
    """An answer after the reasoning that led to it."""

    reasoning: str
    answer: str = Field(pattern=r"\S")


async def answer_directly(
    seat: Seat, *, path: str = "answer/writer/1", model: LanguageModel | None = None
) -> Draft:
    """Ask a model (by default the participant's) for its answer, without reasoning.

    Raises:
        ContentFault: the model refused, or its answer was unusable, repair included.
    """
    prompt = _render(seat, "plain", Answered)
    length = seat.language.limit(ANSWER_WORDS)
    answer = await (model or seat.model).ask(prompt, Answered, path=path, words=length)
    return Draft(text=answer.answer, trace=[{"agent": "Writer", "marker": "finished"}])


async def answer_with_reasoning(
    seat: Seat, *, path: str = "answer/writer/1", model: LanguageModel | None = None
) -> Draft:
    """Ask a model (by default the participant's) for step-by-step reasoning, then its answer.

    Raises:
        ContentFault: the model refused, or its answer was unusable, repair included.
    """
    prompt = _render(seat, "steps", Derived)
    length = seat.language.limit(STEPS_WORDS + ANSWER_WORDS)
    answer = await (model or seat.model).ask(prompt, Derived, path=path, words=length)
    step = {"agent": "Writer", "marker": "finished", "reasoning": answer.reasoning}
    return Draft(text=answer.answer, trace=[step])


async def answer_with_critiques(
    seat: Seat, turn: Turn, max_revisions: int, roles: RoleOptions
) -> Draft:
    """Revise an answer after critiques by the same model, until a critique accepts it.

    An unusable critique or revision ends the work; the answer before it stands.

    Raises:
        ContentFault: there is no usable first answer, or the model refused it.
    """
    dialogue = AgentDialogue(seat, turn, prompts=QUESTION_PROMPTS, roles=roles)
    path, model = dialogue.next_path("Writer"), dialogue.model("Writer")
    first = await answer_directly(seat, path=path, model=model)
    dialogue.add_quotation("draft", first.text)
    text = first.text
    trace: list[Step] = [{**step, "round": 0, "answer": text} for step in first.trace]
    for number in range(1, max_revisions + 1):
        revision = await _revise(dialogue, number, max_revisions)
        if revision is None:
            break
        text = revision
        dialogue.add_quotation("draft", text)
        dialogue.add_step("Writer", marker="finished", round=number, answer=text)
    else:
        dialogue.add_step("protocol", cap="max_revisions")
    return Draft(text=text, trace=[*trace, *dialogue.trace])


async def _revise(dialogue: AgentDialogue, number: int, rounds: int) -> str | None:
    """Return the answer after a critique of the last one; None where that one stands."""
    answer = dialogue.ask(
        "critique",
        Review,
        agent="Reviewer",
        length=dialogue.words(REVIEW_WORDS),
        round=str(number),
        rounds=str(rounds),
    )
    review = await dialogue.attempt(answer, agent="Reviewer", fallback="the answer stands")
    if review is None:
        return None
    dialogue.add_step("Reviewer", round=number, **review.as_step())
    if review.marker == "accept":
        return None
    dialogue.add_turn("Reviewer", "\n".join([dialogue.term("revise"), *review.suggestions]))
    length = dialogue.words(ANSWER_WORDS)
    revision = await dialogue.attempt(
        dialogue.ask("revise", Answered, agent="Writer", length=length),
        agent="Writer",
        fallback="the last answer stands",
    )
    return revision.answer if revision else None


async def sample_answers(dialogue: AgentDialogue, count: int) -> list[Draft | ContentFault]:
    """Ask the Writer of a dialogue for several answers with reasoning at the same time.

    Returns:
        the answers in order; a failed one is represented by its fault.

    Raises:
        ContentFault: all answers failed.
    """
    paths = [dialogue.next_path("Writer") for _ in range(count)]
    model = dialogue.model("Writer")
    answers = await gather_samples(
        answer_with_reasoning(dialogue.seat, path=path, model=model) for path in paths
    )
    faults = [answer for answer in answers if isinstance(answer, ContentFault)]
    if len(faults) == count:
        raise faults[0]
    return answers


def _render(seat: Seat, name: str, form: type[AnswerForm]) -> Rendered:
    variables = {"motion": seat.motion, "schema": schema_of(form).text()}
    return QUESTION_PROMPTS.render(name, seat.language.code, variables)
