"""The next wave of a stored tournament: prices, targets, what is stored, and what a plan tells."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.config.schedule_section import ScheduleSection, TargetSection
from arena.config.stored import stored_config
from arena.records import Debate
from arena.scheduling.asked import Asked
from arena.scheduling.meetings import planned_matchups
from arena.store.database import Store
from arena.tournament.certainty import certainty_lines, foresee, foresee_stored
from arena.tournament.forecast import ListPrices, list_prices
from arena.tournament.plan import add_wave, make_plan, store_plan
from arena.tournament.target_cost import TargetCost
from ratings import Comparisons
from ratings.design import PRIOR_INFORMATION
from tests.support.console_script import ask
from tests.support.tournaments import content


def price(_: str) -> tuple[float, float]:
    """One USD per million tokens read, two per million written."""
    return 1e-6, 2e-6


def config(**schedule: int) -> ResolvedConfig:
    tables = {**content(), "schedule": schedule}
    return resolve(parse_config(tables, where="own.toml"), where="own.toml")


def stored(database: Path) -> tuple[Store, ResolvedConfig]:
    store = Store(database)
    return store, stored_config(store, None)


def adaptive(resolved: ResolvedConfig, target: TargetSection | None, **keys: int) -> Asked:
    section = ScheduleSection.model_validate({"kind": "adaptive", **keys})
    return replace(Asked.of(resolved), schedule=section, target=target)


def test_prices_are_tokens_at_list_price_and_a_forecast_counts_for_two_debates(
    small_database: Path,
) -> None:
    store, resolved = stored(small_database)
    before = list_prices(store, resolved, [], price=price)
    debates = [str(row[0]) for row in ask(small_database, "SELECT debate_id FROM debates")]
    prices = list_prices(store, resolved, debates, price=price)
    for participant in resolved.participants:
        own = participant.participant_id
        sides = ask(
            small_database,
            "SELECT sum(input_tokens + 2 * output_tokens) FROM calls JOIN debates ON debate_id = "
            f"unit WHERE (pro = '{own}' AND path LIKE 'pro/%') "
            f"OR (con = '{own}' AND path LIKE 'con/%')",
        )
        expected = (float(str(sides[0][0])) * 1e-6 + 2 * before.sides[own]) / (4 + 2)
        assert prices.sides[own] == pytest.approx(expected)
    judging = ask(
        small_database,
        "SELECT sum(input_tokens + 2 * output_tokens) FROM calls JOIN ballots ON ballot_id = unit",
    )
    expected = (float(str(judging[0][0])) * 1e-6 + 2 * before.judging) / (6 + 2)
    assert prices.judging == pytest.approx(expected)


def test_a_wave_is_stored_with_what_it_is_planned_from(own_database: Path) -> None:
    store, resolved = stored(own_database)
    asked = adaptive(resolved, TargetSection(), wave=2)
    found = make_plan(resolved, store, asked=asked)
    assert (found.added, found.open) == ((), ())
    found = add_wave(found, store, price=price)
    assert [(work.debate.leg, work.play) for work in found.open] == [(0, True), (1, True)] * 2
    assert found.wave is not None and len(found.wave.judged) == 6 and not found.wave.left_out
    store_plan(found, store)
    again = add_wave(make_plan(resolved, store, asked=asked), store, price=price)
    assert again.wave is not None and again.wave.number == 1
    assert again.wave.judged == () and len(again.wave.left_out) == 4
    (row,) = store.rows("SELECT * FROM waves")
    assert json.loads(row["judged"]) == list(found.wave.judged)
    assert [meeting["matchup_id"] for meeting in json.loads(row["meetings"])] == [
        debate.matchup_id for debate in found.added if debate.leg == 0
    ]
    assert len(json.loads(row["motions"])) == len(resolved.motions)
    assert json.loads(row["schedule"])["planned"] == 30 * len(resolved.participants)


@pytest.mark.parametrize(
    ("keys", "planned"),
    [
        ({"kind": "adaptive", "matchups": 8}, 8),
        ({"kind": "adaptive"}, 90),
        ({"kind": "adaptive", "matchups": 8, "knockout": 2}, None),
        ({"kind": "swiss", "rounds": 3}, None),
    ],
)
def test_the_end_of_adaptive_play_is_planned(
    small_database: Path, keys: dict[str, object], planned: int | None
) -> None:
    _, resolved = stored(small_database)
    asked = replace(Asked.of(resolved), schedule=ScheduleSection.model_validate(keys))
    assert planned_matchups(asked, len(resolved.participants)) == planned


def test_nothing_follows_once_the_target_or_the_most_matchups_are_reached(
    own_database: Path,
) -> None:
    store, resolved = stored(own_database)
    wide = TargetSection(objective="precision", elo=5000.0)
    for asked, words in (
        (adaptive(resolved, wide), "3 of 3 intervals are within ±5000 Elo points."),
        (adaptive(resolved, None, matchups=3), "All 3 matchups that the schedule allows"),
    ):
        found = add_wave(make_plan(resolved, store, asked=asked), store, price=price)
        assert found.added == () and found.wave is not None
        assert words in found.wave.result


def test_matchups_that_placed_a_newcomer_are_no_part_of_the_schedule(own_database: Path) -> None:
    store, resolved = stored(own_database)
    newcomer = resolved.participants[0].name
    placing = adaptive(resolved, TargetSection(objective="newcomer", places=1), matchups=5, wave=2)
    section = placing.schedule.model_copy(update={"newcomers": [newcomer]})
    found = add_wave(
        make_plan(resolved, store, asked=replace(placing, schedule=section)), store, price=price
    )
    assert len(found.added) == 2 * 2
    store_plan(found, store)
    for matchups, further, words in (
        (2, 0, "All 2 matchups that the schedule allows are played, and 1 more of an earlier "),
        (3, 0, "All 3 matchups that the schedule allows are played, besides 2 that placed newc"),
        (4, 1, ""),
    ):
        asked = adaptive(resolved, None, matchups=matchups, wave=2)
        then = add_wave(make_plan(resolved, store, asked=asked), store, price=price)
        assert then.wave is not None and then.wave.result.startswith(words)
        assert len(then.added) == 2 * further


def test_round_robin_goes_in_parts_where_there_is_a_target(tmp_path: Path) -> None:
    store, resolved = Store(tmp_path / "own.duckdb"), config(matchups_per_pair=2)
    asked = replace(Asked.of(resolved), target=TargetSection())
    found = add_wave(make_plan(resolved, store, asked=asked), store, price=price)
    assert len(found.added) == 2 * 2
    assert len(make_plan(resolved, store).added) == 2 * 6


def test_a_plan_says_how_sure_the_ratings_will_be(tmp_path: Path) -> None:
    store, resolved = Store(tmp_path / "own.duckdb"), config(matchups_per_pair=4)
    found = make_plan(resolved, store)
    lines = list(certainty_lines(foresee_stored(found, store, price=price, cap=None), resolved))
    assert len(lines) == 1
    assert lines[0].startswith("expect ratings to ±")
    assert "to settle two that are 100 Elo apart: about " in lines[0]
    ids = {p.participant_id: 1.0 for p in resolved.participants}
    prices = ListPrices(sides=ids, judging=1.0)
    half = foresee(found, prices, cap=18.0)
    assert (half.affordable, half.fewest) == (6, 1), "everybody in turn"
    assert list(certainty_lines(half, resolved))[1].startswith("the cap pays for about 6 of the")
    assert foresee(found, prices, cap=1e6).affordable is None
    known = foresee(found, prices, cap=None, rating={name: 1000.0 for name in ids})
    assert known.half_width == known.widest == pytest.approx(half_width(found.debates))


def half_width(debates: tuple[Debate, ...]) -> float:
    """The half width where every pair of three has four matchups of equals: 8 of everybody."""
    assert len(debates) == 24
    variance = 2 / (3 * 4 * PRIOR_INFORMATION)  # of a difference
    error = 400 / np.log(10) * np.sqrt(variance * (2 / 3) / 2)
    return float(student.ppf(0.975, 8 - 1) * error)


def test_a_range_leaves_out_a_tenth_and_says_what_was_not_reached() -> None:
    numbers = np.array([3, 1, 2, np.inf] * 3)
    cost = TargetCost(schedule="adaptive", matchups=numbers, usd=numbers, most=50)
    assert cost.reached == 0.75
    assert cost.range(numbers) == (1.0, 3.0, np.inf)


def test_comparisons_of_a_wave_are_numbered_by_matchup(own_database: Path) -> None:
    store, resolved = stored(own_database)
    asked = adaptive(resolved, None, wave=1)
    found = add_wave(make_plan(resolved, store, asked=asked), store, price=price)
    assert found.wave is not None
    rows: Comparisons = found.wave.situation.comparisons
    for cluster in range(3):
        pair = found.wave.situation.matchups[cluster]
        own = rows.cluster == cluster
        names = {rows.names[k] for k in (*rows.first[own], *rows.second[own])}
        assert names == set(pair) and own.sum() == 2
