"""From a draft to a speech: the word limit, and what its references refer to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debater import Draft
from arena.debates.protocol import finish_speech
from arena.errors import EmptyReply
from arena.languages import LANGUAGES, SIDES, Language, language, sentences
from arena.languages.trim import trim
from arena.llm.request import Request
from arena.records import Reference, Speech
from tests.support.debate_seats import language_model, paths, seat, texts
from tests.support.scripted_backend import ScriptedBackend

KNOWN = [Reference(number=n, origin=f"origin {n}", excerpt=f"excerpt {n}") for n in (1, 2, 3)]

LONG = {
    "en": "One two three. Four five six. Seven eight nine.",
    "zh": "一二三。四五六。七八九。",
}

PIECES = [
    "One two. ",
    "Three [2].\n",
    "四五六。",
    "七八！",
    " nine",
    "？",
    "“Ten.” ",
    "  ",
    "11.5 ",
]

prose = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).map("".join)
spoken_languages = pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)


def unasked(request: Request) -> str:
    raise AssertionError(f"nothing is to be asked: {request.path}")


def without_blanks(text: str) -> str:
    return "".join(text.split())


async def test_a_draft_becomes_a_speech(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path), side="con", words=9)
    draft = Draft(text="  One two [2].\n", known=KNOWN, trace=[{"agent": "Writer"}])
    made = await finish_speech(draft, place, "rebuttal")
    assert (made.side, made.stage, made.text) == ("con", "rebuttal", "One two [C2].")
    assert (made.words, made.trimmed) == (3, False)
    assert made.references == (replace(KNOWN[1], side="con"),)
    letter = {"agent": "protocol", "action": "letter", "marks": 1}
    assert made.trace == ({"agent": "Writer"}, letter)


@pytest.mark.parametrize("text", ["", " \n\t "])
async def test_an_empty_draft_is_no_speech(text: str, tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path))
    with pytest.raises(EmptyReply):
        await finish_speech(Draft(text=text), place, "summary")


@pytest.mark.parametrize("code", LONG)
async def test_a_speech_at_the_limit_is_left_alone(code: str, tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path), code=code, words=9)
    made = await finish_speech(Draft(text=LONG[code]), place, "summary")
    assert (made.text, made.words, made.trimmed, made.trace) == (LONG[code], 9, False, ())


@pytest.mark.parametrize("code", LONG)
async def test_a_long_speech_is_asked_once_to_be_shortened(code: str, tmp_path: Path) -> None:
    short = sentences(LONG[code])[0]
    backend = ScriptedBackend(lambda request: short)
    place = seat(language_model(backend, tmp_path), code=code, words=8)
    made = await finish_speech(
        Draft(text=LONG[code], trace=[{"agent": "Writer"}]), place, "summary"
    )
    (request,) = backend.requests
    assert (request.path, request.task) == ("pro/summary/shorten", "shorten")
    assert request.language == code
    assert texts(request, language(code).terms["speech"]) == [LONG[code]]
    assert request.variables["words"] == "8" and request.variables["count"] == "9"
    assert (made.text, made.words, made.trimmed) == (short, 3, False)
    assert made.trace == (
        {"agent": "Writer"},
        {"agent": "protocol", "action": "shorten", "from": 9},
    )


@pytest.mark.parametrize(
    ("code", "cut"), [("en", "One two three. Four five six."), ("zh", "一二三。四五六。")]
)
async def test_what_stays_too_long_is_cut_at_a_sentence_and_marked(
    code: str, cut: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: LONG[code])
    place = seat(language_model(backend, tmp_path), code=code, words=8)
    made = await finish_speech(Draft(text=f"{LONG[code]} {LONG[code]}"), place, "rebuttal")
    assert paths(backend) == ["pro/rebuttal/shorten"]
    assert (made.text, made.words, made.trimmed) == (cut, 6, True)


async def test_references_are_those_of_the_text_that_is_left(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: "One two [1]. Three four five [2].")
    place = seat(language_model(backend, tmp_path), words=5)
    made = await finish_speech(
        Draft(text="Three four five, far too many words in here [3].", known=KNOWN),
        place,
        "summary",
    )
    assert made.text == "One two [P1]."
    assert made.references == (replace(KNOWN[0], side="pro"),)


async def test_a_quoted_mark_is_no_reference_and_the_letters_are_noted(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path), side="con")
    pro = Speech(side="pro", stage="rebuttal", text="Wages rise [2]. So it is [P3].", words=7)
    draft = Draft(text="“Wages rise [2].” So it is [P3]? No [1], [C9].", known=KNOWN)
    made = await finish_speech(draft, place, "rebuttal", disclosed=[pro])
    assert made.text == "“Wages rise [P2].” So it is [P3]? No [C1], [C9]."
    assert [(one.number, one.given) for one in made.references] == [(1, True), (9, False)]
    assert made.trace == ({"agent": "protocol", "action": "letter", "marks": 2},)


async def test_a_persons_speech_keeps_its_marks(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path))
    con = Speech(side="con", stage="constructive", text="Wages fall [1] [C2].", words=4)
    text = "You say “Wages fall [1] [C2]”. See [3]."
    made = await finish_speech(Draft(text=text, final=True), place, "rebuttal", disclosed=[con])
    assert (made.text, made.trace) == (text, ())
    assert made.references == (Reference(number=3, given=False),)


async def test_an_essay_is_stored_without_letters(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path), side="con")
    draft = Draft(text="So [C1], [2] and [9].", known=[replace(KNOWN[0], side="con"), KNOWN[1]])
    made = await finish_speech(draft, place, "constructive", contest="essay")
    assert (made.text, made.trace) == ("So [1], [2] and [9].", ())
    assert made.references == (*KNOWN[:2], Reference(number=9, given=False))


async def test_an_answer_to_a_question_cites_only_what_was_found(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path))
    draft = Draft(text="Between [1, 7], see x[4].", known=KNOWN)
    made = await finish_speech(draft, place, "answer", contest="question")
    assert (made.text, made.references) == ("Between [1, 7], see x[4].", (KNOWN[0],))


@spoken_languages
@given(limit=st.integers(1, 12))
def test_a_cut_leaves_no_half_mark(limit: int, spoken: Language) -> None:
    one, two = (f"[{spoken.marks[side]}1, {spoken.marks[side]}2]" for side in SIDES)
    text = {"en": f"Wages rise {one} and fall {two} so.", "zh": f"工资{one}上涨{two}吗。"}
    cut = trim(text[spoken.code], limit, spoken)
    rest = cut.replace(one, "").replace(two, "")
    assert not {"[", "]", "1", "2", *spoken.marks.values()} & set(rest)
    assert spoken.count(cut) <= limit


@pytest.mark.parametrize(
    ("code", "limit", "cut"),
    [
        ("en", 9, "One two three. Four five six. Seven eight nine."),
        ("en", 5, "One two three."),
        ("en", 2, "One two"),
        ("zh", 9, "一二三。四五六。七八九。"),
        ("zh", 5, "一二三。"),
        ("zh", 2, "一二"),
    ],
)
def test_a_text_is_cut_after_its_last_whole_sentence(code: str, limit: int, cut: str) -> None:
    assert trim(LONG[code], limit, language(code)) == cut


def test_a_sentence_that_comes_twice_is_cut_where_it_stands() -> None:
    assert trim("So it is. Yes. So it is. No.", 5, language("en")) == "So it is. Yes."


@spoken_languages
@given(text=prose, limit=st.integers(1, 12))
def test_a_cut_text_fits_and_begins_as_the_whole(text: str, limit: int, spoken: Language) -> None:
    cut = trim(text.strip(), limit, spoken)
    assert spoken.count(cut) <= limit
    assert without_blanks(text).startswith(without_blanks(cut))
    assert bool(cut) or not text.strip()


@spoken_languages
@given(text=prose, limit=st.integers(1, 12))
def test_nothing_is_cut_that_fits(text: str, limit: int, spoken: Language) -> None:
    if spoken.count(text) <= limit:
        assert trim(text, limit, spoken) == text
    assert trim(text, spoken.count(text), spoken) == text


@spoken_languages
@given(text=prose, limit=st.integers(1, 12))
def test_a_cut_keeps_as_many_whole_sentences_as_fit(
    text: str, limit: int, spoken: Language
) -> None:
    text = text.strip()
    if spoken.count(text) <= limit:
        return
    whole = sentences(text)
    fitting, end = 0, 0
    for one in whole:  # the slow, obvious twin
        end = text.index(one, end) + len(one)
        if spoken.count(text[:end]) > limit:
            break
        fitting += 1
    if fitting:
        kept = without_blanks("".join(whole[:fitting]))
        assert without_blanks(trim(text, limit, spoken)) == kept
