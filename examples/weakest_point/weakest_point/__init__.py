"""`weakest_point`: names the opponent's weakest point first, then speaks to it."""

from importlib.resources import files

from arena.debater import Debater, Draft, Turn
from arena.debates.transcript import render_transcript
from arena.prompts import Prompts, quote

_PROMPTS = Prompts(files("weakest_point") / "prompts")


class WeakestPoint(Debater):
    """One call that looks for the point (once there is one), one that writes."""

    async def speak(self, turn: Turn) -> Draft:
        """Look, then write."""
        seat, language = self.seat, self.seat.language
        variables = {
            "motion": seat.motion,
            "side": language.sides[seat.side],
            "transcript": render_transcript(turn.disclosed, language),
        }
        point = language.terms["nothing_yet"]
        if turn.disclosed:
            prompt = _PROMPTS.render("look", language.code, variables)
            point = await seat.model.write(prompt, path=f"{turn.stage}/look")
        variables["point"] = quote(language.terms["analysis"], point)
        prompt = _PROMPTS.render("write", language.code, variables | {"words": str(seat.words)})
        text = await seat.model.write(prompt, path=f"{turn.stage}/write")
        return Draft(text=text, trace=[{"agent": "Writer", "point": point}])
