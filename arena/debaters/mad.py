"""`mad`: two or more inner debaters and a judge settle on one speech.

Liang et al. 2023, "Encouraging Divergent Thinking in Large Language Models through Multi-Agent
Debate", arXiv 2305.19118 (Algorithm 1, Tables 7 and 12, Figure 3). The first debater proposes, the
others must answer it; after each round the judge may end the debate, else it extracts an answer
from all of it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.forms import Form
from arena.debaters.mad_rounds import Rounds
from arena.languages import CONTESTS, Contest
from arena.records import Sampling


class Models(Form):
    """Models of the roles that don't use the participant's."""

    affirmative: str | None = None
    negative: str | None = None
    judge: str | None = None


class Options(BaseModel):
    """How much is disagreed, by how many, for how long, and by which models.

    Attributes:
        level: from 0 (full consensus) to 3 (disagreement on every point).
        debaters: the first is the affirmative, the others are negative.
        adaptive_break: whether the judge may end the debate before `max_rounds`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    level: Literal[0, 1, 2, 3] = 2
    debaters: int = Field(default=2, ge=2, le=8)
    max_rounds: int = Field(default=3, ge=1, le=20)
    adaptive_break: bool = True
    models: Models = Models()


class MultiAgentDebate(Debater):
    """One debate within the team for each speech."""

    Options = Options
    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Rounds until the judge is satisfied or `max_rounds` are over, then the answer.

        Raises:
            ContentFault: somebody refused, or no debater said anything of use.
        """
        options = self.options
        inner = Rounds(self.seat, turn, level=options.level, models=self._models())
        settled = False
        for number in range(1, options.max_rounds + 1):
            await inner.play(number, options.debaters)
            if options.adaptive_break:
                settled = await inner.settle(number)
            else:
                await inner.extract(number)
            if settled:
                break
        if options.adaptive_break and not settled:
            inner.note_cap()
            await inner.extract(options.max_rounds)
        return Draft(text=inner.answer(), trace=inner.trace)

    def _models(self) -> dict[str, str]:
        chosen = self.options.models
        named = {
            "Affirmative": chosen.affirmative,
            "Negative": chosen.negative,
            "Judge": chosen.judge,
        }
        return {agent: model for agent, model in named.items() if model}

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options
        """The models of the roles that have their own."""
        return tuple(model for model in options.models.model_dump().values() if model)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Per speech, rounds of all debaters and the judge; an extraction where none settles."""
        each, most = options.debaters + 1.0, options.max_rounds
        rounds = (1.0, min(1.8, most), float(most)) if options.adaptive_break else (most,) * 3
        extra = (0.0, 0.3, 1.0) if options.adaptive_break else (0.0, 0.0, 0.0)
        calls = tuple(3 * (each * n + more) for n, more in zip(rounds, extra, strict=True))
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(900 + 2 * speech, 1200 + 5 * speech, 2000 + (3 + each * most) * speech),
            said=(0.4 * speech, 0.9 * speech, 2 * speech),
        )
