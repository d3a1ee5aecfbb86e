"""What is remembered of reports, and what has changed since."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.report.overview.changes import (
    PlaceChange,
    State,
    changes_since,
    complete,
    last_state,
    memory_file,
    remember,
)
from tests.support.tournaments import commit, judged, planned, played

_FIRST = State(
    at=datetime(2026, 11, 21, 18, 5, tzinfo=UTC),
    bench="bench",
    data_hash="a",
    finished=10,
    ballots=30,
    played=10,
    taken=30,
    systems={"ann": "a", "bob": "b", "cyd": "c"},
    usd=1.0,
    ratings={"ann": 1100.0, "bob": 1000.0, "cyd": 900.0},
    ranks={"ann": 1, "bob": 2, "cyd": 3},
)
_SECOND = _FIRST.model_copy(
    update={
        "at": _FIRST.at + timedelta(hours=12),
        "data_hash": "b",
        "finished": 10,
        "ballots": 21,
        "played": 14,
        "taken": 31,
        "systems": {"ann": "a", "bob": "b", "dan": "d"},
        "usd": 1.25,
        "ratings": {"bob": 1150.0, "ann": 1050.0, "dan": 800.0},
        "ranks": {"bob": 1, "ann": 2, "dan": 3},
    }
)


def test_changes_name_work_places_newcomers_and_leavers() -> None:
    changes = changes_since(_FIRST, _SECOND, is_date=False)
    assert changes.title == "What changed since the last report, 2026-11-21 18:05 UTC"
    assert changes.sentences == (
        "4 more debates finished and 1 more ballot taken, for 0.2500 USD at most.",
        "4 debates left the board: cyd is no longer in it.",
        "bob rose from place 2 to 1; ann fell from place 1 to 2.",
        "New on the board: dan.",
    )
    assert changes.by_participant == {
        "bob": PlaceChange(places=1, elo=150.0),
        "ann": PlaceChange(places=-1, elo=-50.0),
        "dan": PlaceChange(places=None, elo=None),
    }


def test_debates_played_anew_after_a_change_of_options_are_counted() -> None:
    anew = _FIRST.model_copy(
        update={
            "data_hash": "b",
            "played": 20,
            "taken": 60,
            "systems": {"ann": "x", "bob": "y", "cyd": "z"},
        }
    )
    changes = changes_since(_FIRST, anew, is_date=False)
    assert changes.sentences == (
        "10 more debates finished and 30 more ballots taken, for 0.0000 USD at most.",
        "10 debates left the board: ann, bob, cyd are set up differently.",
    )
    assert {change.places for change in changes.by_participant.values()} == {None}


def test_a_renamed_system_is_compared_with_itself() -> None:
    names = {"ann": "dan"}
    renamed = _FIRST.model_copy(
        update={
            "finished": 4,
            "systems": {names.get(name, name): key for name, key in _FIRST.systems.items()},
            "ratings": {"bob": 1100.0, "dan": 1050.0, "cyd": 900.0},
            "ranks": {"bob": 1, "dan": 2, "cyd": 3},
        }
    )
    changes = changes_since(_FIRST, renamed, is_date=False)
    assert changes.sentences[1:] == (
        "6 debates left the board: ann is called dan now.",
        "bob rose from place 2 to 1; dan fell from place 1 to 2.",
    )
    assert changes.by_participant["dan"] == PlaceChange(places=-1, elo=-50.0)
    back = changes_since(renamed, _FIRST, is_date=False)
    came = "6 debates of earlier participants came back: dan is called ann now."
    assert back.sentences[1] == came


def test_what_left_and_what_came_back_are_both_counted() -> None:
    before = _FIRST.model_copy(
        update={"ids": ["a", "b", "c"], "pairs": {"a b": 4, "b c": 6, "b d": 5, "d e": 9}}
    )
    now = _FIRST.model_copy(
        update={
            "finished": 9,
            "ids": ["a", "b", "d"],
            "systems": {"ann": "a", "bob": "b", "dan": "d"},
        }
    )
    changes = changes_since(before, now, is_date=False)
    assert changes.sentences[1] == (
        "6 debates left the board and 5 debates of earlier participants came back: cyd is no "
        "longer in it."
    )


def test_what_an_earlier_version_did_not_remember_is_read_anew(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    # Two debates had left the board before the state was remembered.
    stored = _FIRST.model_copy(update={"finished": 4, "ballots": 4})
    old = State.model_validate(
        stored.model_dump(mode="json", exclude={"played", "taken", "systems", "ids", "pairs"})
    )
    assert (old.played, old.taken) == (4, 4)
    completed = complete(store, "small", old)
    assert (completed.played, completed.taken) == (6, 6)
    assert complete(store, "small", _FIRST) == _FIRST


def test_a_state_of_an_earlier_version_is_still_compared_with() -> None:
    stored = _FIRST.model_dump(mode="json", exclude={"played", "taken", "systems"})
    changes = changes_since(State.model_validate(stored), _SECOND, is_date=False)
    assert changes.sentences[0].startswith("4 more debates finished and 1 more ballot taken")
    other = changes_since(_SECOND, _FIRST, is_date=False)
    assert other.sentences[0].startswith("The database holds less than it did then")


def test_of_many_who_changed_places_those_are_named_who_moved_most() -> None:
    names = [f"p{number:02}" for number in range(20)]
    before = dict.fromkeys(names, 1000.0)
    first = _FIRST.model_copy(
        update={"ratings": before, "ranks": {name: place for place, name in enumerate(names, 1)}}
    )
    moved = [names[-1], *names[:-1]]
    second = first.model_copy(
        update={"ranks": {name: place for place, name in enumerate(moved, 1)}}
    )
    words = changes_since(first, second, is_date=True).sentences[1]
    assert words.startswith("p19 rose from place 20 to 1; p00 fell from place 1 to 2; ")
    assert words.count("fell") == 7 and words.endswith("; 12 more changed places.")


def test_another_bench_is_not_compared_with() -> None:
    other = _SECOND.model_copy(update={"bench": "other"})
    changes = changes_since(_FIRST, other, is_date=False)
    assert changes.sentences == ("That report was on bench bench, this one is on bench other.",)
    assert not changes.by_participant


def test_a_report_on_the_same_results_compares_with_the_one_before(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    assert last_state(db, "small", _FIRST) is None
    remember(db, "small", _FIRST)
    assert last_state(db, "small", _FIRST) is None
    later = _FIRST.model_copy(update={"at": _SECOND.at})
    remember(db, "small", later)
    assert last_state(db, "small", _SECOND) == later
    remember(db, "small", _SECOND)
    remember(db, "small", _SECOND)
    assert last_state(db, "small", _SECOND) == later
    assert last_state(db, "other", _SECOND) is None


def test_tournaments_of_one_database_are_remembered_apart(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    remember(db, "small", _FIRST)
    remember(db, "large", _SECOND)
    assert last_state(db, "small", _SECOND) == _FIRST
    assert [file.name for file in tmp_path.iterdir()] == [memory_file(db).name]


def test_reports_at_the_same_moment_are_all_remembered(tmp_path: Path) -> None:
    db, names = tmp_path / "own.duckdb", [f"tournament {number}" for number in range(24)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda name: remember(db, name, _FIRST), names))
    assert [last_state(db, name, _SECOND) for name in names] == [_FIRST] * len(names)
