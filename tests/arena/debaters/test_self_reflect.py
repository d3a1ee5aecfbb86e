"""`self_reflect` and `americano`: what is drafted, criticised, rewritten, and when that ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debater import Turn
from arena.debaters.americano import Americano
from arena.debaters.direct import draft_prompt
from arena.debaters.self_reflect import SelfReflect
from arena.languages import STAGES, Stage, language
from tests.support.debate_seats import ORDER, SEEN, language_model, seat, speeches, texts
from tests.support.debaters_at_work import Answer, AtWork, form, said
from tests.support.scripted_backend import completion

MORE = form(marker="revise", suggestions=["Say more.", "Say less."])
NEVER: dict[str, Answer] = {"reviewer": MORE}


async def test_an_accepted_draft_is_the_speech(tmp_path: Path) -> None:
    made = await AtWork(SelfReflect).play(tmp_path, *STAGES)
    for stage in STAGES:
        assert made.calls(stage) == ["writer/1", "reviewer/1"]
        assert made.drafts[stage].text == f"Text of {stage}/writer/1."
        assert made.steps(stage, "Reviewer") == [
            {
                "round": 1,
                "reasoning": "",
                "marker": "accept",
                "suggestions": [],
                "stance": "agree",
            }
        ]
        assert made.steps(stage, "protocol") == []


@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_the_draft_is_the_one_that_direct_would_make(
    side: str, stage: Stage, tmp_path: Path
) -> None:
    made = await AtWork(SelfReflect).play(tmp_path, stage, side=side)  # type: ignore[arg-type]
    place = seat(language_model(made.backend, tmp_path / "other"), side=side)  # type: ignore[arg-type]
    seen = speeches(SEEN[side, stage])  # type: ignore[index]
    expected = draft_prompt(place, Turn(stage=stage, disclosed=seen))
    assert made.backend.requests[0].messages == expected.messages
    assert made.backend.requests[0].task == f"write.{stage}"


async def test_the_critique_sees_the_draft_and_the_rewrite_sees_the_critique(
    tmp_path: Path,
) -> None:
    answers: dict[str, Answer] = {"rebuttal/reviewer/1": MORE}
    made = await AtWork(SelfReflect, answers).play(tmp_path, "rebuttal")
    assert made.calls("rebuttal") == ["writer/1", "reviewer/1", "writer/2", "reviewer/2"]
    first = ("Writer", "Text of rebuttal/writer/1.")
    review = ("Reviewer", "Please revise:\n1. Say more.\n2. Say less.")
    second = ("Writer", "Text of rebuttal/writer/2.")
    assert said(made.at("rebuttal/reviewer/1")) == [first]
    assert said(made.at("rebuttal/writer/2")) == [first, review]
    assert said(made.at("rebuttal/reviewer/2")) == [first, review, second]
    assert [one.task for one in made.backend.requests] == [
        "write.rebuttal",
        "review",
        "write.revise",
        "review",
    ]
    assert made.drafts["rebuttal"].text == "Text of rebuttal/writer/2."


@pytest.mark.parametrize("stage", STAGES)
async def test_a_critic_who_is_never_satisfied_gets_three_rewrites(
    stage: Stage, tmp_path: Path
) -> None:
    made = await AtWork(SelfReflect, NEVER).play(tmp_path, stage)
    pairs = [(f"reviewer/{n}", f"writer/{n + 1}") for n in (1, 2, 3)]
    assert made.calls(stage) == ["writer/1", *(call for pair in pairs for call in pair)]
    assert made.drafts[stage].text == f"Text of {stage}/writer/4."
    assert made.steps(stage, "protocol") == [{"cap": "max_revisions"}]
    for number in (1, 2, 3):
        told = f"This is round {number} of at most 3."
        assert told in made.at(f"{stage}/reviewer/{number}").text()


async def test_each_speech_begins_anew(tmp_path: Path) -> None:
    made = await AtWork(SelfReflect, NEVER).play(tmp_path, "rebuttal", "summary")
    assert made.calls("summary") == made.calls("rebuttal")
    assert said(made.at("summary/reviewer/1")) == [("Writer", "Text of summary/writer/1.")]


async def test_the_cap_is_an_option(tmp_path: Path) -> None:
    made = await AtWork(SelfReflect, NEVER, max_revisions=1).play(tmp_path, "summary")
    assert made.calls("summary") == ["writer/1", "reviewer/1", "writer/2"]
    none = await AtWork(SelfReflect, NEVER, max_revisions=0).play(tmp_path / "none", "summary")
    assert none.calls("summary") == ["writer/1"]


@pytest.mark.parametrize("framework", [SelfReflect, Americano])
async def test_a_critique_that_cannot_be_understood_leaves_the_draft(
    framework: type[SelfReflect | Americano], tmp_path: Path
) -> None:
    made = await AtWork(framework, {"reviewer": "Not bad at all."}).play(tmp_path, "rebuttal")
    stands = {"fallback": "the draft stands", "fault": "UnparseableReply"}
    faults = made.steps("rebuttal", "Reviewer")
    assert faults == [stands] * (3 if framework is Americano else 1)
    assert "writer/1" in made.calls("rebuttal")
    assert made.drafts["rebuttal"].text


async def test_a_rewrite_that_says_nothing_leaves_the_draft(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {**NEVER, "summary/writer/2": " "}
    made = await AtWork(SelfReflect, answers).play(tmp_path, "summary")
    assert made.calls("summary") == ["writer/1", "reviewer/1", "writer/2", "writer/2"]
    assert made.drafts["summary"].text == "Text of summary/writer/1."
    last = {"fallback": "the last draft stands", "fault": "EmptyReply"}
    assert made.steps("summary", "Writer")[-1] == last


NO = completion("I will not.", finish="refusal")


@pytest.mark.parametrize("answer", [NO, " "], ids=["refused", "empty"])
async def test_a_part_that_was_not_written_is_left_out(answer: Answer, tmp_path: Path) -> None:
    made = await AtWork(Americano, {"summary/writer/2": answer}).play(tmp_path, "summary")
    assert texts(made.at("summary/composer/1"), "plan") == [
        "Claim\nText of summary/writer/1.\nConcession\nText of summary/writer/3."
    ]
    fallback = made.steps("summary", "Writer")[1]
    assert fallback["fallback"] == "the part is left out"
    none = await AtWork(Americano, {"writer": answer}).play(tmp_path / "none", "summary")
    assert texts(none.at("summary/composer/1"), "plan") == []
    assert "The parts are finished" not in none.at("summary/composer/1").text()
    assert none.drafts["summary"].text == "Text of summary/composer/1."


async def test_whoever_holds_the_limit_is_given_the_drafts_length(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {**NEVER, "summary/writer/1": "one two three four five"}
    made = await AtWork(SelfReflect, answers).play(tmp_path, "summary")
    assert "has 5 words; at most 600 are" in made.at("summary/reviewer/1").text()
    assert "has 5 words; at most 600 are" in made.at("summary/writer/2").text()
    assert "has 3 words" in made.at("summary/reviewer/2").text(), "of the last draft"
    parts = await AtWork(Americano, NEVER).play(tmp_path / "parts", "summary")
    assert "It has 3 words; a part has at most 250." in parts.at("summary/reviewer/1").text()


PARTS = ["writer/1", "reviewer/1", "writer/2", "reviewer/2", "writer/3", "reviewer/3"]


@pytest.mark.parametrize("stage", STAGES)
async def test_the_parts_are_made_one_after_the_other_then_composed(
    stage: Stage, tmp_path: Path
) -> None:
    made = await AtWork(Americano).play(tmp_path, stage)
    assert made.calls(stage) == [*PARTS, "composer/1"]
    assert made.drafts[stage].text == f"Text of {stage}/composer/1."
    done = [step["part"] for step in made.steps(stage, "Writer")]
    assert done == ["claim", "reasons", "concession"]
    claim = ("Writer | Claim", f"Text of {stage}/writer/1.")
    reasons = ("Writer | Reasons and evidence", f"Text of {stage}/writer/2.")
    concession = ("Writer | Concession", f"Text of {stage}/writer/3.")
    seen = [[], [claim], [claim], [claim, reasons], [claim, reasons]]
    seen.append([claim, reasons, concession])
    for path, before in zip(PARTS, seen, strict=True):
        assert said(made.at(f"{stage}/{path}")) == before, path


async def test_each_part_is_refined_and_the_composer_sees_the_last_versions_only(
    tmp_path: Path,
) -> None:
    made = await AtWork(Americano, NEVER).play(tmp_path, "rebuttal")
    calls = [f"{agent}/{n}" for n in (1, 2, 3) for agent in ("w", "r", "v")]
    assert len(made.calls("rebuttal")) == len(calls) + 1
    composer = made.at("rebuttal/composer/1")
    assert said(composer) == []
    assert texts(composer, "plan") == [
        "Claim\nText of rebuttal/writer/2.\n"
        "Reasons and evidence\nText of rebuttal/writer/4.\n"
        "Concession\nText of rebuttal/writer/6."
    ]
    assert "Say more" not in composer.text()
    assert made.steps("rebuttal", "protocol") == [{"cap": "max_revisions"}] * 3


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_each_part_has_its_own_instruction(code: str, tmp_path: Path) -> None:
    made = await AtWork(Americano, NEVER).play(tmp_path, "rebuttal", code=code)
    terms = language(code).terms
    asked = [made.at(f"rebuttal/writer/{n}") for n in (1, 3, 5)]
    assert [one.variables["part"] for one in asked] == [
        terms["claim"],
        terms["reasons"],
        terms["concession"],
    ]
    last = [one.text().rpartition("# ")[2] for one in asked]
    assert len(set(last)) == 3
