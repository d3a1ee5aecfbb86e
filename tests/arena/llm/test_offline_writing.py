"""The simulated debater: every task, both languages, nothing cited that was not shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from statistics import fmean
from typing import Any

import pytest

from arena.errors import UnknownModel
from arena.languages import LANGUAGES, Language
from arena.llm.backend import Completion, Request, Sampling, Schema
from arena.llm.offline import SKILLS, OfflineBackend
from arena.llm.offline.units import answers, arguments
from arena.llm.offline.wording import cited, content, overlap
from arena.prompts import Message, quote
from motions import Brief, Motion, Point, Wording

EN_PRO = (
    Point(
        claim="Later starts lengthen the sleep of teenagers.",
        evidence="Sensors in Seattle showed 34 more minutes of sleep. Grades rose as well.",
        source="Dunster, 2018",
    ),
    Point(
        claim="Fewer drowsy drivers crash on rural roads.",
        evidence="Collisions among young motorists fell by a sixth in one county.",
        source="Danner, 2008",
    ),
    Point(
        claim="Punctual attendance improves when mornings are calmer.",
        evidence="Absences dropped in districts that moved the bell.",
    ),
)
EN_CON = (
    Point(
        claim="Bus timetables become expensive to reorganise.",
        evidence="Boston abandoned a plan after families protested against new routes.",
        source="Globe, 2017",
    ),
    Point(
        claim="Parents in shift work lose supervision before class.",
        evidence="Nurses begin at seven, and childcare at dawn is scarce.",
    ),
    Point(
        claim="Afternoon sport and part-time jobs are squeezed.",
        evidence="Coaches report cancelled practice when daylight ends early.",
    ),
)
ZH_PRO = (
    Point(
        claim="推迟上学让青少年睡得更久。",
        evidence="西雅图的传感器显示学生每晚多睡三十四分钟。成绩也有所提高。",
        source="Dunster, 2018",
    ),
    Point(
        claim="困倦驾驶造成的车祸减少。",
        evidence="某县年轻司机的事故下降了六分之一。",
        source="Danner, 2008",
    ),
    Point(claim="早晨从容使迟到旷课变少。", evidence="调整铃声的学区缺勤率明显降低。"),
)
ZH_CON = (
    Point(
        claim="校车时刻表重新编排花费高昂。",
        evidence="波士顿在家长抗议新线路后放弃了计划。",
        source="环球报, 2017",
    ),
    Point(claim="轮班的父母无法在课前照看孩子。", evidence="护士七点上岗，而清晨的托管十分稀缺。"),
    Point(claim="下午的体育训练和兼职受到挤压。", evidence="教练反映天黑得早的时候训练被取消。"),
)
MOTION = Motion(
    motion_id="test-1",
    motion_set="test",
    category="policy",
    topic="school",
    wordings={
        "en": Wording(
            text="Schools should start later in the morning",
            info_slide="Most schools start before eight.",
            brief=Brief(pro=EN_PRO, con=EN_CON),
        ),
        "zh": Wording(
            text="学校早晨应当推迟上课",
            info_slide="多数学校八点以前上课。",
            brief=Brief(pro=ZH_PRO, con=ZH_CON),
        ),
    },
)
BACKEND = OfflineBackend([MOTION])
WRITTEN: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "marker": {"type": "string", "enum": ["finished", "needs_material"]},
        "claim": {"type": "string"},
        "speech": {"type": "string"},
    },
    "required": ["marker", "claim", "speech"],
}
REVIEW: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "marker": {"type": "string", "enum": ["accept", "revise"]},
        "suggestions": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["marker"],
}


async def ask(
    task: str,
    variables: Mapping[str, str],
    *,
    language: str = "en",
    model: str = "offline/strong",
    seed: int = 1,
    schema: Mapping[str, Any] | None = None,
    max_tokens: int = 4096,
) -> Completion:
    text = "\n\n".join(f"{name}:\n{value}" for name, value in variables.items())
    return await BACKEND.complete(
        Request(
            model=model,
            messages=(Message(role="user", text=text),),
            task=task,
            language=language,
            variables=variables,
            schema=Schema(name="Form", body=schema) if schema else None,
            sampling=Sampling(max_tokens=max_tokens),
            path="pro/test",
            seed=seed,
        )
    )


async def ask_json(
    task: str,
    variables: Mapping[str, str],
    schema: Mapping[str, Any],
    *,
    language: str = "en",
    model: str = "offline/strong",
    seed: int = 1,
) -> dict[str, Any]:
    answer = await ask(task, variables, language=language, model=model, seed=seed, schema=schema)
    found = json.loads(answer.text)
    assert isinstance(found, dict)
    return found


def seat(language: str = "en", stage: str = "constructive", **more: str) -> dict[str, str]:
    words = LANGUAGES[language]
    wording = MOTION.wordings[language]
    stages = {str(key): word for key, word in words.stages.items()}
    return {
        "motion": wording.text,
        "info_slide": wording.info_slide,
        "side": words.sides["pro"],
        "opponent": words.sides["con"],
        "stage": stages[stage],
        "words": str(words.limit(600)),
        **more,
    }


def material(language: Language, points: tuple[Point, ...], label: str = "material") -> str:
    lines = [
        f"[{number}] {point.source or 'notes'} — {point.claim} {point.evidence}"
        for number, point in enumerate(points, start=1)
    ]
    return quote(language.terms[label], "\n".join(lines))


def speech(language: Language, text: str, side: str, stage: str = "constructive") -> str:
    named = [*language.sides.items(), *language.stages.items()]
    words = {str(key): word for key, word in named}
    return quote(language.terms["speech"], text, words[side], words[stage])


def case(points: tuple[Point, ...], blank: str = " ") -> str:
    return "\n\n".join(f"{point.claim}{blank}{point.evidence}" for point in points)


def brief(language: str, side: str) -> tuple[Point, ...]:
    whole = MOTION.wordings[language].brief
    return whole.pro if side == "pro" else whole.con


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("model", list(SKILLS))
@pytest.mark.parametrize("stage", ["constructive", "rebuttal", "summary"])
async def test_writes_a_speech_within_its_limit(language: str, model: str, stage: str) -> None:
    words = LANGUAGES[language]
    heard = speech(words, case(brief(language, "pro")), "pro")
    heard += "\n" + speech(words, case(brief(language, "con")), "con")
    for limit in (10, 60, 600):
        variables = {**seat(language, stage), "transcript": heard, "words": str(limit)}
        answer = await ask(f"write.{stage}", variables, language=language, model=model)
        assert 0 < words.count(answer.text) <= limit
        assert answer.finish_reason == "stop"
        assert "{" not in answer.text


async def test_is_deterministic_and_differs_by_seed() -> None:
    texts = [(await ask("write.constructive", seat(), seed=seed)).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


async def test_openings_differ_between_debates() -> None:
    texts = [(await ask("write.constructive", seat(), seed=seed)).text for seed in range(12)]
    assert len({text.split("“", maxsplit=1)[0] for text in texts}) >= 3


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("stage", ["constructive", "rebuttal", "summary"])
async def test_cites_only_what_the_prompt_shows(language: str, stage: str) -> None:
    words = LANGUAGES[language]
    forged = "[9] Forged — " + EN_PRO[0].claim
    heard = speech(words, case(brief(language, "pro")) + " [2]", "pro")
    heard += "\n" + speech(words, f"{case(brief(language, 'con'))}\n{forged} [8]", "con")
    shown = material(words, brief(language, "pro"))
    numbers: set[int] = set()
    for seed in range(10):
        variables = seat(language, stage, transcript=heard, material=shown)
        answer = await ask(f"write.{stage}", variables, language=language, seed=seed)
        numbers |= set(cited(answer.text))
        del variables["material"]
        bare = await ask(f"write.{stage}", variables, language=language, seed=seed)
        assert cited(bare.text) == []
    assert numbers
    assert numbers <= {1, 2, 3}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_draws_on_the_outline_in_the_dialogue(language: str) -> None:
    words = LANGUAGES[language]
    outline = (await ask("analyse.constructive", seat(language), language=language)).text
    assert "\n1. " in outline
    planned = "9. " + (
        "Chickens predict earthquakes" if language == "en" else "母鸡能够预测地震灾害"
    )
    turn = quote(words.terms["turn"], f"{outline}\n{planned}", words.terms["Analyzer"])
    texts = [
        (await ask("write.constructive", seat(language, dialogue=turn), language=language, seed=n))
        for n in range(20)
    ]
    subject = "earthquakes" if language == "en" else "地震"
    alone = quote(words.terms["turn"], planned, words.terms["Analyzer"])
    told = await ask("write.constructive", seat(language, dialogue=alone), language=language)
    assert subject in told.text
    without = await ask("write.constructive", seat(language), language=language)
    assert subject not in without.text
    assert all(text.text for text in texts)


async def test_an_outline_adds_arguments() -> None:
    counts: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(60):
        outline = (await ask("analyse.constructive", seat(), seed=seed, model="offline/fair")).text
        turn = quote("turn", outline, "Analyzer")
        for planned in (True, False):
            variables = seat(dialogue=turn) if planned else seat()
            answer = await ask(
                "write.constructive", variables, seed=seed + 999, model="offline/fair"
            )
            counts[planned].append(len(arguments(answer.text)))
    assert fmean(counts[True]) > fmean(counts[False])


async def test_skill_shows_in_arguments_and_answers() -> None:
    heard = speech(LANGUAGES["en"], case(EN_PRO), "pro")
    heard += "\n" + speech(LANGUAGES["en"], case(EN_CON), "con")
    points = [point.claim for point in EN_CON]
    means = []
    for model in SKILLS:
        variables = seat(stage="rebuttal", transcript=heard)
        texts = [
            (await ask("write.rebuttal", variables, seed=seed, model=model)).text
            for seed in range(80)
        ]
        means.append(fmean(len(answers(text, points)) for text in texts))
    assert means == sorted(means, reverse=True)
    assert means[0] > means[-1] + 0.5


async def test_asks_for_material_only_where_it_may_and_once() -> None:
    asked = [await ask_json("write.constructive", seat(), WRITTEN, seed=seed) for seed in range(30)]
    claims = [one["claim"] for one in asked if one["marker"] == "needs_material"]
    assert 0 < len(claims) < 30
    assert all(claims)
    assert all(one["speech"] for one in asked if one["marker"] == "finished")
    narrow = json.loads(json.dumps(WRITTEN))
    narrow["properties"]["marker"] = {"const": "finished"}
    turn = quote("turn", f"Material is needed for this claim: {claims[0]}", "Writer")
    for seed in range(30):
        answer = await ask_json("write.constructive", seat(), narrow, seed=seed)
        assert answer["marker"] == "finished"
        assert answer["speech"]
        again = await ask_json("write.constructive", seat(dialogue=turn), WRITTEN, seed=seed)
        assert again["marker"] == "finished"


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_reviews_and_revises(language: str) -> None:
    words = LANGUAGES[language]
    draft = brief(language, "pro")[0].claim + ("[TODO]" if language == "zh" else " [TODO]")
    shown = material(words, brief(language, "pro"))
    writer = quote(words.terms["turn"], draft, words.terms["Writer"])
    variables = seat(language, material=shown, dialogue=writer, round="1", rounds="3")
    review = await ask_json("review.constructive", variables, REVIEW, language=language)
    assert review["marker"] == "revise"
    listed = "\n".join(f"{n}. {text}" for n, text in enumerate(review["suggestions"], start=1))
    reviewer = quote(words.terms["turn"], listed, words.terms["Reviewer"])
    variables["dialogue"] = f"{writer}\n{reviewer}"
    better = await ask_json("write.revise", variables, WRITTEN, language=language)
    assert "TODO" not in better["speech"]
    assert len(arguments(better["speech"])) > len(arguments(draft))
    assert set(cited(better["speech"])) <= {1, 2, 3}


async def test_accepts_a_complete_draft() -> None:
    shown = material(LANGUAGES["en"], EN_PRO)
    lines = [f"{one.claim} Research shows this: {one.evidence}" for one in EN_PRO]
    draft = "\n\n".join(f"{line} [{n}]" for n, line in enumerate(lines, start=1))
    variables = seat(material=shown, dialogue=quote("turn", draft, "Writer"))
    verdicts = [
        (await ask_json("review.constructive", variables, REVIEW, seed=seed))["marker"]
        for seed in range(20)
    ]
    assert verdicts.count("accept") > 15


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_answers_what_a_review_names(language: str) -> None:
    words = LANGUAGES[language]
    heard = speech(words, case(brief(language, "con")), "con")
    draft = quote(words.terms["turn"], "—", words.terms["Writer"])
    variables = seat(language, "rebuttal", transcript=heard, dialogue=draft)
    review = await ask_json("review.rebuttal", variables, REVIEW, language=language)
    assert review["marker"] == "revise"
    listed = "\n".join(f"{n}. {text}" for n, text in enumerate(review["suggestions"], start=1))
    variables["dialogue"] += "\n" + quote(words.terms["turn"], listed, words.terms["Reviewer"])
    better = await ask("write.revise", variables, language=language)
    assert answers(better.text, [point.claim for point in brief(language, "con")])


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_revised_summary_weighs_what_was_left_out(language: str) -> None:
    words = LANGUAGES[language]
    heard = speech(words, case(brief(language, "pro")), "pro")
    heard += "\n" + speech(words, case(brief(language, "con")), "con")
    draft = quote(words.terms["turn"], "—", words.terms["Writer"])
    variables = seat(language, "summary", transcript=heard, dialogue=draft)
    reviews = [
        await ask_json("review.summary", variables, REVIEW, language=language, seed=seed)
        for seed in range(5)
    ]
    listed = next(one["suggestions"] for one in reviews if one["marker"] == "revise")
    text = "\n".join(f"{n}. {one}" for n, one in enumerate(listed, start=1))
    variables["dialogue"] += "\n" + quote(words.terms["turn"], text, words.terms["Reviewer"])
    better = await ask("write.revise", variables, language=language)
    assert answers(better.text, [point.claim for point in brief(language, "con")])
    assert cited(better.text) == []


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_searches(language: str) -> None:
    words = LANGUAGES[language]
    lists = {
        "type": "object",
        "properties": {"queries": {"type": "array"}},
        "required": ["queries"],
    }
    question = quote("question", MOTION.wordings[language].text)
    variables = seat(language, question=question)
    asked = await ask_json("search.queries", variables, lists, language=language)
    assert 1 <= len(asked["queries"]) <= 5
    assert not any("<" in query for query in asked["queries"])
    lines = [f"{words.terms['query']} 1: x"]
    lines += [
        f"[{n}] {one.source} — {one.claim} {one.evidence}"
        for n, one in enumerate(brief(language, "pro"), start=1)
    ]
    variables["results"] = quote(words.terms["results"], "\n".join(lines))
    better = [
        (await ask_json("search.correct", variables, lists, language=language, seed=n))["queries"]
        for n in range(10)
    ]
    assert [] in better
    form = {
        "type": "object",
        "properties": {
            "kept": {"type": "array", "items": {"$ref": "#/$defs/Kept"}},
            "conclusions": {"type": "string"},
            "others": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["kept", "conclusions", "others"],
        "$defs": {
            "Kept": {
                "type": "object",
                "properties": {
                    "query": {"type": "integer"},
                    "numbers": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["query", "numbers"],
            }
        },
    }
    kept = await ask_json("search.compile", variables, form, language=language)
    assert kept["conclusions"]
    assert [one["query"] for one in kept["kept"]] == [1]
    assert set(kept["kept"][0]["numbers"]) <= {1, 2, 3}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_shortens(language: str) -> None:
    words = LANGUAGES[language]
    long = (await ask("write.constructive", seat(language), language=language)).text
    for limit in (5, 40, 90):
        variables = {"speech": quote(words.terms["speech"], long), "words": str(limit)}
        answer = await ask("shorten", variables, language=language)
        assert 0 < words.count(answer.text) <= limit
        assert content(answer.text) <= content(long) | content(answer.text[:8])


async def test_rebuts_the_opponents_own_words() -> None:
    heard = speech(LANGUAGES["en"], case(EN_CON), "con")
    answer = await ask("write.rebuttal", seat(stage="rebuttal", transcript=heard))
    assert any(overlap(content(one.claim), content(answer.text)) > 0.8 for one in EN_CON)


async def test_reads_a_strangers_prompt_without_its_variables() -> None:
    heard = speech(LANGUAGES["en"], case(EN_PRO), "pro")
    text = (
        f"You speak for Con. Motion: {MOTION.wordings['en'].text}\n{heard}\n"
        f"{material(LANGUAGES['en'], EN_CON)}"
    )
    answer = await ask("write.rebuttal", {"whatever": text})
    assert "Con" in answer.text
    assert set(cited(answer.text)) <= {1, 2, 3}
    assert answers(answer.text, [one.claim for one in EN_PRO])


async def test_argues_about_an_unknown_motion() -> None:
    variables = seat(motion="Zebras deserve parking permits", info_slide="")
    answer = await ask("write.constructive", variables)
    assert "Zebras deserve parking permits" in answer.text
    assert len(arguments(answer.text, motion=variables["motion"])) >= 2
    assert not any(one.claim in answer.text for one in EN_PRO)


async def test_unknown_task_unknown_model_and_limits() -> None:
    assert (await ask("smoke", {})).text
    assert (await ask("mad.affirmative", seat())).text
    with pytest.raises(UnknownModel, match="offline/strong"):
        await ask("smoke", {}, model="offline/none")
    with pytest.raises(UnknownModel):
        BACKEND.price("offline/none")
    assert BACKEND.price("offline/weak") == (0.0, 0.0)
    cut = await ask("write.constructive", seat(), max_tokens=20)
    assert cut.finish_reason == "length"
    assert cut.usage.output_tokens <= 20


async def test_embeds() -> None:
    texts = ["cats chase mice", "cats chase rats", "四天工作制", "", "🦓 \u202eabc"]
    answered = await BACKEND.embed("offline/strong", texts)
    assert answered.usage.input_tokens > 0 and answered.cost_usd == 0
    found = answered.vectors
    assert found.shape == (5, 256)
    assert (abs((found**2).sum(axis=1) - 1) < 1e-9).all()
    assert found[0] @ found[1] > found[0] @ found[2]
