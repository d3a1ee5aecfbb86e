"""Forecast of what a tournament takes: calls, tokens and USD, each low, expected and high."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.config.resolve import ResolvedConfig
from arena.debater import Debater, Forecast
from arena.languages import SPEECHES, STAGES, language
from arena.llm.purse import MEASURES, Measure
from arena.plugins import debater_class, debater_options, judge_class, judge_options
from arena.records import Debate

#: The length of an answer to a question in words, its derivation included.
_ANSWER_WORDS = 40

#: Returns the price of a model: USD per input token, and per output token.
Price = Callable[[str], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Total calls, tokens and USD; the three numbers of each array are low, expected and high."""

    calls: NDArray[np.float64]
    tokens: NDArray[np.float64]
    usd: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCost:
    """The forecast of what a unit of work costs, in one measure.

    Attributes:
        low, high: at least and at most, if nothing unusual happens.
        expected: most probably.
    """

    low: float = 0.0
    expected: float = 0.0
    high: float = 0.0


#: What a unit draws on whose purses: '' is everybody's, all others are ids of participants.
Draws: TypeAlias = tuple[str, Measure]


def estimate(
    resolved: ResolvedConfig, debates: Sequence[Debate], *, ballots: Sequence[str], price: Price
) -> Estimate:
    """Estimate the debates that are to be played and the ballots that are to be asked for.

    Args:
        resolved: names the participants and the benches.
        debates: to be played.
        ballots: to be asked for: the name of its bench for each of them.
        price: looks up a model's price.
    """
    words = _words(resolved)
    seats = [participant for debate in debates for participant in (debate.pro, debate.con)]
    rows = [_seat_row(resolved, words, participant, price) for participant in seats]
    rows += [row for bench in ballots for _, row in _ballot_rows(resolved, words, bench, price)]
    total = np.sum(rows, axis=0) if rows else np.zeros((3, 3))
    return Estimate(calls=total[0], tokens=total[1], usd=total[2])


class CostForecast:
    """The expected costs of single debates with their ballots.

    Args:
        resolved: names the participants and the benches.
        price: looks up a model's price.
    """

    def __init__(self, resolved: ResolvedConfig, *, price: Price) -> None:
        self._resolved, self._price, self._words = resolved, price, _words(resolved)
        self._benches = [
            bench for bench in resolved.benches if not judge_class(bench.judge).by_people
        ]
        self._seats: dict[str, NDArray[np.float64]] = {}
        self._ballots: dict[str, NDArray[np.float64]] = {}

    def debate(
        self, debate: Debate, *, play: bool, ballots: Sequence[str]
    ) -> Mapping[Draws, ExpectedCost]:
        """Return the expected cost of what is open of a debate, and each participant's part of it.

        Args:
            debate: the debate.
            play: whether its speeches are open.
            ballots: the name of the bench for each open ballot; they are nobody's part.
        """
        seats = {side: self._seat(side) for side in (debate.pro, debate.con) if play}
        rows = [*seats.values(), *(self._ballot(bench) for bench in ballots)]
        whole = np.sum(rows, axis=0) if rows else np.zeros((3, 3))
        return {
            (payer, measure): _expected(row, measure)
            for payer, row in {"": whole, **seats}.items()
            for measure in MEASURES
        }

    def side(self, participant_id: str) -> float:
        """Return the expected cost of one side of a debate, in USD."""
        return _expected(self._seat(participant_id), "usd").expected

    def judging(self) -> float:
        """Return the expected cost of all ballots on a debate, in USD."""
        return sum(
            bench.runs * _expected(self._ballot(bench.name), "usd").expected
            for bench in self._benches
        )

    def _seat(self, participant_id: str) -> NDArray[np.float64]:
        if participant_id not in self._seats:
            row = _seat_row(self._resolved, self._words, participant_id, self._price)
            self._seats[participant_id] = row
        return self._seats[participant_id]

    def _ballot(self, bench: str) -> NDArray[np.float64]:
        if bench not in self._ballots:
            rows = [row for _, row in _ballot_rows(self._resolved, self._words, bench, self._price)]
            self._ballots[bench] = np.sum(rows, axis=0) if rows else np.zeros((3, 3))
        return self._ballots[bench]


