"""Every judge, in every mode: its exact calls, and no ballot from an answer that makes no sense."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.llm.request import Request
from judges.methods.absences import count_missing
from tests.support.scripted_backend import ScriptedBackend
from tests.support.scripted_ballots import answer, take

CRITERIA = ("judge",)
ROUND = ("pro/argue", "con/argue", "judge")
LATER = ("pro/recall", "con/recall", *ROUND)
DIMENSIONS = ("argument", "source", "language")
MORE = (
    *(f"{side}/advocate/{number}" for side in ("pro", "con") for number in (1, 2, 3)),
    *("pro/aggregate", "con/aggregate", "judge"),
)
FULL = (
    *(f"{name}/analyse/{number}" for name in DIMENSIONS for number in range(1, 7)),
    *(f"{name}/compare" for name in DIMENSIONS),
    "overall/panel",
)


def rounds(held: int, jurors: int = 0) -> tuple[str, ...]:
    """The calls of some rounds, and of jurors after them."""
    first, *later = (ROUND, *([LATER] * (held - 1)))
    return (
        *(f"round/1/{call}" for call in first),
        *(f"round/{n}/{call}" for n, calls in enumerate(later, 2) for call in calls),
        *(f"juror/{n}" for n in range(1, jurors + 1)),
    )


def members(*calls: tuple[str, ...]) -> tuple[str, ...]:
    """The calls of a jury's members."""
    return tuple(f"member/{n}/{call}" for n, own in enumerate(calls, 1) for call in own)


#: A judge, its options, and the calls of one run where the judge keeps its mind.
MODES: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "single": ("single", {}, CRITERIA),
    "more": ("more", {}, MORE),
    "debatrix": ("debatrix", {}, FULL),
    "debatrix of the original": ("debatrix", {"preset": "debatrix"}, FULL),
    "debatrix non-iterative": ("debatrix", {"mode": "non_iterative"}, FULL),
    "debatrix at once": ("debatrix", {"mode": "single_pass"}, FULL[18:]),
    "samre": ("samre", {}, rounds(2, jurors=5)),
    "samre alone": ("samre", {"jurors": 0}, rounds(2)),
    "samre with three": ("samre", {"jurors": 3}, rounds(2, jurors=3)),
    "samre with a named juror": ("samre", {"jurors": ["a baker"]}, rounds(2, jurors=1)),
    "samre with scores": ("samre", {"jurors": 3, "juror_mode": "score"}, rounds(2, jurors=3)),
    "samre in four rounds": ("samre", {"jurors": 0, "early_stop": False}, rounds(4)),
    "more on defences": ("more", {"scores": "defences"}, MORE),
    "samre on defences": ("samre", {"scores": "defences"}, rounds(2, jurors=5)),
    "jury": (
        "jury",
        {"members": [{"judge": "single"}, {"judge": "more"}, {"judge": "samre"}]},
        members(CRITERIA, MORE, rounds(2, jurors=5)),
    ),
    "jury that stops early": (
        "jury",
        {"members": [{"judge": "single"}] * 3, "early_stop": True},
        members(CRITERIA, CRITERIA),
    ),
}
every_mode = pytest.mark.parametrize(("judge", "options", "calls"), MODES.values(), ids=list(MODES))


def mumbling(place: str, *, once: bool) -> Callable[[Request], str]:
    """Answers what is asked, but at one place prose: the first time or always."""

    def script(request: Request) -> str:
        bad = request.path == place and not (once and request.attempt)
        return "Pro 90, Con 60. Pro wins, or (0, 0)." if bad else answer(request)

    return script


def others_decide(place: str, places: Sequence[str]) -> bool:
    """Whether somebody else of a college does where one at a place cannot be understood."""
    college = re.split(r"(?:member|juror)/\d+", place)[0]
    several = {path for path in places if re.match(rf"{college}(?:member|juror)/", path)}
    return len(several) > 1


async def asked(
    judge: str, options: dict[str, Any], script: Callable[[Request], str], folder: Path
) -> tuple[Any, ScriptedBackend]:
    backend = ScriptedBackend(script)
    return await take(judge, options, backend, folder), backend


@every_mode
async def test_a_run_is_these_calls_and_no_others(
    judge: str, options: dict[str, Any], calls: tuple[str, ...], tmp_path: Path
) -> None:
    record, backend = await asked(judge, options, answer, tmp_path)
    assert record.ballot.status == "valid", record.ballot.reason
    assert sorted(one.path for one in backend.requests) == sorted(f"run/0/{one}" for one in calls)


@every_mode
async def test_no_ballot_comes_of_an_answer_that_makes_no_sense(
    judge: str, options: dict[str, Any], calls: tuple[str, ...], tmp_path: Path
) -> None:
    whole, backend = await asked(judge, options, answer, tmp_path / "whole")
    formal = [one.path for one in backend.requests if one.schema is not None]
    assert formal
    for number, place in enumerate(formal):
        script = mumbling(place, once=False)
        failed, _ = await asked(judge, options, script, tmp_path / f"{number}")
        if others_decide(place, formal):
            assert failed.ballot.status == "valid", place
            assert count_missing(failed.ballot.trace) + ("left out" in str(failed.ballot)) == 1
        else:
            assert failed.ballot.status == "failed", place
            assert failed.ballot.reason.startswith("UnparseableReply")
            assert (failed.ballot.verdicts, failed.ballot.trace) == ((), ())
        script = mumbling(place, once=True)
        mended, again = await asked(judge, options, script, tmp_path / f"{number}-mended")
        assert mended.ballot.verdicts == whole.ballot.verdicts, "one repair, and nothing else"
        repairs = [one.path for one in again.requests if one.attempt]
        assert repairs == [place] and len(again.requests) == len(calls) + 1
