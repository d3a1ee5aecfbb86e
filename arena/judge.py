"""The judge: the base class of every judging method, and the records that it works with.

The methods themselves are in the package `judges`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel

from arena.debater import Forecast, NoOptions
from arena.languages import SPEECHES, Contest, Language
from arena.records import Sampling, Speech, Step, Verdict

if TYPE_CHECKING:  # what reads a judge's declarations calls no model
    from arena.llm.model import LanguageModel
    from motions import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """A finished debate as a judge gets it: with sides, without participants' names.

    Attributes:
        model: the bench's model for this run.
        families: words for the families of the debaters' models, in lower case, by which a panel
            leaves out judges of the same family. They must not enter a prompt.
        answers: the accepted answers to a question; `None` where a debate is judged.
        pair: True for two answers to one task (then `motion` is the task, and the language calls
            the sides `Answer A` and `Answer B`); see `arena.debates.pairs`.
        reworded: True where a pair is judged with the judge's second set of prompts.
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
    """The result of one run of a judge on a debate.

    Attributes:
        trace: the steps that led to it, where there are several: rounds, jurors, orders.
    """

    verdicts: tuple[Verdict, ...]
    rationale: str
    trace: tuple[Step, ...] = ()


class Judge(ABC):
    """A judging method with its options.

    Class attributes:
        Options: pydantic model of its options; unknown ones are errors.
        sampling: its default sampling parameters.
        needs_model: False where it calls no language model; then all runs give the same verdicts.
        by_people: True where its ballots are people's votes (see `arena.people.voting`): a
            tournament's run does not collect them, and `runs` is the number of voters per debate.
        contests: the contests that it can judge; `essay` covers every pair of answers to one task.
        rewords: True where it has a second set of prompts for pairs (see `Hearing.reworded`).
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
        """The dimensions on which every ballot has a verdict; `overall` is one of them."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each dimension in a weighted vote; empty where the method has none.

        Reports compare the weighted vote over the dimensions with the judge's own overall verdict.
        """
        return {}

    @property
    def by_majority(self) -> bool:
        """Whether the majority of its ballots decides a debate, and not the sum of its outcomes."""
        return False

    @abstractmethod
    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge a debate once.

        Raises:
            ContentFault: the model's answer cannot be used: a failed ballot.
            InfrastructureFault: the provider failed for good.
        """

    def objection(self, families: frozenset[str], *, model: str) -> str:
        """Return why it cannot judge debaters of these families; empty where it can.

        Args:
            families: as in `Hearing.families`.
            model: the bench's.
        """
        return ""

    @classmethod
    def takes(cls, options: Any) -> tuple[Contest, ...]:  # noqa: ANN401, ARG003 - Options
        """Return the contests that it can judge: `contests`, unless overridden."""
        return cls.contests

    @classmethod
    def fit_options(cls, options: Mapping[str, Any], contest: Contest) -> Mapping[str, Any]:  # noqa: ARG003
        """Return its options in a contest: as they are written, unless overridden."""
        return options

    @classmethod
    def can_reword(cls, options: Any) -> bool:  # noqa: ANN401, ARG003 - Options
        """Return whether it has a second set of prompts: `rewords`, unless overridden."""
        return cls.rewords

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options instance
        """Return the models that it calls besides its bench's; none unless overridden."""
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
        """Forecast one run, model by model; only the bench's model unless overridden."""
        return [(model, cls.forecast(options, words, speeches))]

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options instance
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast the calls and tokens of one run; a rough guess unless overridden.

        Args:
            options: the method's.
            words: length of each speech, in words.
            speeches: how many there are; two in a pair of answers.
        """
        whole = speeches * words * 1.4
        return Forecast(
            calls=(1, 10, 40),
            input_tokens=(whole / 2, 4 * whole, 40 * whole),
            output_tokens=(200, 4000, 30000),
        )
