"""Tables: columns declared once, four forms."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from arena.output.tables import (
    Column,
    Table,
    as_csv,
    as_markdown,
    as_records,
    as_text,
    tabulate,
)
from arena.text import plain

SMALL = Table(
    title="Marks",
    head=("#", "name", "first", "2"),
    rows=(("1", "ann", "10", ""), ("2", "中文", "9", "8.5")),
    labels=2,
    notes=("Ties count half.",),
)


def test_labels_stand_left_and_figures_right() -> None:
    assert as_text(SMALL).splitlines() == [
        "Marks",
        "",
        "#  name  first    2",
        "1  ann      10",
        "2  中文      9  8.5",
        "",
        "Ties count half.",
    ]


def test_what_is_too_wide_goes_on_below_with_its_labels() -> None:
    assert as_text(SMALL, width=14).splitlines()[2:9] == [
        "#  name  first",
        "1  ann      10",
        "2  中文      9",
        "",
        "#  name    2",
        "1  ann",
        "2  中文  8.5",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_asked(width: int) -> None:
    many = Table(
        title="t",
        head=("name", *(str(n) for n in range(40))),
        rows=tuple((word * 50, *("100" for _ in range(40))) for word in ("x", "中")),
    )
    lines = as_text(many, width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert {f"{word}…" for line in lines if "100" in line for word in line[0]} == {"x…", "中…"}
    assert sum(line.count("100") for line in lines) == 80


def test_markdown_is_a_table_between_title_and_notes() -> None:
    assert as_markdown(SMALL).splitlines() == [
        "**Marks**",
        "",
        "| # | name | first | 2 |",
        "| :--- | :--- | ---: | ---: |",
        "| 1 | ann | 10 |  |",
        "| 2 | 中文 | 9 | 8.5 |",
        "",
        "Ties count half.",
    ]
    assert as_markdown(SMALL, level=3).startswith("### Marks\n\n| #")


def test_a_bar_in_a_cell_makes_no_column() -> None:
    result = as_markdown(Table(title="t", head=("a",), rows=(("x|y",),)))
    assert "| x\\|y |" in result


@pytest.mark.parametrize("form", [as_text, as_markdown])
def test_without_rows_only_the_notes_are_left(form: object) -> None:
    assert callable(form)
    result = form(Table(title="t", head=("a",), rows=(), notes=("Nothing is known.",)))
    assert result.splitlines()[-1] == "Nothing is known."
    assert "a" not in result.splitlines()


def test_notes_are_wrapped() -> None:
    noted = Table(title="t", head=("a",), rows=(("x",),), notes=("one two three", "four"))
    assert as_text(noted, width=8).splitlines()[-3:] == ["one two", "three", "four"]


@dataclass(frozen=True, kw_only=True)
class Score:
    """A record that columns are read from."""

    name: str
    points: float
    fouls: int = 0


COLUMNS: tuple[Column[Score], ...] = (
    Column(head="name", key="name", read=lambda score: score.name, label=True),
    Column(head="points", key="points", read=lambda score: score.points, style=".1f", digits=2),
    Column(key="raw", read=lambda score: score.points),
    Column(
        head="fouls",
        key="fouls",
        read=lambda score: score.fouls,
        style=lambda fouls: "!" * fouls,
        left=True,
        shown=lambda scores: any(score.fouls for score in scores),
    ),
)
SCORES = (Score(name="ann", points=2.456), Score(name="bob", points=float("nan"), fouls=2))


def test_columns_give_people_headings_and_texts() -> None:
    table = tabulate(COLUMNS, SCORES, title="Scores", notes=["Two played."])
    assert table.head == ("name", "points", "fouls")
    assert table.rows == (("ann", "2.5", ""), ("bob", "nan", "!!"))
    assert (table.labels, table.title, table.notes) == (1, "Scores", ("Two played.",))
    assert as_markdown(table).splitlines()[3] == "| :--- | ---: | :--- |"


def test_a_column_with_nothing_to_show_is_left_out_for_people_alone() -> None:
    assert tabulate(COLUMNS, SCORES[:1]).head == ("name", "points")
    assert as_csv(tabulate(COLUMNS, SCORES[:1])).splitlines()[0] == "name,points,raw,fouls"


def test_programs_get_values_and_none_for_what_is_unknown() -> None:
    assert (
        as_csv(tabulate(COLUMNS, SCORES)) == "name,points,raw,fouls\nann,2.46,2.456,0\nbob,,nan,2\n"
    )
    assert as_records(tabulate(COLUMNS[:2], SCORES)) == [
        {"name": "ann", "points": 2.46},
        {"name": "bob", "points": None},
    ]


def test_a_table_without_title_is_its_rows() -> None:
    assert as_text(tabulate(COLUMNS, SCORES)) == (
        "name  points  fouls\nann      2.5\nbob      nan  !!\n"
    )
    assert as_text(tabulate(COLUMNS, [])) == "name  points\n"


def test_a_column_that_may_wrap_folds_before_the_table_is_split() -> None:
    reasons = [("ann", "the debate was forfeited"), ("bob", "中文中文中文中文中文")]
    columns: tuple[Column[tuple[str, str]], ...] = (
        Column(head="name", read=lambda row: row[0], label=True),
        Column(head="reason", read=lambda row: row[1], left=True, wraps=True),
    )
    assert as_text(tabulate(columns, reasons), width=18).splitlines() == [
        "name  reason",
        "ann   the debate",
        "      was",
        "      forfeited",
        "bob   中文中文中文",
        "      中文中文",
    ]


def test_long_names_are_shortened_and_no_digit_is(width: int = 80) -> None:
    name = "x" * 80
    table = Table(
        title="",
        head=("#", "participant", name, "Elo", "interval"),
        rows=(("1", name, "0.123456", "1234567", "-1234 to 12345"),),
        labels=2,
    )
    text = as_text(table, width=width)
    assert max(map(len, text.splitlines())) <= width
    for cell in ("0.123456", "1234567", "-1234 to 12345"):
        assert cell in text
    assert "xxx…" in text


def test_a_key_that_is_a_name_carries_no_formula_into_a_spreadsheet() -> None:
    column: Column[int] = Column(read=lambda row: row, key="=1+1")
    assert as_csv(tabulate([column], [7])) == "'=1+1\n7\n"


def test_the_command_that_ends_a_note_can_be_copied_from_one_line() -> None:
    command = "arena resume 'rainy weekend' --db '/results of this week/weekend.duckdb'"
    table = Table(title="", head=(), rows=(), notes=(f"Nothing has finished: {command}", "Left: 2"))
    assert as_text(table, width=40) == f"Nothing has finished:\n{command}\nLeft: 2\n"
    assert as_text(table, width=120).startswith(f"Nothing has finished: {command}\n")


_MARKS = st.sampled_from([*"# <>&\"'`*_[]()!|~#$\\/:.\n\r\t", "www.", "http://", "a", "\u202e"])


@given(st.lists(_MARKS).map("".join))
def test_markdown_shows_a_name_as_it_is_and_nothing_else(name: str) -> None:
    table = Table(title=name, head=("who", name), rows=((f"x{name}", "1"),), notes=(f"x{name}",))
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    written = reader.parse(as_markdown(table))
    kinds = {token.type for block in written for token in block.children or ()}
    assert kinds <= {"text", "strong_open", "strong_close", "text_special"}
    assert not any(block.type.startswith("html") for block in written)
    texts = ["".join(t.content for t in b.children) for b in written if b.children is not None]
    shown = " ".join(plain(f"x{name}").split())
    assert shown in [" ".join(text.split()) for text in texts]
