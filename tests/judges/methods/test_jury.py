"""`jury`: who sits, who is asked, how verdicts are combined; and a jury within a jury."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ConfigError, UnparseableReply
from arena.judge import Judgement
from arena.llm.request import Completion, Request
from judges.methods.jury import Jury, Options, votes_to_settle
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of
from tests.support.case_lists import for_every
from tests.support.debate_seats import GatheringBackend, paths, request_at
from tests.support.debatrix_script import CALLS_ON_A_DEBATE, COMPARISONS
from tests.support.score_cards import card, hearing
from tests.support.scripted_backend import ScriptedBackend

CARDS = {"P": card(14, 8), "C": card(8, 10), "T": card(9, 9)}


def options(number: int = 3, **more: object) -> Options:
    """So many members with the judge `single`, each on a model of its own."""
    members = [{"judge": "single", "model": f"house/m{n}-x"} for n in range(1, number + 1)]
    return Options.model_validate({"members": members, **more})


class Bench:
    """The members' verdicts by number: P, C, T, or an answer as it stands."""

    def __init__(self, verdicts: Sequence[str]) -> None:
        self.verdicts = verdicts

    def __call__(self, request: Request) -> str | Completion:
        verdict = self.verdicts[int(request.path.split("/")[1]) - 1]
        return CARDS.get(verdict, verdict)


async def run(
    verdicts: Sequence[str],
    folder: Path,
    jury: Options | None = None,
    *,
    families: Sequence[str] = (),
) -> tuple[Judgement, ScriptedBackend]:
    backend = ScriptedBackend(Bench(verdicts))
    debate = replace(hearing(backend, folder), families=frozenset(families))
    return await Jury(jury or options(len(verdicts))).judge(debate), backend


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        ("PPC", PRO_WINS),
        ("CPC", CON_WINS),
        ("PTC", TIE),
        ("TTP", PRO_WINS),
        ("TTT", TIE),
        ("PPCCC", CON_WINS),
        ("C", CON_WINS),
    ],
)
async def test_the_majority_decides(verdicts: str, outcome: float, tmp_path: Path) -> None:
    judged, backend = await run(verdicts, tmp_path)
    (overall,) = judged.verdicts
    assert (overall.dimension, overall.outcome) == ("overall", outcome)
    assert sorted(paths(backend)) == [f"member/{n}/judge" for n in range(1, len(verdicts) + 1)]
    assert overall.comment == (
        f"Pro {verdicts.count('P')}, Con {verdicts.count('C')} (/{len(verdicts)})"
    )


async def test_the_mean_mark_may_decide_otherwise(tmp_path: Path) -> None:
    mean = options(3, combine="mean")
    judged, _ = await run("PCC", tmp_path, mean)
    (overall,) = judged.verdicts
    assert overall.outcome == PRO_WINS, "14 to 8 outweighs twice 8 to 10"
    assert overall.pro_mark == pytest.approx(1 + 9 * ((14 + 8 + 8) / 3 - 1) / 19)
    assert (await run("PCC", tmp_path / "majority"))[0].verdicts[0].outcome == CON_WINS
    judged, _ = await run("TT", tmp_path / "even", options(2, combine="mean"))
    assert judged.verdicts[0].outcome == TIE


async def test_members_are_asked_at_once_each_on_its_own_model(tmp_path: Path) -> None:
    backend = GatheringBackend(Bench("PPC"), together=3, among=lambda _: True)
    await Jury(options()).judge(hearing(backend, tmp_path))
    assert backend.gathered == 3
    for number in (1, 2, 3):
        assert request_at(backend, f"member/{number}/judge").model == f"house/m{number}-x"
    assert len({request.seed for request in backend.requests}) == 3


