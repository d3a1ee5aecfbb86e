"""The list of pages: what is served together, and under which addresses."""

from __future__ import annotations

from dashboard.navigation import FORMS, RESULTS, served_pages
from dashboard.settings import RANK, SPEAK, VOTE


def test_pages_that_take_something_from_people_are_served_alone() -> None:
    assert [entry.path for entry in served_pages(VOTE)] == ["vote"]
    assert [entry.path for entry in served_pages(RANK)] == ["rank"]
    assert [entry.path for entry in served_pages(SPEAK)] == ["speak"]
    assert served_pages("") == RESULTS
    assert [entry.path for entry in served_pages(VOTE, admin=True)] == ["vote"]


def test_only_the_administrator_gets_forms() -> None:
    assert served_pages("", admin=True) == (*RESULTS, *FORMS)
    assert not {entry.path for entry in FORMS} & {entry.path for entry in served_pages("")}


def test_the_first_page_is_the_leaderboard_and_pages_of_a_choice_are_not_listed() -> None:
    assert RESULTS[0].path == "leaderboard"
    assert [entry.path for entry in RESULTS if not entry.listed] == [
        "head-to-head",
        "transcript",
    ]
