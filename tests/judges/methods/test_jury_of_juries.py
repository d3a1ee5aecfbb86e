"""A jury within a jury: one vote of the outer one, with members, models and families of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from arena.errors import ConfigError
from arena.llm.request import Completion, Request
from judges.methods.jury import Jury, Options
from ratings import CON_WINS, PRO_WINS
from tests.support.debate_seats import paths, request_at
from tests.support.score_cards import card, hearing
from tests.support.scripted_backend import ScriptedBackend

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


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"judge": "jury"}, "jury: members: Field required"),
        ({**INNER, "family": "house"}, "a jury is of no family"),
        ({"judge": "jury", "options": {"members": [{"judge": "single"}] * 2}}, "2 members could"),
        ({"judge": "jury", "options": {"members": [{"judge": "oracle"}]}}, "unknown judge"),
    ],
)
def test_an_inner_jury_that_is_none_is_refused(member: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Options.model_validate({"members": [member]})
