"""`jury`: who sits, who is asked, how the members' verdicts are combined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from arena.errors import ConfigError, UnparseableReply
from arena.judge import Judgement
from arena.llm.request import Completion, Request
from arena.simulator import OfflineBackend
from judges.methods.jury import Jury, Options, votes_to_settle
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of
from tests.support.case_lists import for_every
from tests.support.debate_seats import GatheringBackend, paths, request_at, texts
from tests.support.hostile_texts import HOSTILE, with_speech
from tests.support.one_sided_debates import one_sided
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
    assert sorted(paths(backend)) == [
        "member/1/judge",
        "member/2/argument/compare",
        "member/2/language/compare",
        "member/2/overall/panel",
        "member/2/source/compare",
        "member/3/judge",
    ]
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


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "Field required"),
        ({"members": []}, "at least 1 item"),
        ({"members": [{"judge": "single"}] * 2}, "2 members could tie"),
        ({"members": [{"judge": "oracle"}]}, "unknown judge 'oracle'. Known: .*debatrix"),
        ({"members": [{"judge": "samre", "options": {"rounds": 0}}]}, "samre: rounds: Input"),
        ({"members": [{"judge": "single", "options": {"depth": 2}}]}, "single: depth: Extra"),
        ({"members": [{"judge": "single", "model": "openai/*"}]}, "model"),
        ({"members": [{"judge": "single", "weight": 2}]}, "Extra inputs"),
        (
            {"members": [{"judge": "single"}], "combine": "mean", "early_stop": True},
            "a mean needs the mark of every member",
        ),
    ],
)
def test_options_that_make_no_panel_are_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Options.model_validate(config)


def test_a_forecast_names_each_members_model() -> None:
    members = [{"judge": "single"}, {"judge": "debatrix", "model": "house/b"}, {"judge": "single"}]
    jury = Options.model_validate({"members": members})
    result = Jury.forecasts(jury, 600, model="house/a")
    assert [(model, forecast.calls[1]) for model, forecast in result] == [
        ("house/a", 1),
        ("house/b", 22),
        ("house/a", 1),
    ]
    stopping = Options.model_validate({"members": members, "early_stop": True})
    calls = [forecast.calls for _, forecast in Jury.forecasts(stopping, 600, model="house/a")]
    assert calls == [(1, 1, 2), (22, 22, 44), (0, 1, 2)]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_simulated_models_of_every_kind_sit_together(code: str, tmp_path: Path) -> None:
    members = [
        {"judge": judge, "model": f"offline/{skill}"}
        for judge, skill in zip(
            ("debatrix", "single", "more", "samre", "single"),
            ("strong", "good", "fair", "weak", "strong"),
            strict=True,
        )
    ]
    jury = Jury(Options.model_validate({"members": members}))
    for better, outcome in (("pro", PRO_WINS), ("con", CON_WINS)):
        debate = hearing(
            OfflineBackend(),
            tmp_path / better,
            code=code,
            said=one_sided(code, better),
            model="offline/strong",
        )
        judged = await jury.judge(debate)
        assert judged.verdicts[0].outcome == outcome
        assert len(judged.trace) == 5


@for_every(HOSTILE)
async def test_every_member_reads_a_hostile_speech_as_a_speech(kind: str, tmp_path: Path) -> None:
    text, backend = HOSTILE[kind], ScriptedBackend(Bench("PPC"))
    judged = await Jury(options(3)).judge(hearing(backend, tmp_path, said=with_speech(3, text)))
    assert judged.verdicts[0].outcome == PRO_WINS
    assert [texts(request, "speech")[3] for request in backend.requests] == [text] * 3
