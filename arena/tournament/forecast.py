"""Forecast of what a tournament takes: calls, tokens and USD, each low, expected and high."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.debater import Forecast
from arena.languages import SPEECHES, STAGES, language
from arena.llm.budget import MEASURES, Draws, Measure
from arena.plugins import debater_class, debater_options, judge_class, judge_options
from arena.store.spending import OwnerTokens, count_sides, read_judging_tokens, read_side_tokens

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Debate, Participant
    from arena.store.database import Store

#: The length of an answer to a question in words, its derivation included.
_ANSWER_WORDS = 40

Floats = NDArray[np.float64]

#: Returns the price of a model: USD per input token, and per output token.
Price = Callable[[str], tuple[float, float]]
#: How many debates a forecast counts for, beside those that are done.
_FORECAST_DEBATES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """Total calls, tokens and USD; the three numbers of each array are low, expected and high."""

    calls: Floats
    tokens: Floats
    usd: Floats


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


def estimate(
    resolved: ResolvedConfig, debates: Sequence[Debate], *, ballots: Sequence[str], price: Price
) -> CostEstimate:
    """Estimate the debates that are to be played and the ballots that are to be asked for.

    Args:
        ballots: to be asked for: the name of its bench for each of them.
    """
    units = _UnitForecasts(resolved, price)
    rows = [units.side(player) for debate in debates for player in (debate.pro, debate.con)]
    rows += [row for bench in ballots for _, row in units.ballot_rows(bench)]
    calls, tokens, usd = _total(rows)
    return CostEstimate(calls=calls, tokens=tokens, usd=usd)


class _UnitForecasts:
    """The forecasts of sides of debates and of ballots, as `_row` has them; each is made once.

    Attributes:
        side: by participant's id.
        ballot_rows: of a bench, by its name: each model that it asks, with its row.
    """

    def __init__(self, resolved: ResolvedConfig, price: Price) -> None:
        codes = resolved.config.tournament.languages
        # The length limit of a speech in the language that allows most.
        words = max(language(code).limit(resolved.config.limits.words) for code in codes)
        players = {player.participant_id: player for player in resolved.participants}
        self.side = cache(lambda player: _side_row(resolved, words, price, players[player]))
        self.ballot_rows = cache(partial(_ballot_rows, resolved, words, price))

    def ballot(self, bench: str) -> Floats:
        """Return the forecast of a ballot, (3, 3)."""
        return _total([row for _, row in self.ballot_rows(bench)])


class CostForecast:
    """The expected costs of single debates with their ballots."""

    def __init__(self, resolved: ResolvedConfig, *, price: Price) -> None:
        self._benches, self._units = resolved.model_benches, _UnitForecasts(resolved, price)

    def debate(
        self, debate: Debate, *, play: bool, ballots: Sequence[str]
    ) -> Mapping[Draws, ExpectedCost]:
        """Return the expected cost of what is open of a debate, and each participant's part of it.

        Args:
            play: whether its speeches are open.
            ballots: the name of the bench for each open ballot; they are nobody's part.
        """
        sides = {side: self._units.side(side) for side in (debate.pro, debate.con) if play}
        whole = _total([*sides.values(), *map(self._units.ballot, ballots)])
        return {
            (payer, measure): _expected(row, measure)
            for payer, row in {"": whole, **sides}.items()
            for measure in MEASURES
        }

    def side(self, participant_id: str) -> float:
        """Return the expected cost of one side of a debate, in USD."""
        return _expected(self._units.side(participant_id), "usd").expected

    def judging(self) -> float:
        """Return the expected cost of all ballots on a debate, in USD."""
        return sum(
            bench.runs * _expected(self._units.ballot(bench.name), "usd").expected
            for bench in self._benches
        )


class CallForecast:
    """The expected numbers of calls of single debates and ballots."""

    def __init__(self, resolved: ResolvedConfig) -> None:
        self._units = _UnitForecasts(resolved, lambda _: (0.0, 0.0))
        self._models = {player.participant_id: player.model for player in resolved.participants}

    def debate(self, debate: Debate) -> dict[str, float]:
        """Return the expected calls of a debate by model; all of a participant's by its own."""
        players = (debate.pro, debate.con)
        return _sum_calls((self._models[player], self._units.side(player)) for player in players)

    def ballot(self, bench: str) -> dict[str, float]:
        """Return the expected calls of a ballot of a bench, by model."""
        return _sum_calls(self._units.ballot_rows(bench))


