"""`agent4debate`: a team of Searcher, Analyzer, Writer and Reviewer, one model in four roles.

Zhang et al. 2024, "Can LLMs Beat Humans in Debating?", arXiv 2408.04472. An agent ends its turn
with a marker, a field of its structured answer, that decides which agent comes next. What differs
from the paper, and how `preset = "paper"` undoes it: docs/departures.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn, mark_variables
from arena.debaters.agent4debate_searcher import Searcher
from arena.debaters.agent_dialogue import (
    REASONING_WORDS,
    REVIEW_WORDS,
    AgentDialogue,
    Reasoned,
    Review,
)
from arena.debaters.knowledge_base import KnowledgeBase
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.debates.transcript import render_reference
from arena.errors import EmptyReply, TruncatedReply
from arena.llm.answers import Composition
from arena.presets import PAPER, PresetOptions
from arena.prompts import Prompts, quote

_FOLDER = files("arena.debaters") / "prompts"
_PROMPTS = Prompts(_FOLDER / "agent4debate")
_PAPER_PROMPTS = Prompts(_FOLDER / "agent4debate_paper", _FOLDER / "agent4debate")
#: Lengths of an outline and, with the paper's preset, of the reasoning before it, in words.
_OUTLINE_WORDS, _STEPS_WORDS = 450, 250
#: Length of the excerpts of a page that is read, in tokens.
_PAGE_TOKENS = 2500


class Finished(Reasoned):
    """The Writer's marker where it may not ask for material; its draft follows."""

    marker: Literal["finished"]


class Written(Reasoned):
    """The Writer's marker: its draft follows, or it needs material for a claim."""

    marker: Literal["finished", "needs_material"]
    claim: str = ""


class Assessed(Reasoned):
    """An answer with an assessment of a draft's depth and the detailed reasons for it."""

    assessment: str = ""


class AssessedReview(Review, Assessed):
    """A review whose assessment reaches the Writer."""


