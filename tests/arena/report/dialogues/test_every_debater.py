"""The dialogues of every debater: each answer has its step, and the speech is among them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.languages import LANGUAGES, Stage
from arena.languages.language import making_words
from arena.llm.request import Completion, Request
from arena.records import Speech
from arena.report.dialogues.dialogue import make_dialogue
from arena.report.dialogues.dialogue_writer import gather_answers
from arena.report.dialogues.records import SpeechDialogue
from tests.support.case_lists import for_every
from tests.support.debaters_at_work import AtWork, form
from tests.support.registered_debaters import CASES, at_work

#: Enough to have a stage with and one without the choice of a team, and the first search.
STAGES: Mapping[str, tuple[Stage, ...]] = {
    "en": ("constructive", "rebuttal"),
    "zh": ("constructive",),
}
#: Those whose answers a speech can do without.
AGENTS = ("reviewer", "member", "critic", "planner", "chooser", "judge", "personas", "selector")


def recorded(made: AtWork) -> list[dict[str, Any]]:
    """The list to which every call of a debater's will be added, as it is stored."""
    script, calls = made.backend.script, []

    def answered(request: Request) -> str | Completion:
        answer = script(request)
        text = answer.text if isinstance(answer, Completion) else answer
        calls.append(
            {"path": request.path, "attempt": request.attempt, "model": "m", "answer": text}
        )
        return answer

    made.backend.script = answered
    return calls


async def dialogues(
    folder: Path, case: str, code: str, stages: tuple[Stage, ...] = (), **answers: str
) -> tuple[list[SpeechDialogue], list[dict[str, Any]]]:
    """How a debater made its first two speeches, and its calls."""
    made = at_work(case, answers or None)
    calls = recorded(made)
    stages = stages or STAGES[code]
    await made.play(folder, *stages, code=code)
    stored = gather_answers(calls)
    return [
        make_dialogue(
            Speech(
                side="pro",
                stage=stage,
                text=made.drafts[stage].text,
                words=1,
                trace=tuple(made.drafts[stage].trace),
            ),
            stored,
            LANGUAGES[code],
            "debate",
        )
        for stage in stages
    ], calls


def faults(dialogue: SpeechDialogue, code: str) -> list[str]:
    """What is wrong with a dialogue."""
    words = making_words(LANGUAGES[code])
    rest = words.phrase("rest", "").partition("(")[0].partition("（")[0]
    names = {
        *words.agents.values(),
        *(words.phrase("member", words.agent("Member"), n) for n in range(9)),
    }
    names |= {words.phrase("member", words.agent("Negative"), n) for n in range(9)}
    unknown = [step.agent for step in dialogue.steps if step.agent not in names]
    left = [step.act for step in dialogue.steps if step.act.startswith(rest)]
    return [
        *unknown,
        *left,
        *([] if any(step.delivered for step in dialogue.steps) else ["speech"]),
    ]


@pytest.mark.slow
@for_every(CASES, LANGUAGES)
async def test_every_answer_has_its_step_and_the_speech_is_one_of_them(
    case: str, code: str, tmp_path: Path
) -> None:
    made, calls = await dialogues(tmp_path, case, code)
    assert not [fault for dialogue in made for fault in faults(dialogue, code)]
    paths = {step.path for dialogue in made for step in dialogue.steps}
    unnamed = {str(call["path"]).split("/")[2] for call in calls if call["path"] not in paths}
    # A search has up to three answers, and one step; so have the pool and the choice of a team.
    assert unnamed <= {"searcher", "personas"}


@for_every([case for case in CASES if CASES[case][0] != "agent4debate"], ["en"])
async def test_answers_of_no_use_have_their_step_too(case: str, code: str, tmp_path: Path) -> None:
    bad = dict.fromkeys(AGENTS, "I would rather chat.")
    made, _ = await dialogues(tmp_path, case, code, (), **bad)
    assert not [fault for dialogue in made for fault in faults(dialogue, code)]


async def test_what_a_reviewer_says_of_the_depth_stands_before_its_suggestions(
    tmp_path: Path,
) -> None:
    said = form(assessment="It only lists.", marker="revise", suggestions=["Weigh them."])
    (made,), _ = await dialogues(
        tmp_path, "agent4debate, paper", "en", ("summary",), **{"summary/reviewer/1": said}
    )
    texts = [step.text for step in made.steps if step.agent == "Reviewer"]
    assert texts[0] == "It only lists.\n1. Weigh them."
