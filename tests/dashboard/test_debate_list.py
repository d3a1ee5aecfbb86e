"""The list of debates: results by a state's ballots, what is remarkable, and filters."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from arena.report import debate_list
from arena.report.debate_list import DebateFilters, filter_debates, format_marks, read_debates
from arena.report.odd_results import decided_by_side, is_upset, winner_expected
from arena.store.database import Store
from dashboard.views.debates import debates_table
from tests.dashboard.handmade import execute, make
from tests.support.tournaments import commit, judged, planned, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """d1 and d2 are the legs of a matchup; alpha won d1 as Pro and d2 as Con."""
    return make(tmp_path / "results.duckdb")


def listed(store: Store) -> pd.DataFrame:
    return read_debates(store, "handmade").frame


def test_results_and_ratings_are_of_one_moment(store: Store) -> None:
    state = read_debates(store, "handmade")
    frame = state.frame
    assert state.judged == 2 and state.is_open
    assert state.rating == {"alpha": 1100, "beta": 900}, "those of the board, which is not older"
    assert list(frame["debate_id"]) == ["d1", "d2", "d3", "d4"]
    assert list(frame["winner"]) == ["alpha", "alpha", "", ""]
    assert list(frame["pro_score"].fillna(-1)) == [3, 0, -1, -1]
    table = debates_table(frame)
    assert list(table["score"]) == ["3 : 0", "3 : 0", "", ""], "the winner's first"
    assert list(table["won_by"]) == ["alpha", "alpha", "playing", "planned"]
    execute(store, "UPDATE ballots SET entry = 10 WHERE debate_id = 'd2'")
    later = read_debates(store, "handmade")
    assert list(later.frame["winner"]) == ["alpha", "alpha", "", ""], "stored after the board"
    assert later.rating == pytest.approx({"alpha": 1149.6, "beta": 850.4}, abs=0.1), "a fit"


def test_debates_have_results_before_there_is_a_board(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "results.duckdb")
    first, *rest = plan.debates
    assert read_debates(store, "small").judged == 0
    commit(store, played(first), judged(first), *map(played, rest))
    state = read_debates(store, "small")
    assert state.judged == 1 and state.is_open, "ballots are missing"
    assert max(state.rating.values()) > 1000
    commit(store, *map(judged, rest))
    assert not read_debates(store, "small").is_open


def test_many_participants_are_not_rated_between_two_boards(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debate_list, "MOST_RATED", 1)
    assert read_debates(store, "handmade").rating["alpha"] == 1100
    execute(store, "UPDATE ballots SET entry = 10 WHERE debate_id = 'd2'")
    state = read_debates(store, "handmade")
    assert state.judged == 2 and state.rating == {}
    assert state.frame["expected"].isna().all() and not state.frame["is_upset"].any()


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (DebateFilters(), ["d1", "d2", "d3", "d4"]),
        (DebateFilters(participant="alpha"), ["d1", "d2", "d3", "d4"]),
        (DebateFilters(participant="alpha", side="con"), ["d2", "d4"]),
        (DebateFilters(participant="alpha", result="won"), ["d1", "d2"]),
        (DebateFilters(participant="beta", side="con", result="lost"), ["d1"]),
        (DebateFilters(participant="alpha", result="tied"), []),
        (DebateFilters(result="won"), ["d1"]),
        (DebateFilters(participant="gamma"), []),
        (DebateFilters(motion="m1"), ["d1", "d2", "d3", "d4"]),
        (DebateFilters(motion="m2"), []),
        (DebateFilters(category="value", language="en"), ["d1", "d2", "d3", "d4"]),
        (DebateFilters(category="fact"), []),
        (DebateFilters(status="playing"), ["d3"]),
        (DebateFilters(participant="beta", status="finished"), ["d1", "d2"]),
        (DebateFilters(notable="upset"), []),
        (DebateFilters(notable="forfeit"), []),
    ],
)
def test_debates_are_filtered(store: Store, wanted: DebateFilters, left: list[str]) -> None:
    result = filter_debates(listed(store), wanted)
    assert list(result["debate_id"]) == left
    assert list(result.index) == list(range(len(left)))


def test_what_is_remarkable_is_named(store: Store) -> None:
    scores = "UPDATE ballot_scores SET outcome = "
    execute(store, f"{scores}0 WHERE ballot_id IN ('d1-0', 'd1-1')")
    first, *_ = listed(store).to_dict("records")
    assert format_marks(first) == "upset (24 %), split, by side", "Con won both debates"
    kinds = [
        list(filter_debates(listed(store), DebateFilters(notable=kind))["debate_id"])
        for kind in ("upset", "split ballots", "decided by the side")
    ]
    assert kinds == [["d1"], ["d1"], ["d1", "d2"]]
    execute(store, f"{scores}0.5")
    assert list(filter_debates(listed(store), DebateFilters(notable="tie"))["debate_id"]) == [
        "d1",
        "d2",
    ]
    assert not listed(store)["is_split"].any(), "all ballots call it a tie"


def test_the_share_that_ratings_give_a_winner() -> None:
    frame = pd.DataFrame(
        {
            "matchup_id": ["u", "u", "v", "v"],
            "pro": ["a", "b", "a", "b"],
            "con": ["b", "a", "b", "a"],
            "outcome": [1.0, 1.0, 0.5, 1.0],
        }
    )
    shares = winner_expected(frame, {"a": 1200.0, "b": 800.0})
    assert shares[0] == pytest.approx(10 / 11) and shares[1] == pytest.approx(1 / 11)
    assert pd.isna(shares[2]), "nobody won"
    assert is_upset(shares).tolist() == [False, True, False, True]
    level = winner_expected(frame, {"a": 1000.0, "b": 1060.0})
    assert level[0] < 0.5 and not is_upset(level).any(), "a chance of 41 % is no surprise"
    assert decided_by_side(frame).tolist() == [True, True, False, False]
