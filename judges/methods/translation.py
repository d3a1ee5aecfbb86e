"""`translation`: a model says which reference each translation has the meaning of.

Liang et al. 2023 (arXiv 2305.19118) translate sentences with an ambiguous word: a translation that
misreads it is wrong however well it sounds. Questions of other kinds are decided without a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from arena.answers import chrf, correct
from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES, Contest
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.prompts import Prompts, quote
from arena.records import Sampling, Speech, Step
from judges.methods.correctness import by_correctness, expected
from motions import Answers

_PROMPTS = Prompts(files("judges") / "prompts" / "translation")


class Match(BaseModel):
    """The number of the reference that a translation has the meaning of; 0 for none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: str
    matches: int = Field(ge=0)


class Translation(Judge):
    """Right is a translation that matches a right reference; each is looked at by itself.

    The references stand in an order that says nothing, and nobody tells which are right.
    """

    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = ("question",)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Overall alone."""
        return ("overall",)

    async def judge(self, hearing: Hearing) -> Judgement:
        """One call for each translation; none where an answer is compared with accepted ones."""
        wanted = expected(hearing)
        if not wanted.translation:
            right = {one.side: correct(one.text, wanted) for one in hearing.speeches}
            return by_correctness(right, wanted)
        steps = await together(*(_matched(one, hearing, wanted) for one in hearing.speeches))
        right = {
            speech.side: bool(step["right"])
            for speech, step in zip(hearing.speeches, steps, strict=True)
        }
        return by_correctness(right, wanted, trace=tuple(steps))

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - NoOptions
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Two calls, or four where neither is understood at once."""
        return Forecast.per_call((2, 2, 4), read=(250, 400, 1500), said=(20, 60, 300))


async def _matched(speech: Speech, hearing: Hearing, wanted: Answers) -> Step:
    references = shuffled([*wanted.accepted, *wanted.wrong])
    form = _form(len(references))
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
    found = await hearing.model.ask(prompt, form, path=f"match/{speech.side}")
    chosen = references[found.matches - 1] if found.matches else ""
    return {
        "side": speech.side,
        "matches": chosen or "none",
        "right": chosen in wanted.accepted,
        "chrf": round(chrf(speech.text, wanted.accepted), 1),
        "chrf_wrong": round(chrf(speech.text, wanted.wrong), 1),
        "reason": found.reason,
    }


def shuffled(references: Sequence[str]) -> list[str]:
    """References in an order that depends on their texts alone."""
    return sorted(set(references), key=lambda text: hashlib.sha256(text.encode()).digest())


@lru_cache(maxsize=64)
def _form(most: int) -> type[Match]:
    return create_model("Match", __base__=Match, matches=(int, Field(ge=0, le=most)))
