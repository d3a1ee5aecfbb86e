"""The work on one speech, as a dialogue: who is asked sees what was said before, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from arena.debater import Seat, Turn, motion_of
from arena.debates.transcript import render_transcript
from arena.errors import ContentFault, Refusal
from arena.languages import Language
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, Rendered, quote
from arena.records import Step

_Answer = TypeVar("_Answer", bound=BaseModel)


class Dialogue:
    """One speech in the making: what was said about it so far, and the trace of it.

    Every prompt shows the motion, the debate so far and the dialogue in this order, what is
    asked of the member comes last: so the calls of a speech, and the speeches of a debate, have
    as long a beginning in common as they can. Prompts declare the three stages as flags.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        prompts: those of the debater.
        models: the model's name for agents that don't use the participant's.

    Attributes:
        trace: the steps of the speech's making.
        last: how the last answer that could not be used failed.
    """

    def __init__(
        self, seat: Seat, turn: Turn, *, prompts: Prompts, models: Mapping[str, str] | None = None
    ) -> None:
        self.trace: list[Step] = []
        self.last: ContentFault | None = None
        self._prompts, self._seat, self._stage = prompts, seat, turn.stage
        self._models = models or {}
        self._blocks: list[str] = []
        self._counts: dict[str, int] = {}
        self._context = context(seat, turn)

    @property
    def language(self) -> Language:
        """The language of the debate."""
        return self._seat.language

    async def write(self, name: str, *, agent: str, switch: str = "", **variables: str) -> str:
        """A plain text by a member of the dialogue.

        Args:
            name: the prompt.
            agent: who is asked; its path and its steps bear the name.
            switch: a flag of the prompt besides the stage.
            variables: what the prompt needs besides the context.

        Raises:
            ContentFault: it refused, or said nothing.
        """
        prompt = self._render(name, switch, **variables)
        return await self._model(agent).write(prompt, path=self.path(agent))

    async def ask(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        switch: str = "",
        **variables: str,
    ) -> _Answer:
        """An answer of a form by a member of the dialogue.

        Raises:
            ContentFault: it refused, or could not be understood, repair included.
        """
        prompt = self._render(name, switch, schema=schema_of(form).text(), **variables)
        return await self._model(agent).ask(prompt, form, path=self.path(agent))

    async def attempt(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        switch: str = "",
        **variables: str,
    ) -> _Answer | None:
        """An answer of a form, or `None` and a note where it cannot be understood.

        Raises:
            Refusal: it refused; there is nothing to go on with.
        """
        try:
            return await self.ask(name, form, agent=agent, switch=switch, **variables)
        except Refusal:
            raise
        except ContentFault as fault:
            self.missed(agent, fault)
            return None

    def missed(self, agent: str, fault: ContentFault) -> None:
        """Note an answer that could not be used."""
        self.last = fault
        self.note(agent, fault=type(fault).__name__)

    def say(self, agent: str, text: str, *words: str) -> None:
        """Add a turn to the dialogue, under the agent's name in the debate's language."""
        self.show("turn", text, self.term(agent), *words)

    def show(self, label: str, text: str, *words: str) -> None:
        """Add a quotation to the dialogue."""
        self._blocks.append(quote(self.term(label), text, *words))

    def note(self, agent: str, **fields: Any) -> None:  # noqa: ANN401 - JSON of the trace
        """Add a step to the trace."""
        self.trace.append({"agent": agent, **fields})

    def path(self, agent: str) -> str:
        """The path of an agent's next call."""
        self._counts[agent] = self._counts.get(agent, 0) + 1
        return f"{self._stage}/{agent.lower()}/{self._counts[agent]}"

    def term(self, word: str) -> str:
        """A word in the debate's language."""
        return self._seat.language.terms[word]

    def _model(self, agent: str) -> LanguageModel:
        name = self._models.get(agent)
        return replace(self._seat.model, model=name) if name else self._seat.model

    def _render(self, name: str, switch: str, **variables: str) -> Rendered:
        dialogue = "\n".join(self._blocks) or self.term("nothing_yet")
        filled = {**self._context, "dialogue": dialogue, **variables}
        stage = "" if self._stage == "answer" else self._stage
        flags = frozenset(filter(None, (stage, switch)))
        return self._prompts.render(name, self._seat.language.code, filled, flags=flags)


def context(seat: Seat, turn: Turn) -> dict[str, str]:
    """What a speaker knows before the work begins, as the variables of a prompt.

    A question has no sides and no debate before it.
    """
    if turn.stage == "answer":
        return {"motion": seat.motion}
    language = seat.language
    return {
        **motion_of(seat),
        "stage": language.stages[turn.stage],
        "words": str(seat.words),
        "transcript": render_transcript(turn.disclosed, language),
    }
