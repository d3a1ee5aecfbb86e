"""What a schedule decides: a knockout's winner, a Swiss table, the place of a gauntlet's hero."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from arena.boards.board import board
from arena.boards.selection import Selection
from arena.boards.states import read_state
from arena.boards.stored_boards import store_boards
from arena.read.schedule_results import ScheduleResult, read_schedule_result
from arena.report.leaderboard import show_board
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan, add_wave, make_plan, store_plan
from dashboard.live import read_schedule_of
from tests.support.tournaments import (
    commit,
    content,
    judged,
    named,
    played,
    resolved_of,
)

OVERALL = Selection(tournament="small", bench="bench")
NAMES = ("ann", "bob", "cyd", "dan")
#: How a debate ends: the name of the winner, "tie", or None where it stays open.
Ends = Mapping[str, str | None]


def play(
    path: Path, ends: Ends, *, waves: int = 9, forfeits: tuple[str, ...] = (), **schedule: object
) -> tuple[Store, TournamentPlan]:
    """Play waves in which everybody loses to those named before, unless a pair ends otherwise."""
    config: dict[str, Any] = {**content(*NAMES), "schedule": schedule}
    store, resolved = Store(path), resolved_of(config)
    for _ in range(waves):
        plan = make_plan(resolved, store)
        plan = add_wave(plan, store, price=lambda _: (0.0, 0.0)) if plan.asked.in_waves else plan
        if not plan.added:
            break
        store_plan(plan, store)
        names = named(plan)
        for debate in plan.added:
            sides: dict[Literal["pro", "con"], str] = {
                "pro": names[debate.pro],
                "con": names[debate.con],
            }
            lost: list[Literal["pro", "con"]] = [s for s in sides if sides[s] in forfeits]
            winner = ends.get("_".join(sorted(sides.values())), min(sides.values()))
            if lost:
                commit(store, played(debate, "forfeit", forfeited=lost[0]))
            elif winner is not None:
                outcome = 0.5 if winner == "tie" else float(winner == sides["pro"])
                commit(store, played(debate), judged(debate, outcome))
    return store, plan


def result_of(
    store: Store, plan: TournamentPlan, *, category: str = "all"
) -> ScheduleResult | None:
    shown = board(store, plan.resolved, replace(OVERALL, category=category))
    return read_schedule_result(store, plan.resolved, shown)


@pytest.mark.parametrize(
    ("ends", "waves", "sentence"),
    [
        ({}, 9, "ann wins the knockout, the final by 2 to 0 points against bob."),
        ({"ann_bob": "tie"}, 9, "wins the knockout, the final by 3 to 3 points against"),
        ({}, 1, "The knockout is in its final: open is"),
        (
            dict.fromkeys(("ann_bob", "ann_cyd", "ann_dan")),
            1,
            "The knockout is in its semi-finals: open is",
        ),
    ],
)
def test_a_knockout_names_its_winner_or_how_far_it_is(
    tmp_path: Path, ends: Ends, waves: int, sentence: str
) -> None:
    result = result_of(*play(tmp_path / "own.duckdb", ends, waves=waves, kind="knockout"))
    assert result is not None and sentence in result.sentences[0]
    assert (result.winner is not None) == ("wins" in sentence)
    assert result.sentences[0].endswith(", by lot.") == (ends == {"ann_bob": "tie"})


def test_who_forfeits_every_debate_of_a_contest_loses_it(tmp_path: Path) -> None:
    store, plan = play(tmp_path / "own.duckdb", {}, forfeits=("ann",), kind="knockout")
    result = result_of(store, plan)
    assert result is not None and result.winner not in (None, "ann")
    (own,) = (contest for contest in result.contests if "ann" in (contest.first, contest.second))
    assert {own.first_points, own.second_points} == {0.0, 2.0} and own.winner != "ann"


def test_a_final_with_an_open_debate_has_no_winner_yet(tmp_path: Path) -> None:
    store, plan = play(tmp_path / "own.duckdb", {}, waves=1, kind="knockout")
    final = add_wave(make_plan(plan.resolved, store), store, price=lambda _: (0.0, 0.0))
    store_plan(final, store)
    first, second = final.added
    commit(store, played(first), judged(first, 1.0))
    result = result_of(store, final)
    assert result is not None and result.winner is None
    commit(store, played(second), judged(second, 0.0))
    result = result_of(store, final)
    assert result is not None and result.winner == named(final)[first.pro]


def test_a_swiss_tournament_has_its_table_on_every_surface(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, plan = play(tmp_path / "own.duckdb", {}, kind="swiss", rounds=3)
    result = result_of(store, plan)
    assert result is not None
    assert [(row.participant, row.points) for row in result.swiss] == [
        ("ann", 6.0),
        ("bob", 4.0),
        ("cyd", 2.0),
        ("dan", 0.0),
    ]
    sentence = "Swiss table after 3 of 3 rounds, in points: ann 6, bob 4, cyd 2, dan 0."
    assert result.sentences == (sentence,)
    show_board(store, plan.resolved)
    text = capsys.readouterr().out
    assert text.startswith(f"{sentence}\n") and "Swiss table · by bench bench" in text
    show_board(store, plan.resolved, form="json")
    document = json.loads(capsys.readouterr().out)["schedule"]
    assert document["sentences"] == [sentence] and len(document["swiss"]) == 4
    page = write_page(make_report(store, plan.resolved, at=datetime(2030, 1, 1, tzinfo=UTC)))
    assert sentence in page and "Swiss table · by bench bench" in page
    store_boards(store, plan.resolved)
    state = read_state(store, OVERALL)
    assert state is not None and read_schedule_of(store, state) == result


def test_the_swiss_table_before_a_knockout_counts_its_rounds_alone(tmp_path: Path) -> None:
    store, plan = play(tmp_path / "own.duckdb", {}, kind="swiss", rounds=3, knockout=2)
    result = result_of(store, plan)
    assert result is not None and result.winner == "ann"
    assert [row.points for row in result.swiss] == [6.0, 4.0, 2.0, 0.0]
    assert {row.matchups for row in result.swiss} == {3}


def test_a_gauntlet_says_where_its_newcomer_stands(tmp_path: Path) -> None:
    store, plan = play(
        tmp_path / "own.duckdb", {"ann_cyd": "tie"}, kind="gauntlet", newcomers=["cyd"]
    )
    result = result_of(store, plan)
    assert result is not None
    (sentence,) = result.sentences
    assert sentence.startswith("cyd is 3rd of 4 (could be ")
    assert "it won 2, tied 2 and lost 2 of 6 verdicts" in sentence


def test_other_schedules_and_boards_of_a_part_decide_nothing(tmp_path: Path) -> None:
    store, plan = play(tmp_path / "own.duckdb", {}, kind="knockout")
    assert result_of(store, plan, category="fact") is None
    store, plan = play(tmp_path / "other.duckdb", {}, kind="round_robin", matchups_per_pair=1)
    assert result_of(store, plan) is None