class CallForecast:
    """The expected numbers of calls of single debates and ballots.

    Args:
        resolved: names the participants and the benches.
    """

    def __init__(self, resolved: ResolvedConfig) -> None:
        self._resolved = resolved
        self._words = _words(resolved)
        self._models = {
            participant.participant_id: participant.model for participant in resolved.participants
        }
        self._seats: dict[str, float] = {}
        self._ballots: dict[str, dict[str, float]] = {}

    def debate(self, debate: Debate) -> dict[str, float]:
        """Return the expected calls of a debate by model; all of a participant's by its own."""
        calls: dict[str, float] = {}
        for participant_id in (debate.pro, debate.con):
            if participant_id not in self._seats:
                row = _seat_row(self._resolved, self._words, participant_id, _free)
                self._seats[participant_id] = float(row[0, 1])
            if model := self._models[participant_id]:
                calls[model] = calls.get(model, 0.0) + self._seats[participant_id]
        return calls

    def ballot(self, bench: str) -> dict[str, float]:
        """Return the expected calls of a ballot of a bench, by model."""
        if bench not in self._ballots:
            calls: dict[str, float] = {}
            for model, row in _ballot_rows(self._resolved, self._words, bench, _free):
                if model:
                    calls[model] = calls.get(model, 0.0) + float(row[0, 1])
            self._ballots[bench] = calls
        return self._ballots[bench]


def _expected(row: NDArray[np.float64], measure: Measure) -> ExpectedCost:
    low, expected, high = row[2] if measure == "usd" else row[1]
    return ExpectedCost(low=float(low), expected=float(expected), high=float(high))


def _free(model: str) -> tuple[float, float]:  # noqa: ARG001
    return 0.0, 0.0


def _words(resolved: ResolvedConfig) -> int:
    """Return the length limit of a speech in the language that allows most."""
    codes = resolved.config.tournament.languages
    return max(language(code).limit(resolved.config.limits.words) for code in codes)


def _seat_row(
    resolved: ResolvedConfig, words: int, participant_id: str, price: Price
) -> NDArray[np.float64]:
    """Estimate one side of one debate; shape as that of `_row`."""
    participant = next(p for p in resolved.participants if p.participant_id == participant_id)
    framework = debater_class(participant.debater)
    options = debater_options(participant.debater, participant.options)
    models = [participant.model, *framework.models(options)] if framework.needs_model else []
    # How the calls divide among several models is not known beforehand: the dearest price holds.
    dearest = max((price(model) for model in models), key=sum, default=(0.0, 0.0))
    contest = resolved.config.tournament.contest
    if contest == "question":
        # The answer to a question is one short speech, and a forecast is for a debate's three.
        return _row(framework.forecast(options, _ANSWER_WORDS), dearest) / len(STAGES)
    speeches = _row(framework.forecast(options, words), dearest)
    total = speeches + _row(_repeats(framework, words), dearest)
    return total / len(STAGES) if contest == "essay" else total  # an essay is one speech of three


def _repeats(framework: type[Debater], words: int) -> Forecast:
    """Forecast the calls with which the protocol asks for a speech again: at worst, for each."""
    most = float(len(STAGES)) if framework.needs_model else 0.0
    speech = 2.0 * words
    return Forecast.per_call((0.0, 0.0, most), read=(0, 0, 800 + speech), said=(0, 0, speech))


def _ballot_rows(
    resolved: ResolvedConfig, words: int, bench_name: str, price: Price
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Estimate one ballot of a bench: each model that it asks, with its row."""
    bench = next(b for b in resolved.benches if b.name == bench_name)
    method = judge_class(bench.judge)
    options = judge_options(bench.judge, bench.options)
    speeches = SPEECHES if resolved.config.tournament.contest == "debate" else 2
    orders = 2 if bench.swap else 1
    for model, forecast in method.forecasts(options, words, speeches, model=bench.model):
        yield model, orders * _row(forecast, price(model) if model else (0.0, 0.0))


def _row(forecast: Forecast, price: tuple[float, float]) -> NDArray[np.float64]:
    """Return calls, tokens and USD of a forecast: (3, 3), the columns low, expected and high."""
    read, written = np.array(forecast.input_tokens), np.array(forecast.output_tokens)
    return np.array([forecast.calls, read + written, read * price[0] + written * price[1]])
