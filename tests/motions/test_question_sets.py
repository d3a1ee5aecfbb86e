"""Question sets: the shipped one, a user's file, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motions import MotionError, load_questions, shipped_questions

GOOD = {"question": "What is 2 + 2?", "answers": ["4", "four"], "wrong_answers": ["22"]}


def file_of(folder: Path, *lines: object) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in lines), encoding="utf-8")
    return path


READ = {
    "question": "Translate: 他很爱吃醋。",
    "references": ["He gets jealous easily."],
    "wrong_references": ["He likes vinegar."],
}


def test_a_translation_has_references_and_wrong_ones(tmp_path: Path) -> None:
    questions = load_questions(file_of(tmp_path, GOOD, {**READ, "language": "en"}))
    asked, read = (one.wording("en").answers for one in questions.motions)
    assert asked and not asked.translation
    assert read and read.translation
    assert read.accepted == ("He gets jealous easily.",) and read.wrong == ("He likes vinegar.",)


@pytest.mark.parametrize("name", shipped_questions())
def test_shipped_questions_are_whole_in_both_languages(name: str) -> None:
    questions = load_questions(name)
    assert len(questions.motions) == int(name[-2:])
    for one in questions.motions:
        assert set(one.wordings) == {"en", "zh"} and one.category == "question"
        for wording in one.wordings.values():
            assert wording.answers is not None
            assert wording.answers.wrong and wording.answers.explanation
            assert not set(wording.answers.accepted) & set(wording.answers.wrong)


def test_a_users_file_needs_a_question_and_its_answers(tmp_path: Path) -> None:
    chinese = {"id": "two", "language": "zh", "question": "二加二是多少？", "answers": ["4"]}
    path = file_of(tmp_path, GOOD, chinese, {**chinese, "language": "en", "question": "2+2?"})
    questions = load_questions(path)
    assert questions.name == "mine" and len(questions.motions) == 2
    first = questions.motions[0].wording("en").answers
    assert first is not None and first.accepted == ("4", "four") and first.wrong == ("22",)
    assert set(questions.motions[1].wordings) == {"en", "zh"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"question": "What?"}, "field answers: field required"),
        ({"question": "What?", "answers": []}, "field answers: list should have at least 1"),
        ({**GOOD, "anwsers": []}, "field anwsers: extra inputs are not permitted"),
        ({**READ, "answers": ["4"]}, "field answers: extra inputs are not permitted"),
        ({**READ, "wrong_references": []}, "field wrong_references: list should have at least 1"),
        ({"question": "What?", "references": ["A"]}, "field wrong_references: field required"),
        ({**GOOD, "question": " "}, "field question: string should have at least 1"),
    ],
)
def test_each_fault_is_told_with_line_and_field(
    tmp_path: Path, line: dict[str, object], message: str
) -> None:
    path = file_of(tmp_path, GOOD, line)
    with pytest.raises(MotionError, match=r"line 2") as caught:
        load_questions(path)
    assert message in str(caught.value) and "Accepted fields: id, language" in str(caught.value)
    assert "references" in str(caught.value)  # how a translation is written


def test_a_question_twice_an_empty_file_and_an_unknown_set_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MotionError, match="is repeated in 'en'"):
        load_questions(file_of(tmp_path, GOOD, GOOD))
    with pytest.raises(MotionError, match="no question in the file"):
        load_questions(file_of(tmp_path))
    with pytest.raises(MotionError, match="accepted: a shipped set .puzzles10, puzzles50, wordpl"):
        load_questions("puzzles11")
