"""Rehearsals: every participant and bench of a configuration once, with a simulated model.

A rehearsal renders the prompts that a tournament will send and runs the code of every debater and
judge, in each language of the configuration, before anything is spent. Nothing is stored.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel

from arena.debates.ballot import take_ballot
from arena.debates.play import Assignment, play_debate
from arena.errors import ArenaError
from arena.languages import language
from arena.llm.budget import Budget
from arena.llm.calls import PayingAccess
from arena.llm.journal import Journal
from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.traffic.rate_limiter import RateLimiter
from arena.plugins import debater_class, participant_models
from arena.records import BallotCall, Bench, Debate, Participant, Speech, digest
from arena.search.bm25 import BriefSearch
from arena.simulator import OfflineBackend
from arena.translation.estimators import rehearsed_estimates

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from motions import Motion, Wording

#: The simulated model that stands in for every other one.
STAND_IN = "offline/good"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What one participant or bench asked its models in one language.

    Attributes:
        requests: in the order in which they were made.
        problem: why it cannot take part, empty where it can.
    """

    name: str
    language: str
    requests: tuple[Request, ...]
    problem: str = ""


async def rehearse(resolved: ResolvedConfig, *, seconds: float | None = None) -> list[Rehearsal]:
    """Play one debate of every participant with itself, and judge it by every bench.

    Args:
        seconds: when it ends early, with the rehearsals made until then; `None` for never.
    """
    rehearsals: list[Rehearsal] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for rehearsal in _rehearse_each(resolved):
                rehearsals.append(rehearsal)
    return rehearsals


def list_parts(resolved: ResolvedConfig) -> list[tuple[str, Participant | Bench]]:
    """List who rehearses, with the language in which; none in which no motion is worded.

    People do not, nor does a debater with a client of its own, whose calls would be paid for.
    """
    frameworks = {part.debater: debater_class(part.debater) for part in resolved.participants}
    speaking = [
        participant
        for participant in resolved.participants
        if frameworks[participant.debater].needs_model
        and frameworks[participant.debater].calls_seen
    ]
    parts: list[Participant | Bench] = [*speaking, *resolved.model_benches]
    codes = [code for code in resolved.languages if _find_motion(resolved, code)]
    return [(code, part) for code in codes for part in parts]


def _find_motion(resolved: ResolvedConfig, code: str) -> Motion | None:
    return next((motion for motion in resolved.motions if code in motion.wordings), None)


async def _rehearse_each(resolved: ResolvedConfig) -> AsyncIterator[Rehearsal]:
    known: dict[tuple[str, str], Rehearsal] = {}
    for code, part in list_parts(resolved):
        motion = _find_motion(resolved, code)
        assert motion is not None  # else nobody would rehearse in the language
        stage = _Stage(resolved, motion, code)
        if isinstance(part, Bench):
            yield await stage.judge(part)
            continue
        kind = code, _kind(part)
        if kind not in known:
            known[kind] = await stage.play(part)
        yield _as_of(part, known[kind])


def _kind(participant: Participant) -> str:
    """Identify what a participant asks; its own model makes a difference only beside others."""
    own, *others = participant_models(participant)
    asked = (participant.debater, dict(participant.options), participant.sampling.fields())
    return digest(*asked, own if others else "")


def _as_of(participant: Participant, rehearsal: Rehearsal) -> Rehearsal:
    """Return the rehearsal of a participant of the same kind as this one's."""
    model = participant.model
    requests = rehearsal.requests
    if not participant_models(participant)[1:]:
        requests = tuple(replace(request, model=model) for request in requests)
    return replace(rehearsal, name=participant.name, requests=requests)


def two_part_forms(rehearsals: Iterable[Rehearsal]) -> dict[str, dict[type[BaseModel], list[str]]]:
    """Return by model the objects that must stand before a text, with who asks for each.

    Of several that one participant asks a model for, the one with the fewest fields counts.
    """
    forms: defaultdict[str, dict[type[BaseModel], list[str]]] = defaultdict(dict)
    for rehearsal in rehearsals:
        smallest: dict[str, type[BaseModel]] = {}
        for request in rehearsal.requests:
            form = request.schema.form if request.schema and request.prose else None
            known = smallest.get(request.model, form)
            if form and known:
                smallest[request.model] = min(known, form, key=lambda one: len(one.model_fields))
        for model, form in smallest.items():
            names = forms[model].setdefault(form, [])
            names += [] if rehearsal.name in names else [rehearsal.name]
    return dict(forms)


_Work: TypeAlias = Callable[["SimulatedAccess", Journal], Awaitable[str]]


