"""Forms of the answers of `agent4debate`'s agents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from arena.debaters.answer_forms import AnswerForm, Reasoned
from arena.languages.marks import MARKS


def _read_number(value: object) -> object:
    """Return the number of a mark, `[P4]` or `P4`, that stands where only its number should."""
    marks = MARKS.find(f"[{value.strip(' []')}]") if isinstance(value, str) else []
    return marks[0].number if len(marks) == 1 else value


#: The number of a reference.
_Number = Annotated[int, BeforeValidator(_read_number)]


class Queries(Reasoned):
    """The Searcher's queries; none where the results so far suffice."""

    queries: list[str] = Field(max_length=5)

    @property
    def usable(self) -> list[str]:
        """The queries that are not blank."""
        return [query.strip() for query in self.queries if query.strip()]


class Kept(AnswerForm):
    """The numbers of the references, found by one query, that bear on the question."""

    query: int
    numbers: list[_Number]


class Compiled(Reasoned):
    """The Searcher's synthesis: the references to keep, by number, and its conclusions."""

    kept: list[Kept]
    conclusions: str
    others: list[_Number]


class Finished(Reasoned):
    """The Writer's marker where it may not ask for material; its draft follows."""

    marker: Literal["finished"]


class Written(Reasoned):
    """The Writer's marker: its draft follows, or it needs material for a claim."""

    marker: Literal["finished", "needs_material"]
    claim: str = ""

    @property
    def asks(self) -> bool:
        """Whether it asks for material, and says for what."""
        return self.marker == "needs_material" and bool(self.claim.strip())
