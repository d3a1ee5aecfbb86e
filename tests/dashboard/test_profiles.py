"""Profiles of participants and tables of motions, by the debates that a state counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.boards.selection import Selection
from arena.boards.states import BoardState, read_state
from arena.read.motions import read_motions
from arena.report.debate_list import read_debates
from arena.report.motion_list import format_pro_share, motion_table
from arena.store.database import Store
from dashboard import profiles
from tests.dashboard.handmade import execute, make


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """alpha won d1 as Pro and d2 as Con against beta."""
    return make(tmp_path / "results.duckdb")


@pytest.fixture
def state(store: Store) -> BoardState:
    state = read_state(store, Selection(tournament="handmade", bench="bench"))
    assert state is not None
    return state


def test_a_profile_says_place_record_and_work(state: BoardState) -> None:
    place, record, work = profiles.profile_lines(state, state.board.rows[0])
    assert place == "1st of 2, could be 1st: Elo 1100, 95 % interval 1050 to 1160."
    assert record == "Won 2, tied 0 and lost 0 of 2 debates (100.0 %, a tie as half)."
    assert work.startswith("A debate takes 1,200 tokens on its side. 100 % of its debates")
    provisional = replace(state.board.rows[0], rank=None, provisional=True)
    place, *_ = profiles.profile_lines(state, provisional)
    assert place.startswith("No place yet among 2, could be 1st: Elo 1100")
    unrated = replace(state.board.rows[0], rank=None, debates=0)
    (line,) = profiles.profile_lines(state, unrated)
    assert line.startswith("Not rated")


def test_strengths_are_those_of_the_boards_beside(state: BoardState) -> None:
    beside = {("overall", "all"): state, ("source", "all"): state, ("overall", "value"): state}
    frame = profiles.strengths(state, beside, "beta")
    assert list(frame["participant"]) == ["overall", "source", "value motions"]
    assert set(frame["rating"]) == {900.0}
    assert profiles.strengths(state, beside, "gamma").empty


def test_records_by_side_and_opponent_count_the_debates_of_the_state(
    store: Store, state: BoardState
) -> None:
    debates = profiles.state_debates(store, state)
    sides = profiles.by_side(debates, "beta").set_index("side")
    assert dict(sides["record"]) == {"Pro": "0-0-1", "Con": "0-0-1"}
    (met,) = profiles.opponents(state, debates, "alpha").to_dict("records")
    assert (met["opponent"], met["record"], met["share"]) == ("beta", "2-0-0", 100)
    assert met["expected"] == pytest.approx(100 / (1 + 10 ** (-200 / 400)))
    execute(store, "UPDATE ballots SET entry = 10 WHERE debate_id = 'd2'")
    later = profiles.state_debates(store, state)
    assert list(profiles.by_side(later, "beta")["record"]) == ["0-0-0", "0-0-1"]


def test_variants_differ_in_one_thing(store: Store, state: BoardState) -> None:
    assert profiles.relatives(state, profiles.read_settings(store, "handmade"), "alpha") == []
    execute(store, "UPDATE participants SET options = '{\"searcher\": false}' WHERE name = 'beta'")
    settings = profiles.read_settings(store, "handmade")
    (relative,) = profiles.relatives(state, settings, "alpha")
    assert (relative.name, relative.difference, relative.elo) == ("beta", "searcher off", -200)
    execute(store, "UPDATE participants SET model = 'openai/gpt-5' WHERE name = 'beta'")
    assert profiles.relatives(state, profiles.read_settings(store, "handmade"), "alpha") == []


def test_telling_debates_are_the_participants_own(store: Store, state: BoardState) -> None:
    debates = profiles.state_debates(store, state)
    readings = profiles.telling_debates(store, state, debates, "alpha")
    assert {reading.debate_ids[0] for reading in readings} <= {"d1", "d2"} and readings
    assert profiles.telling_debates(store, state, debates, "gamma") == []


def test_motions_are_counted(store: Store) -> None:
    debates = read_debates(store, "handmade")
    table = motion_table(debates.frame, debates.rating)
    (row,) = table.to_dict("records")
    assert (row["motion_id"], row["debates"], row["judged"], row["by_side"]) == ("m1", 4, 2, 0)
    assert (row["pro_share"], row["better_share"], row["split_share"]) == (50, 100, 0)
    assert format_pro_share(table).startswith("Pro won 50 % of 2 debates")
    execute(store, "DELETE FROM ballots")
    unrated = motion_table(read_debates(store, "handmade").frame, {})
    assert format_pro_share(unrated) == "" and unrated["pro_share"].isna().all()


def test_a_brief_is_read_with_its_sources(store: Store) -> None:
    assert read_motions(store, "handmade", "m9") == []
    brief = '{"pro": [{"claim": "C", "evidence": "E", "source": "S"}, 7], "con": null}'
    execute(store, f"UPDATE motions SET brief = '{brief}'")
    (motion,) = read_motions(store, "handmade", "m1")
    assert [(point.claim, point.source) for point in motion.brief["pro"]] == [("C", "S")]
    assert motion.brief["con"] == ()


def test_a_motion_has_the_languages_of_its_own_tournament(store: Store) -> None:
    execute(
        store,
        "INSERT INTO motions SELECT * REPLACE ('zh' AS language, 'Mao' AS text) FROM motions",
        "INSERT INTO debates SELECT * REPLACE ('other' AS tournament, 'zh' AS language, "
        "'o' || debate_id AS debate_id) FROM debates",
    )
    (own,), (other,) = (read_motions(store, name, "m1") for name in ("handmade", "other"))
    assert (own.language, other.language, other.text) == ("en", "zh", "Mao")


def test_motions_that_tell_most_come_first_and_few_debates_are_named() -> None:
    def debates(motion: str, outcomes: list[float]) -> list[dict[str, Any]]:
        return [
            {
                "debate_id": f"{motion}{number}", "matchup_id": f"{motion}{number // 2}",
                "motion_id": motion, "motion": motion, "category": "fact", "pro": "ann",
                "con": "bob", "outcome": outcome, "is_split": False, "by_side": False,
            }
            for number, outcome in enumerate(outcomes)
        ]  # fmt: skip

    frame = pd.DataFrame([
        *debates("few", [1.0] * 4),
        *debates("even", [1.0, 0.0] * 8),
        *debates("telling", [1.0] * 22 + [0.0, 0.0]),
    ])  # fmt: skip
    table = motion_table(frame, {"ann": 1100.0, "bob": 900.0})
    assert list(table["motion_id"]) == ["telling", "even", "few"]
    telling, even, few = table.to_dict("records")
    assert telling["better_lower"] > 50 and telling["tells"].startswith("92 % [")
    assert even["better_lower"] <= 50 <= even["better_upper"]
    assert few["tells"] == "too few debates" and few["better_share"] == 100
