"""`mad` (multi-agent debate): inner debaters and a judge settle on one speech.

Liang et al. 2023, "Encouraging Divergent Thinking in Large Language Models through Multi-Agent
Debate", arXiv 2305.19118 (Algorithm 1, Tables 7 and 12, Figure 3). The first inner debater
proposes a speech, the others respond to it. After each round the judge may end the debate with an
answer; where it never does, it extracts an answer from the whole debate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import Field, field_validator

from arena.debater import Draft, Forecast, Turn
from arena.debaters.mad_rounds import InnerDebate
from arena.debaters.roles import ModelName, RoleDebater, RoleOptions
from arena.languages import CONTESTS, Contest
from arena.records import Sampling

_ROLES = ("affirmative", "negative", "judge")
#: How much the debaters are asked to disagree.
Level: TypeAlias = Literal[0, 1, 2, 3]


class Options(RoleOptions):
    """The inner debate's level of disagreement, size, length and models.

    Attributes:
        level: disagreement that is asked for, from 0 (full consensus) to 3 (on every point).
        debaters: number of inner debaters; the first is affirmative, the others are negative.
        max_rounds: cap on the rounds.
        adaptive_break: whether the judge may end the debate before `max_rounds`.
        models: models of the roles. Unlike those of other debaters, they are stored even where
            none is set, as they always were: participants keep their identity.
    """

    roles = _ROLES
    level: Level = 2
    debaters: int = Field(default=2, ge=2, le=8)
    max_rounds: int = Field(default=3, ge=1, le=20)
    adaptive_break: bool = True
    models: Mapping[str, ModelName | None] = dict.fromkeys(_ROLES)

    @field_validator("models", mode="after")
    @classmethod
    def _name_all_roles(cls, models: Mapping[str, str | None]) -> Mapping[str, str | None]:
        return dict.fromkeys(_ROLES) | dict(models)


class MultiAgentDebate(RoleDebater):
    """A debater that holds an inner debate about each speech."""

    Options = Options
    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Play rounds until the judge settles the debate or the cap is reached.

        Raises:
            ContentFault: no inner debater gave a usable answer.
        """
        options = self.options
        inner = InnerDebate(self.seat, turn, level=options.level, roles=options)
        settled = False
        for number in range(1, options.max_rounds + 1):
            await inner.play_round(number, options.debaters)
            if options.adaptive_break:
                settled = await inner.settle(number)
            else:
                await inner.extract(number)
            if settled:
                break
        if options.adaptive_break and not settled:
            inner.add_cap()
            await inner.extract(options.max_rounds)
        return Draft(text=inner.answer(), trace=inner.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per speech, rounds of all debaters and the judge, and perhaps an extraction."""
        per_round, most = options.debaters + 1.0, options.max_rounds
        rounds = (1.0, min(1.8, most), float(most)) if options.adaptive_break else (most,) * 3
        extractions = (0.0, 0.3, 1.0) if options.adaptive_break else (0.0, 0.0, 0.0)
        calls = tuple(
            3 * (per_round * n + more) for n, more in zip(rounds, extractions, strict=True)
        )
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(900 + 2 * speech, 1200 + 5 * speech, 2000 + (3 + per_round * most) * speech),
            said=(0.4 * speech, 0.9 * speech, 2 * speech),
        )
