"""`translation`: a model finds the reference that each translation has the meaning of.

Liang et al. 2023 (arXiv 2305.19118) translate sentences with an ambiguous word: a translation that
misreads it is wrong however well it sounds. Questions of other kinds are decided without a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from arena.answers import is_correct
from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES
from arena.llm.concurrency import together
from arena.llm.schemas import schema_of
from arena.prompts import Prompts, quote
from arena.records import Sampling, Speech, Step
from judges.methods.correctness import (
    QuestionJudge,
    accepted_answers,
    judge_by_correctness,
    measure_chrf,
)
from judges.methods.setting import REASON_WORDS
from motions import Answers

_PROMPTS = Prompts(files("judges") / "prompts" / "translation")


class Match(BaseModel):
    """The number of the reference that a translation has the meaning of; 0 for none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: str
    matches: int = Field(ge=0)


class Translation(QuestionJudge):
    """A translation that matches a right reference is right; each is judged by itself.

    The model is not told which references are right, and their order does not give it away.
    """

    sampling = Sampling(temperature=0.0)

    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge by one call for each translation; by none if the question asks for no translation.

        Answers to other questions are compared with the accepted ones.
        """
        answers = accepted_answers(hearing)
        if not answers.translation:
            right = {speech.side: is_correct(speech.text, answers) for speech in hearing.speeches}
            return judge_by_correctness(right, answers)
        steps = await together(
            *(_match_reference(speech, hearing, answers) for speech in hearing.speeches)
        )
        right = {
            speech.side: bool(step["right"])
            for speech, step in zip(hearing.speeches, steps, strict=True)
        }
        return judge_by_correctness(right, answers, trace=tuple(steps))

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast two calls, or four where both first answers need a repair."""
        return Forecast.per_call((2, 2, 4), read=(250, 400, 1500), said=(20, 60, 300))


async def _match_reference(speech: Speech, hearing: Hearing, answers: Answers) -> Step:
    """Ask which reference a translation has the meaning of; return a step of the trace."""
    references = shuffle_references([*answers.accepted, *answers.wrong])
    form = _form_up_to(len(references))
    terms = hearing.language.terms
    variables = {
        "motion": quote(terms["question"], hearing.motion),
        "translation": quote(terms["translation"], speech.text),
        "references": "\n".join(
            quote(terms["reference"], text, str(number))
            for number, text in enumerate(references, start=1)
        ),
        "schema": schema_of(form).text(),
    }
    prompt = _PROMPTS.render("match", hearing.language.code, variables)
    match = await hearing.model.ask(
        prompt, form, path=f"match/{speech.side}", words=hearing.language.limit(REASON_WORDS)
    )
    reference = references[match.matches - 1] if match.matches else ""
    return {
        "side": speech.side,
        "matches": reference or "none",
        "right": reference in answers.accepted,
        **measure_chrf(speech, answers),
        "reason": match.reason,
    }


def shuffle_references(references: Sequence[str]) -> list[str]:
    """Return the different references in an order that depends on their texts alone."""
    return sorted(set(references), key=lambda text: hashlib.sha256(text.encode()).digest())


@lru_cache(maxsize=64)
def _form_up_to(most: int) -> type[Match]:
    """Return the form with `most` as the highest number."""
    return create_model("Match", __base__=Match, matches=(int, Field(ge=0, le=most)))
