"""The Searcher of `agent4debate`: queries, their correction once, and the synthesis.

With `search_steps` it searches and reads pages step by step, until it has enough.
"""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from arena.debater import Seat
from arena.debaters.agent_dialogue import AgentDialogue, AnswerForm, Reasoned
from arena.debaters.knowledge_base import KnowledgeBase, shorten_query, trace_references
from arena.debates.transcript import render_reference
from arena.errors import EmptyReply
from arena.languages.marks import MARKS
from arena.llm.repair import contradiction
from arena.prompts import quote
from arena.records import Reference
from arena.search.tool import Results


def _read_number(value: object) -> object:
    """Return the number of a mark, `[P4]` or `P4`, that stands where only its number should."""
    marks = MARKS.find(f"[{value.strip(' []')}]") if isinstance(value, str) else []
    return marks[0].number if len(marks) == 1 else value


#: The number of a reference.
_Number = Annotated[int, BeforeValidator(_read_number)]


class Queries(Reasoned):
    """The Searcher's queries; none where the results so far suffice."""

    queries: list[str] = Field(max_length=5)


class SearchStep(Reasoned):
    """The Searcher's next step: a query, the mark of a finding whose page it reads, or the end."""

    action: Literal["search", "read", "finish"]
    query: str = ""
    number: _Number = 0

    @model_validator(mode="after")
    def _check_query(self) -> SearchStep:
        if self.action == "search" and not self.query.strip():
            raise contradiction(
                "no_query", en="`search` needs a `query`", zh="`search` 须有 `query`"
            )
        return self


class Kept(AnswerForm):
    """The numbers of the references, found by one query, that bear on the question."""

    query: int
    numbers: list[_Number]


class Compiled(Reasoned):
    """The Searcher's synthesis: the references to keep, by number, and its conclusions."""

    kept: list[Kept]
    conclusions: str
    others: list[_Number]


_Answer = TypeVar("_Answer", bound=BaseModel)
#: What each query found, in the order of the queries.
_Results: TypeAlias = dict[str, list[Reference]]
#: Lengths of the answers, in words.
_QUERIES_WORDS, _SYNTHESIS_WORDS = 180, 400
_ITSELF = "the question itself is the query"


