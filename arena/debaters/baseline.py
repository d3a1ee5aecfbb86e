"""`baseline`: a search engine's raw results in a stage-specific prompt, and one writing call.

The baseline of the AI-Debater 2024 competition as Zhang et al. 2024 (arXiv 2408.04472) name it: a
model, a search engine and prompts per stage. What is searched for is ours: the motion first, then
the opponent's last speech.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.dialogue import context
from arena.debaters.knowledge import Knowledge, listed
from arena.debates.protocol import cited
from arena.debates.transcript import render_reference
from arena.languages import other_side, sentences
from arena.prompts import Prompts, quote
from arena.records import Reference, Step

#: The longest query, in characters: what search engines take (Tavily's limit).
LONGEST_QUERY = 400

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "baseline")
_MARK = re.compile(r"\s*\[[\d,，、 ]+\]")


class Baseline(Debater):
    """One search and one call per speech: no agents, no revision, no decomposed queries."""

    contests = ("debate", "essay")

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - NoOptions
        super().__init__(seat, options)
        self._knowledge = Knowledge()

    async def speak(self, turn: Turn) -> Draft:
        """Search, paste, write."""
        query = self._query(turn)
        results = await self.seat.search(query, path=f"{turn.stage}/search/1")
        found = self._knowledge.add(results.findings)
        text = await self._write(turn, found)
        step: Step = {
            "agent": "Search",
            "query": query,
            "results": listed(found),
            "used": [one.number for one in cited(text, found) if one in found],
            **({"failed": results.failure} if results.failure else {}),
        }
        trace = [step, {"agent": "Writer", "marker": "finished"}]
        return Draft(text=text, known=self._knowledge.found, trace=trace)

    def _query(self, turn: Turn) -> str:
        theirs = [one for one in turn.disclosed if one.side == other_side(self.seat.side)]
        return (opening(theirs[-1].text) if theirs else "") or self.seat.motion

    async def _write(self, turn: Turn, found: list[Reference]) -> str:
        seat, language = self.seat, self.seat.language
        lines = [render_reference(one, language) for one in found]
        shown = "\n".join(lines) or language.terms["nothing_found"]
        variables = {
            **context(seat, turn),
            "results": quote(language.terms["results"], shown),
        }
        prompt = _PROMPTS.render(turn.stage, language.code, variables)
        return await seat.model.write(prompt, path=f"{turn.stage}/writer/1")

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Three calls, each a speech; they read a page of results and the earlier speeches."""
        speech = words * 1.4
        return Forecast(
            calls=(3, 3, 6),
            input_tokens=(1500 + 3 * speech, 3600 + 6.5 * speech, 9000 + 16 * speech),
            output_tokens=(1.2 * speech, 2.2 * speech, 6 * speech),
        )


def opening(speech: str) -> str:
    """The first sentences of a speech, without citation marks, as far as a query may be long.

    >>> opening("Wages rise [1]. So does output.")
    'Wages rise. So does output.'
    """
    text = " ".join(_MARK.sub("", speech).split())
    end = 0
    for sentence in sentences(text):
        after = text.index(sentence, end) + len(sentence)
        if after > LONGEST_QUERY:
            break
        end = after
    return text[: end or LONGEST_QUERY].strip()
