"""`direct`: one call per speech. The floor that every framework must beat."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from arena.debater import Debater, Draft, Forecast, Turn
from arena.prompts import Prompts
from arena.transcript import render_transcript

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "direct")


class Direct(Debater):
    """Motion, side, stage and the debate so far in one prompt; the answer is the speech."""

    async def speak(self, turn: Turn) -> Draft:
        """One call, one speech."""
        seat, language = self.seat, self.seat.language
        variables = {
            "motion": seat.motion,
            "info_slide": seat.info_slide,
            "side": language.sides[seat.side],
            "opponent": language.sides["con" if seat.side == "pro" else "pro"],
            "stage": language.stages[turn.stage],
            "words": str(seat.words),
        }
        if turn.stage != "constructive":
            variables["transcript"] = render_transcript(turn.disclosed, language)
        prompt = _PROMPTS.render(turn.stage, language.code, variables)
        text = await seat.model.write(prompt, path=f"{turn.stage}/writer/1")
        return Draft(text=text, trace=[{"agent": "Writer", "marker": "finished"}])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Three calls, each a speech; later ones read the earlier ones."""
        speech = words * 1.4
        return Forecast(
            calls=(3, 3, 6),
            input_tokens=(900 + 3 * speech, 1200 + 6.5 * speech, 3000 + 16 * speech),
            output_tokens=(1.2 * speech, 2.2 * speech, 6 * speech),
        )
