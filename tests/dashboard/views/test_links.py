"""Links from page to page: they take the bench and the filters of the page with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from arena.boards.selection import Selection
from arena.boards.states import BoardState
from dashboard import cached
from dashboard.settings import DATABASE
from tests.dashboard.handmade import Texts, make, replace_states, state_row
from tests.dashboard.views.drawing import draw

_PAGES = ("leaderboard", "win_rates", "participants", "head_to_head")
_CHOICES = {"dimension": "source", "category": "value", "language": "en", "model": "unweighted"}


@pytest.fixture
def followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The choices of each link that is shown or followed; each first row is clicked on."""
    store = make(tmp_path / "results.duckdb")
    rows = [state_row(Texts(), dimension=name) for name in ("overall", "source")]
    valued = [row | {"board_id": f"value-{row['dimension']}", "category": "value"} for row in rows]
    replace_states(store, *rows, *valued)
    monkeypatch.setenv(DATABASE, str(store.path))
    seen: list[dict[str, str]] = []

    def follow(_page: str, *_words: str, **choices: str) -> None:
        seen.append(choices)

    def click(*_args: Any, opens: bool = False, **_names: Any) -> int | None:  # noqa: ANN401
        return 0 if opens else None

    def link_names(*_args: Any, link: Callable[[str], str], **_names: Any) -> str:  # noqa: ANN401
        seen.append(dict(parse_qsl(urlsplit(link("alpha")).query)))
        return "<p>A board.</p>"

    for name in _PAGES[1:]:
        monkeypatch.setattr(f"dashboard.views.{name}.go_to", follow)
    monkeypatch.setattr("dashboard.views.leaderboard.board_html", link_names)
    for name in ("participants", "head_to_head"):
        monkeypatch.setattr(f"dashboard.views.{name}.show_table", click)
    monkeypatch.setattr("dashboard.views.win_rates._choose_pair", lambda _: ("alpha", "beta"))
    monkeypatch.setattr("dashboard.views.participants.show_link", follow)
    monkeypatch.setattr("dashboard.cached.varied_state", lambda state, **_names: state)
    return seen


@pytest.mark.parametrize("name", _PAGES)
def test_a_click_takes_bench_and_filters_with_it(name: str, followed: list[dict[str, str]]) -> None:
    draw(name, **_CHOICES)
    own = _CHOICES | {"tournament": "handmade", "bench": "bench"}
    kept = [{key: choices.get(key) for key in own} for choices in followed]
    assert kept and all(choices == own for choices in kept), followed


_LISTED = {
    "bench": "bench",
    "participant": "alpha",
    "side": "pro",
    "result": "won",
    "notable": "upset",
    "motion": "Cats are better than dogs",
    "category": "value",
    "language": "en",
    "status": "finished",
}


@pytest.fixture
def own_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """The choices of each link of a transcript, by its words."""
    monkeypatch.setenv(DATABASE, str(make(tmp_path / "results.duckdb").path))
    seen: dict[str, dict[str, str]] = {}

    def show(_page: str, words: str, _icon: str, **choices: str) -> None:
        seen[words] = choices

    monkeypatch.setattr("dashboard.views.transcript.show_link", show)
    return seen


def test_a_transcript_leads_back_to_the_list_as_it_was_left(
    own_links: dict[str, dict[str, str]],
) -> None:
    page = draw("transcript", **_LISTED, debate="d1")
    own = {"tournament": "handmade"}
    assert own_links["All debates"] == _LISTED | own
    assert own_links["The other leg, with the sides swapped"] == _LISTED | {"debate": "d2"}
    narrowed = {"bench": "bench", "category": "value"}
    assert own_links["This motion"] == own | narrowed | {"motion_id": "m1"}
    page.query_params["category"] = "policy"
    page.run()
    assert "category" not in own_links["This motion"], "the motion is none of these"


def test_a_row_of_the_list_takes_its_filters_to_the_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE, str(make(tmp_path / "results.duckdb").path))
    seen: list[dict[str, str]] = []
    monkeypatch.setattr("dashboard.views.debates.go_to", lambda _, **choices: seen.append(choices))
    monkeypatch.setattr("dashboard.views.debates.clicked_row", lambda _: 0)
    filters = {"participant": "alpha", "result": "won", "status": "finished"}
    page = draw("debates", **filters).run()  # the second time, there is a list to click on
    assert not page.exception
    assert seen and seen[-1].items() >= filters.items() and "debate" in seen[-1]


_UNKNOWN = {
    "leaderboard": ("tournament", "bench", "dimension", "category", "time", "language", "model"),
    "head_to_head": ("bench", "first", "second"),
    "participants": ("bench", "profile", "beside"),
    "debates": ("bench", "participant", "side", "motion"),
    "motions": ("bench", "category", "motion-id"),
    "judges": ("tournament", "dimension", "category"),
}


@pytest.mark.parametrize("name", list(_UNKNOWN))
def test_each_name_that_does_not_exist_has_a_notice(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE, str(make(tmp_path / "results.duckdb").path))
    page = draw(name, **dict.fromkeys(_UNKNOWN[name], "nobody"))
    said = [each.value for each in page.warning]
    assert len(said) == len(_UNKNOWN[name]), said
    assert all("“nobody” to show here; “" in each for each in said)


def test_filters_that_no_debate_fits_are_named_and_can_be_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(tmp_path / "results.duckdb")
    row = state_row(Texts())
    replace_states(store, row, row | {"board_id": "value", "category": "value"})
    monkeypatch.setenv(DATABASE, str(store.path))
    read = cached.current_state

    def read_without_values(selection: Selection) -> BoardState | None:
        state = read(selection)
        if state is None or selection.category == "all":
            return state
        return replace(state, board=replace(state.board, comparisons=0))

    monkeypatch.setattr(cached, "current_state", read_without_values)
    page = draw("leaderboard", category="value")
    assert not any("alpha" in str(each.proto.body) for each in page.get("html"))
    assert any("Chosen: category “value”." in text.value for text in page.text)
    page.button(key="clear-filters").click().run()
    assert not page.exception
    assert any("alpha" in str(each.proto.body) for each in page.get("html"))
    assert "category" not in page.query_params
