"""The simulated judges: what counts, what does not, and for whom."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from arena.debates.transcript import render_speech
from arena.languages import LANGUAGES, SIDES, Language, sentences
from arena.prompts import quote
from arena.records import Reference, Speech
from arena.simulator import SKILLS
from judges.methods.rounds import RoundCard
from tests.support.one_sided_debates import REASONED
from tests.support.simulated_judges import (
    CITING,
    GIVEN,
    MOTION,
    NEVER,
    POOR,
    RICH,
    VERDICT,
    ask,
    debate,
    judge,
    winners,
)

DECIDED = json.loads(json.dumps(VERDICT).replace(', "tie"', ""))


async def test_an_analysis_knows_the_raw_speeches_before_it() -> None:
    words, said = LANGUAGES["en"], debate(RICH, POOR)
    last = {"number": "3", "speaker": "Pro, rebuttal", "dimension": "argument", "motion": MOTION}
    shown = [render_speech(one, words) for one in said[:3]]
    alone = await ask("judge.analyse", {**last, "speech": shown[2]})
    after = await ask(
        "judge.analyse", {**last, "transcript": "\n".join(shown[:2]), "speech": shown[2]}
    )
    assert "Points made with a reason, and not made before: 2." in alone
    assert "Points made with a reason, and not made before: 0." in after


FOREIGN = tuple(replace(one, excerpt="Quartz watches keep accurate time.") for one in GIVEN)


@pytest.mark.parametrize(
    ("text", "references", "outcome"),
    [
        (CITING, GIVEN, "won"),
        (RICH, (), "tied"),
        (CITING, (), "tied"),
        (CITING, NEVER, "not won"),
        (CITING, FOREIGN, "not won"),
    ],
    ids=["valid", "none", "marks only", "never given", "beside the point"],
)
async def test_only_valid_references_count_as_sources(
    text: str, references: tuple[Reference, ...], outcome: str
) -> None:
    counts = await winners(debate(text, RICH, pro_references=references), "source", runs=40)
    assert {
        "won": counts["Pro"] >= 38,
        "tied": counts["tie"] >= 39,
        "not won": counts["Pro"] == 0,
    }[outcome]


@pytest.mark.parametrize("model", list(SKILLS))
async def test_no_references_mean_a_tie(model: str) -> None:
    speeches = debate(RICH, POOR)
    verdicts = [await judge(speeches, "source", seed=seed, model=model) for seed in range(200)]
    ties = sum(verdict["winner"] == "tie" for verdict in verdicts)
    assert ties >= 0.97 * len(verdicts)


@pytest.mark.parametrize("dimension", ["argument", "source", "language", "charm"])
async def test_sides_are_treated_alike(dimension: str) -> None:
    rich = {"pro_references": GIVEN} if dimension == "source" else {}
    poor = {"con_references": GIVEN} if dimension == "source" else {}
    left, right = [], []
    for seed in range(60):
        one = await judge(debate(CITING, POOR, **rich), dimension, seed=seed)
        other = await judge(debate(POOR, CITING, **poor), dimension, seed=seed + 1000)
        left.append(one["pro_mark"] - one["con_mark"])
        right.append(other["con_mark"] - other["pro_mark"])
    assert abs(fmean(left) - fmean(right)) < 0.35
    assert fmean(left) > 1


async def test_equal_texts_favour_nobody() -> None:
    for dimension in ("argument", "language"):
        constructives = debate(RICH, RICH)[:2]
        verdicts = [await judge(constructives, dimension, seed=seed) for seed in range(200)]
        counts = Counter(verdict["winner"] for verdict in verdicts)
        assert abs(counts["Pro"] - counts["Con"]) < 45, (dimension, counts)


async def test_answers_to_the_other_side_count() -> None:
    answer = (
        "They claim that shade lowers summer temperatures in dense districts, but in winter the "
        "same leaves are gone, because they fall in October."
    )
    idle = "Some people enjoy walking on Sundays with their neighbours and friends."
    speeches = debate(RICH, RICH)[:2]
    leads = []
    for text in (answer, idle):
        said = Speech(side="pro", stage="rebuttal", text=text, words=9)
        verdicts = [await judge([*speeches, said], "argument", seed=seed) for seed in range(40)]
        leads.append(fmean(verdict["pro_mark"] - verdict["con_mark"] for verdict in verdicts))
    assert leads[0] > leads[1] + 0.25


async def test_analyses_quote_and_number() -> None:
    words = LANGUAGES["en"]
    speech = debate(CITING, RICH, pro_references=(*GIVEN, NEVER[0]))[0]
    for dimension, shown in (("argument", "“Shade lowers"), ("source", "[1], [2]")):
        variables = {
            "motion": MOTION,
            "dimension": dimension,
            "number": "1",
            "speaker": "Pro, constructive",
            "memory": "",
            "speech": render_speech(speech, words),
        }
        analysis = await ask("judge.analyse", variables, model="offline/strong", seed=2)
        assert shown in analysis
        assert analysis.splitlines()[-1].startswith("Tally (Pro): ")


async def test_judges_in_chinese() -> None:
    rich = (
        "树荫能降低夏季街道的温度，因为叶片会蒸发水分。里昂的测量发现街道低了四度[1]。\n\n"
        "树根减缓暴雨径流，因此下水道较少溢出。例如波特兰在植树之后洪水减少。"
    )
    given = (Reference(number=1, origin="城市报告", excerpt="里昂植树街道的温度低了四度。"),)
    speeches = debate(rich, "我们觉得很好。很好。很好。", pro_references=given)
    for dimension in ("argument", "source", "language"):
        verdict = await judge(speeches, dimension, language="zh")
        assert verdict["winner"] == "Pro"
        assert "评分：正方" in verdict["judgement"]


@pytest.mark.parametrize("schema", [VERDICT, DECIDED])
async def test_verdicts_fit_their_marks(schema: Mapping[str, Any]) -> None:
    for seed in range(60):
        verdict = await judge(debate(RICH, RICH)[:2], "argument", seed=seed, schema=schema)
        pro, con = verdict["pro_mark"], verdict["con_mark"]
        assert isinstance(pro, int)
        assert 1 <= min(pro, con) <= max(pro, con) <= 10
        assert verdict["winner"] in schema["properties"]["winner"]["enum"]
        assert {"Pro": pro > con, "Con": pro < con, "tie": pro == con}[verdict["winner"]]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_panel_weighs_as_told(language: str) -> None:
    words: Language = LANGUAGES[language]
    weighed = words.terms["weight"]
    marks = "评分：正方{}，反方{}。" if language == "zh" else "Marks: Pro {}, Con {}."

    def judgement(name: str, weight: int, pro: float, con: float) -> str:
        text = "…\n" + marks.format(f"{pro:.2f}", f"{con:.2f}")
        return quote(words.terms["judgement"], text, words.terms[name], f"{weighed} {weight}")

    for heavy, expected in (("argument", "Pro"), ("source", "Con")):
        shown = [
            judgement("argument", 5 if heavy == "argument" else 1, 8, 4),
            judgement("source", 5 if heavy == "source" else 1, 4, 8),
        ]
        variables = {"motion": MOTION, "judgements": "\n".join(shown)}
        found = [
            json.loads(
                await ask("judge.panel", variables, language=language, schema=VERDICT, seed=seed)
            )["winner"]
            for seed in range(20)
        ]
        assert found == [expected] * 20
    nothing = json.loads(await ask("judge.panel", {"judgements": ""}, schema=VERDICT))
    assert nothing["winner"] in ("Pro", "Con", "tie")


async def test_judges_without_analyses_read_the_speeches() -> None:
    shown = "\n".join(render_speech(one, LANGUAGES["en"]) for one in debate(RICH, POOR))
    variables = {"motion": MOTION, "dimension": "argument", "debate": shown}
    verdict = json.loads(await ask("judge.single_pass", variables, schema=VERDICT))
    assert verdict["winner"] == "Pro"


async def test_a_call_is_quick() -> None:
    speeches = debate(CITING * 3, RICH * 3, pro_references=GIVEN)
    await judge(speeches, "argument")
    started = time.process_time()
    for seed in range(10):
        await judge(speeches, "argument", seed=seed)
    assert (time.process_time() - started) / 70 < 0.02


async def test_a_simulated_advocate_points_at_its_own_sides_speeches() -> None:
    words = LANGUAGES["en"]
    shown = "\n".join(render_speech(one, words) for one in debate(RICH, POOR))
    given = {"motion": MOTION, "side": "Pro", "words": "80", "transcript": shown}
    defence = await ask("advocate.defend", given, model="offline/strong")
    assert "Pro makes the point “Shade lowers summer temperatures" in defence
    assert len(defence.split()) <= 80
    assert await ask("advocate.defend", {**given, "side": "Con"}) == "Con keeps to the motion."
    defences = "\n".join(quote("defence", defence, "Pro", str(k)) for k in (1, 2))
    fused = await ask("advocate.fuse", {**given, "words": "150", "defences": defences})
    assert fused == defence


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_simulated_judge_of_defences_checks_what_they_quote(code: str) -> None:
    words = LANGUAGES[code]
    speeches = [replace(one, text=REASONED[code]) for one in debate("", "")]
    shown = "\n".join(render_speech(one, words) for one in speeches)
    points = sentences(REASONED[code])[:4]
    borne_out = " ".join(f"“{point}”" for point in points)
    invented = " ".join(
        f"“Penguins {n} governed Mars cheaply, 企鹅曾统治火星{n}”" for n in range(4)
    )
    for seed in range(5):
        for honest, other in (SIDES, SIDES[::-1]):
            pleas = [
                quote(words.terms["defence"], borne_out, words.sides[honest]),
                quote(words.terms["defence"], invented, words.sides[other]),
            ]
            for task in ("judge.defences", "judge.pleas"):
                given = {"motion": MOTION, "transcript": shown, "pleas": "\n".join(pleas)}
                schema = RoundCard.model_json_schema()
                said = await ask(task, given, schema=schema, seed=seed, language=code)
                card = RoundCard.model_validate_json(said)
                assert getattr(card, honest).total > getattr(card, other).total