def _total(rows: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum(rows, axis=0)) if rows else np.zeros((3, 3))


def _sum_calls(rows: Iterable[tuple[str, Floats]]) -> dict[str, float]:
    """Add up expected calls by model; people, who have none, are left out."""
    calls: dict[str, float] = {}
    for model, row in rows:
        if model:
            calls[model] = calls.get(model, 0.0) + float(row[0, 1])
    return calls


def _expected(row: Floats, measure: Measure) -> ExpectedCost:
    low, expected, high = row[2] if measure == "usd" else row[1]
    return ExpectedCost(low=float(low), expected=float(expected), high=float(high))


def _side_row(
    resolved: ResolvedConfig, words: int, price: Price, participant: Participant
) -> Floats:
    """Estimate one side of one debate; shape as that of `_row`."""
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
    # The protocol asks for a speech again: at worst, for each.
    most = float(len(STAGES)) if framework.needs_model else 0.0
    repeats = Forecast.per_call(
        (0.0, 0.0, most), read=(0, 0, 800 + 2.0 * words), said=(0, 0, 2.0 * words)
    )
    total = speeches + _row(repeats, dearest)
    return total / len(STAGES) if contest == "essay" else total  # an essay is one speech of three


def _ballot_rows(
    resolved: ResolvedConfig, words: int, price: Price, bench_name: str
) -> list[tuple[str, Floats]]:
    """Estimate one ballot of a bench: each model that it asks, with its row."""
    bench = resolved.bench(bench_name)
    method = judge_class(bench.judge)
    options = judge_options(bench.judge, bench.options)
    speeches = SPEECHES if resolved.config.tournament.contest == "debate" else 2
    orders = 2 if bench.swap else 1
    return [
        (model, orders * _row(forecast, price(model) if model else (0.0, 0.0)))
        for model, forecast in method.forecasts(options, words, speeches, model=bench.model)
    ]


def _row(forecast: Forecast, price: tuple[float, float]) -> Floats:
    """Return calls, tokens and USD of a forecast: (3, 3), the columns low, expected and high."""
    read, written = np.array(forecast.input_tokens), np.array(forecast.output_tokens)
    return np.array([forecast.calls, read + written, read * price[0] + written * price[1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrices:
    """What debates cost on average, in USD.

    Attributes:
        sides: one side of one debate, by participant's id.
        judging: all ballots on one debate.
    """

    sides: Mapping[str, float]
    judging: float


def list_prices(
    store: Store, resolved: ResolvedConfig, debate_ids: Sequence[str], *, price: Price
) -> ListPrices:
    """Work out what debates cost, from the tokens of accepted answers.

    Answers that were lost, repeated or are reserved do not count, so that the same debates always
    give the same prices. A forecast counts like two further debates.

    Args:
        debate_ids: of the debates that count, all of them judged.
        price: looks up a model's list price: USD per input token and per output token.
    """
    forecast = CostForecast(resolved, price=price)
    debates = count_sides(store, debate_ids)
    paid = _price_tokens(read_side_tokens(store, debate_ids), price)
    judging = _price_tokens(read_judging_tokens(store, debate_ids), price).get("", 0.0)
    return ListPrices(
        sides={
            side: _blend(paid.get(side, 0.0), debates.get(side, 0), forecast.side(side))
            for side in resolved.names
        },
        judging=_blend(judging, len(debate_ids), forecast.judging()),
    )


def _price_tokens(tokens: Iterable[OwnerTokens], price: Price) -> dict[str, float]:
    """Return the sums in USD by owner."""
    paid: dict[str, float] = {}
    for part in tokens:
        read, written = price(part.model)
        usd = part.input_tokens * read + part.output_tokens * written
        paid[part.owner] = paid.get(part.owner, 0.0) + usd
    return paid


def _blend(paid: float, debates: int, forecast: float) -> float:
    return (paid + _FORECAST_DEBATES * forecast) / (debates + _FORECAST_DEBATES)
