"""Forecasts of plans beside what came: widths of intervals, and what settles an order.

    python benchmarks/forecasts.py [--json] [--short] [--part width|settle|offline] [--fields 100]

*width* and *settle* play simulated fields with fixed seeds, as `arena simulate` does: three ballots
per debate that agree more than chance (ICC 0.21), a side worth 80 Elo points, ν = 0.3. *offline*
plays tournaments of the offline models, whose order is known, from the file to the board. The
forecasts are those that `arena run` prints (`arena.tournament.certainty.foresee`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import parse_config  # noqa: E402 - the project, as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.scheduling.fixed import FixedSchedule, round_robin  # noqa: E402
from arena.scheduling.simulation import (  # noqa: E402
    FieldPlan,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from arena.store.database import Store  # noqa: E402
from arena.tournament.certainty import Certainty, foresee  # noqa: E402
from arena.tournament.forecast import ListPrices  # noqa: E402
from arena.tournament.plan import TournamentPlan, make_plan  # noqa: E402
from benchmarks.known_models import offline_rows  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from ratings import Comparisons, confidence  # noqa: E402
from ratings.design import matchup_information  # noqa: E402
from ratings.model.fitting import ELO_PER_GAMMA  # noqa: E402

Row = Mapping[str, object]
Floats = NDArray[np.float64]
#: Participants and matchups of each pair.
_SIZES = ((2, 20), (4, 2), (4, 8), (8, 2), (8, 8), (16, 2))
#: Participants, and where they are: in two groups 100 Elo points apart, or each so far apart.
_SHAPES = (*((size, "two groups") for size in (2, 4, 8, 16)), (8, "ladder"))
#: Standard deviations of strengths, Elo points.
_SPREADS = (0.0, 174.0, 350.0)
#: Matchups of each pair, as shares of those that were forecast to settle an order.
_SHARES = np.arange(0.4, 1.85, 0.2)
#: A forecast from half of the matchups is near what came if they differ by so much at most.
_NEAR = 0.2
_GAP = 100.0
_POWER = 0.8


def width_rows(fields: int) -> Iterator[Row]:
    """Yield the forecast of the half width of an interval beside the mean of those that came."""
    for size, matchups in _SIZES:
        plan = plan_of(size, matchups)
        before = _foresee(plan)
        for spread in _SPREADS:
            played = [_play_half(size, matchups, spread, seed) for seed in range(fields)]
            came = np.array([half_width(whole) for _, whole in played])
            later = np.array([_foresee_from(plan, half) for half, _ in played])
            inside = (before.half_width <= came) & (came <= before.widest)
            yield {
                "case": f"{size} participants, {matchups} matchups a pair, spread {spread:.0f}",
                "fields": fields,
                "close": before.half_width,
                "wide": before.widest,
                "came": float(came.mean()),
                "low": float(np.quantile(came, 0.1)),
                "high": float(np.quantile(came, 0.9)),
                "from_half": float(later.mean()),
                "ratio": float(np.median(came / later)),
                "inside": float(inside.mean()),
                "near": float((np.abs(came / later - 1) <= _NEAR).mean()),
            }


def settle_rows(fields: int) -> Iterator[Row]:
    """Yield the matchups of a pair that were to settle 100 Elo points beside those that did."""
    for size, shape in _SHAPES:
        needed = _foresee(plan_of(size, 1)).settling_matchups
        counts = np.unique(np.ceil(_SHARES * needed).astype(int))
        settled = np.array([_settled(size, shape, counts, seed) for seed in range(fields)])
        share = settled.mean(axis=0)
        reached = share >= _POWER
        yield {
            "case": f"{size} participants, {shape}",
            "fields": fields,
            "forecast": needed,
            "settled_then": float(np.interp(needed, counts, share)),
            "came": int(counts[reached.argmax()]) if reached.any() else None,
        }


def plan_of(size: int, matchups: int) -> TournamentPlan:
    """Return the plan of a round robin that is stored nowhere."""
    names = [f"p{number}" for number in range(size)]
    people = [{"name": name, "debater": "direct", "model": "offline/fair"} for name in names]
    bench = {"name": "bench", "judge": "single", "model": "offline/fair", "runs": 3}
    content: dict[str, Any] = {
        "tournament": {"name": "forecast"},
        "schedule": {"matchups_per_pair": matchups},
        "participants": people,
        "benches": [bench],
    }
    config = parse_config(content, where="forecast")
    return make_plan(resolve(config, where="forecast"), Store(Path("none.duckdb")))


def half_width(comparisons: Comparisons) -> float:
    """Return the mean half width of the board's intervals of ratings, Elo points."""
    sure = confidence(comparisons)
    return float((sure.upper - sure.lower).mean() / 2)


