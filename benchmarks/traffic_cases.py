"""The cases of `benchmarks/traffic.py`: servers, and the tournaments that are played on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.servers.varying import Phase, VaryingLedger

#: How much faster than in the case everything goes.
SCALE = 50.0
#: The shortest and the longest answer.
TOKENS = (120, 180)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A tournament on a server.

    Attributes:
        phases: how the server is, one after the other; seconds before scaling.
        tokens_per_second: of a slot.
        concurrency: `concurrency` of the model; `None` leaves it out.
        matchups: of each pair of participants; two debates of six speeches each.
        debates: at once.
        missing: participants' models that the server does not have.
        elsewhere: how a second server is, of which two further participants have their model.
        silence: `timeout_seconds`.
    """

    name: str
    phases: Sequence[Phase]
    tokens_per_second: float = 20.0
    concurrency: int | None = None
    matchups: int = 8
    debates: int = 16
    missing: Sequence[str] = ()
    elsewhere: Sequence[Phase] = ()
    silence: float = 120.0


SLOW = (Phase(slots=2),)
CASES = (
    *(
        Case(name=f"two slots, 20 tokens/s, concurrency {most}", phases=SLOW, concurrency=most)
        for most in (1, 2, 4, 16, 64)
    ),
    Case(name="two slots, 20 tokens/s, nothing configured", phases=SLOW),
    Case(
        name="16 slots, then 8, then 16 again",
        phases=(Phase(seconds=150, slots=16), Phase(seconds=150, slots=8), Phase(slots=16)),
        matchups=48,
        debates=32,
    ),
    Case(
        name="8 slots, refuses more (429) without a hint",
        phases=(Phase(slots=8, beyond="refuse"),),
        matchups=24,
        debates=32,
    ),
    Case(
        name="8 slots, refuses more (429) with Retry-After",
        phases=(Phase(slots=8, beyond="refuse with a hint"),),
        matchups=24,
        debates=32,
    ),
    Case(
        name="two slots, 2 tokens/s, timeout_seconds 60, 4 debates",
        phases=SLOW,
        tokens_per_second=2.0,
        matchups=2,
        silence=60.0,
    ),
    Case(
        name="down for the first 5 min",
        phases=(Phase(seconds=300, away=True), Phase(slots=8)),
    ),
    Case(
        name="away for 30 s",
        phases=(Phase(seconds=60, slots=8), Phase(seconds=30, away=True), Phase(slots=8)),
        matchups=16,
    ),
    Case(
        name="away for 10 min",
        phases=(Phase(seconds=60, slots=8), Phase(seconds=600, away=True), Phase(slots=8)),
        matchups=16,
    ),
    Case(
        name="three participants, one model is missing",
        phases=(Phase(slots=8),),
        missing=("openai/b",),
    ),
    Case(
        name="two models at two addresses, one away for 10 min",
        phases=(Phase(slots=8),),
        elsewhere=(Phase(seconds=60, slots=8), Phase(seconds=600, away=True), Phase(slots=8)),
        matchups=4,
    ),
)


def configuration(case: Case, urls: Sequence[str]) -> dict[str, object]:
    """Return the tournament of a case.

    Args:
        case: the case.
        urls: the addresses of its servers.
    """
    models = _models(case)
    return {
        "tournament": {"name": "traffic", "seed": 3},
        "schedule": {"matchups_per_pair": case.matchups},
        "limits": {
            "words": 100,
            "timeout_seconds": case.silence / SCALE,
            "first_byte_seconds": 1800 / SCALE,
            "call_seconds": 7200 / SCALE,
            "give_up_after": 12 * 3600 / SCALE,
            "retries": 2,
        },
        "models": _tables(case, urls),
        "participants": [
            {
                "name": name,
                "debater": "direct",
                "model": model,
                "sampling": {"temperature": 0.1 * (place + 1)},
            }
            for place, (name, model) in enumerate(models.items())
        ],
        "benches": [{"name": "judge", "judge": "single", "model": "offline/good", "runs": 1}],
    }


def _models(case: Case) -> Mapping[str, str]:
    """Return the model of each participant."""
    if case.missing:
        return {name: f"openai/{name}" for name in ("a", "b", "c")}
    here = {"a": "openai/a", "b": "openai/a"}
    return here | ({"c": "openai/c", "d": "openai/c"} if case.elsewhere else {})


def _tables(case: Case, urls: Sequence[str]) -> dict[str, object]:
    """Return the table of each model; the second server has `openai/c`."""
    limit = {} if case.concurrency is None else {"concurrency": case.concurrency}
    free = {"usd_per_million": {"input": 0, "output": 0}, **limit}
    names = ("openai/*", "openai/c")
    return {name: {"api_base": url, **free} for name, url in zip(names, urls, strict=False)}


def minimum_of(case: Case, ledgers: Sequence[VaryingLedger]) -> float:
    """Return the time that the servers need for the answers that were kept, absences included."""
    both = zip((case.phases, case.elsewhere), ledgers, strict=False)
    return max(_minimum(case, phases, ledger) for phases, ledger in both)


def _minimum(case: Case, phases: Sequence[Phase], ledger: VaryingLedger) -> float:
    least = min(phase.slots for phase in phases if not phase.away)
    slots = min(case.concurrency or 64, case.debates, least)
    mean = sum(TOKENS) / 2 / case.tokens_per_second
    absent = sum(phase.seconds for phase in phases if phase.away)
    return len(set(ledger.identities)) * mean / slots + absent
