"""`marks`: each essay is marked by itself, for relevance and preference, 1 to 5.

The judge behind two figures of Hu, Chan, Li and Yin 2024 (Debate-to-Write, arXiv 2406.19643), who
ask for each mark in a call of its own, as `preset = "paper"` does.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from arena.debater import Forecast
from arena.debates.transcript import render_reference
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, SPEECHES, Contest
from arena.llm.concurrency import together
from arena.llm.schemas import schema_of
from arena.papers.essays.marks import MARKED, to_ballot_scale
from arena.presets import PresetOptions
from arena.prompts import Prompts, Rendered, quote
from arena.records import Sampling, Speech, Verdict
from judges.methods.setting import REASON_WORDS, setting_variables
from ratings import outcome_of

_PROMPTS = Prompts(files("judges") / "prompts" / "marks")
_PAPER_PROMPTS = Prompts(files("judges") / "prompts" / "marks_paper")


class Mark(BaseModel):
    """The marks of one essay."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: str = Field(min_length=1)
    relevance: int = Field(ge=1, le=5)
    preference: int = Field(ge=1, le=5)


class OneMark(BaseModel):
    """One mark of an essay."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: str = Field(min_length=1)
    mark: int = Field(ge=1, le=5)


class Options(PresetOptions):
    """Options of `marks`: the preset asks for relevance and preference in two calls."""

    @model_serializer(mode="wrap")
    def _leave_out_unset(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Benches that were stored before there was a preset keep their identity.
        return {name: value for name, value in serialize(self).items() if value is not None}


class MarksJudge(Judge):
    """One call per essay, which does not show the other essay; the higher sum wins."""

    Options = Options
    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = ("essay",)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Relevance, preference, and both together."""
        return (*MARKED, "overall")

    async def judge(self, hearing: Hearing) -> Judgement:
        """Mark both essays at the same time."""
        mark_essay = _mark_twice if self.options.preset else _mark_essay
        marks = await together(*(mark_essay(hearing, essay) for essay in hearing.speeches))
        first, second = marks
        reasons = "\n".join(
            f"{hearing.language.sides[side]}: {mark.reason}"
            for side, mark in zip(SIDES, marks, strict=True)
        )
        by_mark = [_verdict(name, getattr(first, name), getattr(second, name)) for name in MARKED]
        pro, con = ((mark.relevance + mark.preference) / 2 for mark in marks)
        overall = _verdict("overall", pro, con, comment=reasons)
        return Judgement(verdicts=(*by_mark, overall), rationale=reasons)

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast a call per essay, or per mark with the preset; each may need a repair."""
        essay, calls = words * 1.4, 4 if options.preset else 2
        read = (400 + 0.6 * essay, 450 + essay, 900 + 2 * essay)
        return Forecast.per_call((calls, calls, 2 * calls), read=read, said=(30, 90, 400))


async def _mark_essay(hearing: Hearing, essay: Speech) -> Mark:
    """Ask for both marks of an essay."""
    prompt = _render(_PROMPTS, "mark", hearing, essay, Mark)
    words = hearing.language.limit(REASON_WORDS)
    return await hearing.model.ask(prompt, Mark, path=f"mark/{essay.side}", words=words)


async def _mark_twice(hearing: Hearing, essay: Speech) -> Mark:
    """Ask for each mark of an essay in a call of its own, at the same time."""
    words = hearing.language.limit(REASON_WORDS)
    prompts = (_render(_PAPER_PROMPTS, name, hearing, essay, OneMark) for name in MARKED)
    relevance, preference = await together(
        *(
            hearing.model.ask(prompt, OneMark, path=f"mark/{essay.side}/{name}", words=words)
            for name, prompt in zip(MARKED, prompts, strict=True)
        )
    )
    reason = f"{relevance.reason} {preference.reason}"
    return Mark(reason=reason, relevance=relevance.mark, preference=preference.mark)


def _render(
    prompts: Prompts, name: str, hearing: Hearing, essay: Speech, form: type[BaseModel]
) -> Rendered:
    """Render a prompt with an essay, quoted without telling which of two it is."""
    language = hearing.language
    quoted = quote(language.terms["speech"], essay.text)
    if essay.references:
        references = "\n".join(render_reference(item, language) for item in essay.references)
        quoted += f"\n{quote(language.terms['references'], references)}"
    variables = {
        **setting_variables(hearing),
        "essay": quoted,
        "schema": schema_of(form).text(),
    }
    return prompts.render(name, language.code, variables)


def _verdict(dimension: str, pro: float, con: float, *, comment: str = "") -> Verdict:
    return Verdict(
        dimension=dimension,
        outcome=outcome_of(pro - con),
        pro_mark=to_ballot_scale(pro),
        con_mark=to_ballot_scale(con),
        comment=comment or f"{pro:g} : {con:g} (/5)",
    )
