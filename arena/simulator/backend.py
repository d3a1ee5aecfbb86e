"""The offline backend: a provider of simulated language models."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from arena.llm.request import Backend, Completion, Embeddings, FinishReason, Request, Usage
from arena.simulator import answers, criteria, judging, speeches, team
from arena.simulator.embedding import embed_texts
from arena.simulator.instances import SchemaFiller
from arena.simulator.mind import Knowledge, Mind, create_mind, skill_of
from motions import Motion

#: An answer to a task: plain text, or the fields of a structured answer.
Answer: TypeAlias = str | Mapping[str, Any]

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
#: The function that answers each task.
_TASKS: Mapping[str, Callable[[Mind], Answer]] = {
    "write.revise": speeches.revise,
    "shorten": speeches.shorten_speech,
    "search.queries": team.queries,
    "search.correct": team.correct_queries,
    "search.step": team.search_step,
    "search.compile": team.compile_results,
    "plan.personas": team.personas,
    "plan.team": team.team,
    "plan.discuss": team.discuss,
    "plan.object": team.contest,
    "judge.analyse": judging.analyse,
    "judge.panel": judging.panel,
    **dict.fromkeys(("judge.criteria", "judge.round"), criteria.criteria),
    **dict.fromkeys(("judge.defences", "judge.pleas"), criteria.defences),
    **dict.fromkeys(("judge.vote", "judge.totals"), criteria.totals),
    **dict.fromkeys(("advocate.defend", "advocate.argue"), criteria.defend),
    **dict.fromkeys(("advocate.fuse", "advocate.recall"), criteria.gather),
    "judge.feedback": criteria.advise,
    **dict.fromkeys(("judge.mark", "judge.relevance", "judge.preference"), criteria.mark),
    "extract.points": criteria.points,
    "judge.match": answers.match,
    "answer.question": answers.answer,
    "review.answer": answers.review,
    "choose.answer": answers.choose_answer,
}
#: The function that answers a task not in `_TASKS`, by the part before the first dot.
_TASK_FAMILIES: Mapping[str, Callable[[Mind], Answer]] = {
    "write": speeches.write,
    "study": answers.study,
    "analyse": team.analyse,
    "plan": team.plan,
    "review": speeches.review,
    "choose": answers.choose_draft,
    "judge": judging.compare,
}


class OfflineBackend(Backend):
    """Simulated models, whose answers depend only on prompt, task, schema, seed and model.

    Args:
        motions: motions that the models know; a model remembers a share set by its skill.
    """

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        self._knowledge = Knowledge(motions)

    async def complete(self, request: Request) -> Completion:
        """Answer a request immediately."""
        mind = create_mind(request, self._knowledge)
        text, finish = _limit_tokens(_answer(mind), request.sampling.max_tokens)
        usage = Usage(input_tokens=tokens(request.text()), output_tokens=tokens(text))
        return Completion(text=text, finish_reason=finish, usage=usage)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Return unit vectors of hashed words and characters, shape (len(texts), 256)."""
        skill_of(model)
        usage = Usage(input_tokens=sum(map(tokens, texts)), output_tokens=0)
        return Embeddings(vectors=embed_texts(texts), usage=usage)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return the price of input and output: 0 USD."""
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
    task, schema = mind.request.task, mind.request.schema
    function = _TASKS.get(task) or _TASK_FAMILIES.get(task.partition(".")[0], speeches.remark)
    answer = function(mind)
    text, fields = (answer, {}) if isinstance(answer, str) else ("", answer)
    if schema is None:
        text = text or str(fields.get("speech") or fields.get("judgement") or "")
        return text or (json.dumps(fields, ensure_ascii=False) if fields else "")
    thoughts = {"reasoning": mind.say("think")} if mind.has_field("reasoning") else {}
    filled = SchemaFiller(schema.body, mind.rng, text=text).fill({**thoughts, **fields})
    form = json.dumps(filled, ensure_ascii=False)
    after = text or str(fields.get("speech") or fields.get("text") or "")
    return f"{form}\n\n{after}".strip() if mind.request.prose else form


def _limit_tokens(text: str, most: int) -> tuple[str, FinishReason]:
    if tokens(text) <= most:
        return text, "stop"
    fitting = bisect_right(range(len(text) + 1), most, key=lambda length: tokens(text[:length]))
    return text[: fitting - 1], "length"
