"""Whose entries the marks of a speech name, and which of them are citations."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.debates.citations import find_citations, list_references, resolve_marks
from arena.languages import LANGUAGES, SIDES, Contest, Side, language, other_side, sentences
from arena.languages.marks import MARKS
from arena.records import Reference, Speech

KNOWN = [Reference(number=n, origin=f"origin {n}", excerpt=f"excerpt {n}") for n in (1, 2, 3)]

in_both_languages = pytest.mark.parametrize("code", LANGUAGES)
#: Marks of Pro's entry 3 and of two entries, and of Con's, in either language.
OWN = {"en": ("[P3]", "[P3, P7]"), "zh": ("[正3]", "[正3, 正7]")}
THEIRS = {"en": "[C3]", "zh": "[反3]"}


def speech(text: str, side: Side = "con") -> Speech:
    return Speech(side=side, stage="constructive", text=text, words=1)


def cited(
    text: str,
    *disclosed: str,
    side: Side = "pro",
    code: str = "en",
    contest: Contest = "debate",
) -> tuple[str, list[int]]:
    """The resolved text of a speech after speeches of the opponent, and the numbers it cites."""
    earlier = [speech(words, other_side(side)) for words in disclosed]
    made = resolve_marks(text, side, language(code), disclosed=earlier, contest=contest)
    return made.text, [mark.number for mark in made.citations]


@in_both_languages
@pytest.mark.parametrize(
    ("marks", "resolved"),
    [
        ("[P3]", "{0}"),
        ("[3]", "{0}"),
        ("[p3]", "{0}"),
        ("[正方3]", "{0}"),
        ("【P3】", "{0}"),
        ("［３］", "{0}"),
        ("[P3, P7]", "{1}"),
        ("[P3, 7]", "{1}"),
        ("[3, 7]", "{1}"),
        ("[正3, 7]", "{1}"),
    ],
)
def test_own_marks_are_citations_and_get_their_letter(marks: str, resolved: str, code: str) -> None:
    text, numbers = cited(f"So it is {marks}.", code=code)
    assert text == f"So it is {resolved.format(*OWN[code])}."
    assert numbers == [3, 7][: 1 + ("7" in marks)]


@in_both_languages
@pytest.mark.parametrize("marks", ["[C3]", "[c 3]", "[Con 3]", "[反3]", "【反方3】"])
def test_marks_of_the_opponent_are_never_citations(marks: str, code: str) -> None:
    assert cited(f"So it is {marks}.", code=code) == (f"So it is {THEIRS[code]}.", [])


def test_a_bracket_may_name_entries_of_both_sides() -> None:
    assert cited("So [P1, C2, 3].") == ("So [P1, C2, C3].", [1])
    assert cited("So [2, C1].", side="con") == ("So [C2, C1].", [2, 1])


def test_the_letters_are_counted() -> None:
    made = resolve_marks("So [1], [P2] and [3, 4].", "pro", language("en"))
    assert made.lettered == 3


def test_references_come_in_the_order_of_first_mention() -> None:
    text = "So [P3] and [1]. Never given [P9]. Again [P3, P1]."
    made = resolve_marks(text, "pro", language("en"))
    listed = list_references(made.citations, KNOWN)
    assert [(item.number, item.given, item.side) for item in listed] == [
        (3, True, "pro"),
        (1, True, "pro"),
        (9, False, "pro"),
    ]
    assert listed[0].excerpt == "excerpt 3" and listed[2].excerpt == ""


@given(st.lists(st.integers(0, 12), max_size=8), st.sampled_from([", ", ",", "，", "、"]))
def test_every_number_is_cited_once_in_order(numbers: list[int], comma: str) -> None:
    mark = f"[{comma.join(map(str, numbers))}]" if numbers else ""
    apart = " and ".join(f"so [{number}]" for number in numbers)
    expected = [(number, 1 <= number <= 3) for number in dict.fromkeys(numbers)]
    for text in (f"Proof {mark}.", f"证明{apart}。"):
        listed = list_references(find_citations(text, "con"), KNOWN)
        assert [(item.number, item.given) for item in listed] == expected


PLAIN = "Wages rise [1]. They say “output falls” [2, 3]; it doesn't. 工资上涨[1]。"


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("They said “Wages rise [1].”", "They said “Wages rise [C1].”"),
        ('They said "wages rise [1]", no more.', 'They said "wages rise [C1]", no more.'),
        ("They said 'Wages rise [1].' It's false.", "They said 'Wages rise [C1].' It's false."),
        ("对方说「工资上涨[1]」。", "对方说「工资上涨[C1]」。"),
        ('对方说:"工资上涨[1]。"', '对方说:"工资上涨[C1]。"'),
        ("Now:\n> Wages rise [1].\nNo.", "Now:\n> Wages rise [C1].\nNo."),
        ("“Wages … output falls [2]”: no.", "“Wages … output falls [C2]”: no."),
        ("“They say “output falls” [2, 3]; it”", "“They say “output falls” [C2, C3]; it”"),
        ("“[1]. They say”", "“[C1]. They say”"),
        ("“wages rise” is false [1], “they say”.", "“wages rise” is false [P1], “they say”."),
        ("They said “wages rise” [1].", "They said “wages rise” [P1]."),
        ('"wages rise" [1] is "no".', '"wages rise" [P1] is "no".'),
        ("“Prices rise [1].”", "“Prices rise [P1].”"),
        ("“Wages rise [7].”", "“Wages rise [P7].”"),
        ("“Wages rise [1].", "“Wages rise [P1]."),
        ("Wages rise [1].", "Wages rise [P1]."),
    ],
)
def test_a_number_without_a_letter_is_the_opponents_only_in_a_quotation(
    text: str, resolved: str
) -> None:
    made, numbers = cited(text, PLAIN)
    assert made == resolved
    assert bool(numbers) == ("[P" in resolved)


def test_an_own_mark_in_the_opponents_words_is_no_citation() -> None:
    theirs = "They rely on “wages rise [P1]” alone."
    assert cited("You say “They rely on ‘wages rise [P1]’ alone.”", theirs)[1] == []
    assert cited("You say “they rely on “wages rise [1]””.", theirs)[1] == []
    assert cited("Wages rise [P1].", theirs)[1] == [1]


WORDS = st.sampled_from(
    ["wages", "rise", "工资上涨", "it's", "so,", "“no”", '"output"', "‘falls’", "—", "(2020)", "…"]
)
NUMBERS = st.lists(st.integers(1, 9), min_size=1, max_size=2).map(
    lambda numbers: ", ".join(map(str, numbers))
)


@st.composite
def spoken_texts(draw: st.DrawFn, letters: tuple[str, ...]) -> str:
    """A speech of some sentences, each with marks that have one of the letters or none."""
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        for _ in range(draw(st.integers(1, 2))):
            lines += draw(st.lists(WORDS, min_size=1, max_size=5))
            lines.append(f"[{draw(st.sampled_from(letters))}{draw(NUMBERS)}]")
        lines[-1] += draw(st.sampled_from([". ", "。", "! [3]\n"]))
    return " ".join(lines)


def has_words(sentence: str) -> bool:
    return any(map(str.isalnum, MARKS.remove(sentence)))


@pytest.mark.parametrize("side", SIDES)
@given(st.data())
def test_quoting_the_opponent_changes_no_own_references(side: Side, data: st.DataObject) -> None:
    other = other_side(side)
    theirs = data.draw(spoken_texts(("", "P", "C", "正", "反")), label="opponent's draft")
    code = data.draw(st.sampled_from(["en", "zh"]))
    stored = resolve_marks(theirs, other, language(code)).text
    own = data.draw(spoken_texts(("", language(code).marks[side])), label="own")
    quoted = data.draw(st.sampled_from(sentences(stored)), label="quoted")
    assume(has_words(quoted))
    marks = data.draw(st.sampled_from(["“”", "「」", "«»"]))
    earlier = [speech(stored, other)]

    def references(text: str) -> list[tuple[int, bool]]:
        made = resolve_marks(text, side, language(code), disclosed=earlier)
        again = resolve_marks(made.text, side, language(code), disclosed=earlier)
        assert again.text == made.text and again.lettered == 0, "resolved once for all"
        assert again.citations == made.citations
        listed = list_references(made.citations, KNOWN)
        return [(item.number, item.given) for item in listed]

    alone = references(f"{own}\n\nEnd.")
    assert references(f"{own}\n\nThey say {marks[0]}{quoted}{marks[1]} and err.\n\nEnd.") == alone


@pytest.mark.parametrize("side", SIDES)
@given(st.data())
def test_so_does_quoting_a_speech_that_was_stored_without_letters(
    side: Side, data: st.DataObject
) -> None:
    theirs = data.draw(spoken_texts(("",)), label="opponent")
    quoted = data.draw(st.sampled_from(sentences(theirs)), label="quoted")
    assume(has_words(quoted))
    marks = data.draw(st.sampled_from(["“”", "「」", "«»", '""']))
    text = f"They say {marks[0]}{quoted}{marks[1]} and err."
    made = resolve_marks(text, side, language("en"), disclosed=[speech(theirs, other_side(side))])
    assert made.citations == ()
    assert {mark.side for mark in MARKS.find(made.text)} <= {other_side(side)}


def test_people_and_questions_keep_their_text() -> None:
    assert cited("An interval [1, 3] and x[2].", contest="question")[0] == (
        "An interval [1, 3] and x[2]."
    )
    text = "They say “wages rise [1]”, but [2]."
    assert [m.number for m in find_citations(text, "pro", [speech("Wages rise [1].")])] == [2]


@in_both_languages
def test_an_essays_own_marks_have_no_letter(code: str) -> None:
    own = language(code).marks["con"]
    text = f"So [{own}1], [2, {own}3]. 【{own}4】"
    made = cited(text, side="con", code=code, contest="essay")
    assert made == ("So [1], [2, 3]. [4]", [1, 2, 3, 4])


def test_a_text_full_of_quotation_marks_is_read_in_a_moment() -> None:
    earlier = "wages [1] " * 300
    text = "“\"'wages [1] " * 2000
    assert "[1]" not in cited(text, earlier)[0]
