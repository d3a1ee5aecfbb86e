"""How a small real model gets on with every debater and judge: what is read, bent, lost.

    python benchmarks/models.py [--json] [--short] [--legs]

Every debater that asks a model makes one constructive of 60 words (with `--legs`, both sides all of
their speeches), and every judge of debates that asks a model takes one ballot on two prepared
speeches, on SmolLM2-135M served on this machine. `mad` and `debate_to_write` hold one round, and
`samre` two with three jurors, for the sake of time. An *answer* is what one agent was asked for at
one place, with the repair if there was one. Each is counted once: read as sent; read as meant
although its form was bent; read after a repair; or given up, so that the debater or judge went on
without it. Needs the packages of `arena run tiny`, and says so where they are missing.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import load_config  # noqa: E402 - the project, when run as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.config.resolved import ResolvedConfig  # noqa: E402
from arena.debates.ballot import BallotRecord, take_ballot  # noqa: E402
from arena.debates.play import Assignment, DebateRecord, play_debate  # noqa: E402
from arena.debates.protocol import ROUNDS  # noqa: E402
from arena.errors import ConfigError  # noqa: E402
from arena.languages import SIDES, Side, Stage, language  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.journal import Journal  # noqa: E402
from arena.llm.local_backend import SMOLLM2, check_packages  # noqa: E402
from arena.plugins import debater_class, judge_class, judge_options, names_for_contest  # noqa: E402
from arena.records import (  # noqa: E402
    UNREADABLE,
    BallotCall,
    Bench,
    Call,
    Debate,
    Participant,
    Sampling,
    Speech,
    digest,
)
from arena.search.bm25 import BriefSearch  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from benchmarks.debaters import debaters  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

_MAX_TOKENS = 250
#: Errors of an answer's form, as a reason of a forfeit or of a failed ballot names them.
FORM_FAULTS = ("UnparseableReply", "TruncatedReply")
#: The ends of faults of meaning: the answer could be read, but what it says is not admissible.
_MEANING_FAULTS = (
    "it is too small",
    "it is too large",
    "the winner has the lower mark",
    "the schema offers no such value",
)
#: Options that a judge cannot do without, or that make a debater or judge shorter.
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "jury": {"members": [{"judge": "single"}], "leave_out_family": False},
    "debate_to_write": {"max_rounds": 1},
    "mad": {"max_rounds": 1},
    "samre": {"rounds": 2, "jurors": 3},
}
_Rounds: TypeAlias = tuple[tuple[Stage, tuple[Side, ...]], ...]
CONSTRUCTIVE: _Rounds = (("constructive", ("pro",)),)
ALL_STAGES: _Rounds = ROUNDS["debate"]

#: A debate for the judges, on the first motion of the set: (side, stage, text).
_SPEECHES: Sequence[tuple[Side, Stage, str]] = (
    (
        "pro",
        "constructive",
        "Productivity is output for each hour worked. At home, people choose their best hours and "
        "are interrupted less. They also save the commute, and surveys in 27 countries show that "
        "they give almost half of that time back to their work. So each hour brings more.",
    ),
    (
        "con",
        "constructive",
        "Knowledge work is done together. Questions that took a minute across a desk now take a "
        "meeting. Records of ten thousand engineers show that output per hour fell after the move "
        "home, because meetings replaced quiet work. New staff learn least, and they are the "
        "future of a firm.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one debater's speeches, or of one judge's ballot.

    Attributes:
        case: name of the debater or judge.
        status: of the debate or the ballot.
        reason: why it is not finished or valid.
        answers: that were asked for.
        as_sent, bent, repaired, given_up: how many of them were read in which way.
        calls: of the model.
        output_tokens: of all calls.
        seconds: of processor time that the servers took, their start (about one) included.
    """

    case: str
    status: str
    reason: str
    answers: int
    as_sent: int
    bent: int
    repaired: int
    given_up: int
    calls: int
    output_tokens: int
    seconds: float

    @property
    def lost_to_form(self) -> bool:
        """Whether there is no speech or no verdict because of the form of an answer alone."""
        if not any(fault in self.reason for fault in FORM_FAULTS):
            return False
        faults = self.reason.rpartition("repair request: ")[2].rstrip(".").split("; ")
        return not all(fault.endswith(_MEANING_FAULTS) for fault in faults)


def judges() -> list[str]:
    """Return the judges of debates that ask a model."""
    return [name for name in names_for_contest("judges", "debate") if judge_class(name).needs_model]


def small_tournament() -> ResolvedConfig:
    """Return the shipped tournament of the small model."""
    return resolve(load_config("tiny"), where="tiny")


def make_speech(name: str, resolved: ResolvedConfig, rounds: _Rounds = CONSTRUCTIVE) -> Outcome:
    """Let a debater make its speeches in some rounds, and return what came of them."""
    sampling = _limited(debater_class(name).sampling)
    player = Participant(
        name=name,
        debater=name,
        model=SMOLLM2,
        options=debater_class(name).Options(**_OPTIONS.get(name, {})).model_dump(mode="json"),
        sampling=sampling,
    )
    started = _server_seconds()
    with patch.dict(ROUNDS, {"debate": rounds}), tempfile.TemporaryDirectory() as folder:
        played = asyncio.run(_play(_assignment(player, resolved), resolved, Path(folder)))
    calls = played.unit.calls
    return _outcome(name, played.status, played.reason, calls, _server_seconds() - started)


