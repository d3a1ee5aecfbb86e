"""Tables that people fill in: read back as a whole, or refused with every fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError, VotesRefused
from arena.people.sheet_files import TableRow, format_table, read_entries, read_table, write_files

COLUMNS = ("name", "age", "note")


def write(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return folder / "t.csv"


def read_age(row: TableRow) -> int | None:
    age = row.cell("age")
    if not age:
        return None
    if not age.isdigit():
        raise VotesRefused([row.fault("age", f"{age!r} is not a number")])
    return int(age)


def test_a_table_comes_back_with_the_row_numbers_of_a_spreadsheet(tmp_path: Path) -> None:
    text = format_table(COLUMNS, [["ann", "7", "a, b"], ["", "", ""], ["bob", "", ""]])
    rows = read_table(write(tmp_path, text), COLUMNS)
    assert [row.where for row in rows] == ["t.csv: row 2, ", "t.csv: row 4, "]
    assert rows[0].cells == {"name": "ann", "age": "7", "note": "a, b"}
    assert read_entries(rows, read_age) == ([7], 1)


def test_columns_may_be_separated_by_semicolons_and_lack_what_is_optional(tmp_path: Path) -> None:
    (row,) = read_table(write(tmp_path, "\ufeffName; AGE\nann ;7\n"), COLUMNS, optional=["note"])
    assert (row.cell("name"), row.cell("age"), row.cell("note")) == ("ann", "7", "")
    with pytest.raises(ConfigError, match=r"repeated column 'age'.*\(of which note may be"):
        read_table(write(tmp_path, "name,age,age"), COLUMNS, optional=["note"])


def test_every_fault_is_listed_and_nothing_is_returned(tmp_path: Path) -> None:
    rows = read_table(write(tmp_path, "name,age,note\na,1,\nb,x,\nc,,\nd,y,\n"), COLUMNS)
    with pytest.raises(VotesRefused) as refused:
        read_entries(rows, read_age)
    assert refused.value.faults == (
        "t.csv: row 3, age: 'x' is not a number",
        "t.csv: row 5, age: 'y' is not a number",
    )


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    write_files(tmp_path / "new", {"a": "1"})
    with pytest.raises(ConfigError, match="already exists. Choose another folder."):
        write_files(tmp_path / "new", {"b": "2", "a": "2"})
    assert not (tmp_path / "new" / "b").exists()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_as_spreadsheets_save_it(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    text = delimiter.join(COLUMNS) + "\r\n" + delimiter.join(("zoé", "7", "")) + "\r\n"
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    (row,) = read_table(tmp_path / "t.csv", COLUMNS)
    assert (row.cell("name"), row.cell("age")) == ("zoé", "7")


def test_a_table_in_another_encoding_is_read_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes((",".join(COLUMNS) + "\nzoé,7,\n").encode("cp1252"))
    with pytest.raises(ConfigError, match="or name what it is in: --encoding cp1252"):
        read_table(file, COLUMNS)
    with pytest.raises(ConfigError, match="it is not ascii text"):
        read_table(file, COLUMNS, encoding="ascii")
    with pytest.raises(ConfigError, match="--encoding excel: no such encoding"):
        read_table(file, COLUMNS, encoding="excel")
    (row,) = read_table(file, COLUMNS, encoding="cp1252")
    assert row.cell("name") == "zoé"
