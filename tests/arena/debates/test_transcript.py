"""Speeches and their references as they are shown."""

from __future__ import annotations

import json

import pytest

from arena.debates.transcript import render_reference, render_speech, shown_speech
from arena.languages import LANGUAGES, SIDES, Side, language
from arena.languages.language import pair_language
from arena.records import Reference, Speech

in_both_languages = pytest.mark.parametrize("code", LANGUAGES)

#: A reference as it was stored before marks had letters.
STORED = json.loads('{"number": 3, "origin": "A", "excerpt": "B.", "given": true}')


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
def test_a_reference_begins_with_the_mark_that_cites_it(side: Side, code: str) -> None:
    spoken = language(code)
    reference = Reference(number=3, origin="A", excerpt="B.", side=side)
    assert render_reference(reference, spoken) == f"[{spoken.marks[side]}3] A — B."
    missing = Reference(number=4, given=False, side=side)
    never = spoken.terms["never_given"]
    assert render_reference(missing, spoken) == f"[{spoken.marks[side]}4] {never}"


@in_both_languages
def test_a_debate_that_was_stored_with_plain_numbers_is_shown_with_them(code: str) -> None:
    text = "So [3]. They say “no [1]”."
    speech = Speech(
        side="con", stage="rebuttal", text=text, words=6, references=(Reference(**STORED),)
    )
    assert shown_speech(speech, language(code)) == (text, ["[3] A — B."])
    assert "[3] A — B." in render_speech(speech, language(code)).splitlines()


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
def test_an_answer_gets_its_letter_where_it_is_shown(side: Side, code: str) -> None:
    answer = Speech(
        side=side,
        stage="answer",
        text="So [3] and [3, 9], but x[2], [1, 4].",
        words=8,
        references=(Reference(**STORED), Reference(number=9, given=False)),
    )
    words = pair_language(language(code))
    letter, never = words.marks[side], words.terms["never_given"]
    shown = f"So [{letter}3] and [{letter}3, {letter}9], but x[2], [1, 4]."
    lines = [f"[{letter}3] A — B.", f"[{letter}9] {never}"]
    assert shown_speech(answer, language(code)) == (shown, lines)
    assert shown_speech(answer, words) == (shown, lines)


def test_an_answer_without_references_is_shown_as_it_is() -> None:
    answer = Speech(side="pro", stage="answer", text="Take x[1], see [2].", words=4)
    assert shown_speech(answer, language("en")) == (answer.text, [])