async def rehearse_ballot(
    bench: Bench,
    assignment: Assignment,
    speeches: tuple[Speech, ...],
    motions: Sequence[Motion] = (),
) -> Rehearsal:
    """Let a bench judge a debate, or a pair of answers, by a simulated model."""

    async def work(recorder: SimulatedAccess, journal: Journal) -> str:
        call = BallotCall(bench=bench, run=0)
        taken = await take_ballot(assignment, speeches, call, access=recorder, journal=journal)
        return "" if taken.ballot.status == "valid" else taken.ballot.reason

    return await _record(bench.name, assignment.debate.language, motions, work)


async def _record(name: str, code: str, motions: Sequence[Motion], work: _Work) -> Rehearsal:
    """Return what some work asked the models of one part."""
    recorder = SimulatedAccess(motions)
    with TemporaryDirectory() as folder, rehearsed_estimates():
        try:
            problem = await work(recorder, Journal(Path(folder)))
        except ArenaError as error:
            problem = str(error)
    return Rehearsal(name=name, language=code, requests=tuple(recorder.requests), problem=problem)


class _Stage:
    """One motion in one language, on which everybody rehearses."""

    def __init__(self, resolved: ResolvedConfig, motion: Motion, code: str) -> None:
        self._resolved, self._motion, self._code = resolved, motion, code
        self._wording: Wording = motion.wordings[code]

    async def play(self, participant: Participant) -> Rehearsal:
        """Let a participant debate with itself."""

        async def work(recorder: SimulatedAccess, journal: Journal) -> str:
            record = await play_debate(self._assignment(participant), recorder, journal)
            return "" if record.status in ("finished", "waiting") else record.reason

        return await self._rehearse(participant.name, work)

    async def judge(self, bench: Bench) -> Rehearsal:
        """Let a bench judge a debate of two simulated speakers."""
        assignment = self._assignment(Participant(name="speaker", debater="direct", model=STAND_IN))
        access = SimulatedAccess(self._resolved.motions)
        with TemporaryDirectory() as folder:
            record = await play_debate(assignment, access, Journal(Path(folder)))
        return await rehearse_ballot(bench, assignment, record.speeches, self._resolved.motions)

    async def _rehearse(self, name: str, work: _Work) -> Rehearsal:
        return await _record(name, self._code, self._resolved.motions, work)

    def _assignment(self, participant: Participant) -> Assignment:
        debate = Debate(
            debate_id="rehearsal",
            matchup_id="rehearsal",
            tournament=self._resolved.name,
            motion_id=self._motion.motion_id,
            language=self._code,
            leg=0,
            repeat=0,
            pro=participant.participant_id,
            con=participant.participant_id,
        )
        return Assignment(
            debate=debate,
            wording=self._wording,
            sides={"pro": participant, "con": participant},
            seed=self._resolved.config.tournament.seed,
            words=self._resolved.config.limits.words,
            search=BriefSearch(self._wording.brief, language(self._code)),
            contest=self._resolved.config.tournament.contest,
        )


class SimulatedAccess(PayingAccess, Backend):
    """Access to one simulated model under every name, which keeps the requests."""

    secrets: Collection[str] = ()

    def __init__(self, motions: Sequence[Motion]) -> None:
        self.budget, self.retries = Budget(), 0
        self.requests: list[Request] = []
        self._model, self._gate = OfflineBackend(motions), RateLimiter()

    def backend(self, model: str) -> Backend:  # noqa: ARG002 - every model is the same
        """Return the simulated model."""
        return self

    def gate(self, model: str) -> RateLimiter:  # noqa: ARG002 - as above
        """Return a gate that is always open."""
        return self._gate

    def extra_body(self, model: str) -> Mapping[str, Any]:  # noqa: ARG002 - as above
        """Return nothing: the simulated model takes no further parameters."""
        return {}

    async def complete(self, request: Request) -> Completion:
        """Keep a request and answer it."""
        self.requests.append(request)
        return await self._model.complete(replace(request, model=STAND_IN))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:  # noqa: ARG002
        """Embed texts by the simulated model."""
        return await self._model.embed(STAND_IN, texts)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:  # noqa: ARG002
        """Return the price of a rehearsal: nothing."""
        return 0.0, 0.0


def distinct_prompts(requests: Sequence[Request]) -> Iterator[Request]:
    """Yield the first request of each prompt file and stage, in order."""
    seen: set[tuple[str, str]] = set()
    for request in requests:
        key = request.prompt_hash, "/".join(request.path.split("/")[1:3])
        if key not in seen:
            seen.add(key)
            yield request
