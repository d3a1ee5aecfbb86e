"""Every judge, in every mode: its calls and options, simulated models, answers without sense."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from arena.languages import language
from arena.llm.request import Request
from arena.plugins import make_judge
from arena.simulator import OfflineBackend
from judges.methods.absences import count_missing
from judges.methods.debatrix import DIMENSIONS
from ratings import CON_WINS, PRO_WINS, TIE
from tests.support.case_lists import for_every
from tests.support.debate_seats import request_at, texts
from tests.support.debatrix_script import ANALYSES, COMPARISONS
from tests.support.hostile_texts import HOSTILE, outside, with_speech
from tests.support.one_sided_debates import one_sided
from tests.support.score_cards import hearing, round_card
from tests.support.scripted_backend import ScriptedBackend
from tests.support.scripted_ballots import answer, take

CRITERIA = ("judge",)
ROUND = ("pro/argue", "con/argue", "judge")
LATER = ("pro/recall", "con/recall", *ROUND)
MORE = (
    *(f"{side}/advocate/{number}" for side in ("pro", "con") for number in (1, 2, 3)),
    *("pro/aggregate", "con/aggregate", "judge"),
)
AT_ONCE = (*COMPARISONS, "overall/panel")
FULL = (*ANALYSES, *AT_ONCE)


def rounds(held: int, jurors: int = 0) -> tuple[str, ...]:
    """The calls of some rounds, and of jurors after them."""
    first, *later = (ROUND, *([LATER] * (held - 1)))
    return (
        *(f"round/1/{call}" for call in first),
        *(f"round/{n}/{call}" for n, calls in enumerate(later, 2) for call in calls),
        *(f"juror/{n}" for n in range(1, jurors + 1)),
    )


def paper_round(number: int, *pleas: str, feedback: bool = True) -> tuple[str, ...]:
    """The calls of a round by the paper: both sides' pleas, the score, and feedback if read."""
    asked = (*pleas, "judge", *(("feedback",) if feedback else ()))
    return tuple(f"round/{number}/{call}" for call in asked)


def members(*calls: tuple[str, ...]) -> tuple[str, ...]:
    """The calls of a jury's members."""
    return tuple(f"member/{n}/{call}" for n, own in enumerate(calls, 1) for call in own)


#: A judge, its options, and the calls of one run where the judge keeps its mind.
MODES: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "single": ("single", {}, CRITERIA),
    "single as in the paper": ("single", {"preset": "paper"}, CRITERIA),
    "more": ("more", {}, MORE),
    "debatrix": ("debatrix", {}, FULL),
    "debatrix of the original": ("debatrix", {"preset": "debatrix"}, FULL),
    "debatrix non-iterative": ("debatrix", {"mode": "non_iterative"}, FULL),
    "debatrix at once": ("debatrix", {"mode": "single_pass"}, AT_ONCE),
    "samre": ("samre", {}, rounds(2, jurors=5)),
    "samre alone": ("samre", {"jurors": 0}, rounds(2)),
    "samre with three": ("samre", {"jurors": 3}, rounds(2, jurors=3)),
    "samre with a named juror": ("samre", {"jurors": ["a baker"]}, rounds(2, jurors=1)),
    "samre with scores": ("samre", {"jurors": 3, "juror_mode": "score"}, rounds(2, jurors=3)),
    "samre in four rounds": ("samre", {"jurors": 0, "early_stop": False}, rounds(4)),
    "more on defences": ("more", {"scores": "defences"}, MORE),
    "more by softmax": (
        "more",
        {"aggregate": "softmax", "advocates": 2},
        (*(f"{s}/advocate/{n}" for s in ("pro", "con") for n in (1, 2)), "judge/1", "judge/2"),
    ),
    "more in rounds": ("more", {"rounds": 2, "advocates": 1}, rounds(2)),
    "more as in the paper": (
        "more",
        {"preset": "paper"},
        paper_round(1, *MORE[:-1], feedback=False),
    ),
    "samre as in the paper": (
        "samre",
        {"preset": "paper", "jurors": 3},
        (
            *(call for n in (1, 2) for call in paper_round(n, "pro/argue", "con/argue")),
            *(f"juror/{n}" for n in (1, 2, 3)),
        ),
    ),
    "samre on defences": ("samre", {"scores": "defences"}, rounds(2, jurors=5)),
    "jury": (
        "jury",
        {"members": [{"judge": "single"}, {"judge": "more"}, {"judge": "samre"}]},
        members(CRITERIA, MORE, rounds(2, jurors=5)),
    ),
    "jury of every kind": (
        "jury",
        {"members": [{"judge": "debatrix", "model": "offline/strong"}, {"judge": "single"},
                     {"judge": "jury", "model": "offline/weak",
                      "options": {"members": [{"judge": "single"}]}}]},
        members(FULL, CRITERIA, members(CRITERIA)),
    ),
    "jury that stops early": (
        "jury",
        {"members": [{"judge": "single"}] * 3, "early_stop": True},
        members(CRITERIA, CRITERIA),
    ),
}  # fmt: skip
every_mode = pytest.mark.parametrize(("judge", "options", "calls"), MODES.values(), ids=list(MODES))


