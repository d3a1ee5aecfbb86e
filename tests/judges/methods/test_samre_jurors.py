"""The jurors of `samre`: who sits, what they see, and how they decide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import UnparseableReply
from arena.judge import Judgement
from arena.languages import LANGUAGES, SIDES, language
from arena.llm.request import Completion, Request
from judges.methods.criteria import total
from judges.methods.samre import BACKGROUNDS, Options, Samre
from ratings import CON_WINS, PRO_WINS, TIE
from tests.support.debate_seats import GatheringBackend, quoted, request_at, speeches, texts
from tests.support.score_cards import hearing, round_card
from tests.support.scripted_backend import ScriptedBackend


def vote(winner: str) -> str:
    return json.dumps({"judgement": f"For {winner}.", "winner": winner})


def appraisal(pro: float, con: float) -> str:
    return json.dumps({"judgement": "So.", "pro_score": pro, "con_score": con})


class Box:
    """Two rounds for Pro, 72 to 60; then the jurors answer in order."""

    def __init__(self, *jurors: str) -> None:
        self.jurors = jurors

    def __call__(self, request: Request) -> str | Completion:
        if request.task == "judge.round":
            return round_card(12, 10)
        if request.path.startswith("juror/"):
            return self.jurors[int(request.path.split("/")[1]) - 1]
        return f"Said at {request.path}."


async def run(
    options: Options, folder: Path, *jurors: str, code: str = "en"
) -> tuple[Judgement, ScriptedBackend]:
    backend = ScriptedBackend(Box(*jurors))
    return await Samre(options).judge(hearing(backend, folder, code=code)), backend


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [("PPPPP", PRO_WINS), ("PPCCC", CON_WINS), ("PCPCP", PRO_WINS), ("CCC", CON_WINS)],
)
async def test_the_majority_decides_against_the_judge_too(
    votes: str, outcome: float, tmp_path: Path
) -> None:
    options = Options.model_validate({"jurors": len(votes)})
    said = [vote("Pro" if one == "P" else "Con") for one in votes]
    judged, backend = await run(options, tmp_path, *said)
    *criteria, overall = judged.verdicts
    assert overall.outcome == outcome
    assert {one.outcome for one in criteria} == {PRO_WINS}
    assert (total(overall.pro_mark), total(overall.con_mark)) == (72, 60), "the judge's marks"
    assert overall.comment.endswith(f"Pro {votes.count('P')}, Con {votes.count('C')}")
    assert len(backend.requests) == 8 + len(votes) == Samre.forecast(options, 600).calls[0]
    jurors = [dict(one) for one in judged.trace if one["agent"] == "juror"]
    assert [(one["background"], one["winner"]) for one in jurors] == [
        (background, "Pro" if one == "P" else "Con")
        for background, one in zip(BACKGROUNDS["en"], votes, strict=False)
    ]


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ([(70, 60), (70, 60), (20, 60)], CON_WINS),
        ([(6, 120), (120, 6)], TIE),
        ([(90, 80)], PRO_WINS),
    ],
)
async def test_jurors_that_score_decide_by_their_mean(
    scores: list[tuple[float, float]], outcome: float, tmp_path: Path
) -> None:
    named = tuple(f"person {number}" for number in range(len(scores)))
    options = Options(jurors=named, juror_mode="score")
    judged, backend = await run(options, tmp_path, *(appraisal(*one) for one in scores))
    overall = judged.verdicts[-1]
    assert overall.outcome == outcome
    mean = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
    assert [total(overall.pro_mark), total(overall.con_mark)] == pytest.approx(mean)
    tasks = [one.task for one in backend.requests if one.path.startswith("juror/")]
    assert tasks == ["judge.totals"] * len(scores)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("mode", ["vote", "score"])
async def test_a_juror_hears_the_pleas_the_feedback_and_the_scores(
    mode: str, code: str, tmp_path: Path
) -> None:
    options = Options.model_validate({"juror_mode": mode})
    answers = [vote("Pro") if mode == "vote" else appraisal(70, 61)] * 5
    _, backend = await run(options, tmp_path, *answers, code=code)
    spoken = language(code)
    for number, background in enumerate(BACKGROUNDS[code], start=1):
        request = request_at(backend, f"juror/{number}")
        assert texts(request, spoken.terms["speech"]) == [one.text for one in speeches()]
        assert texts(request, spoken.terms["defence"]) == [
            f"Said at round/{k}/{side}/argue." for k in (1, 2) for side in SIDES
        ]
        heard = quoted(request, spoken.terms["feedback"])
        assert [(one.words, one.text) for one in heard] == [
            ((spoken.sides[side], spoken.terms["round"].format(k)), f"{side}: Go on.")
            for k in (1, 2)
            for side in SIDES
        ]
        pro, con = (spoken.sides[side] for side in SIDES)
        assert request.variables["totals"].split("\n") == [
            f"{spoken.terms['round'].format(k)}: {pro} 72, {con} 60" for k in (1, 2)
        ]
        assert background in request.messages[0].text
        assert not [one for one in BACKGROUNDS[code] if one != background and one in request.text()]
        assert not [k for k in range(1, 6) if f"juror/{k}" in request.text()]


async def test_the_jurors_are_asked_at_once(tmp_path: Path) -> None:
    def juror(request: Request) -> bool:
        return request.path.startswith("juror/")

    backend = GatheringBackend(Box(*[vote("Con")] * 5), together=5, among=juror)
    await Samre(Options()).judge(hearing(backend, tmp_path))
    assert backend.gathered == 5


async def test_named_jurors_sit_in_every_language(tmp_path: Path) -> None:
    named = ("a nurse", "a farmer", "a judge")
    for code in LANGUAGES:
        _, backend = await run(
            Options(jurors=named), tmp_path / code, *[vote("Pro")] * 3, code=code
        )
        for number, background in enumerate(named, start=1):
            assert background in request_at(backend, f"juror/{number}").messages[0].text


INVALID = {
    "a tie": vote("tie"),
    "a score above 120": appraisal(121, 60),
    "a score below 6": appraisal(60, 5.5),
    "a missing score": json.dumps({"judgement": "So.", "pro_score": 70}),
    "prose": "I vote for Pro.",
}


@pytest.mark.parametrize("answer", INVALID.values(), ids=INVALID)
async def test_the_others_decide_for_a_juror_who_cannot_be_understood(
    answer: str, tmp_path: Path
) -> None:
    for mode, good in (("vote", vote("Con")), ("score", appraisal(60, 70))):
        options = Options.model_validate({"jurors": 3, "juror_mode": mode})
        judged, _ = await run(options, tmp_path / mode, good, answer, good)
        assert judged.verdicts[-1].outcome == CON_WINS
        jurors = [step for step in judged.trace if step["agent"] == "juror"]
        assert [set(step) & {"missing", "judgement"} for step in jurors] == [
            {"judgement"},
            {"missing"},
            {"judgement"},
        ]
        assert "UnparseableReply" in jurors[1]["missing"]
        assert judged.trace[-1] is judged.trace[4], "it is named once"
        assert judged.rationale.endswith("did not deliver: juror/2.)")
        with pytest.raises(UnparseableReply):
            await run(options, tmp_path / f"{mode}-fewer", answer, answer, good)


@pytest.mark.parametrize(
    ("votes", "outcome"), [("P?PCC", TIE), ("P?P?C", PRO_WINS), ("?CPCC", CON_WINS)]
)
async def test_the_majority_of_those_who_are_understood_decides(
    votes: str, outcome: float, tmp_path: Path
) -> None:
    answers = {"P": vote("Pro"), "C": vote("Con"), "?": "I abstain."}
    judged, _ = await run(Options(), tmp_path, *(answers[one] for one in votes))
    overall = judged.verdicts[-1]
    assert overall.outcome == outcome
    assert overall.comment.endswith(f"Pro {votes.count('P')}, Con {votes.count('C')}")


async def test_a_verdict_needs_half_of_the_jurors(tmp_path: Path) -> None:
    answers = [vote("Pro"), "?", vote("Pro"), "?", "?"]
    with pytest.raises(UnparseableReply):
        await run(Options(), tmp_path / "two of five", *answers)
    named = Options(jurors=("a nurse", "a farmer"), juror_mode="score")
    judged, _ = await run(named, tmp_path / "one of two", "?", appraisal(60, 70))
    assert judged.verdicts[-1].outcome == CON_WINS
