"""`more`: Multi-Advocate One-Round Evaluation, and the variants of the paper's section 3.3.

Bandi and Harrasse 2024, arXiv 2410.04663. Both sides' advocates work at the same time here; with
`preset = "paper"` the second side's read the first's defence, which favours whoever is second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from scipy.special import logsumexp, softmax

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SIDES, SPEECHES, Side
from arena.llm.concurrency import together
from arena.records import Step
from judges.methods.absences import Absences
from judges.methods.advocacy import Advocate, AdvocateTeam
from judges.methods.criteria import (
    CRITERIA,
    TOTAL,
    Card,
    CriteriaJudge,
    ScoredOptions,
    Scores,
    ask_for_card,
    ask_for_judgement,
    verdicts,
)
from judges.methods.paper_court import PaperCourt
from judges.methods.rounds import Court, hold_rounds, judge_rounds


def normalise(totals: Sequence[float]) -> NDArray[np.float64]:
    """Return totals from 6 to 120 as scores from 0 to 1.

    >>> normalise([6.0, 63.0, 120.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    low, high = TOTAL
    return (np.asarray(totals, dtype=np.float64) - low) / (high - low)


def softmax_weights(totals: Sequence[float], tau: float) -> NDArray[np.float64]:
    """Return the weights of some totals, which sum to 1; the highest weighs most.

    >>> softmax_weights([60.0, 60.0], 0.05).tolist(), softmax_weights([60.0, 80.0], 1e-4).tolist()
    ([0.5, 0.5], [0.0, 1.0])

    Args:
        totals: 6 to 120, one per advocate.
        tau: above 0, on the scale of scores from 0 to 1.
    """
    return np.asarray(softmax(normalise(totals) / tau), dtype=np.float64)


def weighted_total(totals: Sequence[float], tau: float) -> float:
    """Return the mean of totals, weighted by their softmax: between their mean and the highest."""
    return float(softmax_weights(totals, tau) @ np.asarray(totals, dtype=np.float64))


def log_sum_exp_total(totals: Sequence[float], tau: float) -> float:
    """Return the log-sum-exp of totals: the highest, or above it by at most tau * log n * 114."""
    low, high = TOTAL
    return low + (high - low) * tau * float(logsumexp(normalise(totals) / tau))


def weighted_scores(scores: Sequence[Scores], weights: NDArray[np.float64]) -> Scores:
    """Return the weighted mean of each criterion; its total is that of the totals."""
    return Scores(
        **{
            name: float(np.clip(weights @ np.array([getattr(s, name) for s in scores]), 1, 20))
            for name in CRITERIA
        }
    )


def aggregate_cards(cards: Sequence[Card], weights: Mapping[Side, NDArray[np.float64]]) -> Card:
    """Return one card of several, with the reasons of the one that weighs most.

    Args:
        cards: one per two advocates.
        weights: (cards,) of each side, `pro` and `con`.
    """
    heaviest = int(np.argmax(weights["pro"] + weights["con"]))
    return Card(
        judgement=cards[heaviest].judgement,
        pro=weighted_scores([card.pro for card in cards], weights["pro"]),
        con=weighted_scores([card.con for card in cards], weights["con"]),
    )


#: The judge's prompt, by what it scores.
_PROMPTS = {"answers": "more", "defences": "more_defences"}
#: The `agent` of the trace steps that hold the totals of two advocates, one of each side.
PAIR_OF_ADVOCATES = "advocates"


class Options(ScoredOptions):
    """Options of `more`.

    Attributes:
        scores: as in `ScoredOptions`.
        aggregate: `fuse` their defences into one by a call, which the judge scores; or have the
            judge score two advocates at a time, one of each side, and aggregate the scores by
            `softmax`.
        tau: temperature of the softmax, for scores from 0 to 1: near 0 the best advocate decides,
            a high one takes the mean.
        rounds: how many are held, all of them, with the judge's feedback between them; its mean
            scores decide. The method as published has one.
    """

    later_options: ClassVar[tuple[str, ...]] = ("preset", "scores", "aggregate", "tau", "rounds")
    advocates: int = Field(default=3, ge=1, le=9)
    aggregate: Literal["fuse", "softmax"] = "fuse"
    tau: float = Field(default=0.05, ge=0.001, le=100)
    rounds: int = Field(default=1, ge=1, le=12)

    @model_validator(mode="after")
    def _check_aggregate(self) -> Options:
        if self.aggregate == "fuse" and "tau" in self.model_fields_set:
            raise ValueError('tau needs aggregate = "softmax"')
        if self.aggregate == "softmax" and self.rounds > 1:
            raise ValueError('rounds needs aggregate = "fuse"')
        if self.aggregate == "softmax" and self.preset:
            raise ValueError(
                'aggregate = "softmax" is the paper\'s model and not its method: with it, '
                f'leave out preset = "{self.preset}"'
            )
        return self


class More(CriteriaJudge):
    """Several advocates of each side, whose defences are fused into one, and a judge of both."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Collect both sides' defences at the same time, then ask the judge.

        An advocate without a text is left out; a side needs at least one.
        """
        absences = Absences(language=hearing.language)
        if self.options.preset or self.options.rounds > 1:
            return await self._judge_in_rounds(hearing, absences)
        teams = [
            AdvocateTeam(
                advocate=Advocate(hearing=hearing, side=side, scored=self.options.scores),
                size=self.options.advocates,
                absences=absences,
            )
            for side in SIDES
        ]
        if self.options.aggregate == "softmax":
            return await self._judge_by_softmax(hearing, teams, absences)
        pleas = await together(*(team.plead("defend") for team in teams))
        defences = "\n".join(
            team.advocate.quote(plea) for team, plea in zip(teams, pleas, strict=True)
        )
        prompt = _PROMPTS[self.options.scores]
        return absences.add_to(await ask_for_judgement(hearing, prompt, defences=defences))

    async def _judge_in_rounds(self, hearing: Hearing, absences: Absences) -> Judgement:
        kind = partial(PaperCourt, heard=False) if self.options.preset else Court
        court = kind(
            hearing=hearing,
            limit=self.options.rounds,
            absences=absences,
            scored=self.options.scores,
            advocates=self.options.advocates,
        )
        return absences.add_to(judge_rounds(court, await hold_rounds(court)))

    async def _judge_by_softmax(
        self, hearing: Hearing, teams: Sequence[AdvocateTeam], absences: Absences
    ) -> Judgement:
        """Score two advocates at a time, one of each side, and aggregate the scores.

        A side with fewer defences than the other has its own heard again, and counted once.
        """
        defences = await together(*(team.collect("defend") for team in teams))
        texts = [list(side.values()) for side in defences]
        paths = [f"judge/{number}" for number in range(1, max(map(len, texts)) + 1)]
        asked = []
        for number, path in enumerate(paths):
            quoted = "\n".join(
                team.advocate.quote(side[number % len(side)])
                for team, side in zip(teams, texts, strict=True)
            )
            prompt = _PROMPTS[self.options.scores]
            asked.append(ask_for_card(hearing, prompt, path=path, defences=quoted))
        answers = await together(*map(absences.attempt, asked, paths))
        absences.check_half(paths)
        known = [(number, card) for number, card in enumerate(answers) if card is not None]
        return absences.add_to(self._aggregate(hearing, known, [len(side) for side in texts]))

    def _aggregate(
        self, hearing: Hearing, known: Sequence[tuple[int, Card]], sizes: Sequence[int]
    ) -> Judgement:
        """Return the judgement of cards by the number of their advocates, counted from 0."""
        cards = [card for _, card in known]
        weights: dict[Side, NDArray[np.float64]] = {}
        counted: dict[Side, list[int]] = {}
        for side, size in zip(SIDES, sizes, strict=True):
            places = [place for place, (number, _) in enumerate(known) if number < size]
            counted[side] = places or list(range(len(known)))
            totals = [getattr(cards[place], side).total for place in counted[side]]
            weights[side] = np.zeros(len(cards))  # 0 for a card that does not count for the side
            weights[side][counted[side]] = softmax_weights(totals, self.options.tau)
        card = aggregate_cards(cards, weights)
        trace: tuple[Step, ...] = tuple(
            {
                "agent": PAIR_OF_ADVOCATES,
                "number": number + 1,
                **{side: getattr(heard, side).total for side in SIDES},
                **{f"{s}_weight": float(weights[s][place]) for s in SIDES if place in counted[s]},
            }
            for place, (number, heard) in enumerate(known)
        )
        return Judgement(
            verdicts=verdicts([card], hearing.language), rationale=card.judgement, trace=trace
        )

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast each side's advocates and its fusion, and the judge: 9 calls by default."""
        debate = speeches * words * 1.4
        first = 2 * (options.advocates + (options.advocates > 1 or options.rounds == 1)) + 1
        calls = first + (options.rounds - 1) * (first + 2)
        if options.aggregate == "softmax":
            calls = 3 * options.advocates
        if options.preset:  # a call for feedback in each round but the last
            calls = options.rounds * (2 * (options.advocates + (options.advocates > 1)) + 2) - 1
        return Forecast(
            calls=(calls, calls, calls + 1),
            input_tokens=(
                calls * (900 + 0.6 * debate),
                calls * (1200 + debate),
                (calls + 1) * (2500 + 2 * debate),
            ),
            output_tokens=(calls * 60, calls * 130 + 350, calls * 400 + 2000),
        )
