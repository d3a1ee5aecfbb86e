"""The dialogue in which a debater's agents work on one speech."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from arena.debater import Seat, Turn, motion_variables
from arena.debates.transcript import render_transcript
from arena.errors import ContentFault, Refusal
from arena.languages import Language
from arena.llm.model import LanguageModel, schema_of
from arena.llm.reading import Composition
from arena.prompts import Prompts, Rendered, quote
from arena.records import Step

_Answer = TypeVar("_Answer", bound=BaseModel)


class AgentDialogue:
    """The agents' turns so far in the work on one speech, and the trace of that work.

    Each agent sees the turns before its own. A prompt shows the motion, the debate so far, the
    dialogue and the agent's task in this order, so that consecutive prompts share as long a
    beginning as possible: providers bill cached beginnings less.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        prompts: the debater's prompts.
        models: model names by agent, for agents that do not use the participant's model.
        variables: variables of all prompts, besides those of `prompt_context`.
        stage_flags: whether the prompts declare the three stages as flags.

    Attributes:
        trace: the steps of the work.
        last_fault: the fault of the last unusable answer; None where there was none.
    """

    def __init__(  # noqa: PLR0913 - the last three have defaults
        self,
        seat: Seat,
        turn: Turn,
        *,
        prompts: Prompts,
        models: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        stage_flags: bool = True,
    ) -> None:
        self.trace: list[Step] = []
        self.last_fault: ContentFault | None = None
        self._prompts, self._seat, self._stage = prompts, seat, turn.stage
        self._models = models or {}
        self._blocks: list[str] = []
        self._counts: dict[str, int] = {}
        self._context = {**prompt_context(seat, turn), **(variables or {})}
        self._stage_flag = turn.stage if stage_flags and turn.stage != "answer" else ""

    @property
    def language(self) -> Language:
        """The language of the debate."""
        return self._seat.language

    async def write(
        self, name: str, *, agent: str, flag: str = "", words: int | None = None, **variables: str
    ) -> str:
        """Ask an agent for a plain text.

        Args:
            name: name of the prompt.
            agent: name of the agent, used in the path of the call.
            flag: a flag of the prompt besides the stage.
            words: length that the prompt asks for, from which the token limit follows.
            variables: variables of the prompt besides the context.

        Raises:
            ContentFault: the model refused, or said nothing.
        """
        prompt = self._render(name, flag, **variables)
        return await self._model(agent).write(prompt, path=self.next_path(agent), words=words)

    async def compose(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        flag: str = "",
        words: int | None = None,
        needs_text: Callable[[_Answer], bool] = lambda form: True,  # noqa: ARG005
        **variables: str,
    ) -> Composition[_Answer]:
        """Ask an agent for a short structured answer and a text after it; arguments as `write`.

        See `LanguageModel.compose`.

        Raises:
            ContentFault: the model refused, or there is no text, asked for twice.
        """
        prompt = self._render(name, flag, schema=schema_of(form).text(), **variables)
        path = self.next_path(agent)
        return await self._model(agent).compose(
            prompt, form, path=path, words=words, needs_text=needs_text
        )

    async def ask(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        flag: str = "",
        words: int | None = None,
        **variables: str,
    ) -> _Answer:
        """Ask an agent for a structured answer; arguments as `write`.

        Raises:
            ContentFault: the model refused, or its answer was unusable, repair included.
        """
        prompt = self._render(name, flag, schema=schema_of(form).text(), **variables)
        path = self.next_path(agent)
        return await self._model(agent).ask(prompt, form, path=path, words=words)

    async def ask_or_skip(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        flag: str = "",
        words: int | None = None,
        **variables: str,
    ) -> _Answer | None:
        """Ask an agent for a structured answer; where it is unusable, note that and return None.

        Raises:
            Refusal: the model refused.
        """
        try:
            return await self.ask(name, form, agent=agent, flag=flag, words=words, **variables)
        except Refusal:
            raise
        except ContentFault as fault:
            self.add_fault(agent, fault)
            return None

    def add_fault(self, agent: str, fault: ContentFault) -> None:
        """Add an agent's unusable answer to the trace."""
        self.last_fault = fault
        self.add_step(agent, fault=type(fault).__name__)

    def add_turn(self, agent: str, text: str, *words: str) -> None:
        """Add a turn to the dialogue, under the agent's name in the debate's language."""
        self.add_quotation("turn", text, self.term(agent), *words)

    def add_quotation(self, label: str, text: str, *words: str) -> None:
        """Add a quotation to the dialogue, under a label in the debate's language."""
        self._blocks.append(quote(self.term(label), text, *words))

    def add_step(self, agent: str, **fields: Any) -> None:  # noqa: ANN401 - JSON of the trace
        """Add a step to the trace."""
        self.trace.append({"agent": agent, **fields})

    def next_path(self, agent: str) -> str:
        """Return the path of an agent's next call, and count the call."""
        self._counts[agent] = self._counts.get(agent, 0) + 1
        return f"{self._stage}/{agent.lower()}/{self._counts[agent]}"

    def term(self, word: str) -> str:
        """Translate a word of the protocol into the debate's language."""
        return self._seat.language.terms[word]

    def _model(self, agent: str) -> LanguageModel:
        name = self._models.get(agent)
        return replace(self._seat.model, model=name) if name else self._seat.model

    def _render(self, name: str, flag: str, **variables: str) -> Rendered:
        dialogue = "\n".join(self._blocks) or self.term("nothing_yet")
        variables = {**self._context, "dialogue": dialogue, **variables}
        flags = frozenset(filter(None, (self._stage_flag, flag)))
        return self._prompts.render(name, self._seat.language.code, variables, flags=flags)


def prompt_context(seat: Seat, turn: Turn) -> dict[str, str]:
    """Return the variables of a prompt that describe a turn: motion, side, stage, debate so far.

    A question has no sides and no earlier speeches: its only variable is the motion.
    """
    if turn.stage == "answer":
        return {"motion": seat.motion}
    language = seat.language
    return {
        **motion_variables(seat),
        "stage": language.stages[turn.stage],
        "words": str(seat.words),
        "transcript": render_transcript(turn.disclosed, language),
    }
