"""What a simulated debater is asked in tests: a motion that it knows, seats, material."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.languages import LANGUAGES, Language, Side
from arena.llm.request import Completion, Request, Schema
from arena.prompts import Message, quote
from arena.records import Sampling
from arena.simulator import OfflineBackend
from motions import Brief, BriefPoint, Motion, Wording

EN_PRO = (
    BriefPoint(
        claim="Later starts lengthen the sleep of teenagers.",
        evidence="Sensors in Seattle showed 34 more minutes of sleep. Grades rose as well.",
        source="Dunster, 2018",
    ),
    BriefPoint(
        claim="Fewer drowsy drivers crash on rural roads.",
        evidence="Collisions among young motorists fell by a sixth in one county.",
        source="Danner, 2008",
    ),
    BriefPoint(
        claim="Punctual attendance improves when mornings are calmer.",
        evidence="Absences dropped in districts that moved the bell.",
    ),
)
EN_CON = (
    BriefPoint(
        claim="Bus timetables become expensive to reorganise.",
        evidence="Boston abandoned a plan after families protested against new routes.",
        source="Globe, 2017",
    ),
    BriefPoint(
        claim="Parents in shift work lose supervision before class.",
        evidence="Nurses begin at seven, and childcare at dawn is scarce.",
    ),
    BriefPoint(
        claim="Afternoon sport and part-time jobs are squeezed.",
        evidence="Coaches report cancelled practice when daylight ends early.",
    ),
)
ZH_PRO = (
    BriefPoint(
        claim="推迟上学让青少年睡得更久。",
        evidence="西雅图的传感器显示学生每晚多睡三十四分钟。成绩也有所提高。",
        source="Dunster, 2018",
    ),
    BriefPoint(
        claim="困倦驾驶造成的车祸减少。",
        evidence="某县年轻司机的事故下降了六分之一。",
        source="Danner, 2008",
    ),
    BriefPoint(claim="早晨从容使迟到旷课变少。", evidence="调整铃声的学区缺勤率明显降低。"),
)
ZH_CON = (
    BriefPoint(
        claim="校车时刻表重新编排花费高昂。",
        evidence="波士顿在家长抗议新线路后放弃了计划。",
        source="环球报, 2017",
    ),
    BriefPoint(
        claim="轮班的父母无法在课前照看孩子。", evidence="护士七点上岗，而清晨的托管十分稀缺。"
    ),
    BriefPoint(
        claim="下午的体育训练和兼职受到挤压。", evidence="教练反映天黑得早的时候训练被取消。"
    ),
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
    document = json.loads(answer.text)
    assert isinstance(document, dict)
    return document


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


def material(
    language: Language,
    points: tuple[BriefPoint, ...],
    label: str = "material",
    *,
    side: Side | None = None,
) -> str:
    """References with the marks of a side, or without a letter, as they were once."""
    letter = language.marks[side] if side else ""
    lines = [
        f"[{letter}{number}] {point.source or 'notes'} — {point.claim} {point.evidence}"
        for number, point in enumerate(points, start=1)
    ]
    return quote(language.terms[label], "\n".join(lines))


def speech(language: Language, text: str, side: str, stage: str = "constructive") -> str:
    named = [*language.sides.items(), *language.stages.items()]
    words = {str(key): word for key, word in named}
    return quote(language.terms["speech"], text, words[side], words[stage])


def case(points: tuple[BriefPoint, ...], blank: str = " ") -> str:
    return "\n\n".join(f"{point.claim}{blank}{point.evidence}" for point in points)


def brief(language: str, side: str) -> tuple[BriefPoint, ...]:
    whole = MOTION.wordings[language].brief
    return whole.pro if side == "pro" else whole.con
