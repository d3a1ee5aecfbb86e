"""`cot_plan`: two calls per speech, a plan and the speech written from it.

The method CoT-Plan with which Hu, Chan, Li & Yin 2024, "Debate-to-Write", arXiv 2406.19643,
compare their own.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.agent_dialogue import prompt_context
from arena.debaters.answer_forms import AnswerForm
from arena.languages import Language
from arena.llm.model import schema_of
from arena.prompts import Prompts, quote

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "cot_plan")
_Text = Annotated[str, Field(pattern=r"\S")]


class Point(AnswerForm):
    """One main point of a plan, and its sub-points."""

    claim: _Text
    support: list[_Text] = Field(min_length=1, max_length=5)


class Plan(AnswerForm):
    """A plan of a speech: its main points, and what it concedes to the other side, if anything."""

    points: list[Point] = Field(min_length=1, max_length=5)
    acknowledgment: str = ""


class CotPlan(Debater):
    """A debater that plans a speech before it writes it; both calls see the debate so far."""

    contests = ("debate", "essay")

    async def speak(self, turn: Turn) -> Draft:
        """Ask for the plan, then for the speech."""
        seat, code = self.seat, self.seat.language.code
        variables = prompt_context(seat, turn)
        prompt = _PROMPTS.render(f"plan_{turn.stage}", code, {**variables, "schema": _SCHEMA})
        plan = await seat.model.ask(prompt, Plan, path=f"{turn.stage}/planner/1")
        variables["plan"] = quote(seat.language.terms["plan"], format_plan(plan, seat.language))
        prompt = _PROMPTS.render(f"speech_{turn.stage}", code, variables)
        text = await seat.model.write(prompt, path=f"{turn.stage}/writer/1")
        step = {"agent": "Planner", **plan.model_dump(mode="json")}
        return Draft(text=text, trace=[step, {"agent": "Writer", "marker": "finished"}])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect three plans and three speeches; a plan is a third as long as a speech."""
        speech = words * 1.4
        return Forecast(
            calls=(6, 6, 12),
            input_tokens=(2400 + 6 * speech, 3000 + 13 * speech, 8000 + 32 * speech),
            output_tokens=(1.6 * speech, 3.2 * speech, 9 * speech),
        )


_SCHEMA = schema_of(Plan).text()


def format_plan(plan: Plan, language: Language) -> str:
    """Format a plan: numbered points with their sub-points, then the acknowledgment."""
    lines: list[str] = []
    for number, point in enumerate(plan.points, start=1):
        lines.append(f"{number}. {_join_lines(point.claim)}")
        lines += [f"- {_join_lines(sub_point)}" for sub_point in point.support]
    if plan.acknowledgment.strip():
        lines.append(f"{language.terms['acknowledgment']}: {_join_lines(plan.acknowledgment)}")
    return "\n".join(lines)


def _join_lines(text: str) -> str:
    # On one line: a line break in a point could otherwise look like the next point.
    return " ".join(text.split())
