"""`marks`: each essay for itself, without the other one: relevance and preference, 1 to 5.

The judge behind two figures of Hu, Chan, Li and Yin 2024 (Debate-to-Write, arXiv 2406.19643).
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Forecast
from arena.debates.transcript import render_reference
from arena.essays.marks import MARKED, stored
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, SPEECHES, Contest, Language
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.prompts import Prompts, quote
from arena.records import Sampling, Speech, Verdict
from judges.methods.setting import setting
from ratings import outcome_of

_PROMPTS = Prompts(files("judges") / "prompts" / "marks")


class Mark(BaseModel):
    """What one essay is worth."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: str = Field(min_length=1)
    relevance: int = Field(ge=1, le=5)
    preference: int = Field(ge=1, le=5)


class Marks(Judge):
    """Two calls, neither of which knows of the other essay; the higher sum wins."""

    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = ("essay",)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Relevance, preference, and both together."""
        return (*MARKED, "overall")

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run."""
        first, second = await together(*(_marked(hearing, one) for one in hearing.speeches))
        told = (
            f"{hearing.language.sides[side]}: {one.reason}"
            for side, one in zip(SIDES, (first, second), strict=True)
        )
        words = "\n".join(told)
        on_each = [_verdict(name, getattr(first, name), getattr(second, name)) for name in MARKED]
        pro, con = ((one.relevance + one.preference) / 2 for one in (first, second))
        overall = _verdict("overall", pro, con, comment=words)
        return Judgement(verdicts=(*on_each, overall), rationale=words)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - NoOptions
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Two calls, or four where neither is understood at once."""
        essay = words * 1.4
        read = (400 + 0.6 * essay, 450 + essay, 900 + 2 * essay)
        return Forecast.per_call((2, 2, 4), read=read, said=(30, 90, 400))


async def _marked(hearing: Hearing, speech: Speech) -> Mark:
    variables = {
        **setting(hearing),
        "essay": _quoted(speech, hearing.language),
        "schema": schema_of(Mark).text(),
    }
    prompt = _PROMPTS.render("mark", hearing.language.code, variables)
    return await hearing.model.ask(prompt, Mark, path=f"mark/{speech.side}")


def _quoted(speech: Speech, language: Language) -> str:
    """An essay in quotations that don't say which of two it is."""
    text = quote(language.terms["speech"], speech.text)
    if not speech.references:
        return text
    listed = "\n".join(render_reference(one, language) for one in speech.references)
    return f"{text}\n{quote(language.terms['references'], listed)}"


def _verdict(dimension: str, pro: float, con: float, *, comment: str = "") -> Verdict:
    return Verdict(
        dimension=dimension,
        outcome=outcome_of(pro - con),
        pro_mark=stored(pro),
        con_mark=stored(con),
        comment=comment or f"{pro:g} : {con:g} (/5)",
    )
