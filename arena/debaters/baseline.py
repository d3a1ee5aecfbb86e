"""`baseline`: per speech one search and one call, whose prompt shows the raw results.

The baseline of the AI-Debater 2024 competition as Zhang et al. 2024 (arXiv 2408.04472) name it: a
model, a search engine and prompts per stage. The queries are this project's: the motion for the
first speech, then the start of the opponent's last speech, without its greetings.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from arena.debater import Debater, Draft, Forecast, Seat, Turn, mark_variables
from arena.debaters.agent_dialogue import contest_flags, prompt_context
from arena.debaters.knowledge_base import KnowledgeBase, opening, trace_references
from arena.debates.citations import find_citations
from arena.debates.transcript import render_reference
from arena.languages import other_side
from arena.prompts import Prompts, quote
from arena.records import Reference, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "baseline")


class Baseline(Debater):
    """A debater with one search and one call per speech: no agents and no revision."""

    contests = ("debate", "essay")

    @classmethod
    def searches(cls, options: Any) -> bool:  # noqa: ANN401, ARG003 - NoOptions
        """Search once for each speech."""
        return True

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - NoOptions
        super().__init__(seat, options)
        self._knowledge = KnowledgeBase(seat.side)

    async def speak(self, turn: Turn) -> Draft:
        """Search once, then write the speech from the results."""
        query = self._query(turn)
        results = await self.seat.search(query, path=f"{turn.stage}/search/1")
        references = self._knowledge.add(results.findings)
        text = await self._write(turn, references)
        step: Step = {
            "agent": "Search",
            "query": query,
            "results": trace_references(references),
            "used": self._find_used(text, turn, references),
            **({"failed": results.failure} if results.failure else {}),
        }
        trace = [step, {"agent": "Writer", "marker": "finished"}]
        return Draft(text=text, known=self._knowledge.references, trace=trace)

    def _find_used(self, text: str, turn: Turn, references: list[Reference]) -> list[int]:
        citations = find_citations(text, self.seat.side, turn.disclosed)
        numbers = {reference.number for reference in references}
        return [
            number for number in dict.fromkeys(m.number for m in citations) if number in numbers
        ]

    def _query(self, turn: Turn) -> str:
        opponent = other_side(self.seat.side)
        speeches = [speech for speech in turn.disclosed if speech.side == opponent]
        return (opening(speeches[-1].text) if speeches else "") or self.seat.motion

    async def _write(self, turn: Turn, references: list[Reference]) -> str:
        seat, language = self.seat, self.seat.language
        lines = [render_reference(reference, language) for reference in references]
        results = "\n".join(lines) or language.terms["nothing_found"]
        variables = {
            **prompt_context(seat, turn),
            **mark_variables(seat),
            "results": quote(language.terms["results"], results),
        }
        flags = contest_flags(seat)
        prompt = _PROMPTS.render(turn.stage, language.code, variables, flags=flags)
        return await seat.model.write(prompt, path=f"{turn.stage}/writer/1", words=seat.words)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - NoOptions
        """Expect three calls, which read a page of results and the earlier speeches."""
        speech = words * 1.4
        return Forecast(
            calls=(3, 3, 6),
            input_tokens=(1500 + 3 * speech, 3600 + 6.5 * speech, 9000 + 16 * speech),
            output_tokens=(1.2 * speech, 2.2 * speech, 6 * speech),
        )