class Searcher:
    """The Searcher in the discussion of one stage.

    Args:
        steps: queries and pages of a search in steps, at most; None for queries that are corrected
            once.
    """

    def __init__(
        self,
        seat: Seat,
        dialogue: AgentDialogue,
        knowledge: KnowledgeBase,
        *,
        steps: int | None = None,
    ) -> None:
        self._seat, self._dialogue, self._knowledge = seat, dialogue, knowledge
        self._term, self._steps = dialogue.term, steps

    async def search(self, question: str) -> None:
        """Search for an answer to a question, and share what is kept.

        The Searcher makes queries, corrects them once after it has seen their results, and
        compiles what all of them found. Where its queries are unusable, the question is the query;
        where its synthesis is, all findings are kept.
        """
        quoted = quote(self._term("question"), question)
        failures: dict[str, str] = {}
        results: _Results = {}
        asked = 2
        if self._steps is None:
            await self._search_once(question, quoted, results, failures)
        else:
            asked = await self._search_in_steps(question, quoted, results, failures)
        kept: list[Reference] = []
        if any(results.values()):
            kept = await self._compile(question, quoted, results)
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
            **({"steps": asked} if self._steps is not None else {}),
        )

    async def _search_in_steps(
        self, question: str, quoted: str, results: _Results, failures: dict[str, str]
    ) -> int:
        """Add the results of one query or page after the other; return how often it was asked."""
        assert self._steps is not None
        for number in range(self._steps):
            step = await self._ask(
                "searcher_step",
                SearchStep,
                "the search ends" if results else _ITSELF,
                words=_QUERIES_WORDS,
                question=quoted,
                results=self._quote_results(results),
                left=str(self._steps - number),
            )
            if step is None and not results:
                step = SearchStep(action="search", query=shorten_query(question))
            if step is None or step.action == "finish":
                return number + 1
            if step.action == "search":
                await self._run_queries([step.query.strip()], results, failures)
            else:
                await self._read(step.number, question, results, failures)
        return self._steps

    async def _read(
        self, number: int, question: str, results: _Results, failures: dict[str, str]
    ) -> None:
        """Add what the page of a reference says, unless it was read before."""
        known = {item.number: item for item in self._knowledge.references}
        if number not in known:
            results[self._term("page").format(number)] = []
            return
        origin = known[number].origin
        read = self._term("page").format(origin)
        if read not in results:
            path = self._dialogue.next_path("read")
            outcome = await self._seat.search.read(origin, question, path=path)
            self._add(read, outcome, results, failures)

    async def _search_once(
        self, question: str, quoted: str, results: _Results, failures: dict[str, str]
    ) -> None:
        """Add the results of queries, and of their correction."""
        await self._run_queries(await self._ask_queries(question, quoted), results, failures)
        correction = await self._ask(
            "searcher_correct",
            Queries,
            "no correction of the queries",
            words=_QUERIES_WORDS,
            question=quoted,
            results=self._quote_results(results),
        )
        await self._run_queries(_without_blanks(correction), results, failures)

    async def _ask_queries(self, question: str, quoted: str) -> list[str]:
        answer = await self._ask(
            "searcher_queries", Queries, _ITSELF, words=_QUERIES_WORDS, question=quoted
        )
        queries = _without_blanks(answer)
        if answer is not None and not queries:
            self._dialogue.add_fallback("Searcher", _ITSELF, EmptyReply("no query"))
        return queries or [shorten_query(question)]

    async def _ask(
        self, name: str, form: type[_Answer], fallback: str, *, words: int, **variables: str
    ) -> _Answer | None:
        """Ask the Searcher by a prompt; None, and the fallback in the trace, without an answer."""
        length = self._dialogue.words(words)
        answer = self._dialogue.ask(name, form, agent="Searcher", length=length, **variables)
        return await self._dialogue.attempt(answer, agent="Searcher", fallback=fallback)

    async def _run_queries(
        self, queries: list[str], results: _Results, failures: dict[str, str]
    ) -> None:
        """Add the results, and the failures, of the queries that were not run before."""
        for query in queries:
            if query in results:
                continue
            outcome = await self._seat.search(query, path=self._dialogue.next_path("search"))
            self._add(query, outcome, results, failures)

    def _add(
        self, asked: str, outcome: Results, results: _Results, failures: dict[str, str]
    ) -> None:
        if outcome.failure:
            failures[asked] = outcome.failure
        results[asked] = self._knowledge.add(outcome.findings)

    async def _compile(self, question: str, quoted: str, results: _Results) -> list[Reference]:
        """Let the Searcher choose the references to keep, and share them with its conclusions."""
        dialogue = self._dialogue
        compiled = await self._ask(
            "searcher_compile",
            Compiled,
            "all findings are kept",
            words=_SYNTHESIS_WORDS,
            question=quoted,
            results=self._quote_results(results),
        )
        if compiled is None:
            dialogue.add_turn("Searcher", self._format_results(results))
            numbers = {item.number for references in results.values() for item in references}
            return self._knowledge.keep(sorted(numbers))
        queries = list(results)
        lines: list[str] = []
        kept: list[Reference] = []
        for choice in compiled.kept:
            if 1 <= choice.query <= len(queries):
                lines.append(f"{self._term('query')} {choice.query}: {queries[choice.query - 1]}")
                kept += self._keep(choice.numbers, lines)
        lines += [f"{self._term('conclusions')}: {compiled.conclusions}", self._term("others")]
        kept += self._keep(compiled.others, lines)
        dialogue.add_turn("Searcher", "\n".join(lines))
        self._knowledge.conclusions[question] = compiled.conclusions
        return kept

    def _keep(self, numbers: list[int], lines: list[str]) -> list[Reference]:
        """Keep the references of the given numbers, and add a line for each."""
        kept = self._knowledge.keep(numbers)
        lines += [render_reference(reference, self._seat.language) for reference in kept]
        return kept

    def _quote_results(self, results: _Results) -> str:
        listed = self._format_results(results) or self._term("nothing_yet")
        return quote(self._term("results"), listed)

    def _format_results(self, results: _Results) -> str:
        lines: list[str] = []
        for number, (query, references) in enumerate(results.items(), start=1):
            lines.append(f"{self._term('query')} {number}: {query}")
            lines += [render_reference(item, self._seat.language) for item in references]
            lines += [] if references else [self._term("nothing_found")]
        return "\n".join(lines)


def _without_blanks(answer: Queries | None) -> list[str]:
    return [query.strip() for query in answer.queries if query.strip()] if answer else []
