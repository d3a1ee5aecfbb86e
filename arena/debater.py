"""The debater: the base class of every debater framework, and the records that it works with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from arena.languages import Contest, Language, Side, Stage, other_side
from arena.records import Reference, Sampling, Speech, Step

if TYPE_CHECKING:  # what reads a debater's declarations calls no model
    from arena.llm.model import LanguageModel
    from arena.search.tool import Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A speech that a person has submitted, or has missed.

    Attributes:
        text: the speech; '' where it was missed.
        missed: why it can be submitted no more; '' where it was submitted.
    """

    text: str = ""
    making: Step = field(default_factory=dict)
    missed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One side of a debate as its debater gets it: the motion, the language, a model, a search.

    Attributes:
        words: length limit of a speech, in words (characters in Chinese).
        model: the participant's language model; paths are relative to the side.
        handed: the speeches that a person has submitted, or missed, for this side.
        contest: kind of contest. An essay is asked for as a constructive of Con; its prompts ask
            for an essay that refutes the motion, without sides and stages.
    """

    motion: str
    info_slide: str
    side: Side
    language: Language
    words: int
    model: LanguageModel
    search: Search
    handed: Mapping[Stage, Submission] = field(default_factory=dict)
    contest: Contest = "debate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request for one speech: its stage, and the speeches disclosed to the speaker."""

    stage: Stage
    disclosed: Sequence[Speech]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A debater's speech before the protocol counts its words and checks its references.

    Attributes:
        known: the references that this side's searches have returned so far; a citation
            `[P3]` of Pro's speech, or `[3]`, refers to the one with that number.
        final: True for a person's own words: no model shortens them, they are cut at the limit.
    """

    text: str
    known: Sequence[Reference] = ()
    trace: Sequence[Step] = ()
    final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Expected calls and tokens of one side of a debate, or of one ballot, for the plan.

    Each field is (low, expected, high); tokens are totals over the calls.
    """

    calls: tuple[float, float, float]
    input_tokens: tuple[float, float, float]
    output_tokens: tuple[float, float, float]

    @classmethod
    def per_call(
        cls,
        calls: Sequence[float],
        *,
        read: tuple[float, float, float],
        said: tuple[float, float, float],
    ) -> Forecast:
        """Return the forecast of calls that each read and write a number of tokens.

        Args:
            calls: number of calls; like the others (low, expected, high).
        """
        low, likely, high = calls
        return cls(
            calls=(low, likely, high),
            input_tokens=(low * read[0], likely * read[1], high * read[2]),
            output_tokens=(low * said[0], likely * said[1], high * said[2]),
        )


class NoOptions(BaseModel):
    """The options of a debater or judge that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Debater(ABC):
    """The debater of one side of one debate; its state lives no longer than the debate.

    Class attributes:
        Options: pydantic model of its options; unknown ones are errors.
        sampling: its default sampling parameters.
        needs_model: False where it speaks without a language model.
        contests: the contests that it can take part in.
        calls_seen: False where it calls models by a client of its own: such calls are not counted,
            priced or kept in the journal, and no rehearsal makes them.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions
    sampling: ClassVar[Sampling] = Sampling(temperature=0.2, top_p=0.75)
    needs_model: ClassVar[bool] = True
    contests: ClassVar[tuple[Contest, ...]] = ("debate",)
    calls_seen: ClassVar[bool] = True

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options instance
        self.seat = seat
        self.options = options

    @abstractmethod
    async def speak(self, turn: Turn) -> Draft:
        """Make the speech of a turn.

        Raises:
            ContentFault: the model refused, or its answer cannot be used, or a person is late: a
                forfeit.
            InfrastructureFault: the provider failed for good: the debate is void.
            SpeechAwaited: a person has not submitted it: the debate waits.
        """

    async def review(self, text: str, turn: Turn) -> Draft:  # noqa: ARG002
        """Review the speech of a turn after the protocol has had it shortened.

        The same text unless overridden; of the draft, the protocol uses the text and the trace.

        Raises:
            ContentFault: an answer cannot be used; the text then stays as it is.
            InfrastructureFault: the provider failed for good: the debate is void.
        """
        return Draft(text=text)

    @classmethod
    def searches(cls, options: Any) -> bool:  # noqa: ANN401 - an Options instance
        """Return whether it uses the search tool; it does not unless overridden."""
        return False

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options instance
        """Return the models that it calls besides the participant's own; none unless overridden."""
        return ()

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401
        """Forecast the calls and tokens of one side of one debate; a rough guess unless overridden.

        Args:
            words: length limit of a speech, in words (characters in Chinese).
        """
        low, likely, high = 3.0, 6.0, 30.0
        tokens = words * 1.4
        return Forecast(
            calls=(low, likely, high),
            input_tokens=(low * 500, likely * (1000 + 3 * tokens), high * (2000 + 6 * tokens)),
            output_tokens=(low * tokens / 2, likely * tokens, high * 2 * tokens),
        )


def mark_variables(seat: Seat) -> dict[str, str]:
    """Return the prompt variables for the letters in the citation marks of both sides."""
    marks = seat.language.marks
    return {"mark": marks[seat.side], "opponent_mark": marks[other_side(seat.side)]}


def motion_variables(seat: Seat) -> dict[str, str]:
    """Return the prompt variables that are the same for all speeches of a side."""
    sides = seat.language.sides
    return {
        "motion": seat.motion,
        "info_slide": seat.info_slide,
        "side": sides[seat.side],
        "opponent": sides[other_side(seat.side)],
    }
