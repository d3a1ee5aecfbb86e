"""Comparisons: their addresses open them again, and they are by the bench of the page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from arena.read.tournaments import TournamentRow
from arena.report.overview.changes import State
from dashboard import cached
from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw, read_texts

_FIRST = datetime(2026, 1, 2, 3, 0)
_LAST = _FIRST + timedelta(minutes=10)


def page_of_moments() -> None:
    """Choose two moments of one of two tournaments."""
    from datetime import datetime, timedelta

    import streamlit as st

    from dashboard.views import comparison

    first = datetime(2026, 1, 2, 3, 0)
    name = st.text_input("Tournament", "one")
    start, end = comparison._choose_moments(name, first, first + timedelta(minutes=10))
    st.text(f"{start:%H:%M} {end:%H:%M}")


def shown(app: AppTest) -> str:
    assert not app.exception
    return str(app.text[0].value)


def opened(**choices: str) -> AppTest:
    app = AppTest.from_function(page_of_moments, default_timeout=60)
    app.query_params.update(choices)
    return app.run()


def test_moments_are_written_into_the_address_and_read_from_it() -> None:
    app = opened()
    assert shown(app) == "03:05 03:10"
    moved = app.slider[0].set_value((_FIRST + timedelta(minutes=2), _LAST)).run()
    assert shown(moved) == "03:02 03:10"
    address = {key: str(moved.query_params[key]) for key in ("from", "to")}
    assert address == {"from": "2026-01-02T03:02:00", "to": "2026-01-02T03:10:00"}
    assert shown(opened(**address)) == "03:02 03:10"
    moved.query_params["from"] = "2026-01-02T03:07:00"
    assert shown(moved.run()) == "03:07 03:10", "the viewer went back"


def test_another_tournament_has_its_own_moments() -> None:
    app = opened(**{"from": "2026-01-02T03:02:00", "to": "2026-01-02T03:03:00"})
    assert shown(app.text_input[0].set_value("two").run()) == "03:05 03:10"
    assert app.query_params["from"] == "2026-01-02T03:05:00"


@pytest.mark.parametrize(
    "named", [("noon", "later"), ("2026-01-02T03:09:00", "2026-01-02T03:01:00")]
)
def test_what_is_no_moment_is_said(named: tuple[str, str]) -> None:
    app = opened(**dict(zip(("from", "to"), named, strict=True)))
    assert shown(app) == "03:05 03:10"
    (notice,) = app.warning
    assert "the usual ones are compared instead" in notice.value


def test_moments_outside_the_tournament_are_its_ends() -> None:
    app = opened(**{"from": "2025-01-01T00:00:00+00:00", "to": "2027-01-01T00:00:00"})
    assert shown(app) == "03:00 03:10"


def make_row(name: str, first: datetime, last: datetime) -> TournamentRow:
    return TournamentRow(
        tournament=name,
        contest="debate",
        created_at=first,
        seed=7,
        imported=False,
        code_version="0.1.0",
        simulated=False,
        very_small=False,
        motions=1,
        languages=("en",),
        runs=1,
        first_finished=first,
        last_finished=last,
        participants=2,
        debates=2,
        finished=2,
        ballots=2,
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The tournaments and benches whose ratings are asked for; there are two tournaments."""
    seen: list[tuple[str, str]] = []

    def read(tournament: str, bench: str, moment: datetime) -> State:
        seen.append((tournament, bench))
        rated = {"ratings": {"ann": 1000.0}, "ranks": {"ann": 1}}
        counts = dict.fromkeys(("finished", "ballots", "played", "taken"), 1)
        return State(at=moment, bench=bench, usd=0, **counts, **rated)

    first = datetime(2026, 1, 2, tzinfo=UTC)
    rows = [make_row(name, first, first + timedelta(minutes=10)) for name in ("one", "two")]
    monkeypatch.setattr("dashboard.cached.moment", read)
    monkeypatch.setattr("dashboard.cached.tournaments", lambda: rows)
    monkeypatch.setenv(DATABASE, "results.duckdb")
    return seen


def compared(**choices: str) -> AppTest:
    return draw("comparison", "show('one', 'other')", **choices)


def test_two_moments_are_compared_by_the_bench_of_the_page(asked: list[tuple[str, str]]) -> None:
    app = compared()
    assert asked == [("one", "other")] * 2
    assert "Compared by the verdicts of the bench other." in [each.value for each in app.text]
    assert not app.warning


@pytest.mark.parametrize("kind", ["two tournaments", "Two tournaments"])
def test_two_tournaments_are_compared_by_the_bench_of_the_page(
    kind: str, asked: list[tuple[str, str]]
) -> None:
    app = compared(compare=kind, **{"with": "two"})
    assert asked == [("two", "other"), ("one", "other")]
    assert sum("bench other" in each.value for each in app.text) == 2
    assert not app.warning


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(
    ("choices", "noun", "shown"),
    [
        ({"compare": "nobody"}, "comparison", "Two moments"),
        ({"compare": "two tournaments", "with": "nobody"}, "tournament", "two"),
    ],
)
def test_what_cannot_be_compared_is_said(choices: dict[str, str], noun: str, shown: str) -> None:
    (notice,) = compared(**choices).warning
    assert f"There is no {noun} “nobody” to show here; “{shown}” is shown" in notice.value


@pytest.mark.usefixtures("asked")
def test_one_tournament_is_compared_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = cached.tournaments()[:1]
    monkeypatch.setattr("dashboard.cached.tournaments", lambda: rows)
    page = compared(compare="Two tournaments")
    assert "This database holds one tournament only." in read_texts(page)
