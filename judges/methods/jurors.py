"""Jurors of `samre`: a model in the role of different people, who vote on a debate or score it.

Bandi and Harrasse 2024 (arXiv 2410.04663). In their measurements juries lowered the accuracy of
the judge on all six models that they tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import Language
from arena.llm.concurrency import together
from arena.llm.model import Form, schema_of
from arena.prompts import Rendered
from arena.records import Step
from judges.methods.absences import Absences
from judges.methods.criteria import TOTAL, prompts
from judges.methods.pair_forms import PAIRED, Better
from judges.methods.setting import REASON_WORDS, setting_variables
from ratings import outcome_of

JurorMode = Literal["vote", "score"]

#: The default backgrounds of jurors, by language: the first three, or all five.
BACKGROUNDS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "a scholar of ethics, retired from teaching, who looks at premises and fairness",
        "a climate campaigner in their twenties, who looks at consequences for those to come",
        "the owner of a mid-sized firm, who looks at costs and at what works in practice",
        "a social worker in a poor neighbourhood, who looks at those who are easily forgotten",
        "the founder of a company that builds artificial intelligence, who looks at evidence and "
        "new possibilities",
    ),
    "zh": (
        "一位已退休的伦理学者，看重前提和公平",
        "一位二十多岁的气候行动者，看重对后代的影响",
        "一位中型企业的老板，看重成本和实际效果",
        "一位贫困社区的社会工作者，看重容易被遗忘的人",
        "一位人工智能公司的创始人，看重证据和新的可能",
    ),
}


class Vote(BaseModel):
    """A juror's vote."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)
    winner: Literal["Pro", "Con"]


class Appraisal(BaseModel):
    """A juror's scores."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)
    pro_score: float = Field(ge=6, le=120)
    con_score: float = Field(ge=6, le=120)


class PairVote(Vote):
    """A juror's vote on a pair of answers."""

    model_config = PAIRED
    winner: Better


class PairAppraisal(Appraisal):
    """A juror's scores of a pair of answers."""

    model_config = PAIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision of the jurors.

    Attributes:
        outcome: Pro's.
        totals: mean scores of Pro and Con, 6 to 120; `None` where the jurors voted.
        text: the votes or scores in words.
    """

    outcome: float
    totals: tuple[float, float] | None
    text: str
    trace: tuple[Step, ...]


def select_backgrounds(jurors: int | Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the first `jurors` default backgrounds, or those that a user named."""
    return BACKGROUNDS[language.code][:jurors] if isinstance(jurors, int) else tuple(jurors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurors:
    """Jurors at a hearing, asked at the same time.

    Attributes:
        backgrounds: one per juror.
        rounds: the advocates' arguments and the judge's feedback, quoted for a prompt.
        totals: the judge's, a line for each round.
        absences: collects the jurors that could not be understood.
    """

    hearing: Hearing
    backgrounds: tuple[str, ...]
    rounds: str
    totals: str
    absences: Absences

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the calls to the jurors, in order."""
        return tuple(f"juror/{number}" for number, _ in enumerate(self.backgrounds, start=1))

    async def decide(self, mode: JurorMode) -> Decision:
        """Ask all jurors; the majority of votes decides, or the higher mean score.

        Those who cannot be understood are left out as long as half of them remain.

        Raises:
            ContentFault: fewer than half could be understood.
            InfrastructureFault: the provider failed for good.
        """
        return await (self._vote() if mode == "vote" else self._score())

    async def _vote(self) -> Decision:
        answers = await self._ask("vote", PairVote if self.hearing.pair else Vote)
        votes = [vote for vote in answers if vote is not None]
        pro = sum(vote.winner == "Pro" for vote in votes)
        sides = self.hearing.language.sides
        return Decision(
            outcome=outcome_of(2 * pro - len(votes)),
            totals=None,
            text=f"{sides['pro']} {pro}, {sides['con']} {len(votes) - pro}",
            trace=self._trace(answers),
        )

    async def _score(self) -> Decision:
        answers = await self._ask("appraise", PairAppraisal if self.hearing.pair else Appraisal)
        scores = [appraisal for appraisal in answers if appraisal is not None]
        pro, con = fmean(s.pro_score for s in scores), fmean(s.con_score for s in scores)
        sides = self.hearing.language.sides
        return Decision(
            outcome=outcome_of(round(pro - con, 9)),
            totals=(pro, con),
            text=f"{sides['pro']} {pro:g}, {sides['con']} {con:g} (/{TOTAL[1]:g})",
            trace=self._trace(answers),
        )

    async def _ask(self, name: str, form: type[Form]) -> list[Form | None]:
        """Ask every juror for a form by the prompt of a name; None of those not understood."""
        variables = {
            **setting_variables(self.hearing),
            "transcript": render_transcript(self.hearing.speeches, self.hearing.language),
            "pleas": self.rounds,
            "totals": self.totals,
            "schema": schema_of(form).text(),
        }
        code = self.hearing.language.code
        rendered = [
            prompts(self.hearing).render(name, code, {**variables, "background": background})
            for background in self.backgrounds
        ]
        answers = await together(
            *(
                self.absences.attempt(self._answer(prompt, form, path), path)
                for path, prompt in zip(self.paths, rendered, strict=True)
            )
        )
        self.absences.check_half(self.paths)
        return answers

    async def _answer(self, prompt: Rendered, form: type[Form], path: str) -> Form:
        words = self.hearing.language.limit(REASON_WORDS)
        return await self.hearing.model.ask(prompt, form, path=path, words=words)

    def _trace(self, answers: Sequence[BaseModel | None]) -> tuple[Step, ...]:
        return tuple(
            {
                "agent": "juror",
                "background": background,
                **(answer.model_dump() if answer else {"missing": self.absences.describe(path)}),
            }
            for background, path, answer in zip(self.backgrounds, self.paths, answers, strict=True)
        )
