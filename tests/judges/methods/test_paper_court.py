"""`more` and `samre` with `preset = "paper"`: who is asked in which order, and who reads what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ContentFault
from arena.judge import Judgement
from arena.languages import SIDES, language
from arena.llm.request import Completion, Request
from arena.plugins import make_judge
from judges.methods.samre import BACKGROUNDS, PAPER_BACKGROUNDS
from tests.support.debate_seats import paths, quoted, request_at, speeches, texts
from tests.support.score_cards import card, hearing
from tests.support.scripted_backend import ScriptedBackend

every_language = pytest.mark.parametrize("code", ["en", "zh"])
#: Pro ahead, then Con, then Pro twice: four rounds.
SCORES = [(12, 10), (10, 12), (12, 10), (12, 11)]


class Trial:
    """Everybody says their own path; the judge scores by round; answers by path come first."""

    def __init__(self, answers: Mapping[str, str | Completion] | None = None) -> None:
        self.answers = answers or {}

    def __call__(self, request: Request) -> str | Completion:
        if request.path in self.answers:
            return self.answers[request.path]
        if request.task in ("judge.defences", "judge.criteria"):
            pro, con = SCORES[int(request.path.split("/")[1]) - 1]
            both = {f"{side}_feedback": f"Said at {request.path} to {side}." for side in SIDES}
            return card(pro, con, why="Because.", **both)
        if request.task == "judge.vote":
            return json.dumps({"judgement": "So.", "winner": "Con"})
        return f"Said at {request.path}."


async def judged(
    judge: str,
    folder: Path,
    options: Mapping[str, Any],
    *,
    code: str = "en",
    answers: Mapping[str, str | Completion] | None = None,
) -> tuple[Judgement, ScriptedBackend]:
    backend = ScriptedBackend(Trial(answers))
    made = make_judge(judge, {"preset": "paper", **options})
    return await made.judge(hearing(backend, folder, code=code)), backend


def said(*places: str) -> list[str]:
    return [f"Said at {place}." for place in places]


def feedback_in(*rounds: int) -> list[str]:
    """The feedback of some rounds as it is read: to each side, with its scores, then to both."""
    places = ("judge to pro", "judge to con", "feedback")
    return said(*(f"round/{number}/{place}" for number in rounds for place in places))


async def test_in_more_advocates_of_a_side_plead_one_after_the_other(tmp_path: Path) -> None:
    _, backend = await judged("more", tmp_path, {})
    assert paths(backend) == [
        *(
            f"round/1/{side}/{place}"
            for side in SIDES
            for place in ("advocate/1", "advocate/2", "advocate/3", "aggregate")
        ),
        "round/1/judge",
    ]


@every_language
async def test_in_more_advocates_read_their_team_and_the_other_side(
    code: str, tmp_path: Path
) -> None:
    _, backend = await judged("more", tmp_path, {}, code=code)
    spoken = language(code)
    defence, nothing = spoken.terms["defence"], spoken.terms["nothing_yet"]
    for side in SIDES:
        place = f"round/1/{side}"
        for number in (1, 2, 3):
            variables = request_at(backend, f"{place}/advocate/{number}").variables
            assert (variables["number"], variables["count"]) == (str(number), "3")
            assert variables["words"] == str(spoken.limit(80))
            assert variables["feedback"] == nothing, "no judge has spoken yet"
            assert (variables["history"] == nothing) is (number == 1)
            assert (variables["opposing"] == nothing) is (side == "pro")
            heard = said("round/1/pro/aggregate") if side == "con" else []
            own = said(*(f"{place}/advocate/{earlier}" for earlier in range(1, number)))
            request = request_at(backend, f"{place}/advocate/{number}")
            assert texts(request, defence) == heard + own
        fusing = request_at(backend, f"{place}/aggregate")
        assert texts(fusing, defence) == said(*(f"{place}/advocate/{n}" for n in (1, 2, 3)))
        assert fusing.variables["words"] == str(spoken.limit(150))
    judge = request_at(backend, "round/1/judge")
    assert judge.task == "judge.defences"
    assert texts(judge, defence) == said(*(f"round/1/{side}/aggregate" for side in SIDES))
    assert texts(judge, spoken.terms["speech"]) == [speech.text for speech in speeches()]


async def test_in_more_a_team_goes_on_without_those_who_say_nothing(tmp_path: Path) -> None:
    silent = {"round/1/pro/advocate/2": "", "round/1/con/aggregate": ""}
    _, backend = await judged("more", tmp_path, {}, answers=silent)
    third = request_at(backend, "round/1/pro/advocate/3")
    assert texts(third, "defence") == said("round/1/pro/advocate/1")
    pro, con = texts(request_at(backend, "round/1/judge"), "defence")
    assert [pro] == said("round/1/pro/aggregate")
    assert con.split("\n\n") == said(*(f"round/1/con/advocate/{n}" for n in (1, 2, 3)))
    nobody = {f"round/1/con/advocate/{n}": "" for n in (1, 2, 3)}
    with pytest.raises(ContentFault):
        await judged("more", tmp_path / "none", {}, answers=nobody)


async def test_in_more_later_rounds_hear_feedback_and_the_last_one_gives_none(
    tmp_path: Path,
) -> None:
    _, backend = await judged("more", tmp_path, {"rounds": 2, "advocates": 2})
    made = make_judge("more", {"preset": "paper", "rounds": 2, "advocates": 2})
    (_, forecast), *_ = made.forecasts(made.options, 600, model="house/a")
    assert forecast.calls[0] == len(backend.requests)
    assert [path for path in paths(backend) if "feedback" in path] == ["round/1/feedback"]
    request = request_at(backend, "round/2/con/advocate/2")
    assert texts(request, "feedback") == feedback_in(1)
    assert texts(request, "defence") == said(
        "round/2/pro/aggregate", "round/1/con/aggregate", "round/2/con/advocate/1"
    )


async def test_in_samre_feedback_and_scores_are_two_calls(tmp_path: Path) -> None:
    _, backend = await judged("samre", tmp_path, {"jurors": 0})
    assert paths(backend) == [
        f"round/{number}/{place}"
        for number in (1, 2, 3, 4)
        for place in ("pro/argue", "con/argue", "judge", "feedback")
        if (number, place) != (4, "feedback")  # nobody would read it
    ]
    tasks = {one.path.split("/")[2]: (one.task, one.schema is None) for one in backend.requests}
    assert tasks["judge"] == ("judge.defences", False)
    assert tasks["feedback"] == ("judge.feedback", True)


@every_language
async def test_in_samre_the_judge_remembers_arguments_scores_and_feedback(
    code: str, tmp_path: Path
) -> None:
    _, backend = await judged("samre", tmp_path, {}, code=code)
    spoken = language(code)
    sides = [spoken.sides[side] for side in SIDES]
    for number in (1, 2, 3, 4):
        before = range(1, number)
        for place in ("judge", "feedback"):
            request = request_at(backend, f"round/{number}/{place}")
            assert texts(request, spoken.terms["speech"]) == [one.text for one in speeches()]
            assert texts(request, spoken.terms["defence"]) == said(
                *(f"round/{n}/{side}/argue" for n in (*before, number) for side in SIDES)
            )
            heard = quoted(request, spoken.terms["feedback"])
            assert [one.text for one in heard] == feedback_in(*before)
            places = [one.words[0] for one in heard if len(one.words) == 2]
            assert places == sides * (number - 1), "each side's own is marked as such"
            totals = [
                f"{spoken.terms['round'].format(n)}: "
                + ", ".join(
                    f"{name} {6 * score}" for name, score in zip(sides, SCORES[n - 1], strict=True)
                )
                for n in before
            ]
            expected = "\n".join(totals) or spoken.terms["nothing_yet"]
            assert request.variables["totals"] == expected
            assert (request.variables["round"], request.variables["rounds"]) == (str(number), "4")
            assert request.variables["words"] == str(spoken.limit(50))


@every_language
async def test_in_samre_the_second_side_reads_the_first_of_the_same_round(
    code: str, tmp_path: Path
) -> None:
    _, backend = await judged("samre", tmp_path, {"jurors": 0}, code=code)
    defence = language(code).terms["defence"]
    for number in (1, 2, 3, 4):
        memory = said(*(f"round/{n}/{side}/argue" for n in range(1, number) for side in SIDES))
        last = said(f"round/{number - 1}/con/argue") if number > 1 else []
        pro = request_at(backend, f"round/{number}/pro/argue")
        assert texts(pro, defence) == [*memory, *last]
        con = request_at(backend, f"round/{number}/con/argue")
        assert texts(con, defence) == [*memory, *said(f"round/{number}/pro/argue")]
        if number > 1:
            feedback = feedback_in(*range(1, number), number - 1)
            assert texts(con, language(code).terms["feedback"]) == feedback
        assert con.variables["words"] == str(language(code).limit(100))


async def test_in_samre_rounds_go_on_without_feedback(tmp_path: Path) -> None:
    judgement, backend = await judged(
        "samre", tmp_path, {"jurors": 0}, answers={"round/1/feedback": ""}
    )
    to_each = said("round/1/judge to pro", "round/1/judge to con")
    heard = texts(request_at(backend, "round/2/pro/argue"), "feedback")
    assert heard == [*to_each, "(Nothing yet.)"] * 2
    assert {"round/1/feedback"} == {
        step["path"] for step in judgement.trace if step["agent"] == "missing"
    }


@every_language
async def test_in_samre_jurors_have_the_plain_backgrounds_and_hear_everything(
    code: str, tmp_path: Path
) -> None:
    _, backend = await judged("samre", tmp_path, {}, code=code)
    spoken = language(code)
    for number, background in enumerate(PAPER_BACKGROUNDS[code], start=1):
        request = request_at(backend, f"juror/{number}")
        assert request.variables["background"] == background
        assert not [other for other in BACKGROUNDS[code] if other in request.text()]
        assert texts(request, spoken.terms["defence"]) == said(
            *(f"round/{n}/{side}/argue" for n in (1, 2, 3, 4) for side in SIDES)
        )
        assert texts(request, spoken.terms["feedback"]) == feedback_in(1, 2, 3, 4)
        assert len(request.variables["totals"].split("\n")) == 4
    assert len(PAPER_BACKGROUNDS[code]) == 5


def test_only_the_default_has_reworded_prompts() -> None:
    for judge in ("more", "samre"):
        ours, papers = (make_judge(judge, given) for given in ({}, {"preset": "paper"}))
        assert ours.can_reword(ours.options) and not papers.can_reword(papers.options)


async def test_an_option_beside_the_preset_takes_precedence(tmp_path: Path) -> None:
    options = {"jurors": ["a baker"], "scores": "answers", "rounds": 1}
    _, backend = await judged("samre", tmp_path, options)
    assert request_at(backend, "round/1/judge").task == "judge.criteria"
    assert request_at(backend, "juror/1").variables["background"] == "a baker"


@every_language
@pytest.mark.parametrize("judge", ["more", "samre"])
async def test_the_prompts_name_the_six_criteria_and_their_scale(
    judge: str, code: str, tmp_path: Path
) -> None:
    _, backend = await judged(judge, tmp_path, {}, code=code)
    names = ("relevance", "accuracy", "depth", "clarity", "reasoning", "effectiveness")
    informed = [
        one for one in backend.requests if one.task in ("advocate.defend", "advocate.argue")
    ]
    for request in [*informed, request_at(backend, "round/1/judge")]:
        assert all(f"`{name}`" in request.messages[0].text for name in names)
        assert "20" in request.messages[0].text