async def test_a_member_is_configured_by_itself(tmp_path: Path) -> None:
    members = [
        {"judge": "single"},
        {"judge": "debatrix", "model": "house/b", "options": {"mode": "single_pass"}},
        {"judge": "single", "sampling": {"temperature": 0.0, "max_tokens": 99}},
    ]
    jury = Options.model_validate({"members": members})
    answers = {"debatrix": '{"judgement": "So.", "pro_mark": 3, "con_mark": 8, "winner": "Con"}'}

    def script(request: Request) -> str:
        return card() if request.task == "judge.criteria" else answers["debatrix"]

    backend = ScriptedBackend(script)
    judged = await Jury(jury).judge(hearing(backend, tmp_path))
    of_the_second = (f"member/2/{path}" for path in (*COMPARISONS, "overall/panel"))
    assert sorted(paths(backend)) == sorted(("member/1/judge", *of_the_second, "member/3/judge"))
    first, third = (request_at(backend, f"member/{n}/judge") for n in (1, 3))
    assert (first.model, first.sampling.temperature, first.sampling.max_tokens) == (
        "scripted/model",
        0.2,
        500,
    )
    assert (third.sampling.temperature, third.sampling.max_tokens) == (0.0, 99)
    assert third.sampling.top_p == first.sampling.top_p
    assert judged.trace[1] == {
        "agent": "member",
        "number": 2,
        "judge": "debatrix",
        "model": "house/b",
        "outcome": CON_WINS,
        "pro_mark": 3,
        "con_mark": 8,
        "comment": "So.",
    }
    assert Jury.models(jury) == ("house/b",)


@pytest.mark.parametrize("early_stop", [False, True])
@pytest.mark.parametrize(
    ("verdicts", "outcome"), [("C?C", CON_WINS), ("?PC", TIE), ("P?P?C", PRO_WINS)]
)
async def test_the_others_decide_for_a_member_that_cannot_be_understood(
    verdicts: str, outcome: float, early_stop: bool, tmp_path: Path
) -> None:
    jury = options(len(verdicts), early_stop=early_stop)
    judged, backend = await run(verdicts, tmp_path, jury)
    assert judged.verdicts[0].outcome == outcome
    missing = [
        step["number"]
        for step in judged.trace
        if str(step.get("absent")).startswith("left out: Unpa")
    ]
    places = {path.split("/")[1] for path in paths(backend)}
    unclear = [n for n, vote in enumerate(verdicts, 1) if vote == "?" and str(n) in places]
    assert missing == unclear
    assert len(judged.trace) == len(verdicts)
    noted = ", ".join(f"member/{number}" for number in unclear)
    assert judged.rationale.endswith(f"did not deliver: {noted}.)")


@pytest.mark.parametrize("verdicts", ["??P", "P??", "?????", "?"])
async def test_a_verdict_needs_half_of_the_members(verdicts: str, tmp_path: Path) -> None:
    with pytest.raises(UnparseableReply):
        await run(verdicts, tmp_path)


@for_every("".join(votes) for votes in itertools.product("PCT", repeat=3))
async def test_stopping_early_changes_no_outcome(verdicts: str, tmp_path: Path) -> None:
    whole, _ = await run(verdicts, tmp_path / "whole")
    stopped, backend = await run(verdicts, tmp_path / "stopped", options(3, early_stop=True))
    assert stopped.verdicts[0].outcome == whole.verdicts[0].outcome
    asked = 2 if verdicts[:2] in ("PP", "CC") else 3
    assert paths(backend) == [f"member/{n}/judge" for n in range(1, asked + 1)]
    absent = [dict(step) for step in stopped.trace if "absent" in step]
    assert [step["number"] for step in absent] == list(range(asked + 1, 4))
    assert all(step["absent"] == "not asked: the majority was settled" for step in absent)


@pytest.mark.parametrize("size", [1, 3, 5, 7])
def test_no_more_are_asked_than_could_settle_it(size: int) -> None:
    for votes in itertools.product((PRO_WINS, TIE, CON_WINS), repeat=size):
        cast: list[float] = []
        while more := votes_to_settle(cast, size - len(cast)):
            if more > 1:  # one fewer could not settle it, however they vote
                waiting = size - len(cast) - (more - 1)
                for side in (PRO_WINS, CON_WINS):
                    assert votes_to_settle([*cast, *[side] * (more - 1)], waiting) > 0
            cast = list(votes[: len(cast) + more])
        assert outcome_of(sum(cast) - len(cast) / 2) == outcome_of(sum(votes) - size / 2)


