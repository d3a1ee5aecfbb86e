"""The agents of `agent4debate` at work on one stage: what each is asked, sees and leaves behind."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from arena.debater import Seat, Turn
from arena.debaters.dialogue import context
from arena.debaters.forms import Form, Review
from arena.debaters.knowledge import Knowledge, listed
from arena.debates.transcript import render_reference
from arena.llm.model import schema_of
from arena.llm.repair import contradiction
from arena.prompts import Prompts, Rendered, quote
from arena.records import Reference, Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "agent4debate")


class Queries(Form):
    """The Searcher's queries; none where the results of the last ones suffice."""

    queries: list[str] = Field(max_length=5)


class Kept(Form):
    """Which findings of a query bear on the question."""

    query: int
    numbers: list[int]


class Compiled(Form):
    """The Searcher's synthesis; the excerpts themselves are carried over word for word."""

    kept: list[Kept]
    conclusions: str
    others: list[int]


class Finished(Form):
    """The Writer's only answer where it cannot ask for material."""

    marker: Literal["finished"]
    claim: str = ""
    speech: str = Field(pattern=r"\S")


class Written(Form):
    """The Writer's answer: a draft, or a claim that needs material."""

    marker: Literal["finished", "needs_material"]
    claim: str = ""
    speech: str = ""

    @model_validator(mode="after")
    def _filled(self) -> Written:
        if not (self.speech if self.marker == "finished" else self.claim).strip():
            raise contradiction(
                "marker_without_text",
                en="`finished` needs a speech, `needs_material` needs a claim",
                zh="`finished` 须有 `speech`，`needs_material` 须有 `claim`",
            )
        return self


_Answer = TypeVar("_Answer", bound=Form)


class Discussion:
    """One stage's shared dialogue of the agents of a side."""

    def __init__(self, seat: Seat, turn: Turn, knowledge: Knowledge) -> None:
        self.trace: list[Step] = []
        self._seat, self._stage, self._knowledge = seat, turn.stage, knowledge
        self._turns: list[str] = []
        self._counts: dict[str, int] = {}
        language = seat.language
        kept = "\n".join(render_reference(one, language) for one in knowledge.kept)
        self._context = {
            **context(seat, turn),
            "material": quote(self._term("material"), kept or self._term("nothing_yet")),
        }

    async def search(self, question: str) -> None:
        """The Searcher: queries, one correction of them, and a synthesis of what was found."""
        shown = quote(self._term("question"), question)
        asked = await self._ask("searcher_queries", Queries, question=shown)
        failed: dict[str, str] = {}
        results = [(query, await self._find(query, failed)) for query in _distinct(asked.queries)]
        found = self._results(results)
        better = await self._ask("searcher_correct", Queries, question=shown, results=found)
        tried = {query for query, _ in results}
        for query in (one for one in _distinct(better.queries) if one not in tried):
            results.append((query, await self._find(query, failed)))
        kept: list[Reference] = []
        if any(found for _, found in results):
            kept = await self._compile(shown, results)
        else:
            self._say("Searcher", self._term("nothing_found"))
        self._note(
            "Searcher",
            question=question,
            queries=[query for query, _ in results],
            found=[[one.number for one in found] for _, found in results],
            kept=[one.number for one in kept],
            results=listed({one for _, found in results for one in found}),
            **({"failed": failed} if failed else {}),
        )

    async def analyse(self) -> None:
        """The Analyzer: once per stage."""
        prompt = self._render(f"analyzer_{self._stage}")
        self._say("Analyzer", await self._seat.model.write(prompt, path=self._path("analyzer")))
        self._note("Analyzer", marker="finished")

    async def write(self, *, revising: bool, may_search: bool) -> Written:
        """The Writer: a draft, or (where it may) a claim that needs material."""
        name = "writer_revise" if revising else f"writer_{self._stage}"
        flags = frozenset({"may_search"} if may_search else ())
        if may_search:
            written = await self._ask(name, Written, flags=flags)
        else:
            last = await self._ask(name, Finished, flags=flags)
            written = Written(marker="finished", speech=last.speech)
        if written.marker == "finished":
            self._say("Writer", written.speech)
        else:
            self._say("Writer", f"{self._term('needs_material')} {written.claim}")
        self._note("Writer", marker=written.marker, claim=written.claim)
        return written

    async def review(self, *, number: int, of: int) -> bool:
        """The Reviewer: True where it accepts the last draft."""
        name = f"reviewer_{self._stage}"
        review = await self._ask(name, Review, round=str(number), rounds=str(of))
        if review.marker == "revise":
            lines = [f"{n}. {one}" for n, one in enumerate(review.suggestions, start=1)]
            self._say("Reviewer", "\n".join([self._term("revise"), *lines]))
        self._note("Reviewer", marker=review.marker, suggestions=review.suggestions)
        return review.marker == "accept"

    def note_cap(self, cap: str) -> None:
        """Say in the trace that a cap was reached."""
        self._note("protocol", cap=cap)

    async def _find(self, query: str, failed: dict[str, str]) -> list[Reference]:
        results = await self._seat.search(query, path=self._path("search"))
        if results.failure:
            failed[query] = results.failure
        return self._knowledge.add(results.findings)

    async def _compile(
        self, question: str, results: list[tuple[str, list[Reference]]]
    ) -> list[Reference]:
        shown = self._results(results)
        compiled = await self._ask("searcher_compile", Compiled, question=question, results=shown)
        lines: list[str] = []
        kept: list[Reference] = []
        for one in compiled.kept:
            if 1 <= one.query <= len(results):
                lines.append(f"{self._term('query')} {one.query}: {results[one.query - 1][0]}")
                kept += self._list(one.numbers, lines)
        lines += [f"{self._term('conclusions')}: {compiled.conclusions}", self._term("others")]
        kept += self._list(compiled.others, lines)
        self._say("Searcher", "\n".join(lines))
        return kept

    def _list(self, numbers: list[int], lines: list[str]) -> list[Reference]:
        kept = self._knowledge.keep(numbers)
        lines += [render_reference(one, self._seat.language) for one in kept]
        return kept

    def _results(self, results: list[tuple[str, list[Reference]]]) -> str:
        lines: list[str] = []
        for number, (query, found) in enumerate(results, start=1):
            lines.append(f"{self._term('query')} {number}: {query}")
            lines += [render_reference(one, self._seat.language) for one in found]
            lines += [] if found else [self._term("nothing_found")]
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
        return await self._seat.model.ask(prompt, form, path=self._path(name.partition("_")[0]))

    def _render(
        self, name: str, *, flags: frozenset[str] = frozenset(), **variables: str
    ) -> Rendered:
        dialogue = "\n".join(self._turns) or self._term("nothing_yet")
        filled = {**self._context, "dialogue": dialogue, **variables}
        return _PROMPTS.render(name, self._seat.language.code, filled, flags=flags)

    def _path(self, agent: str) -> str:
        self._counts[agent] = self._counts.get(agent, 0) + 1
        return f"{self._stage}/{agent}/{self._counts[agent]}"

    def _say(self, agent: str, text: str) -> None:
        self._turns.append(quote(self._term("turn"), text, self._term(agent)))

    def _note(self, agent: str, **fields: Any) -> None:  # noqa: ANN401 - JSON of the trace
        self.trace.append({"agent": agent, **fields})

    def _term(self, word: str) -> str:
        return self._seat.language.terms[word]


def _distinct(queries: list[str]) -> list[str]:
    return list(dict.fromkeys(query.strip() for query in queries if query.strip()))
