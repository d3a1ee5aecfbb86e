"""What becomes of debates and ballots where a good model's answers are bent out of shape.

    python benchmarks/deformations.py [--json] [--language zh] [--of debaters|judges]
    python benchmarks/deformations.py --matrix [--wrong]

A simulated model answers, and each answer is deformed: text before it, numbers as strings, a cut
tail and so on (`benchmarks/deforming.py`); plain texts in a like manner. Every debater plays itself
once, and every judge of debates takes one ballot on a debate of a strong model with a weak one.
`once`: the first answer to every call is deformed; `always`: the answers to repeated requests too.
`same verdicts`: ballots, of those that are valid, whose winners in all dimensions are those of the
answers as they are; for these only structured answers are deformed, since a simulated judge weighs
every word of the texts that it read before.

`--matrix`: all kinds of `benchmarks/answer_kinds.py`, always, by family. A debate is right if it
is finished, with speeches of which nothing is left that was added, or forfeited with the reason
that belongs to the kind; a ballot if it is valid, or failed with its reason.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.debates.ballot import take_ballot  # noqa: E402 - the project, as a script
from arena.debates.play import Assignment, play_debate  # noqa: E402
from arena.languages import SIDES, Side, language  # noqa: E402
from arena.llm.journal import Journal  # noqa: E402
from arena.llm.request import Backend  # noqa: E402
from arena.plugins import debater_class, judge_class  # noqa: E402
from arena.records import BallotCall, Bench, Call, Debate, Participant, Speech, digest  # noqa: E402
from arena.search.bm25 import BriefSearch  # noqa: E402
from arena.simulator import OfflineBackend  # noqa: E402
from benchmarks.answer_kinds import ADDED, KINDS  # noqa: E402
from benchmarks.debaters import Access, debaters  # noqa: E402
from benchmarks.deforming import DEFORMATIONS, DeformingBackend  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from motions import Motion  # noqa: E402
from motions import load as load_motions  # noqa: E402

_WORDS = 200
#: The judges of debates that ask a model, and their options.
JUDGES: Mapping[str, Mapping[str, Any]] = {
    "debatrix": {},
    "single": {},
    "more": {},
    "samre": {},
    "jury": {
        "members": [{"judge": "single"}, {"judge": "debatrix"}, {"judge": "more"}],
        "leave_out_family": False,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one debate or ballot.

    Attributes:
        status: of the debate or ballot.
        reason: why it is not finished or valid.
        sent, bent, unreadable: number of answers that were read as they were, as they were meant,
            or not at all.
        fallbacks: number of answers without which a speech was made.
        winners: the winner in each dimension, of a ballot.
        speeches: of a debate.
    """

    status: str
    reason: str
    sent: int
    bent: int
    unreadable: int
    fallbacks: int = 0
    winners: Mapping[str, float] | None = None
    speeches: tuple[Speech, ...] = ()


def some_motion(code: str) -> Motion:
    """Return the motion on which everybody debates."""
    return next(motion for motion in load_motions("arena66").motions if code in motion.wordings)


async def play(name: str, backend: Backend, code: str, folder: Path) -> Outcome:
    """Play a debate of a debater against itself."""
    assignment = _assign(dict.fromkeys(SIDES, _participant(name, "offline/good")), code)
    record = await play_debate(assignment, Access(backend), Journal(folder))
    traces = [step for speech in record.speeches for step in speech.trace]
    return Outcome(
        status=record.status,
        reason=record.reason,
        fallbacks=sum(1 for step in traces if step.get("fallback")),
        speeches=record.speeches,
        **_count_readings(record.unit.calls),
    )


async def judge(
    name: str, backend: Backend, code: str, speeches: tuple[Speech, ...], folder: Path
) -> Outcome:
    """Take a ballot on some speeches."""
    options = judge_class(name).Options.model_validate(JUDGES[name]).model_dump(mode="json")
    bench = Bench(name=name, judge=name, model="offline/strong", options=options)
    record = await take_ballot(
        _assign(_UNEVEN, code),
        speeches,
        BallotCall(bench=bench, run=0),
        access=Access(backend),
        journal=Journal(folder),
    )
    ballot = record.ballot
    return Outcome(
        status=ballot.status,
        reason=ballot.reason,
        winners={verdict.dimension: verdict.outcome for verdict in ballot.verdicts},
        **_count_readings(record.unit.calls),
    )


