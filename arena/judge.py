"""What a judge is: from a finished debate to a ballot's verdicts. The methods live in `judges`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel

from arena.debater import Forecast, NoOptions
from arena.languages import SPEECHES, Contest, Language
from arena.llm.model import LanguageModel
from arena.records import Sampling, Speech, Step, Verdict
from motions import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """A finished debate as a judge hears it: sides, never participants.

    Attributes:
        model: the bench's model for this run.
        families: words for the families of the debaters' models, in small letters: so that a
            related judge can be left out. They are for no prompt.
        answers: what a question accepts; `None` where there is a debate to judge.
        pair: True for two answers to one task, which `motion` is: see `arena.debates.pairs`. The
            language then calls the sides `Answer A` and `Answer B`.
        reworded: True where a pair is to be judged by the judge's second set of prompts.
    """

    motion: str
    info_slide: str
    language: Language
    speeches: Sequence[Speech]
    model: LanguageModel
    families: frozenset[str] = frozenset()
    answers: Answers | None = None
    pair: bool = False
    reworded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one run of a judge says of a debate.

    Attributes:
        trace: how it came about, where that takes several steps: rounds, jurors, orders.
    """

    verdicts: tuple[Verdict, ...]
    rationale: str
    trace: tuple[Step, ...] = ()


class Judge(ABC):
    """A method of judging, configured.

    Class attributes:
        Options: pydantic model of its options; unknown ones are errors.
        sampling: its default sampling.
        needs_model: False where no language model is asked; then every run gives the same.
        by_people: True where its ballots are people's votes (`arena.people.votes`): no run of a
            tournament takes them, and `runs` is how many people vote on a debate.
        contests: those that it can judge; `essay` stands for every pair of answers to one task.
        rewords: True where it has a second set of prompts for pairs, which `Hearing.reworded`
            asks for.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions
    sampling: ClassVar[Sampling] = Sampling(temperature=0.7)
    needs_model: ClassVar[bool] = True
    by_people: ClassVar[bool] = False
    contests: ClassVar[tuple[Contest, ...]] = ("debate",)
    rewords: ClassVar[bool] = False

    def __init__(self, options: Any) -> None:  # noqa: ANN401 - an Options instance
        self.options = options

    @property
    @abstractmethod
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that every ballot has a verdict on; `overall` among them."""

    @property
    def weights(self) -> Mapping[str, float]:
        """What each dimension counts for in the overall verdict; empty where none is made of them.

        The arithmetic vote that is shown beside the judge's own comes from these.
        """
        return {}

    @abstractmethod
    async def judge(self, hearing: Hearing) -> Judgement:
        """One run.

        Raises:
            ContentFault: the judge could not be understood: a failed ballot.
            InfrastructureFault: the provider failed for good.
        """

    def objection(self, families: frozenset[str], *, model: str) -> str:
        """Why it cannot judge debaters of some families; empty where it can.

        Args:
            families: as a hearing has them.
            model: the bench's.
        """
        return ""

    @classmethod
    def takes(cls, options: Any) -> tuple[Contest, ...]:  # noqa: ANN401, ARG003 - Options
        """The contests that it can judge with some options: `contests`, unless overridden."""
        return cls.contests

    @classmethod
    def can_reword(cls, options: Any) -> bool:  # noqa: ANN401, ARG003 - Options
        """Whether it has a second set of prompts, given options: `rewords`, unless overridden."""
        return cls.rewords

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options instance
        """The models that it calls besides its bench's; none unless overridden."""
        return ()

    @classmethod
    def forecasts(
        cls,
        options: Any,  # noqa: ANN401 - an Options instance
        words: int,
        speeches: int = SPEECHES,
        *,
        model: str,
    ) -> Sequence[tuple[str, Forecast]]:
        """What one run takes of each model: the bench's alone, unless overridden."""
        return [(model, cls.forecast(options, words, speeches))]

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options instance
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """What one run will take; a rough guess unless overridden.

        Args:
            options: the method's.
            words: of each speech.
            speeches: of a debate; two of a pair of answers.
        """
        whole = speeches * words * 1.4
        return Forecast(
            calls=(1, 10, 40),
            input_tokens=(whole / 2, 4 * whole, 40 * whole),
            output_tokens=(200, 4000, 30000),
        )
