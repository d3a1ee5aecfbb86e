"""Published figures: every file can be read, digits stay, nothing passes for ours."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from arena.output.tables import as_text
from arena.papers.published import (
    MARK,
    PublishedTable,
    published_papers,
    published_table,
    published_tables,
)

TABLE = {"id": "T1", "title": "Speed", "source": "Ann 2024, Table 1", "columns": ["model", "mark"]}


def test_every_file_is_read_and_every_table_names_its_source() -> None:
    faults = [
        f"{paper} {table.id}: {table.source}"
        for paper in published_papers()
        for table in published_tables(paper).values()
        if not re.search(r"\d{4}.*\b(Table|Figure|[Ss]ection|Appendix)\b", table.source)
    ]
    assert "more_samre" in published_papers()
    assert not faults


def test_digits_are_kept_as_printed() -> None:
    accuracy = published_table("more_samre", "T1")
    assert accuracy.marked_rows()[0] == ("published: Llama-3-8B", "0.80", "0.82", "0.84", "0.85")
    assert accuracy.numbers("MORE")["GPT-4o"] == 0.87
    assert accuracy.as_record()["rows"][4] == ["GPT-4-turbo", 0.85, 0.88, 0.90, 0.92]
    assert list(published_tables("more_samre")) == ["T1", "T2", "T3"]


def test_a_table_beside_ours_says_that_it_is_not() -> None:
    table = PublishedTable.model_validate({**TABLE, "note": "By eye.", "rows": [["a", 1]]})
    shown = as_text(table.as_table())
    assert f"{MARK}: Ann 2024, Table 1." in shown
    assert "not measured here" in shown and "By eye." in shown


@pytest.mark.parametrize("row", [["a"], ["a", 1, 2], ["a", True], ["a", [1]]])
def test_a_row_of_another_form_is_a_fault(row: list[object]) -> None:
    with pytest.raises(ValidationError):
        PublishedTable.model_validate({**TABLE, "rows": [row]})


def test_texts_among_the_numbers_are_left_out() -> None:
    table = PublishedTable.model_validate({**TABLE, "rows": [["a", 1], ["b", "-"]]})
    assert table.numbers("mark") == {"a": 1.0}
