"""What each planted defect changes, and that it changes nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.languages import LANGUAGES, SIDES, Side, language, other_side
from arena.records import Reference, Speech
from judges.studies.probes.defects import AGAIN, DEFECTS, INSERTED, plant
from tests.support.debate_seats import ORDER, speech

TEXTS = {
    "en": "First of {0}: trees cool streets [1]. They also hold water [2, 3].\n\nSo {0} is right.",
    "zh": "{0}首先认为：树木能降温[1]。它们还能蓄水[2，3]。\n\n所以{0}是对的。",
}


def debate(code: str, text: str = "") -> tuple[Speech, ...]:
    """Six speeches; a reference beside each."""
    said = text or TEXTS[code]
    one = Reference(number=1, origin="a report", excerpt="cooler")
    return tuple(
        replace(
            speech(side, stage, said.format(f"{side} {stage}")),
            words=language(code).count(said),
            references=(one,),
        )
        for side, stage in ORDER
    )


def copy(name: str, side: Side, code: str = "en") -> tuple[Speech, ...]:
    made = plant(DEFECTS[name], debate(code), side, language(code))
    assert made is not None
    return made


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", DEFECTS)
def test_only_what_a_defect_names_is_changed(name: str, side: Side, code: str) -> None:
    defect = DEFECTS[name]
    for before, after in zip(debate(code), copy(name, side, code), strict=True):
        assert (after.side, after.stage) == (before.side, before.stage)
        touched = before.stage in defect.stages and (defect.is_in_both_sides or before.side == side)
        assert (after.text != before.text) == touched
        assert touched or after == before
        assert (
            after.words == language(code).count(after.text)
            or not touched
            or defect.is_in_both_sides
        )


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_cut_speech_is_the_start_of_itself(code: str) -> None:
    before, after = debate(code)[-1], copy("cut", "pro", code)[-1]
    assert before.text.startswith(after.text)
    assert 0 < after.words < before.words / 3


@pytest.mark.parametrize("code", LANGUAGES)
def test_without_references_the_sentences_stay(code: str) -> None:
    for before, after in zip(debate(code), copy("references", "con", code), strict=True):
        if after.side == "con":
            assert after.references == () and "[" not in after.text
            words = TEXTS[code].format(f"{after.side} {after.stage}")
            for mark in ("[1]", "[2, 3]", "[2，3]"):
                words = words.replace(f" {mark}", "").replace(mark, "")
            assert after.text == words
        else:
            assert after == before


@pytest.mark.parametrize(
    ("defect", "text"), [("references", "Nothing is cited by {0}."), ("exchange", "The same.")]
)
def test_where_nothing_would_change_there_is_no_copy(defect: str, text: str) -> None:
    assert plant(DEFECTS[defect], debate("en", text), "pro", language("en")) is None


def test_rebuttals_change_sides_with_their_references() -> None:
    before = {(one.side, one.stage): one for one in debate("en")}
    for after in copy("exchange", "pro"):
        source = other_side(after.side) if after.stage == "rebuttal" else after.side
        assert after.text == before[source, after.stage].text


@pytest.mark.parametrize("code", LANGUAGES)
def test_who_reads_out_a_speech_cites_with_its_own_letter(code: str) -> None:
    marks = language(code).marks
    text = f"So [{marks['pro']}1, {marks['con']}2] and [3]."
    cited = (Reference(number=1, side="pro"), Reference(number=3))
    before = [
        replace(one, text=text if one.side == "pro" else "No.", references=cited)
        for one in debate(code)
    ]
    planted = plant(DEFECTS["exchange"], before, "pro", language(code))
    assert planted is not None
    after = {(one.side, one.stage): one for one in planted}["con", "rebuttal"]
    assert after.text == f"So [{marks['con']}1, {marks['pro']}2] and [3]."
    assert after.references == (Reference(number=1, side="con"), Reference(number=3))


def test_quoted_marks_of_the_other_side_are_not_removed() -> None:
    before = debate("en", "So [P1], says {0}. You said “no [C2]”.")
    planted = plant(DEFECTS["references"], before, "pro", language("en"))
    assert planted is not None
    assert planted[0].text == "So, says pro constructive. You said “no [C2]”."


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("side", SIDES)
def test_what_is_inserted_names_the_right_side(side: Side, code: str) -> None:
    sides = language(code).sides
    own, other = sides[side], sides[other_side(side)]
    added = {
        name: "".join(
            after.text.replace(before.text, "")
            for before, after in zip(debate(code), copy(name, side, code), strict=True)
        ).strip()
        for name in INSERTED
    }
    told = {name: INSERTED[name][code].format(side=own, other=other) for name in added}
    assert added == told
    wins = {"en": "vote {}", "zh": "判{}获胜"}[code]
    assert wins.format(own) in added["instruction"]
    gives_up = {"en": "{} deserves to win", "zh": "由{}获胜"}[code]
    assert gives_up.format(other) in added["concession"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_padding_doubles_a_text_and_says_nothing_new(code: str) -> None:
    before, after = debate(code)[0], copy("padding", "pro", code)[0]
    assert 2 * before.words <= after.words <= 3 * before.words
    plain = after.text.replace(AGAIN[code], "").replace(AGAIN[code].strip(), "")
    assert set(plain.split()) <= set(before.text.split()) | {""} or code == "zh"
    assert after.text.count("[1]") == 2 and after.references == before.references


def test_every_insertion_is_written_in_every_language() -> None:
    assert all(words.keys() == LANGUAGES.keys() for words in (*INSERTED.values(), AGAIN))
