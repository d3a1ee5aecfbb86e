"""Motions in JSON Lines: one object a line, with the fields of any other format."""

import json
from pathlib import Path

import pytest

from motions import Motion, MotionError, load

POINT = {"claim": "One claim.", "evidence": "Some evidence."}


def save(folder: Path, *lines: object) -> Path:
    path = folder / "mine.jsonl"
    written = (
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines
    )
    path.write_text("\n".join(written), encoding="utf-8")
    return path


def loaded(folder: Path, *lines: object) -> tuple[Motion, ...]:
    return load(save(folder, *lines)).motions


def faults(folder: Path, *lines: object) -> list[str]:
    with pytest.raises(MotionError) as caught:
        load(save(folder, *lines))
    return [str(fault).partition(", ")[2] for fault in caught.value.faults]


def test_fields_with_and_without_a_suffix_and_tables_say_the_same(tmp_path: Path) -> None:
    brief = {"pro": [POINT], "con": [POINT]}
    ways = (
        {"text": "Cats", "info_slide": "Pets.", **brief},
        {"text": "Cats", "language": "en", "info_slide": "Pets.", **brief},
        {"text_en": "Cats", "info_slide_en": "Pets.", "pro_en": [POINT], "con_en": [POINT]},
        {"en": {"text": "Cats", "info_slide": "Pets.", **brief}},
    )
    read = [loaded(tmp_path, {"category": "fact", **way}) for way in ways]
    assert len({one.motion_id for (one,) in read}) == 1
    assert all(one == read[0] for one in read)
    assert read[0][0].wording("en").brief.con[0].claim == "One claim."


def test_a_text_may_hold_a_line_separator_of_unicode(tmp_path: Path) -> None:
    (only,) = loaded(tmp_path, '{"text": "Cats\u2028and dogs", "category": "fact"}', "", "  ")
    assert only.wording("en").text == "Cats\u2028and dogs"


def test_every_fault_is_named_with_line_and_field(tmp_path: Path) -> None:
    result = faults(
        tmp_path,
        {"text": "A", "category": "fact"},
        '{"text": "B", "category": "fact"',
        {"text": "C", "category": "taste", "colour": "red"},
        "[",
        '{"text": "D", "text": "E", "category": "fact"}',
        {"id": 7, "text": "F", "category": "fact"},
        [{"text": "G", "category": "fact"}],
        {"text": "H", "category": "fact", "pro": [POINT, {"claim": "I"}], "con": "none"},
        {"id": "x", "en": {"text": "J"}, "text_en": "K", "category": "fact"},
        {"text": "a", "category": "fact"},
        "[" * 100_000,
    )
    expected = [
        "line 2: not valid JSON: Expecting ',' delimiter: line 1 column 33",
        "line 3, field category: given 'taste'; accepted: fact, policy, value. Correct it.",
        "line 3, field colour: unknown field; accepted here: id, category",
        "line 4: not valid JSON: Expecting value",
        "line 5, field text: is repeated in one object; accepted: once. Remove one",
        "line 6, field id: given 7; accepted: text, in quotes. Correct it.",
        "line 7: given [{'category': 'fact', 'text': 'G'}]; accepted: fields with values.",
        "line 8, field pro.2.evidence: missing; accepted: text that is not blank. Add it.",
        "line 8, field con: given 'none'; accepted: a list of points",
        "line 9, motion x, field text_en: the text in 'en' is already given in en.text",
        "line 10, field text: 'a' is also that of",
        "line 11: not valid JSON: ",
    ]
    assert len(result) == len(expected), result
    for given, begin in zip(result, expected, strict=True):
        assert given.startswith(begin), given
