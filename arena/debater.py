"""What a debater is: the protocol that every framework implements, built-in or a stranger's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from arena.languages import Contest, Language, Side, Stage, other_side
from arena.llm.model import LanguageModel
from arena.records import Reference, Sampling, Speech, Step
from arena.search.results import Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """What one side knows from the beginning, and its tools.

    Attributes:
        words: limit of a speech, in words (characters in Chinese).
        model: the participant's language model; paths are relative to the side.
        handed: the speeches that a person has handed in for this side.
    """

    motion: str
    info_slide: str
    side: Side
    language: Language
    words: int
    model: LanguageModel
    search: Search
    handed: Mapping[Stage, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A speech to be made: its stage, and the speeches that were disclosed to the speaker."""

    stage: Stage
    disclosed: Sequence[Speech]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A debater's speech before the protocol counts its words and checks its references.

    Attributes:
        known: what the searches of this side have returned so far, by number; a citation
            `[n]` in the text is resolved here.
        final: True for a person's own words: no model shortens them, they are cut at the limit.
    """

    text: str
    known: Sequence[Reference] = ()
    trace: Sequence[Step] = ()
    final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Calls and tokens of one unit of work (one side of a debate, or one ballot), for the plan.

    Each is (low, expected, high); tokens are totals over the calls.
    """

    calls: tuple[float, float, float]
    input_tokens: tuple[float, float, float]
    output_tokens: tuple[float, float, float]

    @classmethod
    def per_call(
        cls,
        calls: tuple[float, float, float],
        *,
        read: tuple[float, float, float],
        said: tuple[float, float, float],
    ) -> Forecast:
        """A number of calls, each of which reads and says so many tokens."""
        (low, likely, high), given, told = calls, read, said
        return cls(
            calls=calls,
            input_tokens=(low * given[0], likely * given[1], high * given[2]),
            output_tokens=(low * told[0], likely * told[1], high * told[2]),
        )


class NoOptions(BaseModel):
    """The options of a debater or judge that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Debater(ABC):
    """One side's debater for one debate: made for it, so what it remembers ends with it.

    Class attributes:
        Options: pydantic model of its options; unknown ones are errors.
        sampling: its default sampling.
        needs_model: False where no language model speaks.
        contests: those that it can take part in.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions
    sampling: ClassVar[Sampling] = Sampling(temperature=0.2, top_p=0.75)
    needs_model: ClassVar[bool] = True
    contests: ClassVar[tuple[Contest, ...]] = ("debate",)

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options instance
        self.seat = seat
        self.options = options

    @abstractmethod
    async def speak(self, turn: Turn) -> Draft:
        """Make the speech of a turn.

        Raises:
            ContentFault: the model refused or could not be understood: a forfeit.
            InfrastructureFault: the provider failed for good: the debate is void.
            SpeechAwaited: a person has not handed it in: the debate waits.
        """

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options instance
        """The models that it calls besides the participant's own; none unless overridden."""
        return ()

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401
        """What one side of one debate will take; a rough guess unless overridden."""
        low, likely, high = 3.0, 6.0, 30.0
        tokens = words * 1.4
        return Forecast(
            calls=(low, likely, high),
            input_tokens=(low * 500, likely * (1000 + 3 * tokens), high * (2000 + 6 * tokens)),
            output_tokens=(low * tokens / 2, likely * tokens, high * 2 * tokens),
        )


def motion_of(seat: Seat) -> dict[str, str]:
    """What is the same for all speeches of a side, as the variables of a prompt."""
    sides = seat.language.sides
    return {
        "motion": seat.motion,
        "info_slide": seat.info_slide,
        "side": sides[seat.side],
        "opponent": sides[other_side(seat.side)],
    }
