"""`debate_to_write`: who is cast, who says what to whom, when the talk ends, what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debaters.debate_to_write import DebateToWrite, Options
from arena.languages import STAGES, Stage, language
from arena.llm.request import Request
from arena.prompts import find_quotes
from tests.support.debate_seats import ORDER, quoted, texts, unquoted
from tests.support.debaters_at_work import DEFAULTS, Answer, AtWork, form, said

CAST = ["personas/1", "selector/1"]
PROSE = "I would rather chat."
TEAM = "1. Who 5. — Claim 5.\n2. Who 2. — Claim 2.\n3. Who 6. — Claim 6."
OPEN = form(contribution="1. Another point.", marker="open")
OBJECTS = form(objection="Not yet.", marker="objects")


def talk(rounds: int, members: int = 3) -> list[str]:
    """The calls of some rounds: the members in turn, then the critic."""
    return [
        call
        for number in range(rounds)
        for call in (
            *(f"member/{number * members + n}" for n in range(1, members + 1)),
            f"critic/{number + 1}",
        )
    ]


def speech(rounds: int = 1, members: int = 3) -> list[str]:
    return [*talk(rounds, members), "planner/1", "writer/1"]


def pool(*claims: str) -> str:
    return form(personas=[{"description": "Who.", "claim": claim} for claim in claims])


async def test_the_team_is_cast_once_and_every_speech_is_talked_over(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite).play(tmp_path, *STAGES)
    assert made.calls("constructive") == [*CAST, *speech()]
    assert made.calls("rebuttal") == made.calls("summary") == speech()
    assert [one.task for one in made.backend.requests[:8]] == [
        "plan.personas",
        "plan.team",
        *["plan.discuss"] * 3,
        "plan.object",
        "plan",
        "write",
    ]
    for stage in STAGES:
        assert made.drafts[stage].text == f"Text of {stage}/writer/1."
        assert {"rounds": 1, "consensus": True} in made.steps(stage, "protocol")
        shown = texts(made.at(f"{stage}/member/1"), "persona")
        assert shown == [TEAM], "the same team for the whole debate, in the order of the choice"
    (cast,) = made.steps("constructive", "Personas")
    assert (cast["chosen"], cast["filled"]) == ([5, 2, 6], 0)
    assert cast["reasons"] == ["Reason 5.", "Reason 2.", "Reason 6."]
    assert len(cast["pool"]) == 6
    assert made.steps("rebuttal", "Personas") == []


async def test_the_selection_sees_the_whole_pool_and_the_talk_sees_the_team_alone(
    tmp_path: Path,
) -> None:
    made = await AtWork(DebateToWrite).play(tmp_path, "constructive")
    assert "at least 5 and at most 10" in made.at("constructive/personas/1").text()
    (candidates,) = texts(made.at("constructive/selector/1"), "candidates")
    assert candidates.split("\n") == [f"{n}. Who {n}. — Claim {n}." for n in range(1, 7)]
    assert "Choose 3 of them" in made.at("constructive/selector/1").text()
    for call in speech():
        text = made.at(f"constructive/{call}").text()
        assert "Claim 1." not in text and "Reason 5." not in text


@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_each_speaker_hears_those_before_and_the_writer_reads_the_plan_alone(
    side: str, stage: Stage, tmp_path: Path
) -> None:
    def point(request: Request) -> str:
        return form(contribution=f"1. Point of {request.path}.", marker="satisfied")

    answers: dict[str, Answer] = {"member": point}
    made = await AtWork(DebateToWrite, answers).play(tmp_path, stage, side=side)  # type: ignore[arg-type]
    at = {call: made.at(f"{stage}/{call}", side=side) for call in speech()}  # type: ignore[arg-type]
    heard = [(f"Member | {n}", f"1. Point of {side}/{stage}/member/{n}.") for n in (1, 2, 3)]
    critic = ("Critic", "But no.")
    assert said(at["member/1"]) == []
    assert said(at["member/2"]) == heard[:1]
    assert said(at["member/3"]) == heard[:2]
    assert said(at["critic/1"]) == heard
    assert said(at["planner/1"]) == [*heard, critic]
    assert quoted(at["writer/1"], "turn") == quoted(at["writer/1"], "persona") == []
    assert texts(at["writer/1"], "plan") == ["1. Main.\n- One.\n- Two.\nAcknowledged: Granted."]


async def test_members_are_told_who_they_are_and_the_critic_takes_the_other_side(
    tmp_path: Path,
) -> None:
    made = await AtWork(DebateToWrite).play(tmp_path, "rebuttal", side="con")
    for number in (1, 2, 3):
        text = unquoted(made.at(f"rebuttal/member/{number}", "con"))
        assert f"You are member {number} of the team." in text
        assert "Your persona stands above under your number." in text
    assert "you take Pro's part" in unquoted(made.at("rebuttal/critic/1", "con"))


@pytest.mark.parametrize(
    ("answers", "rounds", "consensus"),
    [
        ({"rebuttal/critic/1": OBJECTS}, 2, True),
        ({"rebuttal/member/2": OPEN}, 2, True),
        ({"rebuttal/member/1": OPEN, "rebuttal/critic/2": OBJECTS}, 3, True),
        ({"critic": OBJECTS}, 3, False),
        ({"member": OPEN}, 3, False),
        ({"rebuttal/critic/1": PROSE}, 2, True),
        ({"rebuttal/member/3": PROSE}, 2, True),
    ],
)
async def test_the_talk_ends_when_all_are_satisfied_and_the_critic_persuaded(
    answers: dict[str, Answer], rounds: int, consensus: bool, tmp_path: Path
) -> None:
    made = await AtWork(DebateToWrite, answers).play(tmp_path, "rebuttal")
    calls = [call for call in dict.fromkeys(made.calls("rebuttal")) if call not in CAST]
    assert calls == speech(rounds)
    (closing,) = made.steps("rebuttal", "protocol")
    assert (closing["rounds"], closing["consensus"]) == (rounds, consensus)
    assert closing.get("cap") == (None if consensus else "max_rounds")


async def test_everyone_is_told_the_round(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, {"critic": OBJECTS}).play(tmp_path, "summary")
    for number in (1, 2, 3):
        told = f"round {number} of at most 3"
        assert told in made.at(f"summary/critic/{number}").text()
        assert told in made.at(f"summary/member/{3 * number}").text()


async def test_without_personas_the_members_are_nobody(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, personas=False).play(tmp_path, *STAGES)
    assert [made.calls(stage) for stage in STAGES] == [speech()] * 3
    for request in made.backend.requests:
        assert quoted(request, "persona") == []
        assert "persona" not in unquoted(request).lower()
    assert made.steps("constructive", "Personas") == []


@pytest.mark.parametrize("size", [1, 2, 6])
async def test_the_size_of_the_team_is_an_option(size: int, tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, n_personas=size).play(tmp_path, "constructive")
    assert made.calls("constructive") == [*CAST, *speech(members=size)]
    (cast,) = made.steps("constructive", "Personas")
    assert len(cast["chosen"]) == len(set(cast["chosen"])) == size
    assert cast["chosen"][:3] == [5, 2, 6][:size]
    assert cast["filled"] == max(0, size - 3)
    least = "at least 6" if size == 6 else "at least 5"
    assert least in made.at("constructive/personas/1").text()


async def test_the_cap_on_rounds_is_an_option(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, {"critic": OBJECTS}, max_rounds=1).play(tmp_path, "summary")
    assert [call for call in made.calls("summary") if call not in CAST] == speech(1)


async def test_a_pool_that_does_not_parse_is_asked_for_three_times_more(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, {"personas": PROSE}).play(tmp_path, "summary")
    asked = [(one.path, one.attempt) for one in made.backend.requests if "/personas/" in one.path]
    assert asked == [(f"pro/summary/personas/{n}", again) for n in (1, 2) for again in (0, 1)]
    assert made.steps("summary", "Personas") == [
        {"fallback": done, "fault": "UnparseableReply"}
        for done in ("the pool is requested again", "members without personas")
    ]
    assert made.calls("summary")[4:] == speech(), "it goes on as without personas"
    assert quoted(made.at("summary/member/1"), "persona") == []


async def test_a_team_is_not_sought_again_where_none_was_found(tmp_path: Path) -> None:
    made = await AtWork(DebateToWrite, {"personas": PROSE}).play(tmp_path, "rebuttal", "summary")
    assert made.calls("summary") == speech()


async def test_one_broken_line_is_repaired(tmp_path: Path) -> None:
    def mended(request: Request) -> str:
        broken = {"description": " ", "claim": "Claim."}
        good = list(DEFAULTS["Pool"]["personas"])
        return form(personas=good if request.attempt else [*good, broken])

    made = await AtWork(DebateToWrite, {"personas": mended}).play(tmp_path, "constructive")
    assert [one.attempt for one in made.backend.requests[:2]] == [0, 1]
    assert "personas.6.description" in made.backend.requests[1].text()
    assert len(made.steps("constructive", "Personas")) == 1


async def test_a_pool_of_too_few_distinct_claims_is_asked_for_again(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"constructive/personas/1": pool("A.", "A.", "B.", "B.", " A. ")}
    made = await AtWork(DebateToWrite, answers).play(tmp_path, "constructive")
    assert made.calls("constructive")[:3] == ["personas/1", "personas/2", "selector/1"]
    first, second = made.steps("constructive", "Personas")
    assert first == {"fallback": "the pool is requested again", "fault": "UnparseableReply"}
    assert second["chosen"] == [5, 2, 6]


@pytest.mark.parametrize(
    ("answer", "chosen", "filled"),
    [
        (PROSE, [1, 2, 3], 3),
        (form(members=[]), [1, 2, 3], 3),
        (form(members=[{"number": n, "reason": ""} for n in (4, 4, 99, 0)]), [4, 1, 2], 2),
        (form(members=[{"number": n, "reason": ""} for n in (6, 1, 2, 3)]), [6, 1, 2], 0),
    ],
)
async def test_a_bad_selection_is_filled_up_in_the_pools_order(
    answer: str, chosen: list[int], filled: int, tmp_path: Path
) -> None:
    made = await AtWork(DebateToWrite, {"selector": answer}).play(tmp_path, "constructive")
    cast = made.steps("constructive", "Personas")[-1]
    assert (cast["chosen"], cast["filled"]) == (chosen, filled)


async def test_without_a_plan_the_members_last_words_are_the_plan(tmp_path: Path) -> None:
    def point(request: Request) -> str:
        return form(contribution=f"1. From\n{request.path}", marker="open")

    answers: dict[str, Answer] = {
        "planner": PROSE,
        "member": point,
        "summary/member/6": PROSE,
    }
    made = await AtWork(DebateToWrite, answers, max_rounds=2).play(tmp_path, "summary")
    assert texts(made.at("summary/writer/1"), "plan") == [
        "1. 1. From pro/summary/member/4\n"
        "2. 1. From pro/summary/member/5\n"
        "3. 1. From pro/summary/member/3"
    ]
    assert made.steps("summary", "Planner") == [
        {"fallback": "the members' last words", "fault": "UnparseableReply"}
    ]


async def test_a_plan_has_at_most_three_points(tmp_path: Path) -> None:
    points = [{"claim": f"{n}.", "support": ["So."]} for n in range(4)]
    made = await AtWork(DebateToWrite, {"planner": form(points=points)}).play(tmp_path, "summary")
    assert made.steps("summary", "Planner")[0]["fault"] == "UnparseableReply"


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_where_nobody_says_anything_of_use_it_is_written_without_a_plan(
    code: str, tmp_path: Path
) -> None:
    made = AtWork(DebateToWrite, {"planner": PROSE, "member": PROSE})
    await made.play(tmp_path, "summary", code=code)
    assert made.drafts["summary"].text == "Text of summary/writer/1."
    writing = made.at("summary/writer/1")
    assert texts(writing, language(code).terms["plan"]) == []
    assert "Turn the plan into" not in writing.text() and "请把提纲写成" not in writing.text()
    assert made.steps("summary", "Planner")[-1]["fallback"] == "no plan"


def related(answers: int, stance: str, **fields: object) -> str:
    return form(answers=answers, stance=stance, **fields)


FLOW: dict[str, Answer] = {
    "member/1": related(0, "opens", contribution="A.", marker="satisfied"),
    "member/2": related(1, "supports", contribution="B.", marker="satisfied"),
    "member/3": related(9, "opposes", contribution="C.", marker="satisfied"),
    "critic/1": related(1, "opposes", objection="D.", marker="objects"),
    "member/4": related(4, "opposes", contribution="E.", marker="satisfied"),
    "member/5": related(4, "opens", contribution="F.", marker="satisfied"),
    "member/6": related(5, "supports", contribution="G.", marker="satisfied"),
    "critic/2": related(7, "supports", objection=" ", marker="persuaded"),
}


@pytest.mark.parametrize(("code", "label"), [("en", "turn {}"), ("zh", "第{}次发言")])
async def test_turns_say_first_which_turn_they_take_up(
    code: str, label: str, tmp_path: Path
) -> None:
    answers = {f"summary/{path}": answer for path, answer in FLOW.items()}
    made = AtWork(DebateToWrite, answers, flow=True)
    await made.play(tmp_path, "summary", code=code)
    turns = [*made.steps("summary", "Member"), *made.steps("summary", "Critic")]
    assert [(step.get("turn"), step.get("answers"), step.get("stance")) for step in turns] == [
        (1, 0, "opens"),
        (2, 1, "supports"),
        (3, 0, "opens"),  # there is no turn 9
        (5, 4, "opposes"),
        (6, 0, "opens"),
        (7, 5, "supports"),
        (4, 1, "opposes"),
        (None, None, None),  # the critic had nothing to say
    ]
    request = made.at("summary/member/4")
    schema = request.schema
    assert schema is not None
    assert list(schema.body["properties"])[:4] == ["reasoning", "answers", "stance", "contribution"]
    shown = [words[-1] for words, _ in quoted_turns(request.text())]
    assert shown == [label.format(number) for number in range(1, 5)]


def quoted_turns(text: str) -> list[tuple[tuple[str, ...], str]]:
    """The further words and the text of each turn in a prompt."""
    labels = {language(code).terms["turn"] for code in ("en", "zh")}
    return [(found.words, found.text) for found in find_quotes(text) if found.label in labels]


def test_a_participant_without_the_flow_keeps_its_identity() -> None:
    stored = Options.model_validate({}).model_dump(mode="json")
    assert stored == {"personas": True, "n_personas": 3, "max_rounds": 3}
    assert Options.model_validate({"flow": True}).model_dump(mode="json")["flow"] is True
