"""The simulated writer: both languages, every stage, nothing cited that was not shown."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from arena.errors import UnknownModel
from arena.languages import LANGUAGES, Side
from arena.prompts import quote
from arena.simulator import SKILLS
from arena.simulator.measures import find_answers, find_arguments
from arena.simulator.words import cited_marks, content_words, overlap
from tests.support.simulated_tasks import (
    BACKEND,
    EN_CON,
    EN_PRO,
    MOTION,
    WRITTEN,
    ask,
    ask_json,
    brief,
    case,
    material,
    seat,
    speech,
)


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
@pytest.mark.parametrize("side", ["pro", None], ids=["lettered", "plain"])
async def test_cites_only_what_the_prompt_shows(
    side: Side | None, language: str, stage: str
) -> None:
    words = LANGUAGES[language]
    own, other = (words.marks["pro"], words.marks["con"]) if side else ("", "")
    forged = f"[{other}9] Forged — " + EN_PRO[0].claim
    heard = speech(words, case(brief(language, "pro")) + f" [{own}2]", "pro")
    heard += "\n" + speech(
        words, f"{case(brief(language, 'con'))}\n{forged} [{other}{1 if side else 8}]", "con"
    )
    shown = material(words, brief(language, "pro"), side=side)
    marks: set[tuple[Side | None, int]] = set()
    for seed in range(10):
        variables = seat(language, stage, transcript=heard, material=shown)
        answer = await ask(f"write.{stage}", variables, language=language, seed=seed)
        marks |= set(cited_marks(answer.text))
        del variables["material"]
        bare = await ask(f"write.{stage}", variables, language=language, seed=seed)
        assert cited_marks(bare.text) == []
    assert marks
    assert marks <= {(side, number) for number in (1, 2, 3)}


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
    rows = await ask("write.constructive", seat(language, dialogue=alone), language=language)
    assert subject in rows.text
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
            counts[planned].append(len(find_arguments(answer.text)))
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
        means.append(fmean(len(find_answers(text, points)) for text in texts))
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


MARKS = {"en": "Missing: ", "zh": "缺少："}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_an_outline_marks_what_has_no_source_where_it_is_asked_to(language: str) -> None:
    mark, words = MARKS[language], LANGUAGES[language]
    asked = seat(language, rule=f"`{mark.strip()}`")
    bare = (await ask("analyse.constructive", asked, language=language)).text
    lines = bare.split("\n")
    marked = [line.removeprefix(mark) for line in lines if line.startswith(mark)]
    numbered = [line.split(" ", 1)[1] for line in lines if line[0].isdigit()]
    assert len(marked) == len(numbered) and all(
        line.startswith(claim) for line, claim in zip(numbered, marked, strict=True)
    )
    shown = {**asked, "material": material(words, brief(language, "pro"))}
    sourced = [
        (await ask("analyse.constructive", shown, language=language, seed=n)).text
        for n in range(10)
    ]
    assert sum(text.count(mark) for text in sourced) < 10
    unasked = (await ask("analyse.constructive", seat(language), language=language)).text
    assert mark not in unasked


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_writer_asks_for_what_the_outline_marks_until_it_was_searched_for(
    language: str,
) -> None:
    words = LANGUAGES[language]
    claims = [point.claim for point in brief(language, "pro")[:2]]
    outline = "\n".join(
        f"{n}. {claim}\n{MARKS[language]}{claim}" for n, claim in enumerate(claims, start=1)
    )
    analysis = quote(words.terms["turn"], outline, words.terms["Analyzer"])
    requests = [
        quote(words.terms["turn"], f"{words.terms['needs_material']} {c}", words.terms["Writer"])
        for c in claims
    ]

    async def asks(*turns: str) -> list[str]:
        variables = seat(language, dialogue="\n".join([analysis, *turns]))
        answers = [
            await ask_json("write.constructive", variables, WRITTEN, language=language, seed=seed)
            for seed in range(12)
        ]
        return [one["claim"] for one in answers if one["marker"] == "needs_material"]

    assert set(await asks()) >= {claims[0]}
    assert set(await asks(requests[0])) == {claims[1]}
    assert await asks(*requests) == []


async def test_rebuts_the_opponents_own_words() -> None:
    heard = speech(LANGUAGES["en"], case(EN_CON), "con")
    answer = await ask("write.rebuttal", seat(stage="rebuttal", transcript=heard))
    assert any(
        overlap(content_words(one.claim), content_words(answer.text)) > 0.8 for one in EN_CON
    )


async def test_reads_a_strangers_prompt_without_its_variables() -> None:
    heard = speech(LANGUAGES["en"], case(EN_PRO), "pro")
    text = (
        f"You speak for Con. Motion: {MOTION.wordings['en'].text}\n{heard}\n"
        f"{material(LANGUAGES['en'], EN_CON, side='con')}"
    )
    answer = await ask("write.rebuttal", {"whatever": text})
    assert "Con" in answer.text
    assert set(cited_marks(answer.text)) <= {("con", number) for number in (1, 2, 3)}
    assert find_answers(answer.text, [one.claim for one in EN_PRO])


async def test_argues_about_an_unknown_motion() -> None:
    variables = seat(motion="Zebras deserve parking permits", info_slide="")
    answer = await ask("write.constructive", variables)
    assert "Zebras deserve parking permits" in answer.text
    assert len(find_arguments(answer.text, motion=variables["motion"])) >= 2
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
