"""`self_reflect` and `mad` answering a question: who is asked, what they see, what is delivered."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.debater import Debater, Draft, Turn
from arena.debaters.mad import MultiAgentDebate
from arena.debaters.self_reflect import SelfReflect
from arena.errors import Refusal
from arena.languages import SIDES, Side, language
from arena.llm.request import Completion, Request
from arena.papers.rounds.work import read_work
from tests.support.debate_seats import MOTION, paths, seats, texts
from tests.support.scripted_backend import ScriptedBackend, completion

QUESTION = Turn(stage="answer", disclosed=())
Said = Mapping[str, Mapping[str, object] | Completion]

REFLECTED: Said = {
    "writer/1": {"answer": "100"},
    "reviewer/1": {"marker": "revise", "suggestions": ["20 percent of 120 is 24."]},
    "writer/2": {"answer": "96"},
    "reviewer/2": {"marker": "accept", "suggestions": []},
}
OPEN = {"reason": "Not yet.", "settled": False, "supported": 0, "answer": ""}
#: All places at which somebody may be asked.
_PLACES = [
    f"{agent}/{number}"
    for agent in ("writer", "reviewer", "affirmative", "negative", "judge")
    for number in range(1, 6)
]
DEBATED: Said = {
    "affirmative/1": {"reasons": "Up and down.", "answer": "100"},
    "negative/1": {"stance": "disagree", "reasons": "24 of 120.", "answer": "96"},
    "judge/1": {"reason": "So.", "settled": True, "supported": 2, "answer": "96"},
}

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


async def answered(
    framework: type[Debater],
    replies: Said,
    folder: Path,
    *,
    code: str = "en",
    side: Side = "con",
    **options: object,
) -> tuple[Draft, ScriptedBackend]:
    def script(request: Request) -> str | Completion:
        answer = replies[request.path.removeprefix(f"{side}/answer/")]
        return answer if isinstance(answer, Completion) else json.dumps(answer)

    backend = ScriptedBackend(script)
    seat = seats(backend, folder, code=code)[side]
    debater = framework(seat, framework.Options.model_validate(options))
    return await debater.speak(QUESTION), backend


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("framework", "replies"), [(SelfReflect, REFLECTED), (MultiAgentDebate, DEBATED)]
)
async def test_each_is_asked_in_turn_and_nobody_for_a_side(
    framework: type[Debater], replies: Said, side: Side, code: str, tmp_path: Path
) -> None:
    draft, backend = await answered(framework, replies, tmp_path, code=code, side=side)
    assert draft.text == "96"
    assert paths(backend) == [f"{side}/answer/{place}" for place in replies]
    for request in backend.requests:
        assert MOTION in request.text() and request.language == code
        assert not re.search(r"\b(Pro|Con)\b|正方|反方", request.text())


@in_both_languages
async def test_a_critic_sees_the_answer_and_the_rewrite_sees_the_critique(
    code: str, tmp_path: Path
) -> None:
    _, backend = await answered(SelfReflect, REFLECTED, tmp_path, code=code)
    terms = language(code).terms
    seen = [texts(one, terms["draft"]) for one in backend.requests]
    assert seen == [[], ["100"], ["100"], ["100", "96"]]
    assert "20 percent of 120" in texts(backend.requests[2], terms["turn"])[0]


async def test_every_answer_and_stance_of_a_reflection_is_kept(tmp_path: Path) -> None:
    draft, _ = await answered(SelfReflect, REFLECTED, tmp_path)
    kept = [
        (step["agent"], step["round"], step.get("answer"), step.get("stance"))
        for step in draft.trace
    ]
    assert kept == [
        ("Writer", 0, "100", None),
        ("Reviewer", 1, None, "disagree"),
        ("Writer", 1, "96", None),
        ("Reviewer", 2, None, "agree"),
    ]
    work = read_work("self_reflect", draft.trace)
    assert work is not None and work.accepted
    assert [work.answer_after(number) for number in range(3)] == ["100", "96", "96"]


async def test_a_critic_that_never_accepts_ends_at_the_cap(tmp_path: Path) -> None:
    said = {**REFLECTED, "reviewer/2": REFLECTED["reviewer/1"], "writer/3": {"answer": "97"}}
    draft, backend = await answered(SelfReflect, said, tmp_path, max_revisions=2)
    assert draft.text == "97" and len(backend.requests) == 5
    assert draft.trace[-1] == {"agent": "protocol", "cap": "max_revisions"}


async def test_a_critique_that_is_none_leaves_the_answer(tmp_path: Path) -> None:
    said = {**REFLECTED, "reviewer/1": completion("Prose.")}
    draft, _ = await answered(SelfReflect, said, tmp_path)
    assert draft.text == "100" and draft.trace[-1]["fault"] == "UnparseableReply"


@in_both_languages
async def test_debaters_and_judge_see_what_was_said_before_them(code: str, tmp_path: Path) -> None:
    _, backend = await answered(MultiAgentDebate, DEBATED, tmp_path, code=code)
    seen = [texts(one, language(code).terms["draft"]) for one in backend.requests]
    assert seen == [[], ["100"], ["100", "96"]]


async def test_rounds_that_settle_nothing_end_in_an_extraction(tmp_path: Path) -> None:
    said = {
        **DEBATED,
        "judge/1": OPEN,
        "affirmative/2": {"stance": "agree", "reasons": "True.", "answer": "96"},
        "negative/2": {"stance": "disagree", "reasons": "No.", "answer": "90"},
        "judge/2": OPEN,
        "judge/3": {"reason": "The sum.", "supported": 1, "answer": "96"},
    }
    draft, backend = await answered(MultiAgentDebate, said, tmp_path, max_rounds=2)
    assert draft.text == "96" and len(backend.requests) == 7
    assert {"agent": "protocol", "cap": "max_rounds"} in draft.trace
    assert draft.trace[-1]["verdict"] == "affirmative"


async def test_levels_differ_in_what_the_debaters_are_told(tmp_path: Path) -> None:
    result = set()
    for level in range(4):
        _, backend = await answered(MultiAgentDebate, DEBATED, tmp_path / str(level), level=level)
        result.add(backend.requests[1].text())
    assert len(result) == 4


@pytest.mark.parametrize(
    ("framework", "replies"), [(SelfReflect, REFLECTED), (MultiAgentDebate, DEBATED)]
)
async def test_a_refusal_ends_nothing_but_a_first_answer(
    framework: type[Debater], replies: Said, tmp_path: Path
) -> None:
    no = completion("No.", finish="refusal")
    for place in replies:
        refusing = {**dict.fromkeys(_PLACES, no), **replies, place: no}
        work = answered(framework, refusing, tmp_path / place.replace("/", "-"))
        if place == "writer/1":
            with pytest.raises(Refusal):
                await work
            continue
        draft, _ = await work
        assert draft.text in ("96", "100")
        assert "Refusal" in [step.get("fault") for step in draft.trace]


async def test_where_everybody_refuses_the_refusal_is_raised(tmp_path: Path) -> None:
    no = completion("No.", finish="refusal")
    for framework in (SelfReflect, MultiAgentDebate):
        with pytest.raises(Refusal):
            await answered(framework, dict.fromkeys(_PLACES, no), tmp_path / framework.__name__)
