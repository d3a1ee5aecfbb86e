"""Answers to questions: the short answer is delivered, the way to it stands in the trace."""

from __future__ import annotations

from collections.abc import Awaitable
from importlib.resources import files
from typing import TypeVar

from pydantic import Field

from arena.debater import Draft, Seat, Turn
from arena.debaters.dialogue import Dialogue
from arena.debaters.forms import Form, Review
from arena.errors import ContentFault
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.prompts import Prompts

_Form = TypeVar("_Form", bound=Form)
#: Prompts about short answers.
ANSWERING = Prompts(files("arena.debaters") / "prompts" / "answering")


class Answered(Form):
    """An answer alone."""

    answer: str = Field(pattern=r"\S")


class Derived(Form):
    """An answer after the thoughts that led to it."""

    reasoning: str
    answer: str = Field(pattern=r"\S")


async def answer(seat: Seat, *, path: str = "answer/writer/1") -> Draft:
    """The model's answer, at once.

    Raises:
        ContentFault: it refused, or could not be understood, repair included.
    """
    found = await _ask(seat, "plain", Answered, path=path)
    return Draft(text=found.answer, trace=[{"agent": "Writer", "marker": "finished"}])


async def derive(seat: Seat, *, path: str = "answer/writer/1") -> Draft:
    """The model's answer after thinking step by step; raises like `answer`."""
    found = await _ask(seat, "steps", Derived, path=path)
    step = {"agent": "Writer", "marker": "finished", "reasoning": found.reasoning}
    return Draft(text=found.answer, trace=[step])


async def reflect(seat: Seat, turn: Turn, *, most: int) -> Draft:
    """An answer after critiques of it by the same model, until one accepts it or `most` were made.

    A critique or an answer that cannot be understood leaves the answer before it.

    Raises:
        ContentFault: there was no first answer, or the model refused.
    """
    work = Dialogue(seat, turn, prompts=ANSWERING)
    first = await answer(seat, path=work.path("Writer"))
    work.show("draft", first.text)
    text = first.text
    for number in range(1, most + 1):
        rounds = {"round": str(number), "rounds": str(most)}
        review = await work.attempt("critique", Review, agent="Reviewer", **rounds)
        if review is None:
            break
        work.note("Reviewer", marker=review.marker, suggestions=review.suggestions)
        if review.marker == "accept":
            break
        work.say("Reviewer", "\n".join([work.term("revise"), *review.suggestions]))
        found = await work.attempt("revise", Answered, agent="Writer")
        if found is None:
            break
        text = found.answer
        work.show("draft", text)
        work.note("Writer", marker="finished")
    else:
        work.note("protocol", cap="max_revisions")
    return Draft(text=text, trace=[*first.trace, *work.trace])


async def sample(seat: Seat, count: int) -> list[tuple[Draft | None, ContentFault | None]]:
    """Several answers, derived at the same time; each is there, or the reason why it is not.

    Raises:
        ContentFault: there is none at all.
    """
    paths = [f"answer/writer/{number}" for number in range(1, count + 1)]
    found = await together(*(_attempted(derive(seat, path=path)) for path in paths))
    faults = [fault for _, fault in found if fault]
    if len(faults) == count:
        raise faults[0]
    return found


async def _attempted(made: Awaitable[Draft]) -> tuple[Draft | None, ContentFault | None]:
    try:
        return await made, None
    except ContentFault as fault:
        return None, fault


async def _ask(seat: Seat, name: str, form: type[_Form], *, path: str) -> _Form:
    variables = {"motion": seat.motion, "schema": schema_of(form).text()}
    prompt = ANSWERING.render(name, seat.language.code, variables)
    return await seat.model.ask(prompt, form, path=path)
