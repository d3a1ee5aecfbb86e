"""One table, two forms."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from arena.console.tables import Table, as_markdown, as_text

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
    found = as_markdown(Table(title="t", head=("a",), rows=(("x|y",),)))
    assert "| x\\|y |" in found


@pytest.mark.parametrize("form", [as_text, as_markdown])
def test_without_rows_only_the_notes_are_left(form: object) -> None:
    assert callable(form)
    found = form(Table(title="t", head=("a",), rows=(), notes=("Nothing is known.",)))
    assert found.splitlines()[-1] == "Nothing is known."
    assert "a" not in found.splitlines()


def test_notes_are_wrapped() -> None:
    noted = Table(title="t", head=("a",), rows=(("x",),), notes=("one two three", "four"))
    assert as_text(noted, width=8).splitlines()[-3:] == ["one two", "three", "four"]
