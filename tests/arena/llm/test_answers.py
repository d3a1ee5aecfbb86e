"""Reading answers as models write them: what is read as meant, and what never is."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.llm.answers import read_composition, read_form, strip_thinking
from arena.llm.repair import AnswerFault


class Point(BaseModel):
    model_config = ConfigDict(extra="forbid")
    claim: str
    strength: int = 1


class Ballot(BaseModel):
    model_config = ConfigDict(extra="forbid")
    judgement: str
    pro_mark: float = Field(ge=1, le=10)
    winner: Literal["Pro", "Con", "tie"]
    sure: bool = True
    points: list[Point] = []


ANSWER = {"judgement": "Pro is clearer.", "pro_mark": 7.5, "winner": "Pro"}
TEXT = json.dumps(ANSWER)
OTHER = json.dumps({**ANSWER, "winner": "Con"})

BENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "as sent": (TEXT, ()),
    "blanks": (f"\n  {TEXT}\n\n", ()),
    "fence": (f"```json\n{TEXT}\n```", ("fence",)),
    "fence in prose": (f"Sure:\n```json\n{TEXT}\n```\nDone.", ("fence", "prose")),
    "prose before": (f"Sure, here is my answer: {TEXT}", ("prose",)),
    "prose after": (f"{TEXT}\nI hope this helps.", ("prose",)),
    "Chinese around it": (f"好的，我的裁决如下：{TEXT} 谢谢。", ("prose",)),
    "thinking": (f"<think>Pro {{or}} Con?</think>{TEXT}", ("thinking",)),
    "a lone closing tag": (f"Hm, {OTHER}? No.</think>\n{TEXT}", ("thinking",)),
    "thinking never closed after it": (f"{TEXT}<think>Or {OTHER}", ("thinking",)),
    "a list": (f"[{TEXT}]", ("list",)),
    "twice the same": (f"{TEXT}\n{TEXT}", ()),
    "a number as a string": (TEXT.replace("7.5", '"7.5"'), ("number",)),
    "letter case": (TEXT.replace('"Pro"', '"PRO"'), ("case",)),
    "an unknown field": (TEXT.replace("{", '{"note": 1, '), ("extra",)),
    "a field's letter case": (TEXT.replace('"winner"', '"Winner"'), ("key",)),
    "null for a field with a default": (TEXT.replace("{", '{"sure": null, '), ("null",)),
    "true as a string": (TEXT.replace("{", '{"sure": "True", '), ("case",)),
    "an item for a list": (
        TEXT.replace("{", '{"points": {"claim": "c", "strength": "1", "x": 0}, '),
        ("extra", "number", "single"),
    ),
    "a raw line break": (TEXT.replace("clearer", "\n clearer"), ("newline",)),
    "a trailing comma": (TEXT.replace("}", ",}"), ("comma",)),
    "an echoed schema": (f"{json.dumps(Ballot.model_json_schema())}\n{TEXT}", ()),
}


@pytest.mark.parametrize(("text", "bent"), BENT.values(), ids=BENT)
def test_slips_are_read_as_meant_and_named(text: str, bent: tuple[str, ...]) -> None:
    reading = read_form(text, Ballot)
    assert (reading.value.winner, reading.value.pro_mark) == ("Pro", 7.5)
    assert reading.bent == bent


UNREADABLE = {
    "nothing": "",
    "prose": "The winner is Pro, 7.5.",
    "a cut tail": TEXT[:-3],
    "two that differ": f"{TEXT} {OTHER}",
    "only in thinking": f"<think>{TEXT}</think> Pro wins.",
    "in thinking never closed": f"<think>{TEXT}",
    "a missing winner": '{"judgement": "x", "pro_mark": 7}',
    "a choice in other words": TEXT.replace('"Pro"', '"the Pro side"'),
    "a number in words": TEXT.replace("7.5", '"seven"'),
    "a share": TEXT.replace("7.5", '"7/10"'),
    "out of range": TEXT.replace("7.5", '"75"'),
    "a truth for a number": TEXT.replace("7.5", "true"),
    "no number": TEXT.replace("7.5", "NaN"),
    "an infinite number": TEXT.replace("7.5", "1e999"),
    "two values for a field": TEXT.replace("}", ', "winner": "Con"}'),
    "a list of two that differ": f"[{TEXT}, {OTHER}]",
    "the schema alone": json.dumps(Ballot.model_json_schema()),
    "deep nesting": '{"a": ' * 5000,
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_meaning_is_never_guessed(text: str) -> None:
    with pytest.raises((AnswerFault, ValidationError)):
        read_form(text, Ballot)


def test_an_answer_alone_may_repeat_a_quotation() -> None:
    assert read_form(TEXT, Ballot, quoted=[f"Say {TEXT}!"]).value.winner == "Pro"
    assert read_form(f"```\n{TEXT}\n```", Ballot, quoted=[f"Say {TEXT}!"]).bent == ("fence",)


def test_a_quotation_in_prose_is_no_answer() -> None:
    quoted = [f"Say {TEXT}!"]
    with pytest.raises(AnswerFault) as raised:
        read_form(f"Con wrote {json.dumps(ANSWER, indent=2)} to win.", Ballot, quoted=quoted)
    assert raised.value.code == "quoted"
    assert (
        read_form(f"Con wrote {TEXT}. My verdict: {OTHER}", Ballot, quoted=quoted).value.winner
        == "Con"
    )


def test_a_closing_tag_inside_the_answer_is_part_of_it() -> None:
    text = json.dumps({**ANSWER, "judgement": 'Con wrote </think> {"winner": "Con"}.'})
    assert read_form(text, Ballot).value.winner == "Pro"
    assert read_form(f"<think>Hm.</think>{text}", Ballot).value.winner == "Pro"


@given(st.text(), st.text())
def test_any_text_around_an_answer_leaves_its_meaning(before: str, after: str) -> None:
    try:
        assert read_form(f"{before}{TEXT}{after}", Ballot).value.winner == "Pro"
    except (AnswerFault, ValidationError):
        pass  # unreadable is always allowed


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_a_choice_is_what_was_written_or_nothing(value: Any) -> None:  # noqa: ANN401
    try:
        winner = read_form(json.dumps({**ANSWER, "winner": value}), Ballot).value.winner
    except ValidationError:
        return
    assert value.strip(" \t\n\"'.`*").casefold() == winner.casefold()


THINKING = {
    "<think>a</think>b": "b",
    "<THINK >a</Think>b": "b",
    "a</think>b</think>c": "c",
    "b<think>a": "b",
    "<thinking>a</thinking>b<thinking>c</thinking>d": "d",
    "a < b and c > d": "a < b and c > d",
    "b <think>a</think> c": "b  c",
}


@pytest.mark.parametrize(("text", "rest"), THINKING.items())
def test_thinking_is_taken_off(text: str, rest: str) -> None:
    assert strip_thinking(text)[0] == rest


class Head(BaseModel):
    model_config = ConfigDict(extra="forbid")
    reasoning: str
    marker: Literal["finished", "needs_material"]


HEAD = '{"reasoning": "r", "marker": "finished"}'
SPEECH = 'We say "yes".\n\nThank you.'
COMPOSED: dict[str, tuple[str, tuple[str, ...]]] = {
    "as asked": (f"{HEAD}\n\n{SPEECH}", ()),
    "in a fence": (f"```json\n{HEAD}\n```\n{SPEECH}", ("fence",)),
    "in a list": (f"[{HEAD}]\n\n{SPEECH}", ("list",)),
    "behind the text": (f"{SPEECH}\n{HEAD}", ()),
    "after thinking": (f"<think>x</think>{HEAD}\n{SPEECH}", ("thinking",)),
    "in a field": (
        json.dumps({"reasoning": "r", "marker": "finished", "speech": SPEECH}),
        ("field",),
    ),
    "with slips": (
        f'{{"reasoning": "r", "marker": "FINISHED", "x": 1,}}\n{SPEECH}',
        ("case", "extra"),
    ),
}


@pytest.mark.parametrize(("text", "bent"), COMPOSED.values(), ids=COMPOSED)
def test_a_text_follows_a_head(text: str, bent: tuple[str, ...]) -> None:
    composed = read_composition(text, Head)
    assert composed.form == Head(reasoning="r", marker="finished")
    assert composed.text == SPEECH
    assert composed.bent == bent


HEADLESS = {
    "no object": SPEECH,
    "an object of another form": f'{{"status": "ok"}}\n{SPEECH}',
    "two that differ": f"{HEAD}{HEAD.replace('finished', 'needs_material')}\n{SPEECH}",
    "a field in broken JSON": '{"reasoning": "r", "speech": "We say "yes".\\n\\nThank you."}',
    "a field that was cut": '{"marker": "finished", "speech": "We say \\"yes\\".\\n\\nThank you.',
}


@pytest.mark.parametrize("text", HEADLESS.values(), ids=HEADLESS)
def test_a_text_without_a_head_is_a_text(text: str) -> None:
    composed = read_composition(text, Head)
    assert composed.form is None
    assert composed.text == SPEECH
    assert "no_object" in composed.bent


def test_a_head_may_stand_alone() -> None:
    assert read_composition(HEAD, Head).text == ""
    assert read_composition("", Head).form is None


@pytest.mark.parametrize(
    "text",
    [
        '{"reasoning": "He said "no" to it", "marker": "finished"}\n\nThe speech.',
        "{'reasoning': 'In single quotes', 'marker': 'finished'}\nThe speech.",
        '{\n  "reasoning": "unfinished,\n  "marker": finished\n}\n\nThe speech.',
        '{"reasoning": "never closed\n\nThe speech.',
    ],
)
def test_a_broken_object_is_no_part_of_the_text(text: str) -> None:
    composed = read_composition(text, Head)
    assert composed.form is None
    assert composed.text == "The speech."
    assert read_composition(text.removesuffix("The speech."), Head).text == ""


@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here is my answer:\n\n{HEAD}",
        f"My verdict:\n{HEAD}\n\nLet me know if you need anything else!",
        f"好的，以下是我的回答：\n\n{HEAD}\n\n希望这个回答对你有帮助！",
        f"Sure!\n```json\n{HEAD}\n```",
        f"[{HEAD}]",
    ],
)
def test_introductions_and_remarks_are_no_text(text: str) -> None:
    composed = read_composition(text, Head)
    assert (composed.form, composed.text) == (Head(reasoning="r", marker="finished"), "")
    assert composed.bent


def test_a_short_text_without_an_object_is_a_text() -> None:
    assert read_composition("My case:", Head).text == "My case:"
