"""The agents of `agent4debate`: their prompts, their answers, and the dialogue that they share."""

from __future__ import annotations

from importlib.resources import files
from itertools import chain
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import Field, model_validator

from arena.debater import Seat, Turn
from arena.debaters.agent_dialogue import prompt_context
from arena.debaters.answer_forms import AnswerForm, Review
from arena.debaters.knowledge_base import KnowledgeBase, trace_references
from arena.debates.transcript import render_reference
from arena.llm.model import schema_of
from arena.llm.repair import contradiction
from arena.prompts import Prompts, Rendered, quote
from arena.records import Reference, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "agent4debate")
#: What each query found, in the order of the queries.
_Results: TypeAlias = dict[str, list[Reference]]


class Queries(AnswerForm):
    """The Searcher's queries; none where the results so far suffice."""

    queries: list[str] = Field(max_length=5)


class Kept(AnswerForm):
    """The numbers of the references, found by one query, that bear on the question."""

    query: int
    numbers: list[int]


class Compiled(AnswerForm):
    """The Searcher's synthesis: the references to keep, by number, and its conclusions."""

    kept: list[Kept]
    conclusions: str
    others: list[int]


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


_Answer = TypeVar("_Answer", bound=AnswerForm)


class TeamDiscussion:
    """The dialogue of a side's agents in one stage.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        knowledge: the side's knowledge base, to which searches add.

    Attributes:
        trace: the steps of the discussion.
    """

    def __init__(self, seat: Seat, turn: Turn, knowledge: KnowledgeBase) -> None:
        self.trace: list[Step] = []
        self._seat, self._stage, self._knowledge = seat, turn.stage, knowledge
        self._turns: list[str] = []
        self._counts: dict[str, int] = {}
        language = seat.language
        kept = "\n".join(render_reference(reference, language) for reference in knowledge.kept)
        self._context = {
            **prompt_context(seat, turn),
            "material": quote(self._term("material"), kept or self._term("nothing_yet")),
        }

    async def search(self, question: str) -> None:
        """Let the Searcher search for an answer to a question, and share what it keeps.

        It makes queries, corrects them once after it has seen their results, and compiles what
        all of them found.
        """
        quoted = quote(self._term("question"), question)
        first = await self._ask("searcher_queries", Queries, question=quoted)
        failures: dict[str, str] = {}
        results: _Results = {}
        await self._run_queries(first, results, failures)
        correction = await self._ask(
            "searcher_correct", Queries, question=quoted, results=self._format_results(results)
        )
        await self._run_queries(correction, results, failures)
        kept: list[Reference] = []
        if any(results.values()):
            kept = await self._compile(quoted, results)
        else:
            self._add_turn("Searcher", self._term("nothing_found"))
        self._add_step(
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
        prompt = self._render(f"analyzer_{self._stage}")
        analysis = await self._seat.model.write(prompt, path=self._next_path("analyzer"))
        self._add_turn("Analyzer", analysis)
        self._add_step("Analyzer", marker="finished")

    async def write(self, *, revising: bool, may_search: bool) -> Written:
        """Let the Writer write a draft, or (where it may) ask for material for a claim."""
        name = "writer_revise" if revising else f"writer_{self._stage}"
        if may_search:
            answer = await self._ask(name, Written, flags=frozenset({"may_search"}))
        else:
            draft = await self._ask(name, Finished)
            answer = Written(marker="finished", speech=draft.speech)
        if answer.marker == "finished":
            self._add_turn("Writer", answer.speech)
        else:
            self._add_turn("Writer", f"{self._term('needs_material')} {answer.claim}")
        self._add_step("Writer", marker=answer.marker, claim=answer.claim)
        return answer

    async def review(self, *, number: int, max_reviews: int) -> bool:
        """Let the Reviewer review the last draft, and tell whether it accepts it."""
        name = f"reviewer_{self._stage}"
        review = await self._ask(name, Review, round=str(number), rounds=str(max_reviews))
        if review.marker == "revise":
            lines = [f"{n}. {item}" for n, item in enumerate(review.suggestions, start=1)]
            self._add_turn("Reviewer", "\n".join([self._term("revise"), *lines]))
        self._add_step("Reviewer", marker=review.marker, suggestions=review.suggestions)
        return review.marker == "accept"

    def add_cap(self, cap: str) -> None:
        """Add to the trace that a cap was reached."""
        self._add_step("protocol", cap=cap)

    async def _run_queries(
        self, answer: Queries, results: _Results, failures: dict[str, str]
    ) -> None:
        """Add the results, and the failures, of the queries that were not run before."""
        queries = [query.strip() for query in answer.queries if query.strip()]
        for query in queries:
            if query in results:
                continue
            outcome = await self._seat.search(query, path=self._next_path("search"))
            if outcome.failure:
                failures[query] = outcome.failure
            results[query] = self._knowledge.add(outcome.findings)

    async def _compile(self, question: str, results: _Results) -> list[Reference]:
        """Let the Searcher choose the references to keep, and share them with its conclusions."""
        compiled = await self._ask(
            "searcher_compile", Compiled, question=question, results=self._format_results(results)
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
        self._add_turn("Searcher", "\n".join(lines))
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

    async def _ask(
        self,
        name: str,
        form: type[_Answer],
        *,
        flags: frozenset[str] = frozenset(),
        **variables: str,
    ) -> _Answer:
        schema = schema_of(form).text()
        prompt = self._render(name, flags=flags, schema=schema, **variables)
        path = self._next_path(name.partition("_")[0])
        return await self._seat.model.ask(prompt, form, path=path)

    def _render(
        self, name: str, *, flags: frozenset[str] = frozenset(), **variables: str
    ) -> Rendered:
        dialogue = "\n".join(self._turns) or self._term("nothing_yet")
        variables = {**self._context, "dialogue": dialogue, **variables}
        return _PROMPTS.render(name, self._seat.language.code, variables, flags=flags)

    def _next_path(self, agent: str) -> str:
        self._counts[agent] = self._counts.get(agent, 0) + 1
        return f"{self._stage}/{agent}/{self._counts[agent]}"

    def _add_turn(self, agent: str, text: str) -> None:
        self._turns.append(quote(self._term("turn"), text, self._term(agent)))

    def _add_step(self, agent: str, **fields: Any) -> None:  # noqa: ANN401 - JSON of the trace
        self.trace.append({"agent": agent, **fields})

    def _term(self, word: str) -> str:
        return self._seat.language.terms[word]