async def uneven_debate(code: str, folder: Path) -> tuple[Speech, ...]:
    """Return the speeches of a debate of a strong model, as Pro, with a weak one."""
    access = Access(make_backend("", code))
    record = await play_debate(_assign(_UNEVEN, code), access, Journal(folder))
    return record.speeches


def make_backend(
    kind: str, code: str, *, always: bool = False, structured_only: bool = False
) -> DeformingBackend:
    """Return a simulated backend that knows the motion and deforms its answers."""
    inner = OfflineBackend([some_motion(code)])
    return DeformingBackend(inner=inner, kind=kind, always=always, structured_only=structured_only)


def measure(part: str, code: str) -> Iterator[Mapping[str, object]]:
    """Yield one row for each deformation, and for answers as they are.

    Args:
        part: `debaters` or `judges`.
        code: language of the debates.
    """
    with tempfile.TemporaryDirectory() as folder:
        speeches = asyncio.run(uneven_debate(code, Path(folder) / "uneven"))
        for number, (kind, always) in enumerate(_cases()):
            place = Path(folder) / str(number)
            row: dict[str, object] = {"case": kind or "none"}
            row["deformed"] = ("always" if always else "once") if kind else "never"
            if part == "debaters":
                row |= _debater_row(kind, code, place, always=always)
            else:
                row |= _judge_row(kind, code, speeches, place, always=always)
            yield row


def _cases() -> Iterator[tuple[str, bool]]:
    yield "", False
    for kind in DEFORMATIONS:
        yield from ((kind, False), (kind, True))


def _debater_row(kind: str, code: str, folder: Path, *, always: bool) -> dict[str, object]:
    outcomes = [
        asyncio.run(play(name, make_backend(kind, code, always=always), code, folder / name))
        for name in debaters()
    ]
    finished = sum(outcome.status == "finished" for outcome in outcomes)
    fallbacks = sum(outcome.fallbacks for outcome in outcomes)
    return {
        "finished": f"{finished} of {len(outcomes)}",
        **_shares(outcomes),
        "fallbacks": fallbacks,
    }


def _judge_row(
    kind: str, code: str, speeches: tuple[Speech, ...], folder: Path, *, always: bool
) -> dict[str, object]:
    def take(name: str, kind: str, *, structured_only: bool = False) -> Outcome:
        backend = make_backend(kind, code, always=always, structured_only=structured_only)
        place = folder / f"{name} {kind} {structured_only}"
        return asyncio.run(judge(name, backend, code, speeches, place))

    outcomes = [take(name, kind) for name in JUDGES]
    pairs = [(take(name, kind, structured_only=True), take(name, "")) for name in JUDGES]
    valid = [(bent, plain) for bent, plain in pairs if bent.status == "valid"]
    return {
        "valid": f"{sum(outcome.status == 'valid' for outcome in outcomes)} of {len(outcomes)}",
        "same verdicts": f"{sum(a.winners == b.winners for a, b in valid)} of {len(valid)}",
        **_shares(outcomes),
    }


def _shares(outcomes: Iterable[Outcome]) -> dict[str, str]:
    listed = list(outcomes)
    counts = {
        name: sum(getattr(outcome, name) for outcome in listed)
        for name in ("sent", "bent", "unreadable")
    }
    total = sum(counts.values())
    return {name: f"{count / total:.0%}" for name, count in counts.items()}


def _count_readings(calls: Iterable[Call]) -> dict[str, Any]:
    readings = [call.bent for call in calls]
    unreadable = sum("unreadable" in bent for bent in readings)
    sent = readings.count("")
    return {"sent": sent, "bent": len(readings) - sent - unreadable, "unreadable": unreadable}


#: What no speech has that is one, besides what was added.
_LEFT = re.compile(rf"{ADDED}|```|~~~|<\||<unused|◁|\bthink>|[{{}}]|\[/?THINK", re.IGNORECASE)