@pytest.mark.parametrize(
    ("families", "sitting"),
    [(["m2"], [1, 3]), (["house"], [1, 2, 3]), (["m1", "m3", "other"], [2]), ([], [1, 2, 3])],
)
async def test_members_of_a_debaters_family_are_left_out(
    families: list[str], sitting: list[int], tmp_path: Path
) -> None:
    judged, backend = await run("PPP", tmp_path, families=families)
    assert paths(backend) == [f"member/{n}/judge" for n in sitting]
    absent = {step["number"]: step["absent"] for step in judged.trace if "absent" in step}
    assert absent == {n: f"left out: of m{n}" for n in (1, 2, 3) if n not in sitting}


async def test_a_family_can_be_named_and_the_rule_be_switched_off(tmp_path: Path) -> None:
    members = [
        {"judge": "single", "family": "OpenAI"},
        {"judge": "single", "model": "house/b-1"},
        {"judge": "single", "model": "openai/o-1"},
    ]
    jury = Options.model_validate({"members": members})
    _, backend = await run("PPP", tmp_path, jury, families=["openai", "gpt"])
    assert paths(backend) == ["member/2/judge", "member/3/judge"]
    kept = Options.model_validate({"members": members, "leave_out_family": False})
    _, backend = await run("PPP", tmp_path / "kept", kept, families=["openai", "gpt"])
    assert len(backend.requests) == 3


async def test_a_panel_of_nobody_is_an_error(tmp_path: Path) -> None:
    jury = Jury(options())
    families = frozenset({"m1", "m2", "m3"})
    problem = jury.objection(families, model="house/a")
    assert problem.startswith("each of its members is of a debater's family (m1, m2, m3).")
    assert jury.objection(families - {"m2"}, model="house/a") == ""
    with pytest.raises(ConfigError, match="each of its members"):
        await run("PPP", tmp_path, families=sorted(families))


def test_a_forecast_names_each_members_model() -> None:
    members = [{"judge": "single"}, {"judge": "debatrix", "model": "house/b"}, {"judge": "single"}]
    jury = Options.model_validate({"members": members})
    result = Jury.forecasts(jury, 600, model="house/a")
    assert [(model, forecast.calls[1]) for model, forecast in result] == [
        ("house/a", 1),
        ("house/b", CALLS_ON_A_DEBATE),
        ("house/a", 1),
    ]
    stopping = Options.model_validate({"members": members, "early_stop": True})
    calls = [forecast.calls for _, forecast in Jury.forecasts(stopping, 600, model="house/a")]
    assert calls == [
        (1, 1, 2),
        (CALLS_ON_A_DEBATE, CALLS_ON_A_DEBATE, 2 * CALLS_ON_A_DEBATE),
        (0, 1, 2),
    ]


INNER: dict[str, Any] = {
    "judge": "jury",
    "model": "house/inner-x",
    "options": {
        "members": [
            {"judge": "single"},
            {"judge": "single", "model": "house/second-x"},
            {"judge": "single", "model": "house/third-x"},
        ]
    },
}
OUTER: dict[str, Any] = {
    "members": [INNER, {"judge": "single"}, {"judge": "single", "model": "house/last-x"}]
}


def verdicts(**by_path: str) -> ScriptedBackend:
    def judge(request: Request) -> str | Completion:
        place = request.path.removesuffix("/judge").replace("member/", "m").replace("/", "_")
        return {"P": card(14, 8), "C": card(8, 10)}.get(by_path[place], by_path[place])

    return ScriptedBackend(judge)


