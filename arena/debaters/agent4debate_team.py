"""The agents of `agent4debate`: their prompts, their answers, and the dialogue that they share."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from itertools import chain
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from arena.debater import Seat, Turn, mark_variables
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import AnswerForm, Review
from arena.debaters.knowledge_base import KnowledgeBase, trace_references
from arena.debates.transcript import render_reference
from arena.languages.marks import MARKS
from arena.llm.repair import contradiction
from arena.prompts import Prompts, quote
from arena.records import Reference, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "agent4debate")
#: What each query found, in the order of the queries.
_Results: TypeAlias = dict[str, list[Reference]]


def _read_number(value: object) -> object:
    """Return the number of a mark, `[P4]` or `P4`, that stands where only its number should."""
    marks = MARKS.find(f"[{value.strip(' []')}]") if isinstance(value, str) else []
    return marks[0].number if len(marks) == 1 else value


#: The number of a reference.
_Number = Annotated[int, BeforeValidator(_read_number)]


class Queries(AnswerForm):
    """The Searcher's queries; none where the results so far suffice."""

    queries: list[str] = Field(max_length=5)


class Kept(AnswerForm):
    """The numbers of the references, found by one query, that bear on the question."""

    query: int
    numbers: list[_Number]


class Compiled(AnswerForm):
    """The Searcher's synthesis: the references to keep, by number, and its conclusions."""

    kept: list[Kept]
    conclusions: str
    others: list[_Number]


class Finished(AnswerForm):
    """The Writer's answer where it may not ask for material: a draft."""

    marker: Literal["finished"]
    claim: str = ""
    speech: str = Field(pattern=r"\S")


class Written(AnswerForm):
    """The Writer's answer: a draft, or a claim that it needs material for."""

    marker: Literal["finished", "needs_material"]
    claim: str = ""
    speech: str = ""

    @model_validator(mode="after")
    def _check_text(self) -> Written:
        if not (self.speech if self.marker == "finished" else self.claim).strip():
            raise contradiction(
                "marker_without_text",
                en="`finished` needs a speech, `needs_material` needs a claim",
                zh="`finished` 须有 `speech`，`needs_material` 须有 `claim`",
            )
        return self


