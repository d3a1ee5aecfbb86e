"""`debatrix`: iterative chronological analysis by dimension, then a panel.

Liang et al. 2024, "Debatrix: Multi-dimensional Debate Judge with Iterative Chronological Analysis
Based on LLM", arXiv 2403.08010, as the Agent4Debate arena uses it (arXiv 2408.04472): a ternary
result per dimension and overall, ties allowed everywhere in that preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.llm.backend import Sampling
from arena.llm.model import schema_of
from arena.prompts import Prompts, Rendered, quote
from arena.records import Speech, Verdict
from arena.together import together
from arena.transcript import render_speech
from ratings import CON_WINS, PRO_WINS, TIE

_PROMPTS = Prompts(files("judges") / "prompts" / "debatrix")
_OUTCOMES = {"Pro": PRO_WINS, "tie": TIE, "Con": CON_WINS}


class Weights(BaseModel):
    """How much each dimension counts with the panel; 0 keeps it from the panel's eyes."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    argument: float = Field(default=3, ge=0)
    source: float = Field(default=2, ge=0)
    language: float = Field(default=2, ge=0)

    @model_validator(mode="after")
    def _some(self) -> Weights:
        if not any((self.argument, self.source, self.language)):
            raise ValueError("at least one weight must be above 0")
        return self


class Options(BaseModel):
    """`preset`: where ties are allowed. `mode`: how the speeches are read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    preset: Literal["arena", "debatrix"] = "arena"
    mode: Literal["full"] = "full"
    weights: Weights = Weights()


class Comparison(BaseModel):
    """A verdict in the model's words and marks."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)
    pro_mark: float = Field(ge=1, le=10)
    con_mark: float = Field(ge=1, le=10)
    winner: Literal["Pro", "Con", "tie"]


class DecidedComparison(Comparison):
    """A verdict where a tie is not allowed."""

    winner: Literal["Pro", "Con"]


class Debatrix(Judge):
    """One judge with a memory of its own per dimension, and a panel judge over them."""

    Options = Options
    sampling = Sampling(temperature=0.7)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Three dimensions and overall."""
        return ("argument", "source", "language", "overall")

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: the three dimensions side by side, then the panel."""
        judged = await together(*(self._dimension(hearing, name) for name in self.dimensions[:-1]))
        overall = await self._panel(hearing, judged)
        return Judgement(verdicts=(*judged, overall), rationale=overall.comment)

    async def _dimension(self, hearing: Hearing, dimension: str) -> Verdict:
        memory: list[str] = []
        for number, speech in enumerate(hearing.speeches, start=1):
            prompt = self._analysis(hearing, dimension, memory, speech)
            path = f"{dimension}/analyse/{number}"
            analysis = await hearing.model.write(prompt, path=path)
            label = hearing.language.terms["analysis"]
            memory.append(quote(label, analysis, str(number), _speaker(hearing, speech)))
        variables = {**self._about(hearing, dimension), "memory": "\n".join(memory)}
        return await self._verdict(hearing, "compare", dimension, variables)

    async def _panel(self, hearing: Hearing, judged: Sequence[Verdict]) -> Verdict:
        weights = self.options.weights.model_dump()
        heaviest = sorted(judged, key=lambda one: -weights[one.dimension])
        shown = [
            self._shown(hearing, one, weights[one.dimension])
            for one in heaviest
            if weights[one.dimension] > 0
        ]
        variables = {**_motion(hearing), "judgements": "\n".join(shown)}
        return await self._verdict(hearing, "panel", "overall", variables)

    async def _verdict(
        self, hearing: Hearing, name: str, dimension: str, variables: Mapping[str, str]
    ) -> Verdict:
        decided = self.options.preset == "debatrix" and dimension in ("argument", "overall")
        form = DecidedComparison if decided else Comparison
        prompt = _PROMPTS.render(
            name,
            hearing.language.code,
            {**variables, "schema": schema_of(form).text()},
            flags=frozenset(() if decided else ("tie_allowed",)),
        )
        found = await hearing.model.ask(prompt, form, path=f"{dimension}/{name}")
        return Verdict(
            dimension=dimension,
            outcome=_OUTCOMES[found.winner],
            pro_mark=found.pro_mark,
            con_mark=found.con_mark,
            comment=found.judgement,
        )

    def _analysis(
        self, hearing: Hearing, dimension: str, memory: list[str], speech: Speech
    ) -> Rendered:
        variables = {
            **self._about(hearing, dimension),
            "number": str(len(memory) + 1),
            "speaker": _speaker(hearing, speech),
            "memory": "\n".join(memory) or hearing.language.terms["nothing_yet"],
            "speech": render_speech(speech, hearing.language),
        }
        return _PROMPTS.render("analyse", hearing.language.code, variables)

    def _about(self, hearing: Hearing, dimension: str) -> dict[str, str]:
        return {
            **_motion(hearing),
            "dimension": hearing.language.terms[dimension],
            "description": hearing.language.terms[f"about_{dimension}"],
        }

    def _shown(self, hearing: Hearing, verdict: Verdict, weight: float) -> str:
        terms = hearing.language.terms
        words = (terms[verdict.dimension], f"{terms['weight']} {weight:g}")
        return quote(terms["judgement"], verdict.comment, *words)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Three dimensions of six analyses and a comparison, and the panel: 22 calls."""
        speech = words * 1.4
        calls = 3 * (6 + 1) + 1
        return Forecast(
            calls=(calls, calls, 2 * calls),
            input_tokens=(
                calls * (700 + 0.6 * speech),
                calls * (1100 + speech + 900),
                2 * calls * (1500 + 2 * speech + 3000),
            ),
            output_tokens=(calls * 120, calls * 300, calls * 900),
        )


def _motion(hearing: Hearing) -> dict[str, str]:
    return {
        "motion": hearing.motion,
        "info_slide": hearing.info_slide or hearing.language.terms["no_slide"],
        "speeches": str(len(hearing.speeches)),
    }


def _speaker(hearing: Hearing, speech: Speech) -> str:
    words = hearing.language
    return f"{words.sides[speech.side]}, {words.stages[speech.stage]}"
