"""Forecast of what a tournament takes: calls, tokens and USD, each low, expected and high."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.config.resolve import ResolvedConfig
from arena.debater import Debater, Forecast
from arena.languages import SPEECHES, STAGES, language
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
    codes = resolved.config.tournament.languages
    words = max(language(code).limit(resolved.config.limits.words) for code in codes)
    seats = [participant for debate in debates for participant in (debate.pro, debate.con)]
    rows = [_seat_row(resolved, words, participant, price) for participant in seats]
    rows += [row for bench in ballots for row in _ballot_rows(resolved, words, bench, price)]
    total = np.sum(rows, axis=0) if rows else np.zeros((3, 3))
    return Estimate(calls=total[0], tokens=total[1], usd=total[2])


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
) -> Iterator[NDArray[np.float64]]:
    """Estimate one ballot of a bench, a row for each model that it asks."""
    bench = next(b for b in resolved.benches if b.name == bench_name)
    method = judge_class(bench.judge)
    options = judge_options(bench.judge, bench.options)
    speeches = SPEECHES if resolved.config.tournament.contest == "debate" else 2
    orders = 2 if bench.swap else 1
    for model, forecast in method.forecasts(options, words, speeches, model=bench.model):
        yield orders * _row(forecast, price(model) if model else (0.0, 0.0))


def _row(forecast: Forecast, price: tuple[float, float]) -> NDArray[np.float64]:
    """Return calls, tokens and USD of a forecast: (3, 3), the columns low, expected and high."""
    read, written = np.array(forecast.input_tokens), np.array(forecast.output_tokens)
    return np.array([forecast.calls, read + written, read * price[0] + written * price[1]])
