"""Seats at a debate for tests: a scripted model, a shelf to search, speeches already made."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from arena.debater import Seat
from arena.languages import SIDES, Side, Stage, language, other_side
from arena.llm.model import LanguageModel
from arena.llm.request import Backend, Completion, Request
from arena.prompts import Quote, find_quotes, quote
from arena.records import Reference, Sampling, Speech
from arena.search.tool import Finding, Results
from tests.support.scripted_backend import Script, ScriptedAccess, ScriptedBackend, unit

MOTION = "This house would shorten the working week."
SLIDE = "A working week counts paid hours only."
SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=500)

#: The six speeches of a debate in the order of the record.
ORDER: tuple[tuple[Side, Stage], ...] = (
    ("pro", "constructive"),
    ("con", "constructive"),
    ("pro", "rebuttal"),
    ("con", "rebuttal"),
    ("con", "summary"),
    ("pro", "summary"),
)

#: How many of them each speech may see, from the specification's table.
SEEN: Mapping[tuple[Side, Stage], int] = dict(zip(ORDER, (0, 0, 2, 3, 4, 5), strict=True))

#: Lines that name the sides for both: the order of speaking, words that no query needs.
_NEUTRAL = re.compile(
    r"speaks first, then (Pro|Con)|\((Pro|Con) first\)"
    r"|先发言，.方后发言|（[正反]方先发言）|不写正方反方"
)
#: The words for the sides, and their letters in citation marks.
_SIDE = re.compile(r"\bPro\b|\bCon\b|正方|反方|\b[PC](?=\d|\b)|[正反](?=\d|”)")


class Shelf:
    """A search tool with a fixed shelf; `asked` holds (path, query) in order.

    With a `failure` it finds nothing and says why.
    """

    def __init__(
        self, findings: Mapping[str, Sequence[Finding]] | None = None, *, failure: str = ""
    ) -> None:
        self.asked: list[tuple[str, str]] = []
        self._findings = findings
        self._failure = failure

    async def __call__(self, query: str, *, path: str) -> Results:
        self.asked.append((path, query))
        if self._failure:
            return Results(failure=self._failure)
        if self._findings is None:
            one = Finding(origin=f"origin of {query}", excerpt=f"excerpt of {query}")
            return Results(findings=(one,))
        return Results(findings=tuple(self._findings.get(query, ())))

    async def read(self, origin: str, question: str, *, path: str) -> Results:  # noqa: ARG002
        return await self(origin, path=path)


class GatheringBackend(ScriptedBackend):
    """Holds the requests of a kind back until `together` of them are in flight."""

    def __init__(self, script: Script, *, together: int, among: Callable[[Request], bool]) -> None:
        super().__init__(script)
        self.gathered = 0
        self._among = among
        self._barrier = asyncio.Barrier(together)

    async def complete(self, request: Request) -> Completion:
        if self._among(request):
            async with asyncio.timeout(5):  # passes in no time where they do come together
                await self._barrier.wait()
            self.gathered += 1
        return await super().complete(request)


def language_model(
    backend: Backend, folder: Path, *, prefix: str = "", name: str = "scripted/model"
) -> LanguageModel:
    """A model on a backend, its journal in a folder."""
    return LanguageModel(
        unit=unit(ScriptedAccess(backend), folder),
        model=name,
        sampling=SAMPLING,
        prefix=prefix,
    )


def seat(
    model: LanguageModel,
    *,
    side: Side = "pro",
    code: str = "en",
    words: int = 600,
    search: Shelf | None = None,
) -> Seat:
    """One side's seat; the model's paths begin with the side."""
    return Seat(
        motion=MOTION,
        info_slide=SLIDE,
        side=side,
        language=language(code),
        words=words,
        model=model.under(f"{side}/"),
        search=search or Shelf(),
    )


def seats(
    backend: ScriptedBackend, folder: Path, *, code: str = "en", words: int = 600
) -> dict[Side, Seat]:
    """Both sides' seats, their calls in one unit."""
    model = language_model(backend, folder)
    return {side: seat(model, side=side, code=code, words=words) for side in SIDES}


def speech(side: Side, stage: Stage, text: str = "", *references: Reference) -> Speech:
    """A speech with a text of its own, unless one is given."""
    text = text or f"The {stage} of {side} as it was spoken."
    return Speech(side=side, stage=stage, text=text, words=10, references=references)


def speeches(number: int = 6) -> tuple[Speech, ...]:
    """The first speeches of a debate."""
    return tuple(speech(side, stage) for side, stage in ORDER[:number])


def quoted(request: Request, label: str) -> list[Quote]:
    """The quotations of one label in a request, in order."""
    return [one for one in find_quotes(request.text()) if one.label == label]


def texts(request: Request, label: str) -> list[str]:
    """The texts of the quotations of one label in a request, in order."""
    return [one.text for one in quoted(request, label)]


def paths(backend: ScriptedBackend) -> list[str]:
    """The paths of all requests, in order of arrival."""
    return [request.path for request in backend.requests]


def request_at(backend: ScriptedBackend, path: str, *, attempt: int = 0) -> Request:
    """The one request of a path and an attempt."""
    (found,) = (one for one in backend.requests if (one.path, one.attempt) == (path, attempt))
    return found


def unquoted(request: Request) -> str:
    """A request's text without its quotations."""
    text = request.text()
    for one in find_quotes(text):
        text = text.replace(quote(one.label, one.text, *one.words), "")
    return text


def neutral(request: Request, side: Side, code: str) -> str:
    """A request's own words, with "mine" and "theirs" for the sides, and blank lines left out."""
    spoken = language(code)
    named = {
        words[of]: name
        for words in (spoken.sides, spoken.marks)
        for of, name in ((side, "mine"), (other_side(side), "theirs"))
    }
    kept: list[str] = []
    for line in filter(None, unquoted(request).splitlines()):
        own = _SIDE.sub(lambda found: named[found[0]], line)
        kept.append(line if _NEUTRAL.search(line) else own)
    return "\n".join(kept)