class Options(PresetOptions, RoleOptions):
    """The agents of the team and the caps of a stage.

    Attributes:
        searcher, analyzer, reviewer: whether the agent takes part, as in the paper's ablations.
        search_steps: queries and pages of a search in steps, at most; None for the paper's search.
    """

    roles = ("searcher", "analyzer", "writer", "reviewer")
    later = (*RoleOptions.later, "preset", "search_steps")
    paper = {"max_revisions": 10, "max_searches": 10}
    searcher: bool = True
    analyzer: bool = True
    reviewer: bool = True
    max_revisions: int = Field(default=3, ge=0, le=20)
    max_searches: int = Field(default=3, ge=0, le=20)
    search_steps: int | None = Field(default=None, ge=2, le=30)

    @property
    def max_reviews(self) -> int:
        """The most reviews of a stage: by the paper's preset, the last revision is reviewed too."""
        return self.max_revisions + (self.preset == PAPER and self.max_revisions > 0)


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
        """Let the agents discuss one stage, and return the accepted (or the last) draft."""
        options = self.options
        team = self._team = TeamDiscussion(self.seat, turn, self._knowledge, options=options)
        if options.searcher and turn.stage == "constructive":
            await team.searcher.search(self.seat.motion)
        if options.analyzer:
            await team.analyse()
        text = await self._compose(team)
        return Draft(text=text, known=self._knowledge.references, trace=team.dialogue.trace)

    async def review(self, text: str, turn: Turn) -> Draft:  # noqa: ARG002 - the stage just made
        """Let the Reviewer review the shortened speech, and the Writer revise it at most once."""
        team, options = self._team, self.options
        if team is None or not options.reviewer or not options.max_revisions:
            return Draft(text=text)
        steps = len(team.dialogue.trace)
        team.take_draft(text)
        if not await team.review(number=1, max_reviews=1):
            await team.write(may_search=False)
        return Draft(text=team.draft, trace=team.dialogue.trace[steps:])

    async def _compose(self, team: TeamDiscussion) -> str:
        """Write, search where the Writer asks for it, review and revise, up to the caps."""
        options = self.options
        searches = reviews = 0
        while True:
            may_search = options.searcher and searches < options.max_searches
            claim = await team.write(may_search=may_search)
            if claim:
                searches += 1
                await team.searcher.search(claim)
                if searches == options.max_searches:
                    team.dialogue.add_step("protocol", cap="max_searches")
                continue
            if claim is None or not options.reviewer:
                return team.draft
            if reviews == options.max_revisions == options.max_reviews:
                return team.stop("max_revisions")
            reviews += 1
            if await team.review(number=reviews, max_reviews=options.max_reviews):
                return team.draft
            if reviews > options.max_revisions:
                return team.stop("max_revisions")

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per stage, an analysis, drafts with reviews, and searches.

        A search takes two calls of the Searcher, three where it finds something; in steps from one
        to one more than there may be steps. One search in the first of the three stages is made
        without the Writer's asking.
        """
        revisions = float(options.max_revisions) if options.reviewer else 0.0
        most = float(options.max_reviews) if options.reviewer else 0.0
        drafts = (1.0, min(2.5, 1.0 + revisions), 1.0 + revisions)
        reviews = (min(1.0, most), min(2.0, most), most)
        searches = (0.0, 0.4, float(options.max_searches)) if options.searcher else (0.0, 0.0, 0.0)
        first_search = 1 / 3 if options.searcher else 0.0
        analyses = 1.0 if options.analyzer else 0.0
        steps = options.search_steps
        per_search = (1, min(5, 1 + steps), 1 + steps) if steps else (2, 3, 3)
        pages = (0, _PAGE_TOKENS // 2, steps * _PAGE_TOKENS) if steps else (0, 0, 0)
        rows = zip(drafts, reviews, searches, per_search, strict=True)
        speech = words * 1.4
        return Forecast.per_call(
            [
                3 * (analyses + draft + review + search + calls * (search + first_search))
                for draft, review, search, calls in rows
            ],
            read=(
                1500 + 2 * speech + pages[0],
                2200 + 5 * speech + pages[1],
                4000 + 10 * speech + pages[2],
            ),
            said=(0.4 * speech, 0.8 * speech, 2 * speech),
        )


class TeamDiscussion:
    """The dialogue of a side's agents in one stage.

    Attributes:
        draft: the last complete draft; empty before the first.
    """

    def __init__(
        self, seat: Seat, turn: Turn, knowledge: KnowledgeBase, *, options: Options
    ) -> None:
        self.draft = ""
        self._seat, self._stage = seat, turn.stage
        self._paper = options.preset == PAPER
        terms = seat.language.terms
        kept = [render_reference(reference, seat.language) for reference in knowledge.kept]
        if self._paper:
            kept = [*_format_conclusions(knowledge, terms), *kept]
        self.dialogue = AgentDialogue(
            seat,
            turn,
            prompts=_PAPER_PROMPTS if self._paper else _PROMPTS,
            roles=options,
            variables={
                **mark_variables(seat),
                "material": quote(terms["material"], "\n".join(kept) or terms["nothing_yet"]),
            },
            stage_flags=False,
        )
        self.searcher = Searcher(seat, self.dialogue, knowledge, steps=options.search_steps)

    async def analyse(self) -> None:
        """Let the Analyzer share its analysis; without one, the Writer works from the material."""
        dialogue = self.dialogue
        words = _OUTLINE_WORDS + (_STEPS_WORDS if self._paper else 0)
        analysis = await dialogue.attempt(
            dialogue.write(
                f"analyzer_{self._stage}", agent="Analyzer", length=dialogue.words(words)
            ),
            agent="Analyzer",
            fallback="no outline",
        )
        if analysis is not None:
            dialogue.add_turn("Analyzer", analysis)
            dialogue.add_step("Analyzer", marker="finished")

    async def write(self, *, may_search: bool) -> str | None:
        """Let the Writer write or revise a draft, or (where it may) ask for material.

        Returns:
            the claim that it needs material for; '' where it has finished a draft, and None where
            its revision failed and the last draft stands.
        """
        if not self.draft:
            return self._read_writer(await self._ask_for_draft(may_search=may_search))
        revision = await self.dialogue.attempt(
            self._ask_writer(may_search=may_search),
            agent="Writer",
            fallback="the last draft stands",
        )
        return None if revision is None else self._read_writer(revision)

    async def review(self, *, number: int, max_reviews: int) -> bool:
        """Let the Reviewer review the last draft, and tell whether the draft stands."""
        dialogue = self.dialogue
        answer = dialogue.ask(
            f"reviewer_{self._stage}",
            AssessedReview if self._paper and self._stage == "summary" else Review,
            agent="Reviewer",
            length=dialogue.words(REVIEW_WORDS),
            round=str(number),
            rounds=str(max_reviews),
            count=self._count(),
        )
        review = await dialogue.attempt(answer, agent="Reviewer", fallback="the draft stands")
        if review is None:
            return True
        if review.marker == "revise":
            reasons = review.assessment if isinstance(review, AssessedReview) else ""
            lines = (dialogue.term("revise"), reasons, review.numbered())
            dialogue.add_turn("Reviewer", "\n".join(filter(None, lines)))
        dialogue.add_step("Reviewer", **review.model_dump(mode="json"))
        return review.marker == "accept"

    def stop(self, cap: str) -> str:
        """Return the last draft, as a cap is reached."""
        self.dialogue.add_step("protocol", cap=cap)
        return self.draft

    def take_draft(self, text: str) -> None:
        """Continue the discussion with a shortened draft."""
        self.draft = text
        self.dialogue.add_turn("Writer", text)

    async def _ask_for_draft(self, *, may_search: bool) -> Composition[Reasoned]:
        """Ask the Writer; where it may search and says nothing readable, for a draft alone."""
        try:
            return await self._ask_writer(may_search=may_search)
        except (EmptyReply, TruncatedReply) as fault:
            if not may_search:
                raise
            self.dialogue.add_fallback("Writer", "a draft without further material", fault)
            return await self._ask_writer(may_search=False)

    async def _ask_writer(self, *, may_search: bool) -> Composition[Reasoned]:
        form: type[Reasoned] = Written if may_search else Finished
        return await self.dialogue.compose(
            "writer_revise" if self.draft else f"writer_{self._stage}",
            form,
            agent="Writer",
            length=self._seat.words + self.dialogue.words(REASONING_WORDS),
            flag="may_search" if may_search else "",
            needs_text=lambda answer: not _claim(answer),
            **({"count": self._count()} if self.draft else {}),
        )

    def _read_writer(self, answer: Composition[Reasoned]) -> str:
        """Share the Writer's draft or request; without a readable marker, a text is a draft."""
        claim = _claim(answer.form)
        if claim:
            text = f"{self.dialogue.term('needs_material')} {claim}"
        else:
            text = self.draft = answer.text
        self.dialogue.add_turn("Writer", text)
        self.dialogue.add_step(
            "Writer",
            marker="needs_material" if claim else "finished",
            claim=claim,
            reasoning=answer.form.reasoning if answer.form else "",
        )
        return claim

    def _count(self) -> str:
        return str(self._seat.language.count(self.draft))


def _format_conclusions(knowledge: KnowledgeBase, terms: Mapping[str, str]) -> list[str]:
    return [
        f"{terms['conclusions']} ({question}): {text}"
        for question, text in knowledge.conclusions.items()
    ]


def _claim(answer: Reasoned | None) -> str:
    """Return the claim for which the Writer needs material; '' where it needs none."""
    if not isinstance(answer, Written) or answer.marker != "needs_material":
        return ""
    return answer.claim if answer.claim.strip() else ""
