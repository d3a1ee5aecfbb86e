"""Six criteria, each scored 1 to 20 for both sides: the scores of `single`, `more` and `samre`.

Source: the paper of MORE and SAMRE, "Adversarial Multi-Agent Evaluation of Large Language Models
through Iterative Debates" (Bandi and Harrasse 2024, arXiv 2410.04663): totals run from 6 to 120.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from statistics import fmean
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from arena.debates.transcript import render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.languages import Language
from arena.llm.request import Form
from arena.llm.schemas import schema_of
from arena.presets import PresetOptions
from arena.prompts import Prompts
from arena.records import Sampling, Verdict
from judges.methods.setting import PAIRED, REASON_WORDS, pair_prompts, setting_variables
from ratings import outcome_of

Scored: TypeAlias = Literal["defences", "answers"]
#: Both kinds of scores, the paper's first.
SCORED: tuple[Scored, Scored] = ("defences", "answers")


class ScoredOptions(PresetOptions):
    """Options of a judge that hears advocates.

    Attributes:
        preset: `paper` for the prompts, the order and the memory of the paper.
        scores: what the judge scores: the advocates' `defences`, as in the paper, or the `answers`
            themselves (in a debate, the sides' speeches), where a defence only points things out.
    """

    #: Options that benches were stored without: with their default they are left out.
    later_options: ClassVar[tuple[str, ...]] = ("preset", "scores")
    paper: ClassVar[Mapping[str, Any]] = {"scores": "defences"}
    scores: Scored = "answers"

    @model_serializer(mode="wrap")
    def _leave_out_default(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Benches that were stored before these options existed keep their identity.
        options: dict[str, Any] = serialize(self)
        for name in self.later_options:
            is_default = options[name] == type(self).model_fields[name].default
            if is_default and name not in self.overridden:
                del options[name]
        return options


def read_scored(options: Mapping[str, Any]) -> Scored:
    """Return what a bench scores, from its stored options.

    >>> read_scored({"advocates": 3}), read_scored({"scores": "defences"})
    ('answers', 'defences')
    """
    return "defences" if options.get("scores") == "defences" else "answers"


_DEBATES = Prompts(files("judges") / "prompts" / "criteria")

#: The lowest and the highest score of a criterion, and the lowest and the highest stored mark.
SCORE, _MARK = (1, 20), (1.0, 10.0)


class Scores(BaseModel):
    """The criteria: one side's scores."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    relevance: float = Field(ge=SCORE[0], le=SCORE[1])
    accuracy: float = Field(ge=SCORE[0], le=SCORE[1])
    depth: float = Field(ge=SCORE[0], le=SCORE[1])
    clarity: float = Field(ge=SCORE[0], le=SCORE[1])
    reasoning: float = Field(ge=SCORE[0], le=SCORE[1])
    effectiveness: float = Field(ge=SCORE[0], le=SCORE[1])

    @property
    def total(self) -> float:
        """The sum of the scores, 6 to 120."""
        return float(sum(score for _, score in self))


CRITERIA = tuple(Scores.model_fields)
DIMENSIONS = (*CRITERIA, "overall")
#: The lowest and the highest total.
TOTAL = (len(CRITERIA) * SCORE[0], len(CRITERIA) * SCORE[1])


class Reasons(BaseModel):
    """A judge's reasons, which stand before its scores."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)


class Card(Reasons):
    """A judge's scores of both sides."""

    pro: Scores
    con: Scores


class PairCard(Card):
    """A judge's scores of a pair of answers."""

    model_config = PAIRED


def prompts(hearing: Hearing) -> Prompts:
    """Return the prompts for debates, or those for pairs of answers."""
    return pair_prompts(hearing) if hearing.pair else _DEBATES


def mark(score: float, scale: tuple[float, float]) -> float:
    """Map a score linearly to a mark from 1 to 10, as ballots store it.

    >>> mark(63, TOTAL), mark(20, SCORE)
    (5.5, 10.0)
    """
    return _MARK[0] + (score - scale[0]) * (_MARK[1] - _MARK[0]) / (scale[1] - scale[0])


def total(stored: float) -> float:
    """Return the total, 6 to 120, that a stored mark stands for: the inverse of `mark`.

    >>> total(mark(84, TOTAL))
    84.0
    """
    return round(TOTAL[0] + (stored - _MARK[0]) * (TOTAL[1] - TOTAL[0]) / (_MARK[1] - _MARK[0]), 9)


def verdicts(cards: Sequence[Card], language: Language) -> tuple[Verdict, ...]:
    """Return a verdict on each criterion and overall, by the mean scores of some cards.

    The higher score wins; equal scores are a tie. The overall comment begins with the last card's.
    """
    decided = []
    for dimension in DIMENSIONS:
        overall = dimension == "overall"
        name, scale = ("total", TOTAL) if overall else (dimension, SCORE)
        pro = fmean(getattr(card.pro, name) for card in cards)
        con = fmean(getattr(card.con, name) for card in cards)
        judgement = cards[-1].judgement if overall else ""
        scores = f"{language.sides['pro']} {pro:g}, {language.sides['con']} {con:g} (/{scale[1]:g})"
        decided.append(
            Verdict(
                dimension=dimension,
                outcome=outcome_of(round(pro - con, 9)),
                pro_mark=mark(pro, scale),
                con_mark=mark(con, scale),
                comment=f"{judgement}\n{scores}".strip(),
            )
        )
    return tuple(decided)


class CriteriaJudge(Judge):
    """A judge by the six criteria."""

    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The six criteria and overall."""
        return DIMENSIONS

    @classmethod
    def can_reword(cls, options: Any) -> bool:  # noqa: ANN401 - an Options
        """Tell whether it has a second set of prompts: not for those of a paper's preset."""
        return cls.rewords and getattr(options, "preset", None) is None


async def ask_for_judgement(hearing: Hearing, prompt: str, **variables: str) -> Judgement:
    """Ask a judge that reads the whole debate for one score card, which decides."""
    card = await ask_for_card(hearing, prompt, **variables)
    return Judgement(verdicts=verdicts([card], hearing.language), rationale=card.judgement)


async def ask_for_card(
    hearing: Hearing, prompt: str, *, path: str = "judge", **variables: str
) -> Card:
    """Ask a judge that reads the whole debate for one score card."""
    form = PairCard if hearing.pair else Card
    return await ask_for_form(hearing, prompt, form, variables, path=path)


async def ask_for_form(
    hearing: Hearing,
    prompt: str,
    form: type[Form],
    variables: Mapping[str, str],
    *,
    path: str,
    flags: frozenset[str] = frozenset(),
) -> Form:
    """Ask a model that reads the whole debate to fill in a form."""
    language = hearing.language
    rendered = prompts(hearing).render(
        prompt,
        language.code,
        {
            **setting_variables(hearing),
            "transcript": render_transcript(hearing.speeches, language),
            **variables,
            "schema": schema_of(form).text(),
        },
        flags=flags,
    )
    words = language.limit(REASON_WORDS)
    return await hearing.model.ask(rendered, form, path=path, words=words)
