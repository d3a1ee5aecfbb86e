"""The offline backend: a provider of simulated language models, without a network or a key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from arena.llm.request import Backend, Completion, Embedded, FinishReason, Request, Usage
from arena.simulator.embedding import embedded
from arena.simulator.instances import Former
from arena.simulator.judging import analysis, choice, criteria, translation, verdicts
from arena.simulator.memory import Knowledge
from arena.simulator.mind import Mind, mind_of
from arena.simulator.reading import points
from arena.simulator.skills import skill_of
from arena.simulator.writing import (
    answer,
    constructive,
    defence,
    outline,
    plan,
    queries,
    review,
    team,
)
from arena.simulator.writing.shorten import shortened
from motions import Motion

#: What a task's code returns: plain text, or the fields of an answer.
Answer: TypeAlias = str | Mapping[str, Any]

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_TASKS: Mapping[str, Callable[[Mind], Answer]] = {
    "search.queries": queries.queries,
    "search.correct": queries.corrected,
    "search.compile": queries.compiled,
    "plan.personas": team.personas,
    "plan.team": team.team,
    "plan.discuss": team.discuss,
    "plan.object": team.contest,
    "judge.analyse": analysis.analyse,
    "judge.panel": verdicts.panel,
    "judge.criteria": criteria.criteria,
    "judge.round": criteria.review,
    "judge.vote": criteria.totals,
    "judge.totals": criteria.totals,
    "extract.points": points.points,
    "judge.match": translation.match,
    "judge.mark": criteria.mark,
    "advocate.defend": defence.defend,
    "advocate.argue": defence.defend,
    "advocate.fuse": defence.gather,
    "advocate.recall": defence.gather,
    "shorten": shortened,
    "answer.question": answer.answer,
    "review.answer": answer.review,
    "choose.answer": answer.choose,
}
_FAMILIES: Mapping[str, Callable[[Mind], Answer]] = {
    "write": constructive.write,
    "analyse": outline.analyse,
    "plan": plan.plan,
    "review": review.review,
    "choose": choice.choose,
    "judge": verdicts.compare,
}


class OfflineBackend(Backend):
    """Simulated models: each answer is a function of prompt, task, schema, seed and model.

    Args:
        motions: general knowledge; a model remembers a part of it that depends on its skill.
    """

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        self._knowledge = Knowledge(motions)

    async def complete(self, request: Request) -> Completion:
        """Answer a request, at once.

        Raises:
            UnknownModel: no simulated model has the request's name.
        """
        mind = mind_of(request, self._knowledge)
        text, finish = _limited(_written(mind), request.sampling.max_tokens)
        usage = Usage(input_tokens=tokens(request.text()), output_tokens=tokens(text))
        return Completion(text=text, finish_reason=finish, usage=usage)

    async def embed(self, model: str, texts: Sequence[str]) -> Embedded:
        """Unit vectors of hashed words and characters, of shape (len(texts), 256).

        Raises:
            UnknownModel: no simulated model has that name.
        """
        skill_of(model)
        usage = Usage(input_tokens=sum(map(tokens, texts)), output_tokens=0)
        return Embedded(vectors=embedded(texts), usage=usage)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Nothing, for input and for output.

        Raises:
            UnknownModel: no simulated model has that name.
        """
        skill_of(model)
        return 0.0, 0.0


def tokens(text: str) -> int:
    """An estimate of a text's tokens: one for each ideograph, else one for four characters.

    >>> tokens("four words of text"), tokens("四天工作")
    (5, 4)
    """
    ideographs = len(_IDEOGRAPH.findall(text))
    return ideographs + -(-(len(text) - ideographs) // 4)


def _written(mind: Mind) -> str:
    task = mind.request.task
    act = _TASKS.get(task) or _FAMILIES.get(task.partition(".")[0])
    answer = act(mind) if act else constructive.remark(mind)
    return _plain(answer) if mind.request.schema is None else _formed(answer, mind)


def _plain(answer: Answer) -> str:
    if isinstance(answer, str):
        return answer
    text = answer.get("speech") or answer.get("judgement")
    return str(text) if text else json.dumps(answer, ensure_ascii=False)


def _formed(answer: Answer, mind: Mind) -> str:
    assert mind.request.schema is not None
    text, fields = (answer, {}) if isinstance(answer, str) else ("", answer)
    former = Former(mind.request.schema.body, mind.rng, text=text)
    return json.dumps(former.form(dict(fields)), ensure_ascii=False)


def _limited(text: str, most: int) -> tuple[str, FinishReason]:
    if tokens(text) <= most:
        return text, "stop"
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= most else (low, middle - 1)
    return text[:low], "length"