def check_kind(name: str, code: str) -> list[tuple[str, str, str]]:
    """Play a debate of every debater, and take a ballot of every judge, with one kind of answers.

    Returns:
        for each its name, `finished`, `forfeit`, `valid`, `failed` or `wrong`, and why it is wrong.
    """
    kind = KINDS[name]
    backend = DeformingBackend(
        inner=OfflineBackend([some_motion(code)]),
        kind=name,
        always=True,
        kinds={name: kind.change},
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        ends = []
        for debater in debaters():
            played = asyncio.run(play(debater, backend, code, folder / debater))
            ends.append((debater, *_judge_end(played, "finished", kind.cause)))
        speeches = asyncio.run(uneven_debate(code, folder / "uneven"))
        for bench in JUDGES:
            taken = asyncio.run(judge(bench, backend, code, speeches, folder / bench))
            ends.append((bench, *_judge_end(taken, "valid", kind.failed)))
    return ends


def _judge_end(outcome: Outcome, good: str, cause: str) -> tuple[str, str]:
    left = [found[0] for speech in outcome.speeches if (found := _LEFT.search(speech.text))]
    if outcome.status == good and not cause:
        return ("wrong", f"left: {left}") if left else (good, "")
    if cause and outcome.status != good and re.search(cause, outcome.reason):
        return outcome.status, ""
    return "wrong", f"{outcome.status}: {outcome.reason}"


def measure_matrix(code: str, *, wrong: bool) -> Iterator[Mapping[str, object]]:
    """Yield one row for each family of kinds, or one for each end that is wrong."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        ends = dict(zip(KINDS, pool.map(partial(check_kind, code=code), KINDS), strict=True))
    if wrong:
        for name, listed in ends.items():
            for of, end, reason in listed:
                if end == "wrong":
                    yield {"kind": name, "of": of, "why": reason[:120]}
        return
    for family in dict.fromkeys(kind.family for kind in KINDS.values()):
        names = [name for name in KINDS if KINDS[name].family == family]
        debates, ballots = (
            Counter(end for name in names for of, end, _ in ends[name] if (of in JUDGES) == judged)
            for judged in (False, True)
        )
        yield {
            "family": family,
            "kinds": len(names),
            **{end: debates[end] for end in ("finished", "forfeit")},
            "wrong debates": debates["wrong"],
            **{end: ballots[end] for end in ("valid", "failed")},
            "wrong ballots": ballots["wrong"],
        }


def _participant(name: str, model: str) -> Participant:
    framework = debater_class(name)
    return Participant(
        name=f"{name} {model}",
        debater=name,
        model=model,
        options=framework.Options().model_dump(mode="json"),
        sampling=framework.sampling,
    )


_UNEVEN: Mapping[Side, Participant] = {
    "pro": _participant("direct", "offline/strong"),
    "con": _participant("direct", "offline/weak"),
}


def _assign(sides: Mapping[Side, Participant], code: str) -> Assignment:
    motion = some_motion(code)
    name = digest([sides[side].name for side in SIDES], code)
    debate = Debate(
        debate_id=name,
        matchup_id=name,
        tournament="benchmark",
        motion_id=motion.motion_id,
        language=code,
        leg=0,
        repeat=0,
        pro=sides["pro"].participant_id,
        con=sides["con"].participant_id,
    )
    wording = motion.wording(code)
    return Assignment(
        debate=debate,
        wording=wording,
        sides=sides,
        seed=7,
        words=_WORDS,
        search=BriefSearch(wording.brief, language(code)),
    )


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each row.")
@click.option("--language", "code", default="en", show_default=True, help="Of the debates.")
@click.option("--of", "part", type=click.Choice(["debaters", "judges"]), help="Only these.")
@click.option("--matrix", is_flag=True, help="All kinds of answers, by family.")
@click.option("--wrong", is_flag=True, help="Of the matrix, only what ends otherwise.")
def main(as_json: bool, code: str, part: str | None, matrix: bool, wrong: bool) -> None:
    """Measure what becomes of debates and ballots under every deformation."""
    if matrix or wrong:
        report(measure_matrix(code, wrong=wrong), as_json=as_json)
        return
    for measured in [part] if part else ["debaters", "judges"]:
        report(measure(measured, code), as_json=as_json)


if __name__ == "__main__":
    main()
