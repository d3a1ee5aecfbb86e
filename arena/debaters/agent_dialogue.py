"""The dialogue in which a debater's agents work on one speech, and the forms of their answers.

The JSON schema of a form, in which its name and its fields stand, is part of requests to models.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from arena.debater import Seat, Turn, motion_variables
from arena.debaters.roles import RoleOptions
from arena.debates.transcript import render_transcript
from arena.errors import ContentFault
from arena.llm.answers import Composition
from arena.llm.concurrency import together
from arena.llm.repair import contradiction
from arena.llm.schemas import schema_of
from arena.prompts import Prompts, Rendered, quote
from arena.records import Step

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

#: How an agent stands to the position or the draft before its own.
Stance: TypeAlias = Literal["agree", "partly", "disagree"]

#: Room for the reasoning before a decision, in words; the prompts ask for at most 60.
REASONING_WORDS: Final = 80
#: What is done about a sample that failed, for the trace.
LEFT_OUT: Final = "the draft is left out"
#: Length of a review: its reasoning and at most five suggestions, in words.
REVIEW_WORDS: Final = 400


class AnswerForm(BaseModel):
    """Base of the structured answers of debaters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Reasoned(AnswerForm):
    """An answer after a short reasoning, which is not delivered; a model may leave it out."""

    reasoning: str = ""


class Review(Reasoned):
    """A reviewer's decision on a draft: accept it, or revise it as suggested."""

    marker: Literal["accept", "revise"]
    suggestions: list[str] = []

    @model_validator(mode="after")
    def _check_suggestions(self) -> Review:
        if self.marker == "revise" and not self.suggestions:
            raise contradiction(
                "no_suggestions", en="`revise` needs suggestions", zh="`revise` 须有 `suggestions`"
            )
        return self

    def as_step(self) -> dict[str, Any]:
        """Return the fields of a trace's step: the review, and its stance to the draft."""
        stance: Stance = "agree" if self.marker == "accept" else "disagree"
        return {**self.model_dump(mode="json"), "stance": stance}

    def numbered(self) -> str:
        """Return the suggestions as numbered lines."""
        return number_lines(self.suggestions)


_REASONING: Final = "reasoning"
_Answer = TypeVar("_Answer", bound=BaseModel)
_Result = TypeVar("_Result")


