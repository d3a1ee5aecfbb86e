from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pytest

from dashboard import server
from dashboard.first_board import read_first_board, with_first_board
from dashboard.settings import DATABASE
from dashboard.views.leaderboard import leaderboard_table
from tests.dashboard.handmade import Texts, make, make_empty
from tests.dashboard.hostile import HOSTILE

_PAGE = '<head><link href="./font.woff2"></head><body><div id="root"></div></body>'


class Reader(HTMLParser):
    """Reads the cells of a table, and the names of all elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.elements: set[str] = set()
        self._in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.duckdb"
    monkeypatch.setenv(DATABASE, str(path))
    return path


def test_the_rows_are_those_of_the_table_and_come_before_all_else(database: Path) -> None:
    make(database)
    page = with_first_board(_PAGE, {})
    first = read_first_board({})
    assert first is not None
    state, caveats = first
    assert caveats == []
    table = leaderboard_table(state)
    head, *rows = Reader(page).rows
    assert all(map(str.endswith, head, table.head)), "the numbers of the scale stand before one"
    assert rows == [list(row) for row in table.rows]
    assert [row[1] for row in rows] == ["alpha", "beta"]
    assert "2 debates rated at" in page
    assert page.index("alpha") < page.index('<div id="root">')
    assert 'url("./font.woff2")' in page


def test_nothing_that_is_stored_becomes_markup(database: Path) -> None:
    names = (HOSTILE, "</td></table><b onload=alert(1)>")
    make(database, Texts(names=names, bench=HOSTILE))
    found = Reader(with_first_board("<body></body>", {}))
    assert found.rows[1][1].startswith("<script") and "alert" not in found.rows[1][1]
    assert not found.elements & {"b", "img"}
    assert len(found.rows) == 3


def test_the_choices_of_an_address_are_followed_and_unknown_ones_are_not(database: Path) -> None:
    make(database)
    other = make(database.with_name("other.duckdb"), Texts(tournament="other", names=("x", "y")))
    with duckdb.connect(str(database)) as link:
        link.execute(f"ATTACH '{other.path}' AS other")
        link.execute("INSERT INTO tournaments SELECT * FROM other.tournaments")
        link.execute(
            "INSERT INTO board_states SELECT * REPLACE ('other' AS board_id) "
            "FROM other.board_states"
        )
    assert ">x</a>" in with_first_board(_PAGE, {"tournament": "other"})
    for choices in ({"tournament": "handmade"}, {"tournament": "handmade", "bench": "none"}):
        assert ">alpha</a>" in with_first_board(_PAGE, choices)
    for choices in (
        {"time": "2026-01-01"},
        {"model": "davidson"},
        {"tournament": "other", "x": ""},
    ):
        assert with_first_board(_PAGE, choices) == _PAGE


@pytest.mark.parametrize("row", [False, True, None])
def test_a_page_without_ratings_stays_as_it_is(database: Path, *, row: bool | None) -> None:
    if row is not None:
        make_empty(database, tournament_row=row)
    assert with_first_board(_PAGE, {}) == _PAGE


def test_a_database_that_cannot_be_read_leaves_the_page_as_it_is(database: Path) -> None:
    database.write_bytes(b"no database")
    assert with_first_board(_PAGE, {}) == _PAGE


def test_the_policy_lets_its_own_script_run_and_no_other(database: Path) -> None:
    make(database, Texts(names=("<script>alert(1)</script>", "beta")))
    page = with_first_board(server.front_page(), {})
    policy = server.policy(page)
    assert policy.count("'sha256-") == len(re.findall("<script>", page)) == 7
