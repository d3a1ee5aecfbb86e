"""`debate_to_write`: personas and a critic talk a plan over; the speech is written from it.

Hu, Chan, Li & Yin 2024, "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse
Argument Generation", arXiv 2406.19643. Every member and the critic is a call of its own; each
speech is planned, on both sides; the cap on the rounds is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.dialogue import Dialogue
from arena.debaters.personas import Casting, Persona
from arena.debaters.planning_debate import PlanningDebate
from arena.prompts import Prompts
from arena.records import Sampling, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "debate_to_write")


class Options(BaseModel):
    """The team, and how long it may talk.

    Attributes:
        personas: whether its members are somebody (the paper's ablation: nobody).
        n_personas: how many members it has.
        max_rounds: of the talk about one speech.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    personas: bool = True
    n_personas: int = Field(default=3, ge=1, le=10)
    max_rounds: int = Field(default=3, ge=1, le=20)


class DebateToWrite(Debater):
    """One side's team; who belongs to it is decided once, before its first speech."""

    contests = ("debate", "essay")
    Options = Options
    sampling = Sampling(temperature=1.0)

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._team: Sequence[Persona] | None = None

    async def speak(self, turn: Turn) -> Draft:
        """A talk to consensus or to the cap, a plan of it, the speech from the plan.

        Raises:
            ContentFault: somebody refused, nobody said anything of use, or the speech is empty.
        """
        cast = await self._cast(turn)
        talk = PlanningDebate(
            Dialogue(self.seat, turn, prompts=_PROMPTS), self._team or (), self.options
        )
        await talk.hold()
        plan = await talk.plan()
        # The writer sees the plan alone: what did not get into it is not part of the speech.
        writing = Dialogue(self.seat, turn, prompts=_PROMPTS)
        writing.show("plan", plan)
        text = await writing.write("write", agent="Writer")
        writing.note("Writer", marker="finished")
        return Draft(text=text, trace=[*cast, *talk.trace, *writing.trace])

    async def _cast(self, turn: Turn) -> Sequence[Step]:
        if self._team is not None or not self.options.personas:
            return ()
        casting = Casting(seat=self.seat, prompts=_PROMPTS, stage=turn.stage)
        self._team = await casting.team(self.options.n_personas)
        return casting.trace

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Once a pool and a choice; per speech the rounds, a plan and the writing."""
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
