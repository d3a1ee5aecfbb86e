"""The agents of `agent4debate`: their prompts, their answers, and the dialogue that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from arena.debater import Seat, Turn, mark_variables
from arena.debaters.agent4debate_forms import Finished, Written
from arena.debaters.agent4debate_searcher import Searcher
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import REASONING_WORDS, REVIEW_WORDS, Review
from arena.debaters.knowledge_base import KnowledgeBase
from arena.debaters.roles import RoleOptions
from arena.debates.transcript import render_reference
from arena.errors import EmptyReply, TruncatedReply
from arena.llm.reading import Composition
from arena.prompts import Prompts, quote
from arena.records import Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "agent4debate")
#: Length of an outline, in words.
_OUTLINE_WORDS = 450


@dataclass(frozen=True, slots=True)
class WriterTurn:
    """The outcome of the Writer's turn.

    Attributes:
        marker: a draft is finished, material is needed for `claim`, or a revision failed and the
            last draft stands.
    """

    marker: Literal["finished", "needs_material", "stands"]
    claim: str = ""


class TeamDiscussion:
    """The dialogue of a side's agents in one stage.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        knowledge: the side's knowledge base, to which searches add.
        roles: models and sampling of the agents.

    Attributes:
        draft: the last complete draft; empty before the first.
    """

    def __init__(
        self, seat: Seat, turn: Turn, knowledge: KnowledgeBase, *, roles: RoleOptions
    ) -> None:
        self.draft = ""
        self._seat, self._stage = seat, turn.stage
        terms = seat.language.terms
        kept = "\n".join(render_reference(reference, seat.language) for reference in knowledge.kept)
        self._dialogue = AgentDialogue(
            seat,
            turn,
            prompts=_PROMPTS,
            roles=roles,
            variables={
                **mark_variables(seat),
                "material": quote(terms["material"], kept or terms["nothing_yet"]),
            },
            stage_flags=False,
        )
        self._searcher = Searcher(seat, self._dialogue, knowledge)

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the discussion."""
        return self._dialogue.trace

    async def search(self, question: str) -> None:
        """Let the Searcher search for an answer to a question, and share what it keeps."""
        await self._searcher.search(question)

    async def analyse(self) -> None:
        """Let the Analyzer share its analysis; without one, the Writer works from the material."""
        dialogue = self._dialogue
        name, length = f"analyzer_{self._stage}", dialogue.words(_OUTLINE_WORDS)
        analysis = await dialogue.attempt(
            dialogue.write(name, agent="Analyzer", length=length),
            agent="Analyzer",
            fallback="no outline",
        )
        if analysis is not None:
            dialogue.add_turn("Analyzer", analysis)
            dialogue.add_step("Analyzer", marker="finished")

    async def write(self, *, may_search: bool) -> WriterTurn:
        """Let the Writer write or revise a draft, or (where it may) ask for material.

        Raises:
            ContentFault: it refused, or said nothing, before there was a draft.
        """
        if not self.draft:
            return self._read_writer(await self._ask_for_draft(may_search=may_search))
        answer = self._ask_writer(may_search=may_search)
        revision = await self._dialogue.attempt(
            answer, agent="Writer", fallback="the last draft stands"
        )
        return WriterTurn("stands") if revision is None else self._read_writer(revision)

    async def review(self, *, number: int, max_reviews: int) -> bool:
        """Let the Reviewer review the last draft, and tell whether the draft stands."""
        dialogue = self._dialogue
        answer = dialogue.ask(
            f"reviewer_{self._stage}",
            Review,
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
            dialogue.add_turn("Reviewer", f"{dialogue.term('revise')}\n{review.numbered()}")
        dialogue.add_step("Reviewer", **review.model_dump(mode="json"))
        return review.marker == "accept"

    def take_draft(self, text: str) -> None:
        """Continue the discussion with a shortened draft."""
        self.draft = text
        self._dialogue.add_turn("Writer", text)

    def add_cap(self, cap: str) -> None:
        """Add to the trace that a cap was reached."""
        self._dialogue.add_step("protocol", cap=cap)

    async def _ask_for_draft(self, *, may_search: bool) -> Composition[Written]:
        """Ask the Writer; where it may search and says nothing readable, for a draft alone."""
        try:
            return await self._ask_writer(may_search=may_search)
        except (EmptyReply, TruncatedReply) as fault:
            if not may_search:
                raise
            self._dialogue.add_fallback("Writer", "a draft without further material", fault)
            return await self._ask_writer(may_search=False)

    async def _ask_writer(self, *, may_search: bool) -> Composition[Written]:
        dialogue = self._dialogue
        name = "writer_revise" if self.draft else f"writer_{self._stage}"
        length = self._seat.words + dialogue.words(REASONING_WORDS)
        variables = {"count": self._count()} if self.draft else {}
        if may_search:
            return await dialogue.compose(
                name,
                Written,
                agent="Writer",
                length=length,
                flag="may_search",
                needs_text=lambda form: not form.asks,
                **variables,
            )
        answer = await dialogue.compose(
            name,
            Finished,
            agent="Writer",
            length=length,
            flag="",
            needs_text=lambda form: True,  # noqa: ARG005
            **variables,
        )
        reasoning = answer.form.reasoning if answer.form else ""
        return Composition(
            Written(reasoning=reasoning, marker="finished"), answer.text, answer.bent
        )

    def _read_writer(self, answer: Composition[Written]) -> WriterTurn:
        """Share the Writer's draft or request; without a readable marker, a text is a draft."""
        form = answer.form or Written(marker="finished")
        outcome = WriterTurn("needs_material", form.claim) if form.asks else WriterTurn("finished")
        if form.asks:
            text = f"{self._dialogue.term('needs_material')} {form.claim}"
        else:
            text = self.draft = answer.text
        self._dialogue.add_turn("Writer", text)
        self._dialogue.add_step(
            "Writer", marker=outcome.marker, claim=outcome.claim, reasoning=form.reasoning
        )
        return outcome

    def _count(self) -> str:
        return str(self._seat.language.count(self.draft))
