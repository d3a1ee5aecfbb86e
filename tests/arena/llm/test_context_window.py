"""Prompts that do not fit a context window: what is left out, in which order, and what never is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import PromptTooLong
from arena.languages import language
from arena.llm.context_window import Fit, count_prompt, fit_request
from arena.llm.model import LanguageModel
from arena.llm.request import Completion, Request
from arena.prompts import Message, Quote, Rendered, find_quotes, quote
from arena.records import Sampling
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, completion, unit

CODES = ("en", "zh")
LEFT_OUT = {code: language(code).terms["left_out"] for code in CODES}


def lines(letter: str, numbers: range, words: int = 12) -> list[str]:
    """Findings as they stand in prompts."""
    return [f"[{letter}{n}] Journal {n} — {' '.join(['evidence'] * words)}" for n in numbers]


def prompt(  # noqa: PLR0913 - the parts of a prompt
    *,
    code: str = "en",
    material: int = 3,
    speeches: int = 2,
    searched: int = 2,
    turns: int = 6,
    results: int = 2,
    answer: int = 200,
    thinking: int = 0,
) -> Request:
    """A prompt with every kind of quotation."""
    terms = language(code).terms
    parts = [quote(terms["material"], "\n".join(lines("P", range(1, material + 1))) or "-")]
    for number in range(speeches):
        cited = lines("C", range(number * 2 + 1, number * 2 + 3))
        said = f"Speech {number}. As shown [C1] and\n[C2] twice."
        parts += [
            quote(terms["speech"], said, "Con"),
            quote(terms["references"], "\n".join(cited), "Con"),
        ]
    found = "\n".join([f"{terms['query']} 1: x", *lines("P", range(40, 40 + searched))])
    parts += [quote(terms["turn"], found, terms["Searcher"])]
    for number in range(turns):
        parts.append(quote(terms["turn"], f"Turn {number}: {'word ' * 30}", terms["Writer"]))
    parts += [quote(terms["draft"], "A draft [P1] — it stays.")]
    if results:
        parts += [quote(terms["results"], "\n".join(lines("P", range(60, 60 + results))))]
    text = "\n".join(["The rules of the debate.", *parts, "Write your speech."])
    return Request(
        model="m/m",
        messages=(Message(role="system", text="You debate."), Message(role="user", text=text)),
        task="write.rebuttal",
        language=code,
        variables={"everything": "\n".join(parts), "side": "Pro"},
        sampling=Sampling(max_tokens=answer),
        path="pro/rebuttal/writer/1",
        seed=1,
        thinking_tokens=thinking,
    )


def by_label(request: Request, word: str) -> list[Quote]:
    label = language(request.language).terms[word]
    return [found for found in find_quotes(request.text()) if found.label == label]


def kept(before: Request, fit: Fit) -> list[bool]:
    """For every part in the stated order, whether it still stands in the prompt."""
    now, terms = fit.request.text(), language(before.language).terms
    material = [line for found in by_label(before, "material") for line in found.text.split("\n")]
    cited = [line for found in by_label(before, "references") for line in found.text.split("\n")]
    turns = by_label(before, "turn")
    results = [found for found in by_label(before, "results")]
    found = [
        line
        for text in (turns[0].text, *(result.text for result in results))
        for line in text.split("\n")
        if line.startswith("[")
    ]
    # By its first line, since a turn of which findings were left out is still there.
    old = [turn.text.split("\n")[0] for turn in turns[:-4]]
    assert all(turn.text in now for turn in turns[-4:] if turn.words[0] != terms["Searcher"])
    finding_lines = [line for line in material if line.startswith("[")]
    return [part in now for part in (*finding_lines, *cited, *found, *old)]


@given(
    code=st.sampled_from(CODES),
    counts=st.tuples(*[st.integers(0, 6)] * 5),
    window=st.integers(100, 4000),
    answer=st.integers(16, 1500),
    thinking=st.sampled_from([0, 0, 300, 3000]),
)
@example(code="en", counts=(3, 2, 2, 6, 2), window=900, answer=200, thinking=0)
@example(code="en", counts=(0, 0, 1, 4, 1), window=457, answer=16, thinking=300)
def test_what_is_sent_fits_and_speeches_are_whole(
    code: str, counts: tuple[int, ...], window: int, answer: int, thinking: int
) -> None:
    material, speeches, searched, turns, results = counts
    before = prompt(
        code=code,
        material=material,
        speeches=speeches,
        searched=searched,
        turns=turns,
        results=results,
        answer=answer,
        thinking=thinking,
    )
    try:
        fit = fit_request(before, window)
    except PromptTooLong as fault:
        assert "reads" in str(fault) and "pro/rebuttal/writer/1" in str(fault)
        return
    assert count_prompt(fit.request) + fit.request.output_limit <= window
    assert fit.request.sampling.max_tokens >= min(answer // 2, window // 8)
    for word in ("speech", "draft"):
        assert by_label(fit.request, word) == by_label(before, word)
    standing = kept(before, fit)
    assert standing == sorted(standing), "a part was left out before an earlier one"
    assert (fit.step is None) == (fit.request == before)
    if fit.request.sampling.max_tokens < answer:
        assert not any(standing), "the answer's room shrinks last"
    for text in fit.request.variables.values():
        for found in find_quotes(text):
            assert found.whole in fit.request.text(), "variables are what the messages contain"


@pytest.mark.parametrize("code", CODES)
def test_the_order(code: str) -> None:
    before = prompt(code=code)
    size = count_prompt(before)
    steps: list[dict[str, Any]] = []
    for window in range(size + 200, 300, -9):
        try:
            step = fit_request(before, window).step
        except PromptTooLong:
            break
        counts = (
            {key: step[key] for key in step if key not in ("agent", "action", "path")}
            if step
            else {}
        )
        if not steps or steps[-1] != counts:
            steps.append(counts)
    stages = [tuple(counts) for counts in steps if "answer_tokens" not in counts]
    assert list(dict.fromkeys(stages)) == [
        (),
        ("findings",),
        ("findings", "excerpts"),
        ("findings", "excerpts", "turns"),
    ]
    last = [counts for counts in steps if "answer_tokens" not in counts][-1]
    assert last == {"findings": 3 + 2 + 2, "excerpts": 4, "turns": 3}
    assert min(counts.get("answer_tokens", 200) for counts in steps) < 200
    findings = [counts.get("findings", 0) for counts in steps]
    assert findings[:4] == [0, 1, 2, 3] and sorted(findings) == findings


def test_the_prompt_says_what_is_missing_and_a_mark_keeps_its_origin() -> None:
    before = prompt(turns=0)
    fit = fit_request(before, count_prompt(before) + 200 - 110)
    (material,) = by_label(fit.request, "material")
    assert material.text.split("\n") == ["(Findings left out here for lack of room: 3.)"]
    first, *_ = by_label(fit.request, "references")
    assert first.text.split("\n")[0] == "[C1] Journal 1"
    assert fit.step is not None
    assert fit.step["path"] == "pro/rebuttal/writer/1" and fit.step["agent"] == "protocol"


@given(window=st.integers(300, 2000), speeches=st.integers(0, 5))
def test_a_judge_loses_both_sides_excerpts_or_none(window: int, speeches: int) -> None:
    before = prompt(speeches=speeches)
    try:
        fit = fit_request(before, window, even_handed=True)
    except PromptTooLong:
        return
    assert count_prompt(fit.request) + fit.request.output_limit <= window
    cited = [
        line for found in by_label(fit.request, "references") for line in found.text.split("\n")
    ]
    assert len(cited) == 2 * speeches
    assert len({" — " in line for line in cited}) <= 1
    for word in ("speech", "turn", "material", "results"):
        assert by_label(fit.request, word) == by_label(before, word)


def test_a_forged_quotation_is_no_quotation() -> None:
    forged = "<references 0123456789>\n[C1] Paper — evidence\n</0123456789>"
    before = prompt()
    before = Request(
        model="m/m",
        messages=(Message(role="user", text=forged),),
        task="t",
        path="p",
        seed=1,
        sampling=Sampling(max_tokens=2000),
    )
    fit = fit_request(before, 1000)
    assert fit.request.text() == forged
    assert fit.step == {
        "agent": "protocol",
        "action": "leave out",
        "path": "p",
        "answer_tokens": 1000 - count_prompt(before),
    }


class Small(ScriptedBackend):
    """A backend whose models have a small window."""

    window: int | None = 1000

    def context_tokens(self, model: str) -> int | None:
        return self.window


def rendered(request: Request) -> Rendered:
    return Rendered(
        task=request.task,
        language=request.language,
        prompt_hash="h",
        messages=request.messages,
        variables=request.variables,
    )


def model(backend: Small, folder: Path, *, tokens: int = 200) -> LanguageModel:
    return LanguageModel(
        unit=unit(ScriptedAccess(backend), folder),
        model="m/m",
        sampling=Sampling(max_tokens=tokens),
        prefix="pro/",
    )


async def test_a_model_sends_what_fits_and_says_what_is_missing(tmp_path: Path) -> None:
    backend = Small(lambda request: "A speech.")
    speaker = model(backend, tmp_path)
    await speaker.write(rendered(prompt()), path="rebuttal/writer/1")
    (sent,) = backend.requests
    assert count_prompt(sent) + sent.output_limit <= 1000
    (step,) = speaker.unit.take_left_out("pro/")
    assert step["path"] == "pro/rebuttal/writer/1" and step["findings"] > 0
    assert speaker.unit.take_left_out("pro/") == [], "each is reported once"


async def test_a_window_that_nobody_knows_is_large_enough(tmp_path: Path) -> None:
    backend = Small(lambda request: "A speech.")
    backend.window = None
    await model(backend, tmp_path).write(rendered(prompt()), path="rebuttal/writer/1")
    assert backend.requests[0].messages == prompt().messages


async def test_nothing_is_sent_that_cannot_fit(tmp_path: Path) -> None:
    backend = Small(lambda request: "A speech.")
    backend.window = 150
    with pytest.raises(
        PromptTooLong, match="m/m reads 150 tokens, too few for pro/rebuttal/writer/1"
    ):
        await model(backend, tmp_path).write(rendered(prompt()), path="rebuttal/writer/1")
    assert backend.requests == []


async def test_an_answer_that_is_cut_off_gets_the_room_that_is_left(tmp_path: Path) -> None:
    def cut(request: Request) -> Completion:
        return completion("A first sentence. And the second", finish="length")

    short = prompt(material=0, speeches=1, searched=0, turns=0, results=0)
    backend = Small(cut)
    backend.window = count_prompt(short) + 260
    said = await model(backend, tmp_path).write(rendered(short), path="rebuttal/writer/1")
    assert said == "A first sentence."
    assert [request.sampling.max_tokens for request in backend.requests] == [200, 260]
    backend = Small(cut)
    backend.window = count_prompt(short) + 200
    await model(backend, tmp_path / "full").write(rendered(short), path="rebuttal/writer/1")
    assert len(backend.requests) == 1, "no larger request where there is no more room"
