"""Files of labelled pairs: every form, every fault named with its row and column."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

from arena.battles.winners import WINNERS
from arena.errors import ConfigError
from judges.studies.labelled.pairs import example_pairs, read_pairs

ROWS: list[dict[str, str]] = [
    {"id": "x", "question": "Why, though?", "answer_a": 'Because "so".', "answer_b": "No.",
     "winner": "a", "category": "why"},
    {"id": "y", "question": "How?\nSay it.", "answer_a": "So.", "answer_b": "Thus, and so on.",
     "winner": "model_b", "category": ""},
    {"id": "z", "question": "为什么夏天比冬天热，冬天比夏天冷？",
     "answer_a": "因为地轴是倾斜的，夏天阳光更直。", "answer_b": "不知道。", "winner": " Tie ",
     "category": "why"},
]  # fmt: skip


def write(rows: Sequence[Mapping[str, str]], file: Path) -> Path:
    """Rows in the form that a file's name says."""
    frame = pd.DataFrame(rows)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    match file.name.partition(".")[2]:
        case "csv":
            frame.to_csv(file, index=False)
        case "tsv":
            frame.to_csv(file, index=False, sep="\t")
        case "csv.gz":
            file.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
        case "parquet":
            frame.to_parquet(file)
        case "json":
            file.write_text(json.dumps(rows), "utf-8")
        case "json.gz":
            file.write_bytes(gzip.compress(json.dumps(rows).encode()))
        case _:
            file.write_text(lines, "utf-8")
    return file


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "json", "json.gz", "parquet"])
def test_every_form_says_the_same(ending: str, tmp_path: Path) -> None:
    pairs = read_pairs(write(ROWS, tmp_path / f"pairs.{ending}"), {}).pairs
    assert [(one.item, one.outcome, one.language) for one in pairs] == [
        ("x", 1.0, "en"),
        ("y", 0.0, "en"),
        ("z", 0.5, "zh"),
    ]
    assert pairs[0].first == 'Because "so".' and pairs[1].question == "How?\nSay it."
    assert [one.category for one in pairs] == ["why", "", "why"]


def test_without_ids_the_row_is_the_id_and_other_names_can_be_told(tmp_path: Path) -> None:
    rows = [
        {"prompt": row["question"], "answer_a": row["answer_a"], "answer_b": row["answer_b"],
         "winner": row["winner"], "language": "en"}
        for row in ROWS
    ]  # fmt: skip
    pairs = read_pairs(write(rows, tmp_path / "p.jsonl"), {"question": "prompt"}).pairs
    assert [(one.item, one.language) for one in pairs] == [("1", "en"), ("2", "en"), ("3", "en")]


@pytest.mark.parametrize(
    ("changes", "output"),
    [
        ({"winner": "left"}, "row 2 (line 3), column winner: given 'left'; accepted: a, b, tie"),
        ({"winner": ""}, "row 2 (line 3), column winner: given nothing; accepted: a, b, tie"),
        ({"answer_b": "  "}, "row 2 (line 3), column answer_b: is empty; accepted: a text"),
        ({"question": ""}, "row 2 (line 3), column question: is empty"),
        (
            {"id": "x"},
            "row 2 (line 3), column id: given 'x', which is also the id of row 1 (line 2)",
        ),
        ({"id": ""}, "row 2 (line 3), column id: is empty"),
        ({"language": "fr"}, "row 2 (line 3), column language: given 'fr'; accepted: en, zh"),
        ({"winner": "\x1b[2Jme"}, "row 2 (line 3), column winner: given '[2Jme'"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    changes: dict[str, str], output: str, tmp_path: Path
) -> None:
    rows = [{"language": "", **row} for row in ROWS]
    rows[1] |= changes
    with pytest.raises(ConfigError) as refused:
        read_pairs(write(rows, tmp_path / "p.csv"), {})
    message = str(refused.value)
    assert output in message
    assert "p.csv: 1 of 3 rows cannot be used, so no pair was judged. Mend these rows" in message


def test_of_many_bad_rows_five_are_shown_and_all_counted(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "id": str(n), "winner": "?"} for n in range(9)]
    with pytest.raises(ConfigError) as refused:
        read_pairs(write(rows, tmp_path / "p.csv"), {})
    message = str(refused.value)
    assert "9 of 9 rows" in message and message.count("column winner") == 5
    assert message.endswith("… and 4 more")


@pytest.mark.parametrize("column", ["question", "answer_a", "answer_b", "winner"])
def test_a_missing_column_is_named_with_those_that_are_there(column: str, tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != column} for row in ROWS]
    with pytest.raises(ConfigError, match=f"no column {column}; it has: id, ") as refused:
        read_pairs(write(rows, tmp_path / "p.csv"), {})
    assert f"--column {column if column == 'question' else 'question'}=NAME" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", "question,answer_a,answer_b,winner\n", "has no rows"),
        ("p.csv", "", "is empty"),
        ("p.txt", "x", "the ending of its name is unknown"),
        ("p.xlsx", "x", r"\.json\), each also .gz, or Parquet \(.parquet\). Save a spreadsheet as"),
        ("p.jsonl", "{", "cannot be read"),
        ("p.jsonl", '{"a": 1}\n\n[', "line 3 is no JSON"),
        ("p.json", "5", "is neither an array of objects nor an object per line"),
        ("p.json", "[1]", "element 1 is int, not an object"),
    ],
)
def test_what_is_no_such_file_is_refused(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=message):
        read_pairs(tmp_path / name, {})


def test_a_name_that_is_no_file_lists_the_examples(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such example. Examples: pairs16"):
        read_pairs(Path("pairs17"), {})
    with pytest.raises(ConfigError, match="is a directory. Name a file in it"):
        read_pairs(tmp_path, {})
    with pytest.raises(ConfigError, match="no such file"):
        read_pairs(Path("pairs17.csv"), {})


@pytest.mark.parametrize(
    ("renamed", "message"),
    [
        ({"answer": "x"}, "the first name must be one of question"),
        ({"winner": "who"}, "no column 'who'; it has"),
    ],
)
def test_a_column_that_is_told_wrongly_is_refused(
    renamed: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_pairs(write(ROWS, tmp_path / "p.csv"), renamed)


def test_the_shipped_pairs_are_of_both_languages_and_all_labels() -> None:
    (name,) = example_pairs()
    pairs = read_pairs(Path(name), {}).pairs
    assert len(pairs) == len({one.item for one in pairs}) == 16
    assert {one.language for one in pairs} == {"en", "zh"}
    assert {one.outcome for one in pairs} == set(WINNERS.values())
    assert all(len({one.first, one.second}) == 2 for one in pairs)


def test_a_pair_that_repeats_an_earlier_one_is_left_out_whichever_answer_stands_first(
    tmp_path: Path,
) -> None:
    exchanged = {"answer_a": ROWS[0]["answer_b"], "answer_b": ROWS[0]["answer_a"], "winner": "b"}
    rows = [
        *ROWS,
        ROWS[0] | {"id": "again"},
        ROWS[0] | {"id": "exchanged", **exchanged},
        ROWS[0] | {"id": "another label", "winner": "b"},
        ROWS[0] | {"id": "another question", "question": "Why, then?"},
    ]
    content = read_pairs(write(rows, tmp_path / "p.jsonl"), {})
    assert [pair.item for pair in content.pairs] == [*"xyz", "another label", "another question"]
    assert (content.rows, content.repeats, content.votes) == (7, 2, 5)
