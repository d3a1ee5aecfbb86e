"""Motions in CSV and in JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from motions import BriefPoint, Motion, MotionError, load


def save_csv(folder: Path, content: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(content, encoding="utf-8", newline="")
    return path


def loaded_csv(folder: Path, content: str) -> tuple[Motion, ...]:
    return load(save_csv(folder, content)).motions


def csv_faults(folder: Path, content: str) -> list[str]:
    with pytest.raises(MotionError) as caught:
        load(save_csv(folder, content))
    return [str(fault).partition(", ")[2] for fault in caught.value.faults]


def test_a_text_and_a_category_are_enough(tmp_path: Path) -> None:
    (only,) = loaded_csv(tmp_path, "text,category\nCats are better than dogs,value\n")
    assert (only.motion_set, only.category, only.topic) == ("mine", "value", "")
    wording = only.wording("en")
    assert (wording.text, wording.info_slide, wording.brief.pro) == (
        "Cats are better than dogs",
        "",
        (),
    )


def test_ids_come_from_the_text_alone(tmp_path: Path) -> None:
    one, other = loaded_csv(tmp_path, "text,category\nCats are best,value\nDogs are best,value\n")
    assert one.motion_id.startswith("cats-are-best-")
    (again,) = loaded_csv(tmp_path, "category,topic,text\nfact,pets,CATS  are best\n")
    assert again.motion_id == one.motion_id != other.motion_id
    (both,) = loaded_csv(tmp_path, "category,text_zh,text_en\nfact,猫最好,Cats are best\n")
    assert both.motion_id == one.motion_id, "a translation changes no id"
    (chinese,) = loaded_csv(tmp_path, "category,text\nfact,猫最好\n")
    assert chinese.motion_id.startswith("motion-")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Cats are best", "", "en"),
        ("猫最好", "", "zh"),
        ("AI应该受到监管", "", "zh"),
        ("The word 道 has no translation", "", "en"),
        ("The word 道 has no translation", "zh", "zh"),
        ("2024", "", "en"),
    ],
)
def test_the_language_is_what_is_named_or_else_what_the_text_is_in(
    tmp_path: Path, text: str, language: str, expected: str
) -> None:
    (only,) = loaded_csv(tmp_path, f"text,language,category\n{text},{language},fact\n")
    assert list(only.wordings) == [expected]


def test_both_languages_and_briefs_in_one_row(tmp_path: Path) -> None:
    columns = {
        "id": "pets",
        "category": "value",
        "topic": "home",
        "text_en": "Cats are best",
        "text_zh": "猫最好",
        "info_slide_zh": "都是宠物。",
        "pro_en.1.claim": "Clean",
        "pro_en.1.evidence": "They wash,\nand wash.",
        "pro_en.1.source": "Cat, 2020",
        "pro_en.2.claim": "Quiet",
        "pro_en.2.evidence": 'They "purr".',
        "con_en.1.claim": "Aloof",
        "con_en.1.evidence": "They leave.",
        "zh.pro.1.claim": "",
    }
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, columns)
    writer.writeheader()
    writer.writerow(columns)
    (only,) = loaded_csv(tmp_path, written.getvalue())
    assert (only.motion_id, only.topic) == ("pets", "home")
    assert only.wording("zh").info_slide == "都是宠物。"
    assert only.wording("zh").brief.pro == ()
    assert only.wording("en").brief.pro == (
        BriefPoint(claim="Clean", evidence="They wash,\nand wash.", source="Cat, 2020"),
        BriefPoint(claim="Quiet", evidence='They "purr".'),
    )


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_other_separators_line_ends_marks_and_blank_rows(
    tmp_path: Path, separator: str, end: str
) -> None:
    rows = [["category", "text"], ["fact", "Cats, dogs"], ["", ""], ["fact", "Dogs"]]
    content = "\ufeff" + "".join(separator.join(row) + end for row in rows) + end
    assert [one.wording("en").text for one in loaded_csv(tmp_path, content)] == [
        "Cats, dogs",
        "Dogs",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("text,category\nA cat,taste\n", ["line 2, field category: given 'taste'; accepted: fact"]),
        ("text,category\nA cat,\n", ["line 2, field category: missing; accepted: fact, policy"]),
        ("text,category\n,fact\n", ["line 2, field text: missing; accepted: text, text_en"]),
        ("id,text,category\na b,A,fact\n", ["line 2, motion a b, field id: given 'a b'; accepted"]),
        ("text,language,category\nA,fr,fact\n", ["line 2, field language: given 'fr'; accepted"]),
        ("text,kind,category\nA,x,fact\n", ["line 1, field kind: unknown column; accepted: id, "]),
        ("text,en,category\nA,x,fact\n", ["line 1, field en: unknown column"]),
        ("text,pro.1.url,category\n", ["line 1, field pro.1.url: unknown column; accepted: claim"]),
        ("text,pro.0.claim,category\n", ["line 1, field pro.0.claim: unknown column"]),
        ("text,pro.9x.claim,category\n", ["line 1, field pro.9x.claim: unknown column"]),
        ("text,,category\n", ["line 1: column 2 has no name."]),
        ("text,text,category\n", ["line 1, field text: 2 columns have this name"]),
        (
            "topic\nwork\n",
            [
                "line 1, field category: there is no such column; accepted: fact, policy, value",
                "line 1, field text: there is no such column; accepted: text, text_en, text_zh",
            ],
        ),
        ("text,category\nA, B,fact\n", ["line 2: 3 cells, but the header has 2. Put a cell"]),
        ("text,category\nA\n", ["line 2: 1 cells, but the header has 2."]),
        ('text,category\n"A",fact\n"B"C,fact\n', ["line 3: not valid CSV: in the row that begins"]),
        ('text,category\n\nA,fact\n"B,fact\nC,fact\n', ["line 4: not valid CSV: in the row that"]),
        (
            "text,text_en,category\nA,B,fact\n",
            ["line 2, field text_en: the text in 'en' is already given in"],
        ),
        ("text_en,language,category\nA,en,fact\n", ["line 2, field language: given 'en' without"]),
        ("text,info_slide_zh,category\nA,B,fact\n", ["line 2, field info_slide_zh: given without"]),
        (
            "text,category,pro.2.claim,pro.2.evidence,con.1.claim,con.1.evidence\nA,fact,B,C,D,E\n",
            [
                "line 2, field pro.1.claim: missing; accepted: text that is not blank",
                "line 2, field pro.1.evidence: missing",
            ],
        ),
        (
            "text,category,pro.1.claim,pro.1.evidence\nA,fact,B,C\n",
            ["line 2, field con: the brief has no points on this side"],
        ),
        ("text,category\nA,fact\n a ,value\n", ["line 3, field text: 'a' is also that of"]),
        (
            'text,category\n"A\nB",fact\nC,taste\nD,taste\n',
            ["line 4, field category: given 'taste'", "line 5, field category: given 'taste'"],
        ),
    ],
)
def test_every_fault_is_named_with_line_and_column(
    tmp_path: Path, content: str, expected: list[str]
) -> None:
    result = csv_faults(tmp_path, content)
    assert len(result) == len(expected), result
    for given, begin in zip(result, expected, strict=True):
        assert given.startswith(begin), given
        assert given.endswith((".", "in one entry).")), "it says what to do"


def test_a_motion_in_two_rows_is_told_to_be_in_one(tmp_path: Path) -> None:
    content = "id,text,language,category\npets,Cats,en,fact\npets,猫,zh,fact\n"
    (told,) = csv_faults(tmp_path, content)
    assert told.startswith("line 3, motion pets, field id: 'pets' is also that of")
    assert "the texts of a motion in two languages belong in one entry" in told


POINT = {"claim": "One claim.", "evidence": "Some evidence."}


def save_lines(folder: Path, *lines: object) -> Path:
    path = folder / "mine.jsonl"
    written = (
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines
    )
    path.write_text("\n".join(written), encoding="utf-8")
    return path


def loaded_lines(folder: Path, *lines: object) -> tuple[Motion, ...]:
    return load(save_lines(folder, *lines)).motions


def line_faults(folder: Path, *lines: object) -> list[str]:
    with pytest.raises(MotionError) as caught:
        load(save_lines(folder, *lines))
    return [str(fault).partition(", ")[2] for fault in caught.value.faults]


def test_fields_with_and_without_a_suffix_and_tables_say_the_same(tmp_path: Path) -> None:
    brief = {"pro": [POINT], "con": [POINT]}
    ways = (
        {"text": "Cats", "info_slide": "Pets.", **brief},
        {"text": "Cats", "language": "en", "info_slide": "Pets.", **brief},
        {"text_en": "Cats", "info_slide_en": "Pets.", "pro_en": [POINT], "con_en": [POINT]},
        {"en": {"text": "Cats", "info_slide": "Pets.", **brief}},
    )
    read = [loaded_lines(tmp_path, {"category": "fact", **way}) for way in ways]
    assert len({one.motion_id for (one,) in read}) == 1
    assert all(one == read[0] for one in read)
    assert read[0][0].wording("en").brief.con[0].claim == "One claim."


def test_a_text_may_hold_a_line_separator_of_unicode(tmp_path: Path) -> None:
    (only,) = loaded_lines(tmp_path, '{"text": "Cats\u2028and dogs", "category": "fact"}', "", "  ")
    assert only.wording("en").text == "Cats\u2028and dogs"


def test_every_fault_is_named_with_line_and_field(tmp_path: Path) -> None:
    result = line_faults(
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
