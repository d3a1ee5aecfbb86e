"""The offline backend: a provider of simulated language models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from arena.llm.request import Backend, Completion, Embeddings, FinishReason, Request, Usage
from arena.simulator.embedding import embed_texts
from arena.simulator.instances import SchemaFiller
from arena.simulator.judging import analysis, criteria, translation, verdicts
from arena.simulator.memory import Knowledge
from arena.simulator.mind import Mind, create_mind
from arena.simulator.skills import skill_of
from arena.simulator.writing import (
    answer,
    choice,
    constructive,
    defence,
    essay_points,
    outline,
    queries,
    review,
    speech_plan,
    team,
)
from arena.simulator.writing.shorten import shorten_speech
from motions import Motion

#: An answer to a task: plain text, or the fields of a structured answer.
Answer: TypeAlias = str | Mapping[str, Any]

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
#: The function that answers each task.
_TASKS: Mapping[str, Callable[[Mind], Answer]] = {
    "search.queries": queries.queries,
    "search.correct": queries.correct_queries,
    "search.compile": queries.compile_results,
    "plan.personas": team.personas,
    "plan.team": team.team,
    "plan.discuss": team.discuss,
    "plan.object": team.contest,
    "judge.analyse": analysis.analyse,
    "judge.panel": verdicts.panel,
    "judge.criteria": criteria.criteria,
    "judge.round": criteria.review,
    "judge.defences": criteria.defences,
    "judge.pleas": criteria.review_defences,
    "judge.vote": criteria.totals,
    "judge.totals": criteria.totals,
    "extract.points": essay_points.points,
    "judge.match": translation.match,
    "judge.mark": criteria.mark,
    "advocate.defend": defence.defend,
    "advocate.argue": defence.defend,
    "advocate.fuse": defence.gather,
    "advocate.recall": defence.gather,
    "shorten": shorten_speech,
    "answer.question": answer.answer,
    "study.keywords": answer.study,
    "study.topics": answer.study,
    "study.demonstrations": answer.study,
    "review.answer": answer.review,
    "choose.answer": answer.choose,
}
#: The function that answers a task not in `_TASKS`, by the part before the first dot.
_TASK_FAMILIES: Mapping[str, Callable[[Mind], Answer]] = {
    "write": constructive.write,
    "analyse": outline.analyse,
    "plan": speech_plan.plan,
    "review": review.review,
    "choose": choice.choose,
    "judge": verdicts.compare,
}


class OfflineBackend(Backend):
    """Simulated models, whose answers depend only on prompt, task, schema, seed and model.

    Args:
        motions: motions that the models know; a model remembers a share set by its skill.
    """

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        self._knowledge = Knowledge(motions)

    async def complete(self, request: Request) -> Completion:
        """Answer a request immediately.

        Raises:
            UnknownModel: no simulated model has the request's name.
        """
        mind = create_mind(request, self._knowledge)
        text, finish = _limit_tokens(_answer(mind), request.sampling.max_tokens)
        usage = Usage(input_tokens=tokens(request.text()), output_tokens=tokens(text))
        return Completion(text=text, finish_reason=finish, usage=usage)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Return unit vectors of hashed words and characters, shape (len(texts), 256).

        Raises:
            UnknownModel: no simulated model has that name.
        """
        skill_of(model)
        usage = Usage(input_tokens=sum(map(tokens, texts)), output_tokens=0)
        return Embeddings(vectors=embed_texts(texts), usage=usage)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return the price of input and output: 0 USD.

        Raises:
            UnknownModel: no simulated model has that name.
        """
        skill_of(model)
        return 0.0, 0.0


def tokens(text: str) -> int:
    """Estimate the tokens of a text: one per ideograph, and one per four other characters.

    >>> tokens("four words of text"), tokens("四天工作")
    (5, 4)
    """
    ideographs = len(_IDEOGRAPH.findall(text))
    return ideographs + -(-(len(text) - ideographs) // 4)


def _answer(mind: Mind) -> str:
    task = mind.request.task
    function = _TASKS.get(task) or _TASK_FAMILIES.get(task.partition(".")[0])
    answer = function(mind) if function else constructive.remark(mind)
    if mind.request.schema is None:
        return _format_text(answer)
    if mind.request.prose:
        return f"{_format_json(answer, mind)}\n\n{_text_after(answer)}".strip()
    return _format_json(answer, mind)


def _text_after(answer: Answer) -> str:
    """Return the text that follows the fields of an answer, if any."""
    return (
        answer if isinstance(answer, str) else str(answer.get("speech") or answer.get("text") or "")
    )


def _format_text(answer: Answer) -> str:
    if isinstance(answer, str):
        return answer
    text = answer.get("speech") or answer.get("judgement")
    return str(text) if text else json.dumps(answer, ensure_ascii=False)


def _format_json(answer: Answer, mind: Mind) -> str:
    assert mind.request.schema is not None
    text, fields = (answer, {}) if isinstance(answer, str) else ("", answer)
    thoughts = {"reasoning": mind.voice.say("think")} if mind.has_field("reasoning") else {}
    filler = SchemaFiller(mind.request.schema.body, mind.rng, text=text)
    return json.dumps(filler.fill({**thoughts, **fields}), ensure_ascii=False)


def _limit_tokens(text: str, most: int) -> tuple[str, FinishReason]:
    if tokens(text) <= most:
        return text, "stop"
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= most else (low, middle - 1)
    return text[:low], "length"
