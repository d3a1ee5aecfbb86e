"""The cost of each debater in one debate: calls, tokens, and the shared part of its prompts.

    python benchmarks/debaters.py [--json] [--short]

Every debater plays itself on the same motions, with simulated models, and searches the motions'
briefs. Figures are for one side of one debate. A prompt's shared part is the longest beginning, in
characters, that it has in common with an earlier request of the same side; providers with prefix
caches bill less for it. Tokens are estimates (a quarter of the characters, or one per ideograph).
Models are simulated: how often a reviewer objects, and so the number of calls, differs for real
models.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from statistics import fmean

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.debates.play import Assignment, play_debate  # noqa: E402
from arena.languages import SIDES, Side, language  # noqa: E402 - the project, when run as a script
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.journal import Journal  # noqa: E402
from arena.llm.limits import Gate  # noqa: E402
from arena.llm.request import Backend, Completion, Embedded, Request  # noqa: E402
from arena.plugins import debater_class  # noqa: E402
from arena.records import Debate, Participant, digest  # noqa: E402
from arena.search.brief import BriefSearch  # noqa: E402
from arena.simulator import OfflineBackend  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from motions import Motion  # noqa: E402
from motions import load as load_motions  # noqa: E402

_MODEL = "offline/good"
_WORDS = 600


@dataclass(slots=True, kw_only=True)
class Recorded(Backend):
    """A backend that records requests and answers, in the order of the requests."""

    inner: Backend
    requests: list[Request] = field(default_factory=list)
    answers: dict[int, Completion] = field(default_factory=dict)

    async def complete(self, request: Request) -> Completion:
        """Return the inner backend's answer, and record it."""
        position = len(self.requests)
        self.requests.append(request)
        self.answers[position] = await self.inner.complete(request)
        return self.answers[position]

    async def embed(self, model: str, texts: Sequence[str]) -> Embedded:
        """Return the inner backend's embedding."""
        return await self.inner.embed(model, texts)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return the inner backend's price."""
        return self.inner.price(model)


class Access:
    """Access to models in which every model is one recorded backend."""

    def __init__(self, backend: Recorded) -> None:
        self.budget, self.retries = Budget(), 0
        self._backend, self._gate = backend, Gate()

    def backend(self, model: str) -> Recorded:
        """Return the recorded backend."""
        return self._backend

    def gate(self, model: str) -> Gate:
        """Return a gate without limits."""
        return self._gate


@dataclass(frozen=True, slots=True, kw_only=True)
class SideCost:
    """The cost of one side of one debate."""

    calls: int
    input_tokens: int
    output_tokens: int
    shared: float


def shared_share(prompts: Sequence[str]) -> float:
    """Return the share of prompts' characters that repeat the beginning of an earlier prompt.

    >>> shared_share(["abcd", "abxy", "abxz"])
    0.4166666666666667
    """
    total = sum(len(prompt) for prompt in prompts)
    common = sum(
        max((_common_length(prompt, earlier) for earlier in prompts[:n]), default=0)
        for n, prompt in enumerate(prompts)
    )
    return common / total if total else 0.0


def _common_length(prompt: str, earlier: str) -> int:
    """Return the length of the longest common beginning."""
    low, high = 0, min(len(prompt), len(earlier))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if prompt.startswith(earlier[:middle]) else (low, middle - 1)
    return low


async def play(name: str, motion: Motion, code: str, folder: Path) -> list[SideCost]:
    """Play a debate of a debater against itself; return the cost of each side."""
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
        words=_WORDS,
        search=BriefSearch(wording.brief, language(code)),
    )
    backend = Recorded(inner=OfflineBackend([motion]))
    played = await play_debate(assignment, Access(backend), Journal(folder))
    assert played.status == "finished", played.reason
    return [_side_cost(backend, side) for side in SIDES]


def _side_cost(backend: Recorded, side: Side) -> SideCost:
    requests = enumerate(backend.requests)
    positions = [n for n, request in requests if request.path.startswith(f"{side}/")]
    usages = [backend.answers[n].usage for n in positions]
    return SideCost(
        calls=len(positions),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        shared=shared_share([backend.requests[n].text() for n in positions]),
    )


def measure(names: Sequence[str], motions: Sequence[Motion]) -> Iterator[Mapping[str, object]]:
    """Yield a row for each debater: means over sides and motions, the shared part by language."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            costs = {
                code: [
                    cost
                    for motion in motions
                    for cost in asyncio.run(play(name, motion, code, Path(folder)))
                ]
                for code in ("en", "zh")
            }
            english = costs["en"]
            yield {
                "case": name,
                "calls": fmean(cost.calls for cost in english),
                "most calls": max(cost.calls for cost in english),
                "input tokens": round(fmean(cost.input_tokens for cost in english)),
                "output tokens": round(fmean(cost.output_tokens for cost in english)),
                "shared en": fmean(cost.shared for cost in english),
                "shared zh": fmean(cost.shared for cost in costs["zh"]),
            }


def debaters() -> list[str]:
    """Return the names of the installed debaters that need a model."""
    names = sorted(point.name for point in entry_points(group="arena.debaters"))
    return [name for name in names if debater_class(name).needs_model]


def some_motions(each: int) -> list[Motion]:
    """Return the first motions of every category."""
    by_category: dict[str, list[Motion]] = {}
    for motion in load_motions("arena66").motions:
        by_category.setdefault(motion.category, []).append(motion)
    return [motion for listed in by_category.values() for motion in listed[:each]]


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