async def test_an_inner_jury_is_one_vote(tmp_path: Path) -> None:
    backend = verdicts(m1_m1="P", m1_m2="P", m1_m3="C", m2="C", m3="C")
    judged = await Jury(Options.model_validate(OUTER)).judge(hearing(backend, tmp_path))
    (overall,) = judged.verdicts
    assert overall.outcome == CON_WINS, "of five judges three say Con, and two of three votes"
    assert overall.comment == "Pro 1, Con 2 (/3)"
    assert sorted(paths(backend)) == [
        *(f"member/1/member/{number}/judge" for number in (1, 2, 3)),
        *("member/2/judge", "member/3/judge"),
    ]
    first, *others = judged.trace
    assert (first["judge"], first["outcome"]) == ("jury", PRO_WINS)
    assert [step["model"] for step in first["members"]] == [
        "house/inner-x", "house/second-x", "house/third-x",
    ]  # fmt: skip
    assert all("members" not in step for step in others)


async def test_members_without_a_model_have_that_of_their_jury(tmp_path: Path) -> None:
    backend = verdicts(m1_m1="P", m1_m2="P", m1_m3="P", m2="P", m3="P")
    await Jury(Options.model_validate(OUTER)).judge(hearing(backend, tmp_path))
    models = {path: request_at(backend, f"{path}/judge").model for path in
              ("member/1/member/1", "member/1/member/2", "member/2", "member/3")}  # fmt: skip
    assert list(models.values()) == [
        "house/inner-x", "house/second-x", "scripted/model", "house/last-x",
    ]  # fmt: skip


def test_its_models_and_its_forecast_are_those_of_its_members() -> None:
    options = Options.model_validate(OUTER)
    assert Jury.models(options) == (
        "house/inner-x", "house/second-x", "house/third-x", "house/last-x",
    )  # fmt: skip
    forecasts = Jury.forecasts(options, 600, model="house/bench-x")
    assert [(model, forecast.calls[1]) for model, forecast in forecasts] == [
        ("house/inner-x", 1), ("house/second-x", 1), ("house/third-x", 1), ("house/bench-x", 1),
        ("house/last-x", 1),
    ]  # fmt: skip
    inner = [{**member, "model": f"house/n{number}-x"} for number, member in
             enumerate(INNER["options"]["members"])]  # fmt: skip
    named = Options.model_validate({"members": [{**INNER, "options": {"members": inner}}]})
    assert Jury.models(named) == ("house/n0-x", "house/n1-x", "house/n2-x"), "all name their own"


async def test_relatives_are_left_out_of_the_inner_jury_and_then_the_jury_itself(
    tmp_path: Path,
) -> None:
    jury = Jury(Options.model_validate(OUTER))
    backend = verdicts(m1_m2="P", m1_m3="C", m2="C", m3="P")
    debate = replace(hearing(backend, tmp_path), families=frozenset({"inner"}))
    first = (await jury.judge(debate)).trace[0]
    assert first["members"][0]["absent"] == "left out: of inner"
    related = frozenset({"inner", "second", "third"})
    backend = verdicts(m2="C", m3="C")
    debate = replace(hearing(backend, tmp_path / "none"), families=related)
    first = (await jury.judge(debate)).trace[0]
    assert first["absent"] == "left out: of inner, second, third"
    everybody = related | {"model", "last"}
    assert jury.objection(everybody, model="scripted/model").startswith("each of its members")
    with pytest.raises(ConfigError):
        await jury.judge(replace(debate, families=everybody))


async def test_an_inner_jury_of_relatives_is_left_out_whatever_the_outer_one_allows(
    tmp_path: Path,
) -> None:
    jury = Jury(Options.model_validate({**OUTER, "leave_out_family": False}))
    debate = replace(
        hearing(verdicts(m2="C", m3="C"), tmp_path),
        families=frozenset({"inner", "second", "third", "last"}),
    )
    assert (await jury.judge(debate)).verdicts[0].outcome == CON_WINS


async def test_juries_may_stand_three_deep(tmp_path: Path) -> None:
    middle = {"judge": "jury", "options": {"members": [INNER]}}
    backend = verdicts(m1_m1_m1="P", m1_m1_m2="P", m1_m1_m3="C")
    jury = Jury(Options.model_validate({"members": [middle]}))
    assert (await jury.judge(hearing(backend, tmp_path))).verdicts[0].outcome == PRO_WINS