def take_one_ballot(name: str, resolved: ResolvedConfig, **options: object) -> Outcome:
    """Let a judge take a ballot on the prepared speeches, and return what came of it.

    Args:
        name: of the judge.
        resolved: the tournament of the small model.
        options: of the judge, for others than its defaults.
    """
    bench = Bench(
        name=name,
        judge=name,
        model=SMOLLM2,
        runs=1,
        options=judge_options(name, {**_OPTIONS.get(name, {}), **options}).model_dump(mode="json"),
        sampling=_limited(judge_class(name).sampling),
    )
    started = _server_seconds()
    with tempfile.TemporaryDirectory() as folder:
        record = asyncio.run(_judge(bench, resolved, Path(folder)))
    ballot, calls = record.ballot, record.unit.calls
    return _outcome(name, ballot.status, ballot.reason, calls, _server_seconds() - started)


def read_calls(calls: Iterable[Call]) -> dict[str, int]:
    """Count the answers of some calls by how they were read.

    Calls with the same path are attempts at one answer. One that was cut off and asked for again
    counts by what came in the end.
    """
    counts = {"as_sent": 0, "bent": 0, "repaired": 0, "given_up": 0}
    for _, attempts in groupby(sorted(calls, key=_place), key=lambda call: call.path):
        readings = [call.bent for call in attempts]
        unreadable = [UNREADABLE in reading for reading in readings]
        if unreadable[-1]:
            counts["given_up"] += 1
        elif any(unreadable):
            counts["repaired"] += 1
        else:
            counts["bent" if readings[-1] else "as_sent"] += 1
    return counts


def measure(
    debating: Sequence[str], judging: Sequence[str], rounds: _Rounds
) -> Iterator[Mapping[str, object]]:
    """Yield a row for each debater, then one for each judge."""
    resolved = small_tournament()
    for name in debating:
        yield row_of(make_speech(name, resolved, rounds))
    for name in judging:
        yield row_of(take_one_ballot(name, resolved))


def row_of(outcome: Outcome) -> dict[str, object]:
    """Return an outcome as a row of the table."""
    shares = {
        name.replace("_", " "): f"{getattr(outcome, name) / max(1, outcome.answers):.0%}"
        for name in ("as_sent", "bent", "repaired", "given_up")
    }
    fields = asdict(outcome)
    numbers = {name.replace("_", " "): fields[name] for name in ("calls", "output_tokens")}
    return {
        "case": outcome.case,
        "answers": outcome.answers,
        **shares,
        **numbers,
        "processor seconds": round(outcome.seconds),
        "status": outcome.status,
    }


def _server_seconds() -> float:
    """Return the processor time of all servers that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _place(call: Call) -> tuple[str, int]:
    return call.path, call.attempt


def _limited(sampling: Sampling) -> Sampling:
    limit = min(sampling.max_tokens, _MAX_TOKENS)
    return Sampling(temperature=sampling.temperature, top_p=sampling.top_p, max_tokens=limit)


def _outcome(case: str, status: str, reason: str, calls: Sequence[Call], seconds: float) -> Outcome:
    calls = [call for call in calls if call.model == SMOLLM2]  # searches are calls too
    counts = read_calls(calls)
    return Outcome(
        case=case,
        status=status,
        reason=reason,
        answers=sum(counts.values()),
        calls=len(calls),
        output_tokens=sum(call.output_tokens for call in calls),
        seconds=seconds,
        **counts,
    )


def _assignment(player: Participant, resolved: ResolvedConfig) -> Assignment:
    motion = resolved.motions[0]
    wording = motion.wording("en")
    identity = digest(player.name, motion.motion_id)
    debate = Debate(
        debate_id=identity,
        matchup_id=identity,
        tournament="small model",
        motion_id=motion.motion_id,
        language="en",
        leg=0,
        repeat=0,
        pro=player.participant_id,
        con=player.participant_id,
    )
    return Assignment(
        debate=debate,
        wording=wording,
        sides=dict.fromkeys(SIDES, player),
        seed=resolved.config.tournament.seed,
        words=resolved.config.limits.words,
        search=BriefSearch(wording.brief, language("en")),
    )


async def _play(assignment: Assignment, resolved: ResolvedConfig, folder: Path) -> DebateRecord:
    models = Models(resolved.config, resolved.motions, budget=Budget())
    try:
        return await play_debate(assignment, models, Journal(folder))
    finally:
        await models.aclose()


async def _judge(bench: Bench, resolved: ResolvedConfig, folder: Path) -> BallotRecord:
    player = Participant(name="direct", debater="direct", model=SMOLLM2)
    models = Models(resolved.config, resolved.motions, budget=Budget())
    speeches = tuple(
        Speech(side=side, stage=stage, text=text, words=len(text.split()))
        for side, stage, text in _SPEECHES
    )
    try:
        return await take_ballot(
            _assignment(player, resolved),
            speeches,
            BallotCall(bench=bench, run=0),
            access=models,
            journal=Journal(folder),
        )
    finally:
        await models.aclose()


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="Two debaters and one judge.")
@click.option("--legs", is_flag=True, help="All speeches of both sides instead of one.")
def main(as_json: bool, short: bool, legs: bool) -> None:  # noqa: FBT001
    """Measure every debater and judge."""
    try:
        check_packages()
    except ConfigError as missing:
        click.echo(f"Skipped: {missing}")
        return
    debating = ["direct", "cot"] if short else debaters()
    judging = ["single"] if short else judges()
    rounds = ALL_STAGES if legs else CONSTRUCTIVE
    report(measure(debating, judging, rounds), as_json=as_json)


if __name__ == "__main__":
    main()
