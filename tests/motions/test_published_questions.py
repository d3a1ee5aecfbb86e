"""Published question sets: every layout is read, and what cannot be used is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motions import MotionError, read_published_questions

HEAD = "chinese_source,english_target_correct,english_target_wrong"
#: Made after the layout of CIAR.json; the content is ours.
ARITHMETIC = {
    "question": "Two hens lay two eggs in two days. How many eggs lay four in four?",
    "answer": ["8", "eight"],
    "explanation": "One egg per hen and two days.",
    "incorrect answer": ["4"],
    "incorrect explanation": "All numbers are doubled.",
}
DEBATE = {
    "model_name": "some-model",
    "num_players": 3,
    "source": "他丢了面子。",
    "correct reference": "He lost face.",
    "incorrect reference": "He dropped his noodles.",
    "base translation": "He lost his face.",
    "players": {"Affirmative side": []},
}


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


def test_arithmetic_becomes_questions_in_english(tmp_path: Path) -> None:
    single = {**ARITHMETIC, "question": "And one?", "answer": "1"}
    read = read_published_questions([write(tmp_path, "CIAR.json", [ARITHMETIC, single])])
    assert (read.questions, read.faults) == (2, ())
    assert read.lines[0] == {
        "id": "ciar-001",
        "language": "en",
        "topic": "arithmetic",
        "question": ARITHMETIC["question"],
        "answers": ["8", "eight"],
        "wrong_answers": ["4"],
        "explanation": ARITHMETIC["explanation"],
        "wrong_explanation": ARITHMETIC["incorrect explanation"],
    }
    assert read.lines[1]["answers"] == ["1"]


def test_a_sentence_becomes_a_task_in_both_languages(tmp_path: Path) -> None:
    text = f'\ufeff{HEAD}\r\n他丢了面子。 ,"He lost face, again.",He dropped his noodles.\r\n'
    read = read_published_questions([write(tmp_path, "lexical ambiguity.csv", text)])
    assert read.questions == 1
    assert [(line["id"], line["language"]) for line in read.lines] == [
        ("lexical-ambiguity-001", "en"),
        ("lexical-ambiguity-001", "zh"),
    ]
    assert [line["question"] for line in read.lines] == [
        "Translate this Chinese sentence into English: 他丢了面子。",
        "请把这句话译成英文：他丢了面子。",
    ]
    assert read.lines[0]["references"] == ["He lost face, again."]
    assert read.lines[1]["wrong_references"] == ["He dropped his noodles."]


def test_a_folder_of_debates_is_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "Process"
    folder.mkdir()
    for number in (10, 9):
        write(folder, f"{number}.json", {**DEBATE, "source": f"第{number}句。"})
    read = read_published_questions([folder])
    assert [line["id"] for line in read.lines[::2]] == ["process-9", "process-10"]
    assert read.lines[0]["references"] == ["He lost face."]


def test_items_that_cannot_be_used_are_named_and_the_others_read(tmp_path: Path) -> None:
    sentences = write(
        tmp_path,
        "a.csv",
        f"{HEAD}\n一。,One.,Two.\n二。,Same.,Same.\n一。,Other.,More.\n三。,Three.\n四。,Four.,Five.\n",
    )
    arithmetic = write(tmp_path, "b.json", [{**ARITHMETIC, "answer": []}, ARITHMETIC, "prose"])
    read = read_published_questions([sentences, arithmetic])
    assert read.questions == 3
    assert {line["id"] for line in read.lines} == {"a-001", "a-005", "b-002"}
    messages = [str(fault) for fault in read.faults]
    assert [fault.line for fault in read.faults] == [3, 4, 5, 0, 0]
    assert "line 3: row 2: 'Same.' is given both as right and as wrong" in messages[0]
    assert "line 4: row 3: asks the same as row 1 of a.csv" in messages[1]
    assert "line 5, field incorrect reference: row 4: field required" in messages[2]
    assert "field answer: item 1: list should have at least 1 item" in messages[3]
    assert "item 3" in messages[4]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "source,target\na,b\n", "no column chinese_source, english_target_correct"),
        ("a.csv", "", "no column chinese_source"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", {"debates": []}, "neither a list nor an object with a source"),
    ],
)
def test_a_file_of_no_layout_is_refused(
    tmp_path: Path, name: str, content: object, message: str
) -> None:
    with pytest.raises(MotionError, match=message) as caught:
        read_published_questions([write(tmp_path, name, content)])
    assert "accepted: a JSON list of questions" in str(caught.value)


def test_a_missing_file_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MotionError, match="no such file"):
        read_published_questions([tmp_path / "none.json"])
    with pytest.raises(MotionError, match="no .json file in this folder"):
        read_published_questions([tmp_path])