class TeamDiscussion:
    """The dialogue of a side's agents in one stage.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        knowledge: the side's knowledge base, to which searches add.
    """

    def __init__(self, seat: Seat, turn: Turn, knowledge: KnowledgeBase) -> None:
        self._seat, self._stage, self._knowledge = seat, turn.stage, knowledge
        terms = seat.language.terms
        kept = "\n".join(render_reference(reference, seat.language) for reference in knowledge.kept)
        self._dialogue = AgentDialogue(
            seat,
            turn,
            prompts=_PROMPTS,
            variables={
                **mark_variables(seat),
                "material": quote(terms["material"], kept or terms["nothing_yet"]),
            },
            stage_flags=False,
        )

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the discussion."""
        return self._dialogue.trace

    async def search(self, question: str) -> None:
        """Let the Searcher search for an answer to a question, and share what it keeps.

        It makes queries, corrects them once after it has seen their results, and compiles what
        all of them found.
        """
        quoted = quote(self._term("question"), question)
        first = await self._dialogue.ask(
            "searcher_queries", Queries, agent="Searcher", question=quoted
        )
        failures: dict[str, str] = {}
        results: _Results = {}
        await self._run_queries(first, results, failures)
        correction = await self._dialogue.ask(
            "searcher_correct",
            Queries,
            agent="Searcher",
            question=quoted,
            results=self._format_results(results),
        )
        await self._run_queries(correction, results, failures)
        kept: list[Reference] = []
        if any(results.values()):
            kept = await self._compile(quoted, results)
        else:
            self._dialogue.add_turn("Searcher", self._term("nothing_found"))
        self._dialogue.add_step(
            "Searcher",
            question=question,
            queries=list(results),
            found=[[item.number for item in references] for references in results.values()],
            kept=[reference.number for reference in kept],
            results=trace_references(set(chain.from_iterable(results.values()))),
            **({"failed": failures} if failures else {}),
        )

    async def analyse(self) -> None:
        """Let the Analyzer share its analysis of the debate."""
        analysis = await self._dialogue.write(f"analyzer_{self._stage}", agent="Analyzer")
        self._dialogue.add_turn("Analyzer", analysis)
        self._dialogue.add_step("Analyzer", marker="finished")

    async def write(self, *, revising: bool, may_search: bool) -> Written:
        """Let the Writer write a draft, or (where it may) ask for material for a claim."""
        name = "writer_revise" if revising else f"writer_{self._stage}"
        if may_search:
            answer = await self._dialogue.ask(name, Written, agent="Writer", flag="may_search")
        else:
            draft = await self._dialogue.ask(name, Finished, agent="Writer")
            answer = Written(marker="finished", speech=draft.speech)
        if answer.marker == "finished":
            self._dialogue.add_turn("Writer", answer.speech)
        else:
            self._dialogue.add_turn("Writer", f"{self._term('needs_material')} {answer.claim}")
        self._dialogue.add_step("Writer", marker=answer.marker, claim=answer.claim)
        return answer

    async def review(self, *, number: int, max_reviews: int) -> bool:
        """Let the Reviewer review the last draft, and tell whether it accepts it."""
        name = f"reviewer_{self._stage}"
        review = await self._dialogue.ask(
            name, Review, agent="Reviewer", round=str(number), rounds=str(max_reviews)
        )
        if review.marker == "revise":
            lines = [f"{n}. {item}" for n, item in enumerate(review.suggestions, start=1)]
            self._dialogue.add_turn("Reviewer", "\n".join([self._term("revise"), *lines]))
        self._dialogue.add_step("Reviewer", marker=review.marker, suggestions=review.suggestions)
        return review.marker == "accept"

    def add_cap(self, cap: str) -> None:
        """Add to the trace that a cap was reached."""
        self._dialogue.add_step("protocol", cap=cap)

    async def _run_queries(
        self, answer: Queries, results: _Results, failures: dict[str, str]
    ) -> None:
        """Add the results, and the failures, of the queries that were not run before."""
        queries = [query.strip() for query in answer.queries if query.strip()]
        for query in queries:
            if query in results:
                continue
            outcome = await self._seat.search(query, path=self._dialogue.next_path("search"))
            if outcome.failure:
                failures[query] = outcome.failure
            results[query] = self._knowledge.add(outcome.findings)

    async def _compile(self, question: str, results: _Results) -> list[Reference]:
        """Let the Searcher choose the references to keep, and share them with its conclusions."""
        compiled = await self._dialogue.ask(
            "searcher_compile",
            Compiled,
            agent="Searcher",
            question=question,
            results=self._format_results(results),
        )
        queries = list(results)
        lines: list[str] = []
        kept: list[Reference] = []
        for choice in compiled.kept:
            if 1 <= choice.query <= len(queries):
                lines.append(f"{self._term('query')} {choice.query}: {queries[choice.query - 1]}")
                kept += self._keep(choice.numbers, lines)
        lines += [f"{self._term('conclusions')}: {compiled.conclusions}", self._term("others")]
        kept += self._keep(compiled.others, lines)
        self._dialogue.add_turn("Searcher", "\n".join(lines))
        return kept

    def _keep(self, numbers: list[int], lines: list[str]) -> list[Reference]:
        """Keep the references of the given numbers, and add a line for each."""
        kept = self._knowledge.keep(numbers)
        lines += [render_reference(reference, self._seat.language) for reference in kept]
        return kept

    def _format_results(self, results: _Results) -> str:
        lines: list[str] = []
        for number, (query, references) in enumerate(results.items(), start=1):
            lines.append(f"{self._term('query')} {number}: {query}")
            lines += [render_reference(item, self._seat.language) for item in references]
            lines += [] if references else [self._term("nothing_found")]
        return quote(self._term("results"), "\n".join(lines))

    def _term(self, word: str) -> str:
        return self._dialogue.term(word)
