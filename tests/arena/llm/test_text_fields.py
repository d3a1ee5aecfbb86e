"""The one text in a JSON value, wherever a model put it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llm.text_fields import find_text, read_broken_text, read_json

PARTS = [
    "We support the motion, because work that is paid by results is work that is done.",
    "Costs fall [1], and “time” is saved; nobody loses by that.",
]
SPEECH = "\n\n".join(PARTS)
FOUND: dict[str, Any] = {
    "a telling name": {"speech": SPEECH},
    "another one": {"content": SPEECH, "tone": "calm"},
    "of another letter case": {"Body": SPEECH},
    "no telling name": {"my_masterpiece": SPEECH, "words": 30},
    "beside thinking": {"thoughts": SPEECH[::-1] * 3, "text": SPEECH},
    "beside a motion": {"motion": "Work pays.", "position": SPEECH},
    "a list": PARTS,
    "a list in a field": {"paragraphs": PARTS},
    "typed parts": [{"type": "text", "text": part} for part in PARTS],
    "objects in a list": {"sections": [{"text": part} for part in PARTS]},
    "an object in an object": {"data": {"attributes": {"text": SPEECH}}},
    "a list of one": [{"answer": SPEECH}],
    "JSON in a text": {"answer": json.dumps({"speech": SPEECH})},
    "all of it JSON in a text": json.dumps({"speech": SPEECH}),
    "parts by name": {"introduction": PARTS[0], "conclusion": PARTS[1]},
    "parts by number": {"point_1": PARTS[0], "point_2": PARTS[1]},
    "a text": SPEECH,
}
NONE: dict[str, Any] = {
    "nothing": {},
    "scalars": {"status": "ok", "code": 0, "done": True, "error": None},
    "thinking": {"reasoning": SPEECH},
    "a short text": {"verdict_of_the_day": "Pro wins."},
    "two that could be": {"left": SPEECH, "right": SPEECH[::-1]},
    "a search": {"query": "effects of a four-day week on the productivity of office workers"},
}


@pytest.mark.parametrize("value", FOUND.values(), ids=FOUND)
def test_the_one_text_is_found(value: Any) -> None:  # noqa: ANN401
    assert find_text(value) == SPEECH
    assert find_text(read_json(json.dumps(value, ensure_ascii=False))) == SPEECH


@pytest.mark.parametrize("value", NONE.values(), ids=NONE)
def test_where_there_is_none_nothing_is_taken_for_one(value: Any) -> None:  # noqa: ANN401
    assert find_text(value) == ""


def test_fields_of_a_form_are_no_text() -> None:
    assert find_text({"claim": SPEECH}, but=["claim"]) == ""


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_text_that_is_found_consists_of_texts_that_are_there(value: Any) -> None:  # noqa: ANN401
    there = "".join(json.dumps(value, ensure_ascii=False).split())
    for part in find_text(value).split("\n\n"):
        escaped = json.dumps("".join(part.split()), ensure_ascii=False)[1:-1]
        assert escaped in there or not part.strip() or "\\" in there


def test_a_text_in_an_object_that_never_ends_is_read() -> None:
    whole = json.dumps({"speech": SPEECH})
    assert SPEECH.startswith(read_broken_text(whole[:-30]))
    assert len(read_broken_text(whole[:-30])) > len(SPEECH) - 40


def test_a_text_that_is_no_value_is_none() -> None:
    for text in (SPEECH, f'"Work" pays. {SPEECH}', "[1] shows it. {a}", '{"a": 1} and more', ""):
        assert read_json(text) is None
