"""Thinking in the marks of many models is taken off; texts that speak of thinking stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debates.correction import clean_speech
from arena.languages import ENGLISH
from arena.llm.thinking import looks_like_thinking, strip_thinking
from benchmarks.answer_kinds import MARKS

SPEECH = (
    "We support the motion. Work pays, and costs fall [1].\n\nThat is why we ask for your vote."
)
THOUGHTS = "The user wants a speech. I should argue for Pro.\n\nFirst {the costs}, then time."
PAIRS = {
    **MARKS,
    "<THINK >": "</Think>",
    "((thinking))\n": "\n((/thinking))",
    "<details><summary>Thinking…</summary>\n": "\n</details>",
    '<details type="reasoning" done="true">\n<summary>Thought for 3 s</summary>\n': "\n</details>",
    "```thinking\n": "\n```",
    "<!-- thinking: ": " -->",
    "\\begin{reasoning}": "\\end{reasoning}",
    "Thinking...\n": "\n...done thinking.\n",
    "Here are my reasoning steps:\n": "\n[BEGIN FINAL RESPONSE]\n",
    "Thinking Process:\n\n1. ": "\n\nFinal answer: ",
    "**Thinking process**\n": "\n\n**Final Speech:**\n",
    "## Reasoning\n": "\n\n## Speech\n",
    "思考过程：": "\n\n最终答案：",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final"
    "<|message|>",
}


@pytest.mark.parametrize(("opening", "closing"), PAIRS.items(), ids=map(repr, PAIRS))
def test_thinking_between_marks_is_taken_off(opening: str, closing: str) -> None:
    assert strip_thinking(f"{opening}{THOUGHTS}{closing}{SPEECH}") == (SPEECH, True)


ALONE = [mark for mark in PAIRS if mark[0] in "<◁[【" and not mark.startswith("<!--")]


@pytest.mark.parametrize("opening", ALONE)
def test_after_a_mark_that_is_never_closed_all_is_thinking(opening: str) -> None:
    assert strip_thinking(f"{opening}{THOUGHTS}") == ("", True)


LONE = [PAIRS[mark] for mark in list(PAIRS)[:20]]


@pytest.mark.parametrize("closing", LONE)
def test_before_a_lone_closing_mark_all_is_thinking(closing: str) -> None:
    assert strip_thinking(f"{THOUGHTS}{closing}{SPEECH}") == (SPEECH, True)


REST = {
    "a</think>b</think>c": "c",
    "b<think>a": "b",
    "<thinking>a</thinking>b<thinking>c</thinking>d": "bd",
    "<think>a <think>b</think> c</think> d": "d",
    "a < b and c > d": "a < b and c > d",
    "b <think>a</think> c": "b  c",
    "So, <think> and all costs, and then the time </think> and we win.": "So,  and we win.",
    f"{SPEECH}\n<think>{THOUGHTS}": SPEECH,
    f"{THOUGHTS}\n<answer>{SPEECH}</answer>": f"<answer>{SPEECH}</answer>",
    f"*Thinking...*\n\n> {THOUGHTS.split(maxsplit=1)[0]}\n> so\n\n{SPEECH}": SPEECH,
    f"<|channel|>commentary<|message|>{SPEECH}<|end|>": SPEECH,
    '<think>x</think>{"a": "</think> y"}': '{"a": "</think> y"}',
}


@pytest.mark.parametrize(("text", "rest"), REST.items())
def test_what_is_left_is_the_answer(text: str, rest: str) -> None:
    assert strip_thinking(text)[0] == rest


@pytest.mark.parametrize(
    "text",
    [
        f"<|START_THINKING|>{THOUGHTS}<|END_THINKING|><|START_RESPONSE|>{SPEECH}<|END_RESPONSE|>",
        f"<|begin_of_thought|>{THOUGHTS}<|end_of_thought|>\n<|begin_of_solution|>{SPEECH}"
        "<|end_of_solution|>",
        f"<think>{THOUGHTS}</think><answer>\n{SPEECH}\n</answer>",
        f"<Thought>{THOUGHTS}</Thought>\n<Output>{SPEECH}</Output>",
    ],
)
def test_the_marks_of_the_answer_are_cleaned_away(text: str) -> None:
    assert clean_speech(text, ENGLISH).text == SPEECH


WHOLE = [
    "The judge wrote [think] in the margin, and nobody asked why.",
    "[Think] about the workers. They pay for it.",
    "We use <b>bold</b> words, and <i>thought</i> is free.",
    "Some models print <think> first, and we ask why.",
    "They write <think> and </think> around it, then speak.",
    'Models emit "</think>" before they answer, and nobody reads it.',
    "A mark such as `<reasoning>` is no reasoning.",
    "模型会输出<think>标签，然后回答。",
    "He said: “(thinking) we must act”. Then he (thinking of his pay) did not.",
    "Analysis shows that work pays.\n\nSummary: vote Pro.",
    "Analysis:\nCosts fall.\n\nRebuttal:\nThey err.\n\nSummary:\nVote Pro.",
    "Thinking: that is what schools teach. We say so.",
    "Reasoning from first principles, we win.\nAnswer: yes.",
    "Our reasoning (analysis of cost) holds. (End of analysis.) Vote.",
    "Let us think. [reasoning omitted] We win.",
    "Thought experiments matter: 1 < 2 and 2 > 1 --- thinking --- so vote.",
    "“I think, therefore I am” [thought], said Descartes. <em>Reason</em> rules.",
    "The final answer is ours. Response: they have none.",
    "Here is my answer: think.",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_text_that_speaks_of_thinking_stays_whole(text: str) -> None:
    assert strip_thinking(text) == (text, False)
    assert (
        not clean_speech(text, ENGLISH).removed
        or "thinking" not in clean_speech(text, ENGLISH).removed
    )


#: Words and marks as speeches have them, of which none is a mark of thinking.
PIECES = ["think", "thinking", "[think]", "(thought)", "<b>", "</b>", "reasoning", "“", "”", "[1]"]


@given(st.lists(st.sampled_from([*PIECES, "We", "pay.", "analysis", "so,", "final"]), min_size=1))
def test_words_in_any_order_stay(words: list[str]) -> None:
    text = f"We say: {' '.join(words)}"
    assert strip_thinking(text) == (text, False)


@given(st.sampled_from(sorted(PAIRS)), st.text(alphabet=st.characters(codec="ascii"), max_size=80))
def test_whatever_is_thought_the_answer_is_the_same(opening: str, thoughts: str) -> None:
    if "<" in thoughts or "[" in thoughts:
        return  # perhaps a mark of its own
    rest, thought = strip_thinking(f"{opening}{thoughts}\n{PAIRS[opening]}\n{SPEECH}")
    assert thought and rest.endswith(SPEECH.partition("\n\n")[2])
    assert rest == SPEECH or "`" in thoughts or "{" in thoughts or "--" in thoughts


def test_a_plan_is_told_from_a_text() -> None:
    assert looks_like_thinking(THOUGHTS) and looks_like_thinking("Hmm, what is the word limit?")
    assert not looks_like_thinking(SPEECH)
    assert not looks_like_thinking("Let us be clear: we need to act, and we will.")
