"""Simulated judges in tests: a debate before them, what they are asked, and how they decide."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from arena.debates.transcript import render_speech
from arena.languages import LANGUAGES
from arena.llm.request import Request, Schema
from arena.prompts import Message, quote
from arena.records import Reference, Speech
from arena.simulator import OfflineBackend
from tests.support.debate_seats import ORDER
from tests.support.one_sided_debates import EMPTY, REASONED

BACKEND = OfflineBackend()
MODEL = "offline/weak"
VERDICT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "judgement": {"type": "string", "minLength": 1},
        "pro_mark": {"type": "number", "minimum": 1, "maximum": 10},
        "con_mark": {"type": "number", "minimum": 1, "maximum": 10},
        "winner": {"type": "string", "enum": ["Pro", "Con", "tie"]},
    },
    "required": ["judgement", "pro_mark", "con_mark", "winner"],
}
MOTION = "Towns should plant more trees"
RICH, POOR = REASONED["en"], EMPTY["en"]


async def ask(task: str, variables: Mapping[str, str], **more: Any) -> str:  # noqa: ANN401
    text = "\n\n".join(f"{name}: {value}" for name, value in variables.items())
    schema = more.get("schema")
    request = Request(
        model=more.get("model", MODEL),
        messages=(Message(role="user", text=text),),
        task=task,
        language=more.get("language", "en"),
        variables=variables,
        schema=Schema(name="Form", body=schema) if schema else None,
        path="judge",
        seed=more.get("seed", 1),
    )
    return (await BACKEND.complete(request)).text


async def judge(
    speeches: Sequence[Speech],
    dimension: str,
    *,
    seed: int = 0,
    language: str = "en",
    model: str = MODEL,
    schema: Mapping[str, Any] = VERDICT,
) -> dict[str, Any]:
    words = LANGUAGES[language]
    about = {"motion": MOTION, "dimension": words.terms.get(dimension, dimension)}
    memory: list[str] = []
    for number, speech in enumerate(speeches, start=1):
        speaker = f"{words.sides[speech.side]}, {words.stages[speech.stage]}"
        variables = {
            **about,
            "number": str(number),
            "speaker": speaker,
            "memory": "\n".join(memory),
            "speech": render_speech(speech, words),
        }
        analysis = await ask(
            "judge.analyse", variables, seed=100 * seed + number, language=language, model=model
        )
        memory.append(quote(words.terms["analysis"], analysis, str(number), speaker))
    variables = {**about, "memory": "\n".join(memory)}
    answer = await ask(
        "judge.compare",
        variables,
        seed=100 * seed,
        language=language,
        model=model,
        schema=schema,
    )
    document = json.loads(answer)
    assert isinstance(document, dict)
    return document


def debate(
    pro: str,
    con: str,
    *,
    pro_references: tuple[Reference, ...] = (),
    con_references: tuple[Reference, ...] = (),
) -> list[Speech]:
    texts = {"pro": pro, "con": con}
    references = {"pro": pro_references, "con": con_references}
    return [
        Speech(side=side, stage=stage, text=texts[side], words=9, references=references[side])
        for side, stage in ORDER
    ]


CITING = RICH.replace("cooler.", "cooler [1].").replace("programme.", "programme [2].")
GIVEN = (
    Reference(number=1, origin="City, 2020", excerpt="Streets in Lyon were four degrees cooler."),
    Reference(number=2, origin="Works, 2019", excerpt="Portland saw fewer floods after planting."),
)
NEVER = (Reference(number=1, given=False), Reference(number=2, given=False))


async def winners(speeches: Sequence[Speech], dimension: str, *, runs: int) -> Counter[str]:
    verdicts = [await judge(speeches, dimension, seed=seed) for seed in range(runs)]
    return Counter(str(verdict["winner"]) for verdict in verdicts)
