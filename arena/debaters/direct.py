"""`direct`: one call per speech. The floor that every framework must beat."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, ClassVar

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import contest_flags, prompt_context
from arena.debaters.question_answers import answer_directly
from arena.languages import CONTESTS, Contest
from arena.prompts import Prompts, Rendered

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "direct")


class Direct(Debater):
    """A debater that delivers the model's answer to one prompt.

    The prompt shows the motion, the side, the stage and the debate so far.
    """

    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Ask once for the speech (or the answer)."""
        if turn.stage == "answer":
            return await answer_directly(self.seat)
        prompt = draft_prompt(self.seat, turn)
        text = await self.seat.model.write(
            prompt, path=f"{turn.stage}/writer/1", words=self.seat.words
        )
        return Draft(text=text, trace=[{"agent": "Writer", "marker": "finished"}])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect one call per speech; later ones read the earlier speeches."""
        speech = words * 1.4
        return Forecast(
            calls=(3, 3, 6),
            input_tokens=(900 + 3 * speech, 1200 + 6.5 * speech, 3000 + 16 * speech),
            output_tokens=(1.2 * speech, 2.2 * speech, 6 * speech),
        )


def draft_prompt(seat: Seat, turn: Turn) -> Rendered:
    """Return the prompt of a plain draft, which other debaters improve or choose from."""
    variables = prompt_context(seat, turn)
    if turn.stage == "constructive":
        del variables["transcript"]
    flags = contest_flags(seat)
    return _PROMPTS.render(turn.stage, seat.language.code, variables, flags=flags)
