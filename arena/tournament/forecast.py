"""What a tournament will take: calls, tokens and USD, low, expected and high."""

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

#: Length of an answer to a question, its derivation included.
_ANSWER_WORDS = 40

Price = Callable[[str], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Totals; each array is (low, expected, high)."""

    calls: NDArray[np.float64]
    tokens: NDArray[np.float64]
    usd: NDArray[np.float64]


def estimate(
    resolved: ResolvedConfig, debates: Sequence[Debate], *, ballots: Sequence[str], price: Price
) -> Estimate:
    """What is left to do: debates to play, and ballots to take (bench names, one per ballot)."""
    words = max(language(code).limit(resolved.config.limits.words) for code in _languages(resolved))
    rows = [_seat(resolved, words, participant, price) for participant in _seats(resolved, debates)]
    rows += [row for bench in ballots for row in _run(resolved, words, bench, price)]
    total = np.sum(rows, axis=0) if rows else np.zeros((3, 3))
    return Estimate(calls=total[0], tokens=total[1], usd=total[2])


def _languages(resolved: ResolvedConfig) -> list[str]:
    return resolved.config.tournament.languages


def _seats(resolved: ResolvedConfig, debates: Sequence[Debate]) -> list[str]:
    return [participant for debate in debates for participant in (debate.pro, debate.con)]


def _seat(
    resolved: ResolvedConfig, words: int, participant_id: str, price: Price
) -> NDArray[np.float64]:
    one = next(p for p in resolved.participants if p.participant_id == participant_id)
    framework = debater_class(one.debater)
    options = debater_options(one.debater, one.options)
    named = [one.model, *framework.models(options)] if framework.needs_model else []
    # Who of several models says how much is not known beforehand: all at the dearest's price.
    each = max((price(model) for model in named), key=sum, default=(0.0, 0.0))
    contest = resolved.config.tournament.contest
    if contest == "question":
        # A question is one short speech of a debate's three.
        return _row(framework.forecast(options, _ANSWER_WORDS), each) / len(STAGES)
    whole = _row(framework.forecast(options, words), each) + _row(_again(framework, words), each)
    return whole / len(STAGES) if contest == "essay" else whole  # an essay is one speech of three


def _again(framework: type[Debater], words: int) -> Forecast:
    """What the protocol may ask beside a debater: at worst, each of its speeches once more."""
    most = float(len(STAGES)) if framework.needs_model else 0.0
    speech = 2.0 * words
    return Forecast.per_call((0.0, 0.0, most), read=(0, 0, 800 + speech), said=(0, 0, speech))


def _run(
    resolved: ResolvedConfig, words: int, bench_name: str, price: Price
) -> Iterator[NDArray[np.float64]]:
    bench = next(b for b in resolved.benches if b.name == bench_name)
    method = judge_class(bench.judge)
    options = judge_options(bench.judge, bench.options)
    speeches = SPEECHES if resolved.config.tournament.contest == "debate" else 2
    orders = 2 if bench.swap else 1
    for model, forecast in method.forecasts(options, words, speeches, model=bench.model):
        yield orders * _row(forecast, price(model) if model else (0.0, 0.0))


def _row(forecast: Forecast, price: tuple[float, float]) -> NDArray[np.float64]:
    given, said = np.array(forecast.input_tokens), np.array(forecast.output_tokens)
    return np.array([forecast.calls, given + said, given * price[0] + said * price[1]])