class AgentDialogue:
    """The agents' turns so far in the work on one speech, and the trace of that work.

    Each agent sees the turns before its own. A prompt shows the motion, the debate so far, the
    dialogue and the agent's task in this order, so that consecutive prompts share as long a
    beginning as possible: providers bill cached beginnings less.

    Args:
        roles: models and sampling by role, the agent's name in lower case; without them all
            agents use the participant's.
        variables: variables of all prompts, besides those of `prompt_context`.
        stage_flags: whether the prompts declare the three stages as flags.

    Attributes:
        last_fault: the fault of the last answer that was done without; None where there was none.
    """

    def __init__(  # noqa: PLR0913 - the last three have defaults
        self,
        seat: Seat,
        turn: Turn,
        *,
        prompts: Prompts,
        roles: RoleOptions | None = None,
        variables: Mapping[str, str] | None = None,
        stage_flags: bool = True,
    ) -> None:
        self.trace: list[Step] = []
        self.last_fault: ContentFault | None = None
        self.seat, self.language = seat, seat.language
        self.is_question = turn.stage == "answer"
        self._stage, self._roles = turn.stage, roles or RoleOptions()
        # The reasoning of an answer to a question is its content.
        self._thinking = self._roles.thinking and not self.is_question
        self._prompts = asked_prompts(prompts, thinking=self._thinking)
        self._blocks: list[str] = []
        self._counts: dict[str, int] = {}
        self._context = {**prompt_context(seat, turn), **(variables or {})}
        self._stage_flag = turn.stage if stage_flags and not self.is_question else ""

    async def write(
        self, name: str, *, agent: str, length: int, flag: str = "", **variables: str
    ) -> str:
        """Ask an agent for a plain text.

        Args:
            length: length that the prompt asks for, from which the token limit follows, in words
                (characters in Chinese).
            flag: flags of the prompt besides the stage, separated by blanks.
            variables: variables of the prompt besides the context.
        """
        prompt = self._render(name, agent, flag, **variables)
        return await self.model(agent).write(prompt, path=self.next_path(agent), words=length)

    async def compose(  # noqa: PLR0913 - the last two have defaults
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        length: int,
        flag: str = "",
        needs_text: Callable[[_Answer], bool] = lambda form: True,  # noqa: ARG005
        **variables: str,
    ) -> Composition[_Answer]:
        """Ask an agent for a short structured answer and a text after it; arguments as `write`.

        See `LanguageModel.compose`.
        """
        form = asked_form(form, thinking=self._thinking)
        prompt = self._render(name, agent, flag, schema=schema_of(form).text(), **variables)
        return await self.model(agent).compose(
            prompt, form, path=self.next_path(agent), words=length, needs_text=needs_text
        )

    async def ask(
        self,
        name: str,
        form: type[_Answer],
        *,
        agent: str,
        length: int,
        flag: str = "",
        **variables: str,
    ) -> _Answer:
        """Ask an agent for a structured answer; arguments as `write`."""
        form = asked_form(form, thinking=self._thinking)
        prompt = self._render(name, agent, flag, schema=schema_of(form).text(), **variables)
        return await self.model(agent).ask(prompt, form, path=self.next_path(agent), words=length)

    async def attempt(
        self, answer: Awaitable[_Result], *, agent: str, fallback: str
    ) -> _Result | None:
        """Wait for an answer that the speech can do without.

        Args:
            fallback: what is done without it, for the trace.

        Returns:
            None where the model refused or its answer was unusable; the trace then says so.
        """
        try:
            return await answer
        except ContentFault as fault:
            self.add_fallback(agent, fallback, fault)
            return None

    def add_fallback(self, agent: str, fallback: str, fault: ContentFault) -> None:
        """Add to the trace what was done without an agent's answer, and why."""
        self.last_fault = fault
        self.trace.append(fallback_step(agent, fallback, fault))

    def usable(self, samples: Iterable[_Result | ContentFault]) -> Iterator[tuple[int, _Result]]:
        """Yield the Writer's samples with their numbers; a failed one is left out, says the trace.

        Raises:
            ContentFault: after the last one, if all of them failed.
        """
        usable = 0
        for number, sample in enumerate(samples, start=1):
            if isinstance(sample, ContentFault):
                self.add_fallback("Writer", LEFT_OUT, sample)
            else:
                usable += 1
                yield number, sample
        if not usable and self.last_fault is not None:
            raise self.last_fault

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
        return self.language.terms[word]

    def model(self, agent: str) -> LanguageModel:
        """Return the model of an agent's role."""
        return self._roles.apply(agent.lower(), self.seat.model)

    def words(self, words: int) -> int:
        """Convert a length in English words to the debate's language (characters in Chinese)."""
        return self.language.limit(words)

    def keep_reply(self, reply: str) -> None:
        """Keep the reply to the last prompt where agents have histories of their own."""

    async def begin_anew(self, name: str, *, agent: str, length: int) -> str | None:  # noqa: ARG002
        """Have an agent forget its history and begin with a text; None where it has none."""
        return None

    def _render(self, name: str, agent: str, flag: str, **variables: str) -> Rendered:  # noqa: ARG002
        return self._fill(name, flag, self._blocks, variables)

    def _fill(
        self, name: str, flag: str, blocks: Sequence[str], variables: Mapping[str, str]
    ) -> Rendered:
        """Return a prompt that shows some of the dialogue."""
        dialogue = "\n".join(blocks) or self.term("nothing_yet")
        variables = {**self._context, "dialogue": dialogue, **variables}
        flags = {self._stage_flag, *flag.split()} - {""} | contest_flags(self.seat)
        return self._prompts.render(name, self.language.code, variables, flags=frozenset(flags))


def asked_prompts(prompts: Prompts, *, thinking: bool) -> Prompts:
    """Return prompts as they are for models: thinking ones are not told to give their reasoning."""
    return prompts.without(_REASONING) if thinking else prompts


def asked_form(form: type[_Answer], *, thinking: bool) -> type[_Answer]:
    """Return a form as models are asked for it: thinking ones without their reasoning."""
    return _without_reasoning(form) if thinking and issubclass(form, Reasoned) else form


@cache
def _without_reasoning(form: type[_Answer]) -> type[_Answer]:
    """Return a form whose schema lacks reasoning; an answer that has it all the same is valid."""

    def take_out(schema: dict[str, Any]) -> None:
        schema["properties"].pop(_REASONING, None)

    config = ConfigDict(**form.model_config, json_schema_extra=take_out)
    return type(form.__name__, (form,), {"model_config": config, "__module__": form.__module__})


async def gather_samples(calls: Iterable[Awaitable[_Result]]) -> list[_Result | ContentFault]:
    """Return the results of simultaneous calls, in order; a failed one is given by its fault."""

    async def result_or_fault(call: Awaitable[_Result]) -> tuple[_Result | ContentFault]:
        # In a tuple: `together` would raise a fault that is itself the result of a call.
        try:
            return (await call,)
        except ContentFault as fault:
            return (fault,)

    return [result for (result,) in await together(*map(result_or_fault, calls))]


def number_lines(texts: Iterable[str]) -> str:
    """Return texts as lines that are numbered from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def fallback_step(agent: str, fallback: str, fault: ContentFault) -> Step:
    """Return the step of a trace that says what was done without an agent's answer, and why."""
    return {"agent": agent, "fallback": fallback, "fault": type(fault).__name__}


def contest_flags(seat: Seat) -> frozenset[str]:
    """Return the flags of prompts that follow from the contest: `essay`, or none."""
    return frozenset({"essay"} if seat.contest == "essay" else ())


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
