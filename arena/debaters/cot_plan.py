"""`cot_plan`: a plan, then the speech from the plan. Two calls per speech, and no search.

The comparison CoT-Plan of Hu, Chan, Li & Yin 2024, "Debate-to-Write", arXiv 2406.19643.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.dialogue import context
from arena.debaters.forms import Form
from arena.languages import Language
from arena.llm.model import schema_of
from arena.prompts import Prompts, quote

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "cot_plan")
_Text = Annotated[str, Field(pattern=r"\S")]


class Point(Form):
    """One main point of a plan, and its sub-points."""

    claim: _Text
    support: list[_Text] = Field(min_length=1, max_length=5)


class Plan(Form):
    """A plan of a speech: its main points, and what it grants the other side, if anything."""

    points: list[Point] = Field(min_length=1, max_length=5)
    acknowledgment: str = ""


class CotPlan(Debater):
    """Plans the speech as a structured answer, then writes it; both calls see the whole debate."""

    contests = ("debate", "essay")

    async def speak(self, turn: Turn) -> Draft:
        """Two calls: the plan, and the speech from it."""
        seat, code = self.seat, self.seat.language.code
        known = context(seat, turn)
        asked = _PROMPTS.render(f"plan_{turn.stage}", code, {**known, "schema": _SCHEMA})
        plan = await seat.model.ask(asked, Plan, path=f"{turn.stage}/planner/1")
        shown = {**known, "plan": quote(seat.language.terms["plan"], outlined(plan, seat.language))}
        prompt = _PROMPTS.render(f"speech_{turn.stage}", code, shown)
        text = await seat.model.write(prompt, path=f"{turn.stage}/writer/1")
        planned = {"agent": "Planner", **plan.model_dump(mode="json")}
        return Draft(text=text, trace=[planned, {"agent": "Writer", "marker": "finished"}])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Three plans and three speeches; a plan is a third of a speech."""
        speech = words * 1.4
        return Forecast(
            calls=(6, 6, 12),
            input_tokens=(2400 + 6 * speech, 3000 + 13 * speech, 8000 + 32 * speech),
            output_tokens=(1.6 * speech, 3.2 * speech, 9 * speech),
        )


_SCHEMA = schema_of(Plan).text()


def outlined(plan: Plan, language: Language) -> str:
    """A plan as text: main points numbered, sub-points under them, then the acknowledgment."""
    lines: list[str] = []
    for number, point in enumerate(plan.points, start=1):
        lines.append(f"{number}. {_line(point.claim)}")
        lines += [f"- {_line(one)}" for one in point.support]
    if plan.acknowledgment.strip():
        lines.append(f"{language.terms['acknowledgment']}: {_line(plan.acknowledgment)}")
    return "\n".join(lines)


def _line(text: str) -> str:
    # On one line: a line break in a point could otherwise look like the next point.
    return " ".join(text.split())
