"""What each debater takes in one debate: calls, tokens, and how much of its prompts repeats.

    python benchmarks/debaters.py [--json] [--short]

Every debater plays itself on the same motions, with simulated models and the motions' briefs to
search. Figures are for one side of one debate. A prompt's shared part is the longest beginning,
in characters, that it has in common with an earlier request of the same side: what providers
with prefix caches bill less for. Tokens are estimates (a quarter of the characters, or one per
ideograph). Simulated models: how often a real reviewer objects, only real models can tell.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from statistics import fmean
from typing import Any

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.debates.play import Assignment, play_debate  # noqa: E402
from arena.languages import SIDES, Side, language  # noqa: E402 - the project, when run as a script
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.calls import PayingAccess  # noqa: E402
from arena.llm.journal import Journal  # noqa: E402
from arena.llm.request import Backend, Completion, Embeddings, Request  # noqa: E402
from arena.llm.traffic.rate_limiter import RateLimiter  # noqa: E402
from arena.plugins import debater_class  # noqa: E402
from arena.records import Debate, Participant, digest  # noqa: E402
from arena.search.bm25 import BriefSearch  # noqa: E402
from arena.simulator import OfflineBackend  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from motions import Motion  # noqa: E402
from motions import load as load_motions  # noqa: E402

_MODEL = "offline/good"
_WORDS = 600


@dataclass(slots=True, kw_only=True)
class Recorded(Backend):
    """A backend that keeps what it is asked and answers, in the order of asking."""

    inner: Backend
    requests: list[Request] = field(default_factory=list)
    answers: dict[int, Completion] = field(default_factory=dict)

    async def complete(self, request: Request) -> Completion:
        """The inner backend's answer."""
        place = len(self.requests)
        self.requests.append(request)
        self.answers[place] = await self.inner.complete(request)
        return self.answers[place]

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """The inner backend's embedding."""
        return await self.inner.embed(model, texts)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """The inner backend's price."""
        return self.inner.price(model)


class Access(PayingAccess):
    """Every model is one backend."""

    secrets: Collection[str] = ()

    def __init__(self, backend: Backend) -> None:
        self.budget, self.retries = Budget(), 0
        self._backend, self._gate = backend, RateLimiter()

    def backend(self, model: str) -> Backend:
        """The backend."""
        return self._backend

    def gate(self, model: str) -> RateLimiter:
        """An open one."""
        return self._gate

    def extra_body(self, model: str) -> Mapping[str, Any]:
        """Return nothing: no simulated model takes further fields."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one side of one debate took."""

    calls: int
    input_tokens: int
    output_tokens: int
    shared: float


def shared_share(prompts: Sequence[str]) -> float:
    """The part of some prompts that each has in common with the beginning of an earlier one.

    >>> shared_share(["abcd", "abxy", "abxz"])
    0.4166666666666667
    """
    total = sum(len(prompt) for prompt in prompts)
    common = sum(
        max((_common(prompt, other) for other in prompts[:n]), default=0)
        for n, prompt in enumerate(prompts)
    )
    return common / total if total else 0.0


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low


async def play(name: str, motion: Motion, code: str, folder: Path) -> list[Taken]:
    """A debate of a debater against itself: what each of its sides took."""
    backend = await _record(name, motion, code, folder, words=_WORDS)
    return [_taken(backend, side) for side in SIDES]


async def record_requests(
    name: str, motion: Motion, code: str, folder: Path, *, words: int
) -> Sequence[Request]:
    """Return all requests of a debate of a debater against itself, in the order of asking."""
    return (await _record(name, motion, code, folder, words=words)).requests


async def _record(name: str, motion: Motion, code: str, folder: Path, *, words: int) -> Recorded:
    framework = debater_class(name)
    options = framework.Options().model_dump(mode="json")
    player = Participant(
        name=name, debater=name, model=_MODEL, options=options, sampling=framework.sampling
    )
    wording = motion.wording(code)
    debate = Debate(
        debate_id=digest(name, motion.motion_id, code),
        matchup_id=digest(name, motion.motion_id, code),
        tournament="benchmark",
        motion_id=motion.motion_id,
        language=code,
        leg=0,
        repeat=0,
        pro=player.participant_id,
        con=player.participant_id,
    )
    assignment = Assignment(
        debate=debate,
        wording=wording,
        sides=dict.fromkeys(SIDES, player),
        seed=7,
        words=words,
        search=BriefSearch(wording.brief, language(code)),
    )
    backend = Recorded(inner=OfflineBackend([motion]))
    played = await play_debate(assignment, Access(backend), Journal(folder))
    assert played.status == "finished", played.reason
    return backend


def _taken(backend: Recorded, side: Side) -> Taken:
    places = [n for n, one in enumerate(backend.requests) if one.path.startswith(f"{side}/")]
    used = [backend.answers[n].usage for n in places]
    return Taken(
        calls=len(places),
        input_tokens=sum(one.input_tokens for one in used),
        output_tokens=sum(one.output_tokens for one in used),
        shared=shared_share([backend.requests[n].text() for n in places]),
    )


def measure(names: Sequence[str], motions: Sequence[Motion]) -> Iterator[Mapping[str, object]]:
    """One row for each debater: means over sides and motions, the shared part by language."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found = {
                code: [
                    one
                    for motion in motions
                    for one in asyncio.run(play(name, motion, code, Path(folder)))
                ]
                for code in ("en", "zh")
            }
            english = found["en"]
            yield {
                "case": name,
                "calls": fmean(one.calls for one in english),
                "most calls": max(one.calls for one in english),
                "input tokens": round(fmean(one.input_tokens for one in english)),
                "output tokens": round(fmean(one.output_tokens for one in english)),
                "shared en": fmean(one.shared for one in english),
                "shared zh": fmean(one.shared for one in found["zh"]),
            }


def debaters() -> list[str]:
    """The installed debaters that debate, and that a model speaks for."""
    names = sorted(point.name for point in entry_points(group="arena.debaters"))
    classes = {name: debater_class(name) for name in names}
    return [
        name for name in names if classes[name].needs_model and "debate" in classes[name].contests
    ]


def some_motions(each: int) -> list[Motion]:
    """The first motions of every category."""
    found: dict[str, list[Motion]] = {}
    for motion in load_motions("arena66").motions:
        found.setdefault(motion.category, []).append(motion)
    return [motion for listed in found.values() for motion in listed[:each]]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per debater and line.")
@click.option("--short", is_flag=True, help="Three motions instead of twelve.")
@click.option("--debater", type=click.Choice(debaters()), help="One debater only.")
def main(as_json: bool, short: bool, debater: str | None) -> None:  # noqa: FBT001
    """Measure every debater."""
    names = [debater] if debater else debaters()
    report(measure(names, some_motions(1 if short else 4)), as_json=as_json)


if __name__ == "__main__":
    main()