def _foresee(plan: TournamentPlan, **known: Any) -> Certainty:  # noqa: ANN401 - keywords of `foresee`
    ids = [participant.participant_id for participant in plan.resolved.participants]
    free = ListPrices(sides=dict.fromkeys(ids, 0.0), judging=0.0)
    return foresee(plan, free, cap=None, **known)


def _foresee_from(plan: TournamentPlan, half: Comparisons) -> float:
    """Return the half width that is foreseen from what the first half of the matchups shows."""
    estimate = confidence(half)
    ids = sorted(participant.participant_id for participant in plan.resolved.participants)
    rating = dict(zip(ids, estimate.ratings.rating.tolist(), strict=True))
    information = matchup_information(half, estimate)
    return _foresee(plan, information=information, rating=rating).half_width


def _play_half(
    size: int, matchups: int, spread: float, seed: int
) -> tuple[Comparisons, Comparisons]:
    """Return the comparisons of the first half of the matchups of a field, and of all."""
    rng = np.random.default_rng([seed, size, matchups])
    field = draw_field(FieldPlan(participants=size, spread=spread / ELO_PER_GAMMA), rng)
    total = matchups * size * (size - 1) // 2
    looks = play_to(field, [total // 2, total], seed)
    return looks[0], looks[1]


def play_to(field: SimulatedField, looks: Sequence[int], seed: int) -> list[Comparisons]:
    """Play round robins on a field, and return all comparisons at some numbers of matchups."""
    pairs = list(round_robin(field.names, matchups_per_pair=1))
    rounds = -(-looks[-1] // len(pairs))
    schedule = FixedSchedule(tuple(pairs * rounds))
    moments = SimulatedTournament(field, seed).play(schedule, step=1)
    return [moment.comparisons for moment in moments if moment.matchups in looks]


def _settled(size: int, shape: str, counts: NDArray[np.intp], seed: int) -> list[float]:
    """Return the share of pairs that are 100 Elo points apart that are settled, by matchups."""
    steps = np.arange(size) if shape == "ladder" else np.arange(size) % 2
    drawn = draw_field(FieldPlan(participants=size), np.random.default_rng([seed, size]))
    strength = _GAP / ELO_PER_GAMMA * (steps - steps.mean())
    field = replace(drawn, strength=strength)
    apart = np.isclose(strength[:, None] - strength[None, :], _GAP / ELO_PER_GAMMA)
    pairs = size * (size - 1) // 2
    looks = [int(count) * pairs for count in counts]
    return [float(confidence(at).above[apart].mean()) for at in play_to(field, looks, seed)]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each case.")
@click.option("--short", is_flag=True, help="Few fields, to try it.")
@click.option("--fields", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--part", type=click.Choice(["width", "settle", "offline"]), help="One part only.")
def main(*, as_json: bool, short: bool, fields: int, part: str | None) -> None:
    """Set forecasts beside what came."""
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "width": lambda: width_rows(4 if short else fields),
        "settle": lambda: settle_rows(4 if short else fields),
        "offline": lambda: offline_rows(2 if short else 6),
    }
    for name, rows in parts.items():
        if part in (None, name):
            report(rows(), as_json=as_json)


if __name__ == "__main__":
    main()
