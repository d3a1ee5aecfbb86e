"""Files as programs write them: heads, encodings, and messages on what is broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from arena.errors import ConfigError
from tests.support.battle_logs import PLAIN, read_log, write_log

_CSV = "model_a,model_b,winner\nTülu,通义,tie\n"
_ROWS = [["Tülu", "通义", 0.5]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json.gz"])
def test_an_encoding_with_a_mark_is_found(tmp_path: Path, encoding: str, name: str) -> None:
    row = dict(zip(("model_a", "model_b", "winner"), ("Tülu", "通义", "tie"), strict=True))
    line = json.dumps(row, ensure_ascii=False)
    text = {"a.csv": _CSV, "a.jsonl": line, "a.json.gz": f"[{line}]"}[name].encode(encoding)
    path = tmp_path / name
    assert read_log(path, gzip.compress(text) if name.endswith("gz") else text)[1] == _ROWS


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16-le", "utf-7"])
def test_another_encoding_is_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    assert read_log(path, _CSV.encode(encoding), encoding=encoding)[1] == _ROWS


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (_CSV.encode("gb18030"), "", r"not UTF-8 text \(line 2\). Save it as UTF-8, or name its "),
        (b"x," * 2**20 + b"\n" * 5 + b"\xfc", "", r"not UTF-8 text \(line 6\)"),
        (_CSV.encode("utf-16-le"), "", "UTF-16 text without its mark.*--encoding"),
        (_CSV.encode("gb18030"), "utf-16", "it is not utf-16 text"),
        (_CSV.encode(), "latin-9000", "--encoding latin-9000: no such encoding. Accepted: Python"),
        (_CSV.encode(), "hex", "--encoding hex: no such encoding"),
    ],
)
def test_what_is_in_another_encoding_is_refused_with_the_remedy(
    tmp_path: Path, content: bytes, encoding: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_log(tmp_path / "a.csv", content, encoding=encoding)


@pytest.mark.parametrize(
    "head",
    [
        "Model_A,MODEL B, winner ", '"model_a","model_b","Winner"', "modelA,modelB,WINNER",
        "model-a,model-b,\u201cwinner\u201d", "\ufeffmodel_a,model_b,winner",
    ],
)  # fmt: skip
def test_heads_are_known_however_they_are_spelled(tmp_path: Path, head: str) -> None:
    assert read_log(tmp_path / "a.csv", f"{head}\nTülu,通义,tie\n")[1] == _ROWS


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_a_line_that_names_the_separator_is_understood(tmp_path: Path, separator: str) -> None:
    table = _CSV.replace(",", separator)
    assert read_log(tmp_path / "a.csv", table)[1] == _ROWS
    assert read_log(tmp_path / "b.csv", f"sep={separator}\n{table}")[1] == _ROWS
    assert read_log(tmp_path / "c.csv", f"\n{separator * 2}\n{table}")[1] == _ROWS


def test_a_column_without_a_name_is_ignored(tmp_path: Path) -> None:
    pd.DataFrame(PLAIN).to_csv(tmp_path / "a.csv")
    pd.DataFrame(PLAIN).assign(**{"": 1}).to_json(tmp_path / "a.json", orient="records")
    for name, number in (("a.csv", 1), ("a.json", 4)):
        staged, rows = read_log(tmp_path / name)
        assert staged.columns.ignored == (f"column {number} (without a name)",)
        assert len(rows) == 5


def test_any_head_can_be_a_column(tmp_path: Path) -> None:
    heads = ["a/b", "a~0b", "c\"'", "ключ {}", "SELECT", "", "group by"]
    rows = [{**row, **dict.fromkeys(heads, "x")} for row in PLAIN]
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        for head in filter(None, heads):
            staged, _ = read_log(write_log(tmp_path / name, rows), renamed={"judge": head})
            assert set(pd.read_parquet(staged.path)["judge"]) == {"x"}, (name, head)


def test_two_columns_of_one_name_are_named(tmp_path: Path) -> None:
    text = "model_a,model_b,winner,Winner\na,b,tie,x\n"
    with pytest.raises(ConfigError) as caught:
        read_log(tmp_path / "a.csv", text)
    assert str(caught.value).endswith(
        "two columns are named winner: 'winner', 'Winner'. Say which is meant: --column "
        "winner=winner."
    )
    assert read_log(tmp_path / "a.csv", renamed={"winner": "winner"})[1] == [["a", "b", 0.5]]
    assert read_log(tmp_path / "b.csv", "model_a,model_b,winner,x,X\na,b,tie,1,2\n")[1]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_an_array_and_lines_are_known_by_what_they_are(tmp_path: Path, name: str) -> None:
    lines = [json.dumps(row) for row in PLAIN]
    for text in ("\n".join(lines), f" \n[{', '.join(lines)}]"):
        assert len(read_log(tmp_path / name, text)[1]) == 5


_LINE = json.dumps(PLAIN[0])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", f"{_LINE}\n{{broken", "line 2 is no JSON"),
        ("a.json", f"[{_LINE},\n\n{{broken]", "line 3 is no JSON"),
        ("a.jsonl", "5\n", "neither an array of objects nor an object per line"),
        ("a.jsonl", '{"model_a": "a\\ud83d", "model_b": "b"}', r"line 1 holds \\ud83d, half of a"),
        ("a.json", pd.DataFrame(PLAIN).to_json(), "one object that holds all rows.*orient='rec"),
        ("a.json", "{\n}", "neither shape"),
        ("a.json", '{\n"model_a": 5,\n}', "line 3 is no JSON"),
        ("a.jsonl", "[]", "neither shape"),
        ("a.csv", f'{_CSV}"a,b,tie\n', "a quotation mark in it has no second one"),
        ("a.csv", "model_a,model_b,winner\na,b,tie,x\n", "line 2 has 4 fields, but the first li"),
        ("a.parquet", "PAR1 no", "no whole Parquet file"),
        ("a.pgn", "1. e4 e5", "holds no game. Accepted: games with the tags White, Black and"),
        ("a.csv.gz", "no gzip", "neither shape"),
        ("a.csv", "\n<!DOCTYPE html>\n<html>", "it is a web page, perhaps of a login"),
        ("a.parquet", "version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        ("a.jsonl", "PK\x03\x04xl/workbook.xml", "a spreadsheet .* Save the sheet as CSV"),
        ("a.csv", "<?xml version='1.0'?><Error>AccessDenied", "perhaps the answer of a server"),
        ("a.csv", "\n", "neither shape"),
    ],
)
def test_a_broken_file_is_refused_in_plain_words(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read_log(tmp_path / name, text)
    assert "Error:" not in str(caught.value) and "LINE 1" not in str(caught.value)


def test_an_encoding_of_parquet_is_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.parquet", PLAIN)
    with pytest.raises(ConfigError, match="is no text. Leave the option out"):
        read_log(path, encoding="cp1252")


def test_neither_folders_nor_signs_of_a_path_decide_what_is_read(tmp_path: Path) -> None:
    expected = read_log(write_log(tmp_path / "plain.csv", PLAIN))[1]
    for part in ("winner=model_b", "model_a=foo", "weight=5", "language=zz", "judge=x"):
        folder = tmp_path / part
        folder.mkdir()
        for ending in ("parquet", "csv", "jsonl", "jsonl.gz"):
            write_log(folder / f"ab.{ending}", PLAIN[1:])
            staged, rows = read_log(write_log(folder / f"a*.{ending}", PLAIN))
            assert (rows, staged.columns.ignored) == (expected, ()), (part, ending)
            assert set(staged.columns.place) == {"model_a", "model_b", "winner"}


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "a.json.gz"])
@pytest.mark.parametrize("packed", [0, 1, 2])
def test_content_says_how_often_a_file_is_packed(tmp_path: Path, name: str, packed: int) -> None:
    content = write_log(tmp_path / name.removesuffix(".gz"), PLAIN).read_bytes()
    for _ in range(packed):
        content = gzip.compress(content)
    assert len(read_log(tmp_path / name, content)[1]) == 5


def test_content_says_what_a_file_is(tmp_path: Path) -> None:
    for written, name in (("a.parquet", "b.csv"), ("a.jsonl", "b.csv"), ("a.json", "b.tsv.gz")):
        content = write_log(tmp_path / written, PLAIN).read_bytes()
        assert len(read_log(tmp_path / name, content)[1]) == 5, (written, name)


def test_a_line_of_separators_is_no_line_of_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="names 3001 columns, and at most 2000 are read"):
        read_log(tmp_path / "a.csv", "model_a" + "," * 3000 + "\nann\n")
