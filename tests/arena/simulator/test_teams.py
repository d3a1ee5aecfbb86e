"""The simulated reader of drafts and the simulated team: answers to the debaters' own forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import pytest
from pydantic import BaseModel

from arena.debaters.cot_plan import TeamPlan
from arena.debaters.debate_to_write import (
    Contribution,
    Objection,
    Pool,
    RelatedContribution,
    RelatedObjection,
    Team,
)
from arena.debaters.mad import Extraction, Verdict
from arena.debaters.rerank import Marks
from arena.debaters.self_consistency import Agreement
from arena.languages import LANGUAGES
from arena.llm.answers import read_composition, read_form
from arena.llm.request import Form, Request
from arena.llm.schemas import schema_of
from arena.prompts import Message, quote
from arena.records import Sampling
from arena.simulator import SKILLS, OfflineBackend
from motions import Answers, Brief, BriefPoint, Motion, Wording

CLAIMS = {
    "en": (
        "Later starts lengthen the sleep of teenagers.",
        "Fewer drowsy drivers crash on rural roads.",
        "Punctual attendance improves when mornings are calmer.",
    ),
    "zh": ("推迟上学让青少年睡得更久。", "困倦驾驶造成的车祸减少。", "早晨从容使迟到旷课变少。"),
}
AGAINST = {
    "en": ("Bus timetables become expensive to reorganise.",),
    "zh": ("校车时刻表重新编排花费高昂。",),
}
PROOFS = {
    "en": (
        "Sensors in Seattle showed 34 more minutes in bed, because the bell rang later.",
        "Collisions among young motorists fell by 16 percent in one county, since they were awake.",
        "Absences dropped in districts that moved the bell, for example in Minnesota.",
    ),
    "zh": (
        "西雅图的传感器显示学生每晚多睡三十四分钟，因为上课铃响得更晚。",
        "某县年轻司机的事故下降了百分之十六，因为他们更加清醒。",
        "例如明尼苏达州，调整铃声的学区缺勤率明显降低。",
    ),
}
TEXT = {"en": "Schools should start later in the morning", "zh": "学校早晨应当推迟上课"}


def brief(code: str) -> Brief:
    pro, con = (
        tuple(
            BriefPoint(claim=claim, evidence=proof, source="")
            for claim, proof in zip(claims[code], PROOFS[code], strict=False)
        )
        for claims in (CLAIMS, AGAINST)
    )
    return Brief(pro=pro, con=con)


MOTION = Motion(
    motion_id="m",
    motion_set="test",
    category="policy",
    topic="school",
    wordings={
        code: Wording(text=TEXT[code], info_slide="", brief=brief(code)) for code in ("en", "zh")
    },
)
SUM = "What is six times seven?"
QUESTION = Motion(
    motion_id="q",
    motion_set="test",
    category="question",
    topic="sums",
    wordings={
        "en": Wording(
            text=SUM,
            info_slide="",
            brief=Brief(pro=(), con=()),
            answers=Answers(accepted=("42",), wrong=("48", "36")),
        )
    },
)
BACKEND = OfflineBackend([MOTION, QUESTION])
SEEDS = count(1)

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])
every_model = pytest.mark.parametrize("model", list(SKILLS))


async def answer(
    task: str,
    form: type[Form],
    *blocks: str,
    code: str = "en",
    model: str = "offline/strong",
    **variables: str,
) -> Form:
    """What a simulated model answers in a form, each time with another seed."""
    request = asking(task, form, *blocks, code=code, model=model, **variables)
    return read_form((await BACKEND.complete(request)).text, form).value


def asking(
    task: str,
    form: type[BaseModel],
    *blocks: str,
    code: str = "en",
    model: str = "offline/strong",
    **variables: str,
) -> Request:
    """A request for a form."""
    spoken = LANGUAGES[code]
    filled: Mapping[str, str] = {
        "motion": TEXT[code],
        "info_slide": "",
        "side": spoken.sides["pro"],
        "stage": spoken.stages["constructive"],
        "words": "600",
        "dialogue": "\n".join(blocks),
        **variables,
    }
    return Request(
        model=model,
        messages=(Message(role="user", text="\n\n".join(filled.values())),),
        task=task,
        language=code,
        variables=filled,
        schema=schema_of(form),
        sampling=Sampling(),
        path="pro/constructive/test/1",
        seed=next(SEEDS),
    )


def draft(code: str, number: int, *claims: str) -> str:
    argued = zip(claims, PROOFS[code], strict=False)
    text = "\n\n".join(f"{claim} {proof}" for claim, proof in argued)
    return quote(LANGUAGES[code].terms["draft"], text, str(number))


def turn(code: str, agent: str, text: str) -> str:
    terms = LANGUAGES[code].terms
    return quote(terms["turn"], text, terms[agent], "1")


async def test_answers_are_marked_by_what_is_recalled_and_else_by_their_number() -> None:
    blocks = [quote("draft", text, str(n)) for n, text in enumerate(("48", "42", "48"), start=1)]
    ahead = []
    for _ in range(30):
        given = (await answer("choose.answer", Marks, *blocks, motion=SUM)).marks
        assert [one.draft for one in given] == [1, 2, 3]
        assert given[0].mark == given[2].mark != given[1].mark
        ahead.append(given[1].mark > given[0].mark)
    assert 15 <= sum(ahead) < 30, "the right one is seen mostly, else the majority's comes first"


@in_both_languages
async def test_the_draft_that_argues_most_is_chosen_mostly(code: str) -> None:
    best = draft(code, 2, *CLAIMS[code])
    blocks = (draft(code, 1, CLAIMS[code][0]), best, draft(code, 3))
    marks = [await answer("choose.best", Marks, *blocks, code=code) for _ in range(20)]
    ahead = [max(one.marks, key=lambda m: m.mark).draft for one in marks]
    assert ahead.count(2) >= 15
    verdicts = [await answer("choose.best", Verdict, *blocks, code=code) for _ in range(20)]
    assert [one.supported for one in verdicts].count(2) >= 15


async def test_a_text_that_was_improved_upon_follows_the_choice() -> None:
    best, worse = draft("en", 2, *CLAIMS["en"]), draft("en", 2)
    ends = {}
    for name, blocks in {"last": (worse, best), "earlier": (best, worse)}.items():
        request = replace(asking("choose.best", Extraction, *blocks), prose=True)
        ends[name] = read_composition((await BACKEND.complete(request)).text, Extraction)
    assert {one.form.supported for one in ends.values() if one.form} == {2}
    assert ends["last"].text == "", "it is taken as it stands"
    assert ends["earlier"].text in best and CLAIMS["en"][0] in ends["earlier"].text


async def test_a_reader_of_less_skill_chooses_worse() -> None:
    blocks = (draft("en", 1, *CLAIMS["en"][:2]), draft("en", 2, *CLAIMS["en"]))
    right = {}
    for model in ("offline/strong", "offline/weak"):
        found = [await answer("choose.best", Verdict, *blocks, model=model) for _ in range(80)]
        right[model] = [one.supported for one in found].count(2)
    assert right["offline/strong"] > right["offline/weak"]


@in_both_languages
async def test_the_draft_that_agrees_most_is_no_matter_of_chance(code: str) -> None:
    odd = draft(code, 1, AGAINST[code][0])
    blocks = (odd, draft(code, 4, *CLAIMS[code][:2]), draft(code, 7, *CLAIMS[code]))
    found = {
        (await answer("choose.common", Agreement, *blocks, code=code)).chosen for _ in range(5)
    }
    assert len(found) == 1 and found < {4, 7}


async def test_without_drafts_nobody_is_chosen() -> None:
    assert (await answer("choose.common", Agreement)).chosen == 0
    verdict = await answer("choose.best", Verdict)
    assert (verdict.settled, verdict.supported) == (False, 0)


@in_both_languages
@every_model
async def test_a_pool_holds_people_of_different_claims(code: str, model: str) -> None:
    for _ in range(5):
        pool = (await answer("plan.personas", Pool, code=code, model=model)).personas
        assert len({one.claim for one in pool}) == len(pool) >= 5
        assert len({one.description for one in pool}) == len(pool)


@in_both_languages
async def test_a_team_is_of_the_size_asked_for(code: str) -> None:
    lines = "\n".join(f"{n}. Who. — Claim {n}." for n in range(1, 7))
    shown = quote(LANGUAGES[code].terms["candidates"], lines)
    for size in (1, 3, 6):
        team = await answer("plan.team", Team, shown, code=code, number=str(size))
        numbers = [one.number for one in team.members]
        assert len(set(numbers)) == size and set(numbers) <= set(range(1, 7))


@in_both_languages
async def test_a_member_brings_in_what_its_persona_claims(code: str) -> None:
    claim = "Chickens predict earthquakes." if code == "en" else "母鸡能够预测地震灾害。"
    shown = quote(LANGUAGES[code].terms["persona"], f"1. A. — B.\n2. Who. — {claim}")
    own = await answer("plan.discuss", Contribution, shown, code=code, number="2")
    assert claim[:6] in own.contribution
    other = await answer("plan.discuss", Contribution, shown, code=code, number="3")
    assert claim[:6] not in other.contribution


@in_both_languages
async def test_nobody_says_what_was_said(code: str) -> None:
    for _ in range(10):
        first = await answer("plan.discuss", Contribution, code=code)
        heard = turn(code, "Member", first.contribution)
        then = await answer("plan.discuss", Contribution, heard, code=code)
        lines = {line[3:] for line in first.contribution.split("\n")}
        fresh = {line[3:] for line in then.contribution.split("\n")}
        assert then.marker == "satisfied" or not lines & fresh


@in_both_languages
@every_model
async def test_the_critic_runs_out_of_objections(code: str, model: str) -> None:
    heard: list[str] = []
    for _ in range(60):
        result = await answer("plan.object", Objection, *heard, code=code, model=model)
        assert (result.marker == "persuaded") == (not result.objection)
        if result.objection:
            heard.append(turn(code, "Critic", result.objection))
    assert 1 <= len(heard) <= 8
    assert AGAINST[code][0][:8] in "".join(heard) or model != "offline/strong"


@in_both_languages
async def test_turns_that_are_numbered_take_each_other_up(code: str) -> None:
    first = await answer("plan.discuss", RelatedContribution, code=code)
    assert (first.answers, first.stance) == (0, "opens")
    heard = [turn(code, "Member", "1. Bees."), turn(code, "Critic", "Ants.")]
    member = await answer("plan.discuss", RelatedContribution, *heard, code=code)
    assert (member.answers, member.stance) in {(1, "supports"), (2, "opposes")}
    critic = await answer("plan.object", RelatedObjection, *heard, code=code)
    assert (critic.answers, critic.stance) in {(1, "opposes"), (2, "supports")}


@in_both_languages
async def test_the_plan_is_drawn_from_the_members_and_not_from_the_critic(code: str) -> None:
    told = [("Chickens lay.", "Bees fly."), ("Cats sleep.", "Dogs bark.")]
    if code == "zh":
        told = [("母鸡下蛋。", "蜜蜂飞舞。"), ("猫在睡觉。", "狗在叫唤。")]
    members = [turn(code, "Member", f"1. {one}") for one in told[0]]
    critic = turn(code, "Critic", "\n".join(f"{n}. {one}" for n, one in enumerate(told[1], 1)))
    plan = await answer("plan", TeamPlan, *members, critic, code=code)
    assert {one.claim for one in plan.points} <= set(told[0])
    bare = await answer("plan", TeamPlan, code=code)
    assert bare.points