def mumbling(place: str, *, once: bool) -> Callable[[Request], str]:
    """Answers what is asked, but at one place prose: the first time or always."""

    def script(request: Request) -> str:
        bad = request.path == place and not (once and request.attempt)
        return "Pro 90, Con 60. Pro wins, or (0, 0)." if bad else answer(request)

    return script


def others_decide(place: str, places: Sequence[str]) -> bool:
    """Whether somebody else of a college does where one at a place cannot be understood."""
    college = re.split(r"(?:member|juror|judge)/\d+", place)[0]
    several = {path for path in places if re.match(rf"{college}(?:member|juror|judge)/\d", path)}
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
    made = make_judge(judge, options)
    forecasts = made.forecasts(made.options, 600, model="house/a")
    ranges = [forecast.calls for _, forecast in forecasts]
    assert sum(low for low, _, _ in ranges) <= len(calls) <= sum(high for _, _, high in ranges)


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


@pytest.mark.parametrize("code", ["en", "zh"])
@every_mode
async def test_the_side_that_argues_wins_before_simulated_models(
    judge: str, options: dict[str, Any], calls: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    for better, outcome in (("pro", PRO_WINS), ("con", CON_WINS)):
        debate = hearing(
            OfflineBackend(),
            tmp_path / better,
            code=code,
            said=one_sided(code, better),
            model="offline/good",
        )
        judged = await make_judge(judge, options).judge(debate)
        assert judged.verdicts[-1].outcome == outcome
        if judge == "debatrix":
            assert {verdict.outcome for verdict in judged.verdicts} == {outcome, TIE}
        assert len(debate.model.unit.calls) >= min(len(calls), 8)


#: Modes whose every text is quoted; `debatrix` is tested by itself.
QUOTING = ("single", "more", "more by softmax", "more in rounds", "samre with three",
           "samre with scores", "samre on defences", "more as in the paper",
           "samre as in the paper", "jury that stops early")  # fmt: skip


@for_every(HOSTILE.values(), QUOTING)
async def test_hostile_speeches_and_answers_stay_in_their_quotations(
    text: str, name: str, tmp_path: Path
) -> None:
    judge, options, _ = MODES[name]

    def hostile(request: Request) -> str:
        if request.task in ("judge.round", "judge.pleas"):
            return round_card(12, 10, text)
        return answer(request) if request.schema or "pro/" in request.path else text

    for code in ("en", "zh") if name == "single" else ("en",):
        plain, other = ScriptedBackend(answer), ScriptedBackend(hostile)
        folder = tmp_path / code
        await make_judge(judge, options).judge(hearing(plain, folder / "calm", code=code))
        debate = hearing(other, folder / "hostile", code=code, said=with_speech(3, text))
        await make_judge(judge, options).judge(debate)
        for request in other.requests:
            assert outside(request) == outside(request_at(plain, request.path)), request.path
            assert [message.role for message in request.messages] == ["system", "user"]
            if not request.path.endswith("/recall"):
                assert texts(request, language(code).terms["speech"])[3] == text


@for_every(HOSTILE.values())
async def test_a_simulated_judge_reads_any_text(text: str, tmp_path: Path) -> None:
    debate = hearing(OfflineBackend(), tmp_path, said=with_speech(2, text), model="offline/weak")
    assert len((await make_judge("single", {}).judge(debate)).verdicts) == 7


_SAMRE = {"rounds": 4, "early_stop": True, "jurors": 5, "juror_mode": "vote"}


@pytest.mark.parametrize(
    ("judge", "options", "stored"),
    [
        ("single", {}, {}),
        ("single", {"preset": "paper"}, {"preset": "paper"}),
        ("more", {}, {"advocates": 3}),
        ("more", {"scores": "defences"}, {"scores": "defences", "advocates": 3}),
        ("more", {"aggregate": "softmax"}, {"advocates": 3, "aggregate": "softmax"}),
        ("more", {"rounds": 2}, {"advocates": 3, "rounds": 2}),
        ("samre", {}, _SAMRE),
        ("samre", {"scores": "defences"}, {"scores": "defences", **_SAMRE}),
        ("samre", {"preset": "paper"}, {"preset": "paper", "scores": "defences", **_SAMRE}),
    ],
)
def test_benches_from_before_an_option_keep_their_identity(
    judge: str, options: dict[str, Any], stored: dict[str, Any]
) -> None:
    made = make_judge(judge, options).options
    assert made.model_dump(mode="json") == stored
    assert make_judge(judge, stored).options == made


SINGLE = {"judge": "single"}
INNER = {"judge": "jury", "options": {"members": [SINGLE]}}


@pytest.mark.parametrize(
    ("judge", "options", "message"),
    [
        ("more", {"scores": "sides"}, "'defences' or 'answers'"),
        ("more", {"tau": 0.2}, 'tau needs aggregate = "softmax"'),
        ("more", {"aggregate": "softmax", "tau": 0}, "greater than or equal to 0.001"),
        ("more", {"aggregate": "softmax", "rounds": 2}, 'rounds needs aggregate = "fuse"'),
        ("more", {"preset": "paper", "aggregate": "softmax"}, 'leave out preset = "paper"'),
        ("more", {"preset": "thesis"}, "'paper'"),
        ("more", {"aggregate": "mean"}, "'fuse' or 'softmax'"),
        ("samre", {"jurors": 2}, "0, 3 or 5"),
        ("samre", {"jurors": []}, "at least 1"),
        ("samre", {"jurors": ["a nurse", "a farmer"]}, "2 jurors could tie"),
        ("samre", {"jurors": ["a nurse", "a nurse", "a nurse "]}, "same background"),
        ("samre", {"jurors": ["a nurse", " "]}, "at least 1 character"),
        ("samre", {"juror_mode": "borda"}, "'vote' or 'score'"),
        ("samre", {"rounds": 0}, "greater than or equal to 1"),
        ("samre", {"jury": 5}, "Extra inputs"),
        ("debatrix", {"preset": "chess"}, "preset"),
        ("debatrix", {"mode": "fast"}, "mode"),
        ("debatrix", {"weights": {"source": float("inf")}}, "finite"),
        ("debatrix", {"weights": {"source": float("nan")}}, "source"),
        ("debatrix", {"weights": dict.fromkeys(DIMENSIONS, 0)}, "at least one"),
        ("debatrix", {"weights": {"argument": -1}}, "greater than or equal to 0"),
        ("debatrix", {"weights": {"style": 1}}, "Extra inputs"),
        ("debatrix", {"tie": True}, "Extra inputs"),
        ("jury", {}, "Field required"),
        ("jury", {"members": []}, "at least 1 item"),
        ("jury", {"members": [SINGLE] * 2}, "2 members could tie"),
        ("jury", {"members": [{"judge": "oracle"}]}, "unknown judge 'oracle'. Known: .*debatrix"),
        ("jury", {"members": [{"judge": "samre", "options": {"rounds": 0}}]}, "samre: rounds: In"),
        ("jury", {"members": [{**SINGLE, "options": {"depth": 2}}]}, "single: depth: Extra"),
        ("jury", {"members": [{**SINGLE, "model": "openai/*"}]}, "model"),
        ("jury", {"members": [{**SINGLE, "weight": 2}]}, "Extra inputs"),
        ("jury", {"members": [SINGLE], "combine": "mean", "early_stop": True}, "a mean needs"),
        ("jury", {"members": [{"judge": "jury"}]}, "jury: members: Field required"),
        ("jury", {"members": [{**INNER, "family": "house"}]}, "a jury is of no family"),
        ("jury", {"members": [{**INNER, "options": {"members": [SINGLE] * 2}}]}, "2 members could"),
        ("jury", {"members": [{**INNER, "options": {"members": [{"judge": "oracle"}]}}]}, "oracle"),
    ],
)
def test_options_that_make_no_judge_are_refused(
    judge: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        make_judge(judge, options)


def test_an_even_number_of_jurors_may_score() -> None:
    named = ("a nurse", "a farmer")
    made = make_judge("samre", {"jurors": named, "juror_mode": "score"})
    assert made.options.jurors == named
