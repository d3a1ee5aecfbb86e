"""`agent4debate`: a team of Searcher, Analyzer, Writer and Reviewer, one model in four roles.

Zhang et al. 2024, "Can LLMs Beat Humans in Debating?", arXiv 2408.04472. An agent ends its turn
with a marker, a field of its structured answer, that decides which agent comes next.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent4debate_team import TeamDiscussion
from arena.debaters.knowledge_base import KnowledgeBase
from arena.debaters.roles import RoleDebater, RoleOptions


class Options(RoleOptions):
    """The agents of the team and the caps of a stage.

    Attributes:
        searcher, analyzer, reviewer: whether the agent takes part, as in the paper's ablations.
        max_revisions: cap on the reviews of a speech (this project's).
        max_searches: cap on the searches that the Writer asks for (this project's).
    """

    roles = ("searcher", "analyzer", "writer", "reviewer")
    searcher: bool = True
    analyzer: bool = True
    reviewer: bool = True
    max_revisions: int = Field(default=3, ge=0, le=20)
    max_searches: int = Field(default=3, ge=0, le=20)


class Agent4Debate(RoleDebater):
    """One side's team, which keeps only its motion knowledge base from stage to stage."""

    contests = ("debate", "essay")
    Options = Options

    @classmethod
    def searches(cls, options: Any) -> bool:  # noqa: ANN401 - an Options
        """Search where the Searcher takes part."""
        return bool(options.searcher)

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._knowledge = KnowledgeBase(seat.side)
        self._team: TeamDiscussion | None = None

    async def speak(self, turn: Turn) -> Draft:
        """Let the agents discuss one stage, and return the accepted (or the last) draft.

        Raises:
            ContentFault: the Writer refused, or said nothing, before there was a draft.
        """
        options = self.options
        team = self._team = TeamDiscussion(self.seat, turn, self._knowledge, roles=options)
        if options.searcher and turn.stage == "constructive":
            await team.search(self.seat.motion)
        if options.analyzer:
            await team.analyse()
        text = await self._compose(team)
        return Draft(text=text, known=self._knowledge.references, trace=team.trace)

    async def review(self, text: str, turn: Turn) -> Draft:  # noqa: ARG002 - the stage just made
        """Let the Reviewer review the shortened speech, and the Writer revise it at most once."""
        team, options = self._team, self.options
        if team is None or not options.reviewer or not options.max_revisions:
            return Draft(text=text)
        steps = len(team.trace)
        team.take_draft(text)
        if not await team.review(number=1, max_reviews=1):
            await team.write(may_search=False)
        return Draft(text=team.draft, trace=team.trace[steps:])

    async def _compose(self, team: TeamDiscussion) -> str:
        """Write, search where the Writer asks for it, review and revise, up to the caps."""
        options = self.options
        searches = reviews = 0
        while True:
            may_search = options.searcher and searches < options.max_searches
            outcome = await team.write(may_search=may_search)
            if outcome.marker == "needs_material":
                searches += 1
                await team.search(outcome.claim)
                if searches == options.max_searches:
                    team.add_cap("max_searches")
                continue
            if outcome.marker == "stands" or not options.reviewer:
                return team.draft
            if reviews == options.max_revisions:
                team.add_cap("max_revisions")
                return team.draft
            reviews += 1
            if await team.review(number=reviews, max_reviews=options.max_revisions):
                return team.draft

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per stage, an analysis, drafts with reviews, and searches.

        A search takes two calls of the Searcher, three where it finds something; one search in
        the first of the three stages is made without the Writer's asking.
        """
        most = float(options.max_revisions) if options.reviewer else 0.0
        drafts = (1.0, min(2.5, 1.0 + most), 1.0 + most)
        reviews = (min(1.0, most), min(2.0, most), most)
        searches = (0.0, 0.4, float(options.max_searches)) if options.searcher else (0.0, 0.0, 0.0)
        first_search = 1 / 3 if options.searcher else 0.0
        analyses = 1.0 if options.analyzer else 0.0
        calls = tuple(
            3 * (analyses + draft + review + search + per_search * (search + first_search))
            for draft, review, search, per_search in zip(
                drafts, reviews, searches, (2, 3, 3), strict=True
            )
        )
        speech = words * 1.4
        read = (1500 + 2 * speech, 2200 + 5 * speech, 4000 + 10 * speech)
        said = (0.4 * speech, 0.8 * speech, 2 * speech)
        return Forecast.per_call((calls[0], calls[1], calls[2]), read=read, said=said)
