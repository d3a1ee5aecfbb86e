"""`human`: a person writes the speeches; the debate waits until they are handed in."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.debater import Debater, Draft, Forecast, Turn
from arena.errors import SpeechAwaited, SpeechMissed
from arena.languages import CONTESTS, Contest

_NOTHING = (0.0, 0.0, 0.0)


class Human(Debater):
    """A debater that delivers, word for word, the speeches handed in with `arena speak`."""

    needs_model: ClassVar[bool] = False
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Return the speech that was handed in.

        Raises:
            SpeechAwaited: it has not been handed in yet.
            SpeechMissed: it was not handed in in time.
        """
        submission = self.seat.handed.get(turn.stage)
        if submission is None:
            raise SpeechAwaited(
                f"{self.seat.side}, {turn.stage}: waiting for a person to submit the speech"
            )
        if submission.missed:
            raise SpeechMissed(submission.missed)
        step = {"agent": "Person", "marker": "finished", **submission.making}
        return Draft(text=submission.text, trace=[step], final=True)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401, ARG003 - NoOptions
        """Expect no calls."""
        return Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)
