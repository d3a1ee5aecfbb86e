"""`debate_to_write`: personas and a critic discuss a plan, from which the speech is written.

Hu, Chan, Li & Yin 2024, "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse
Argument Generation", arXiv 2406.19643. Each member and the critic is a call of its own, and each
speech is planned anew. The cap on the rounds is this project's.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.personas import Persona, PersonaSelection
from arena.debaters.planning_debate import PlanningDebate
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.prompts import Prompts
from arena.records import Sampling, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "debate_to_write")


class Options(RoleOptions):
    """The team, and the length of its discussions.

    The planner also draws up the personas and chooses the team.

    Attributes:
        personas: whether members have personas; without them it is the paper's ablation.
        n_personas: number of members.
        max_rounds: cap on the rounds of the discussion of a speech.
        flow: whether each turn first says which earlier turn it takes up, and whether it supports
            or opposes it, as the paper's Figure 2 draws a discussion.
    """

    roles = ("member", "critic", "planner", "writer")
    later = (*RoleOptions.later, "flow")
    personas: bool = True
    n_personas: int = Field(default=3, ge=1, le=10)
    max_rounds: int = Field(default=3, ge=1, le=20)
    flow: bool = False


class DebateToWrite(RoleDebater):
    """One side's team; its personas are chosen once, before its first speech."""

    contests = ("debate", "essay")
    Options = Options
    sampling = Sampling(temperature=1.0)

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._team: Sequence[Persona] | None = None

    async def speak(self, turn: Turn) -> Draft:
        """Discuss a plan to consensus or to the cap, and write the speech from it.

        Raises:
            ContentFault: the writer refused, or said nothing.
        """
        selection_trace = await self._select_team(turn)
        dialogue = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        discussion = PlanningDebate(dialogue, self._team or (), self.options)
        await discussion.run()
        plan = await discussion.plan()
        # The writer sees the plan alone: what did not get into it is not part of the speech.
        writing = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        if plan:
            writing.add_quotation("plan", plan)
        flag = "planned" if plan else ""
        text = await writing.write("write", agent="Writer", length=self.seat.words, flag=flag)
        writing.add_step("Writer", marker="finished")
        return Draft(text=text, trace=[*selection_trace, *discussion.trace, *writing.trace])

    async def _select_team(self, turn: Turn) -> Sequence[Step]:
        """Choose the personas before the first speech, and return the steps that this took."""
        if self._team is not None or not self.options.personas:
            return ()
        selection = PersonaSelection(
            seat=self.seat,
            prompts=_PROMPTS,
            stage=turn.stage,
            model=self.options.apply("planner", self.seat.model),
        )
        self._team = await selection.select(self.options.n_personas)
        return selection.trace

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect two calls for the personas; per speech, the rounds, a plan and the writing."""
        each, most = options.n_personas + 1.0, options.max_rounds
        once = (2.0, 2.0, 3.0) if options.personas else (0.0, 0.0, 0.0)
        rounds = (1.0, min(2.0, most), float(most))
        calls = tuple(first + 3 * (each * n + 2) for first, n in zip(once, rounds, strict=True))
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(800 + 1.5 * speech, 1200 + 3.5 * speech, 1800 + (5 + 0.5 * each * most) * speech),
            said=(0.15 * speech, 0.35 * speech, 1.2 * speech),
        )
