"""`cot_plan`: two calls per speech, a plan and the speech written from it.

The method CoT-Plan with which Hu, Chan, Li & Yin 2024, "Debate-to-Write", arXiv 2406.19643,
compare their own; with `preset = "paper"` its plan has the form and the number of points of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, ClassVar

from pydantic import Field

from arena.debater import Draft, Forecast, Turn
from arena.debaters.agent_dialogue import (
    AnswerForm,
    Reasoned,
    asked_form,
    asked_prompts,
    contest_flags,
    fallback_step,
    prompt_context,
)
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.errors import ContentFault
from arena.languages import Language
from arena.llm.schemas import schema_of
from arena.presets import PresetOptions
from arena.prompts import Prompts, quote
from arena.records import Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "cot_plan")
_PAPER_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "cot_plan_paper")
_Text = Annotated[str, Field(pattern=r"\S")]
#: Length of a plan: its reasoning, and its points and sub-points of a sentence each, in words.
PLAN_WORDS = 600


class Point(AnswerForm):
    """One main point of a plan, and its sub-points."""

    claim: _Text
    support: list[_Text] = Field(min_length=1, max_length=5)


class Plan(Reasoned):
    """A plan of a speech: its main points, and what it concedes to the other side, if anything."""

    points: list[Point] = Field(min_length=1, max_length=5)
    acknowledgment: str = ""


class TeamPlan(Plan):
    """A plan as `debate_to_write` draws from a discussion: at most three main points."""

    points: list[Point] = Field(min_length=1, max_length=3)


class Options(RoleOptions, PresetOptions):
    """Models and sampling of the two calls; the preset asks for the plan of `debate_to_write`."""

    roles = ("planner", "writer")
    later: ClassVar[tuple[str, ...]] = (*RoleOptions.later, "preset")


class CotPlan(RoleDebater):
    """A debater that plans a speech before it writes it; both calls see the debate so far."""

    contests = ("debate", "essay")
    Options = Options

    async def speak(self, turn: Turn) -> Draft:
        """Ask for the plan, then for the speech; without a usable plan, for the speech alone."""
        variables = prompt_context(self.seat, turn)
        plan, step = await self._plan(turn, variables)
        flags = contest_flags(self.seat) | ({"planned"} if plan else set())
        prompt = _PROMPTS.render(
            f"speech_{turn.stage}",
            self.seat.language.code,
            {**variables, "plan": plan},
            flags=frozenset(flags),
        )
        model = self.options.apply("writer", self.seat.model)
        text = await model.write(prompt, path=f"{turn.stage}/writer/1", words=self.seat.words)
        return Draft(text=text, trace=[step, {"agent": "Writer", "marker": "finished"}])

    async def _plan(self, turn: Turn, variables: Mapping[str, str]) -> tuple[str, Step]:
        """Ask for the plan; return it quoted (empty where there is none), and its step."""
        seat, paper, thinking = self.seat, bool(self.options.preset), self.options.thinking
        form = asked_form(TeamPlan if paper else Plan, thinking=thinking)
        prompts = asked_prompts(_PAPER_PROMPTS if paper else _PROMPTS, thinking=thinking)
        prompt = prompts.render(
            "plan" if paper else f"plan_{turn.stage}",
            seat.language.code,
            {**variables, "schema": schema_of(form).text()},
            flags=contest_flags(seat),
        )
        path, length = f"{turn.stage}/planner/1", seat.language.limit(PLAN_WORDS)
        model = self.options.apply("planner", seat.model)
        try:
            plan = await model.ask(prompt, form, path=path, words=length)
        except ContentFault as fault:
            return "", fallback_step("Planner", "no plan", fault)
        text = quote(seat.language.terms["plan"], format_plan(plan, seat.language))
        return text, {"agent": "Planner", **plan.model_dump(mode="json")}

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect three plans and three speeches; a plan is a third as long as a speech."""
        speech = words * 1.4
        return Forecast(
            calls=(6, 6, 12),
            input_tokens=(2400 + 6 * speech, 3000 + 13 * speech, 8000 + 32 * speech),
            output_tokens=(1.6 * speech, 3.2 * speech, 9 * speech),
        )


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
