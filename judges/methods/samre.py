"""`samre`: Single Advocate Multi-Round Evaluation, with or without a jury.

Bandi and Harrasse 2024, arXiv 2410.04663. Both sides argue at the same time here; with
`preset = "paper"` the second side reads the first's argument of the same round. In their
measurements juries lowered the accuracy on all six models that they tried: `jurors = 0` does
without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES, Language
from arena.llm.concurrency import together
from arena.llm.request import Form
from arena.records import Step
from judges.methods.absences import Absences
from judges.methods.criteria import TOTAL, CriteriaJudge, ScoredOptions, ask_for_form, mark
from judges.methods.paper_court import CALLS_PER_PAPER_ROUND, PaperCourt, ask_as_in_paper
from judges.methods.rounds import (
    CALLS_IN_FIRST_ROUND,
    CALLS_PER_ROUND,
    Court,
    Round,
    hold_rounds,
    judge_rounds,
)
from judges.methods.setting import PAIRED, Better
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
#: The backgrounds with `preset = "paper"`: those of the paper's appendix C.3, and nothing more.
PAPER_BACKGROUNDS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "professor of ethics, now retired",
        "environmental activist, still young",
        "owner of a business, in middle age",
        "social worker whose field is the development of communities",
        "founder of technology companies, with experience in artificial intelligence",
    ),
    "zh": (
        "已退休的伦理学教授",
        "年轻的环保活动人士",
        "中年企业主",
        "从事社区发展的社会工作者",
        "有人工智能背景的科技创业者",
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
    pro_score: float = Field(ge=TOTAL[0], le=TOTAL[1])
    con_score: float = Field(ge=TOTAL[0], le=TOTAL[1])


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


def select_backgrounds(
    jurors: int | Sequence[str], language: Language, *, paper: bool = False
) -> tuple[str, ...]:
    """Return the first `jurors` backgrounds, ours or the paper's, or those that a user named."""
    backgrounds = (PAPER_BACKGROUNDS if paper else BACKGROUNDS)[language.code]
    return backgrounds[:jurors] if isinstance(jurors, int) else tuple(jurors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurors:
    """Jurors at a hearing, asked at the same time.

    Attributes:
        rounds: the advocates' arguments and the judge's feedback, quoted for a prompt.
        totals: the judge's, a line for each round.
        absences: collects the jurors that could not be understood.
        paper: whether they are asked by the prompts of `preset = "paper"`.
    """

    hearing: Hearing
    backgrounds: tuple[str, ...]
    rounds: str
    totals: str
    absences: Absences
    paper: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the calls to the jurors, in order."""
        return tuple(f"juror/{number}" for number, _ in enumerate(self.backgrounds, start=1))

    async def decide(self, mode: JurorMode) -> Decision:
        """Ask all jurors; the majority of votes decides, or the higher mean score.

        Those who cannot be understood are left out as long as half of them remain.
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
        heard = {"pleas": self.rounds, "totals": self.totals}
        ask = ask_as_in_paper if self.paper else ask_for_form
        asked = (
            ask(self.hearing, name, form, {**heard, "background": background}, path=path)
            for path, background in zip(self.paths, self.backgrounds, strict=True)
        )
        answers = await together(*map(self.absences.attempt, asked, self.paths))
        self.absences.check_half(self.paths)
        return answers

    def _trace(self, answers: Sequence[BaseModel | None]) -> tuple[Step, ...]:
        return tuple(
            {
                "agent": "juror",
                "background": background,
                **(answer.model_dump() if answer else {"missing": self.absences.describe(path)}),
            }
            for background, path, answer in zip(self.backgrounds, self.paths, answers, strict=True)
        )


_Background = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Options(ScoredOptions):
    """Options of `samre`.

    Attributes:
        scores: as in `ScoredOptions`; with `defences` the judge is also asked to let its scores
            differ more clearly from round to round.
        early_stop: stop as soon as two rounds in a row put the same side ahead.
        jurors: 0 (the judge's mean scores decide), 3 or 5 of the default backgrounds, or a list of
            backgrounds. In the paper juries lowered accuracy on all six models.
        juror_mode: whether jurors `vote`, or `score` both sides.
    """

    rounds: int = Field(default=4, ge=1, le=12)
    early_stop: bool = True
    jurors: Literal[0, 3, 5] | Annotated[tuple[_Background, ...], Field(min_length=1)] = 5
    juror_mode: JurorMode = "vote"

    @model_validator(mode="after")
    def _check_jurors(self) -> Options:
        backgrounds = self.jurors if isinstance(self.jurors, tuple) else ()
        if len(set(backgrounds)) < len(backgrounds):
            raise ValueError("two jurors have the same background; list each background once")
        if self.juror_mode == "vote" and backgrounds and len(backgrounds) % 2 == 0:
            raise ValueError(
                f"{len(backgrounds)} jurors could tie. Choose an odd number of jurors, or let them "
                'give marks (juror_mode = "score")'
            )
        return self


class Samre(CriteriaJudge):
    """An advocate of each side, a judge who gives feedback over some rounds, and jurors."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Hold rounds until two agree, then ask all jurors at the same time."""
        absences = Absences(language=hearing.language)
        heard = self.options.jurors != 0
        kind = partial(PaperCourt, heard=heard) if self.options.preset else Court
        court = kind(
            hearing=hearing,
            limit=self.options.rounds,
            absences=absences,
            scored=self.options.scores,
        )
        rounds = await hold_rounds(court, early_stop=self.options.early_stop)
        judgement = judge_rounds(court, rounds)
        if not self.options.jurors:
            return absences.add_to(judgement)
        return await self._ask_jurors(court, rounds, judgement)

    async def _ask_jurors(
        self, court: Court, rounds: Sequence[Round], judgement: Judgement
    ) -> Judgement:
        """Return the judgement with the outcome of the jurors, who hear all rounds."""
        jurors = Jurors(
            hearing=court.hearing,
            backgrounds=select_backgrounds(
                self.options.jurors, court.hearing.language, paper=bool(self.options.preset)
            ),
            rounds=court.quote_rounds(rounds),
            totals=court.list_totals(rounds),
            absences=court.absences,
            paper=bool(self.options.preset),
        )
        decision = await jurors.decide(self.options.juror_mode)
        *criteria, overall = judgement.verdicts
        comment = f"{overall.comment}\n{decision.text}"
        overall = replace(overall, outcome=decision.outcome, comment=comment)
        if decision.totals is not None:
            pro, con = (mark(total, TOTAL) for total in decision.totals)
            overall = replace(overall, pro_mark=pro, con_mark=con)
        decided = replace(
            judgement,
            verdicts=(*criteria, overall),
            trace=(*judgement.trace, *decision.trace),
        )
        return court.absences.add_to(decided, traced=jurors.paths)

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast three calls in the first round, five in each further one, one per juror.

        With the paper's preset, four in each round.
        """
        debate = speeches * words * 1.4
        jurors = options.jurors if isinstance(options.jurors, int) else len(options.jurors)
        most = options.rounds
        least = min(2, most) if options.early_stop else most
        rounds = (least, min(most, least + 0.4), most)
        first, further = CALLS_IN_FIRST_ROUND, CALLS_PER_ROUND
        if options.preset:
            first = further = CALLS_PER_PAPER_ROUND
        low, likely, high = (first + further * (count - 1) + jurors for count in rounds)
        return Forecast(
            calls=(low, likely, high + 1),
            input_tokens=(
                low * (900 + 0.5 * debate),
                likely * (1400 + 0.8 * debate),
                (high + 1) * (3000 + 2 * debate),
            ),
            output_tokens=(low * 70, likely * 220, (high + 1) * 1200),
        )
