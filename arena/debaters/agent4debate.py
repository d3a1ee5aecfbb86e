"""`agent4debate`: Searcher, Analyzer, Writer and Reviewer, one model in four roles.

Zhang et al. 2024, "Can LLMs Beat Humans in Debating?", arXiv 2408.04472. Who speaks next depends
on who spoke last and on the marker that it ended with; markers are fields of structured answers.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Debater, Draft, Forecast, Seat, Turn
from arena.debaters.agent4debate_team import Discussion
from arena.debaters.knowledge import Knowledge


class Options(BaseModel):
    """Its agents (the paper's ablations switch one off) and its caps, which are ours."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    searcher: bool = True
    analyzer: bool = True
    reviewer: bool = True
    max_revisions: int = Field(default=3, ge=0, le=20)
    max_searches: int = Field(default=3, ge=0, le=20)


class Agent4Debate(Debater):
    """One side's team. It remembers nothing but the motion knowledge base."""

    contests = ("debate", "essay")
    Options = Options

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._knowledge = Knowledge()

    async def speak(self, turn: Turn) -> Draft:
        """The agents' discussion of one stage, to an accepted (or the last) draft."""
        options = self.options
        team = Discussion(self.seat, turn, self._knowledge)
        if options.searcher and turn.stage == "constructive":
            await team.search(self.seat.motion)
        if options.analyzer:
            await team.analyse()
        text = await self._compose(team)
        return Draft(text=text, known=self._knowledge.found, trace=team.trace)

    async def _compose(self, team: Discussion) -> str:
        """Write, search where the Writer asks, review and revise, up to the caps."""
        options = self.options
        searches = reviews = 0
        while True:
            may_search = options.searcher and searches < options.max_searches
            written = await team.write(revising=reviews > 0, may_search=may_search)
            if written.marker == "needs_material":
                searches += 1
                await team.search(written.claim)
                if searches == options.max_searches:
                    team.note_cap("max_searches")
                continue
            if not options.reviewer:
                return written.speech
            if reviews == options.max_revisions:
                team.note_cap("max_revisions")
                return written.speech
            reviews += 1
            if await team.review(number=reviews, of=options.max_revisions):
                return written.speech

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Per stage: an analysis, drafts with reviews, and what the Searcher does."""
        most = float(options.max_revisions) if options.reviewer else 0.0
        drafts = (1.0, min(2.5, 1.0 + most), 1.0 + most)
        reviews = (min(1.0, most), min(2.0, most), most)
        asked = (0.0, 0.4, float(options.max_searches)) if options.searcher else (0.0, 0.0, 0.0)
        first = 1 / 3 if options.searcher else 0.0
        analyses = 1.0 if options.analyzer else 0.0
        calls = tuple(
            3 * (analyses + d + r + a + n * (a + first))
            for d, r, a, n in zip(drafts, reviews, asked, (2, 3, 3), strict=True)
        )
        speech = words * 1.4
        seen = (1500 + 2 * speech, 2200 + 5 * speech, 4000 + 10 * speech)
        said = (0.4 * speech, 0.8 * speech, 2 * speech)
        return Forecast.per_call((calls[0], calls[1], calls[2]), read=seen, said=said)
