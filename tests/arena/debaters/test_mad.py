"""`mad`: who speaks in each round, what the judge may do with it, and what becomes of nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debaters.mad import MultiAgentDebate, Options, diversity
from arena.errors import EmptyReply, Refusal
from arena.languages import CHINESE, ENGLISH, STAGES, Stage
from arena.papers.rounds.work import read_work
from tests.support.debate_seats import SAMPLING, texts, unquoted
from tests.support.debaters_at_work import Answer, AtWork, composed, form, never_settles, said
from tests.support.scripted_backend import completion

NEVER: dict[str, Answer] = {"judge": never_settles}
ROUND = ["affirmative/{n}", "negative/{n}", "judge/{n}"]
PROSE = "I would rather chat."
REFUSED = completion("No.", finish="refusal")


def rounds(*numbers: int) -> list[str]:
    return [call.format(n=n) for n in numbers for call in ROUND]


def verdict(settled: bool, supported: int, answer: str) -> str:
    return composed(answer, reason="Well.", supported=supported, settled=settled)


def position(speech: str, stance: str = "disagree") -> str:
    return composed(speech, reasons=f"Why {speech}", stance=stance)


def extract(supported: int, answer: str) -> str:
    return composed(answer, reason="", supported=supported)


def last(made: AtWork, stage: Stage = "rebuttal") -> dict[str, object]:
    """The closing step of a speech's trace."""
    return made.steps(stage, "protocol")[-1]


@pytest.mark.parametrize("stage", STAGES)
async def test_a_settled_first_round_ends_it(stage: Stage, tmp_path: Path) -> None:
    made = await AtWork(MultiAgentDebate).play(tmp_path, stage)
    assert made.calls(stage) == rounds(1)
    assert made.drafts[stage].text == "The answer."
    assert made.steps(stage, "Judge") == [
        {
            "mode": "discriminative",
            "round": 1,
            "settled": True,
            "supported": "Negative",
            "answer": "The answer.",
        }
    ]
    assert last(made, stage)["verdict"] == "negative"
    assert not [step for step in made.drafts[stage].trace if "fallback" in step]


async def test_unsettled_rounds_go_on_to_the_cap_and_an_extraction(tmp_path: Path) -> None:
    made = await AtWork(MultiAgentDebate, NEVER).play(tmp_path, "rebuttal")
    assert made.calls("rebuttal") == [*rounds(1, 2, 3), "judge/4"]
    assert [one.schema.name for one in made.backend.requests if one.schema] == [
        *("Proposal", "Position", "Verdict"),
        *("Position", "Position", "Verdict") * 2,
        "Extraction",
    ]
    assert made.drafts["rebuttal"].text == "The extract."
    modes = [(one["mode"], one["supported"]) for one in made.steps("rebuttal", "Judge")]
    assert modes == [*[("discriminative", "Negative")] * 3, ("extractive", "Affirmative")]
    assert {"cap": "max_rounds"} in made.steps("rebuttal", "protocol")
    assert last(made)["verdict"] == "affirmative"


async def test_the_trace_keeps_every_answer_and_what_the_judge_took(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "rebuttal/affirmative/2": position("Mine again.", "partly"),
        "rebuttal/judge/1": extract(0, "A first extract."),
        "rebuttal/judge/2": extract(2, ""),
    }
    made = AtWork(MultiAgentDebate, answers, adaptive_break=False, max_rounds=2)
    await made.play(tmp_path, "rebuttal")
    kept = [
        (step["agent"], step["round"], step["answer"])
        for step in made.drafts["rebuttal"].trace
        if "round" in step
    ]
    assert kept == [
        ("Affirmative", 1, "A first speech."),
        ("Negative", 1, "Another speech."),
        ("Judge", 1, "A first extract."),
        ("Affirmative", 2, "Mine again."),
        ("Negative", 2, "Another speech."),
        ("Judge", 2, "Another speech."),
    ]
    work = read_work("mad", made.drafts["rebuttal"].trace)
    assert work is not None
    assert [work.answer_after(number) for number in (1, 2)] == [
        "A first extract.",
        "Another speech.",
    ]


async def test_a_later_round_may_settle_it(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {**NEVER, "summary/judge/2": verdict(True, 1, "At last.")}
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "summary")
    assert made.calls("summary") == rounds(1, 2)
    assert made.drafts["summary"].text == "At last."
    assert {"cap": "max_rounds"} not in made.steps("summary", "protocol")


async def test_all_see_the_whole_debate_and_nobody_a_verdict(tmp_path: Path) -> None:
    made = await AtWork(MultiAgentDebate, NEVER).play(tmp_path, "rebuttal")
    heads = [("1", 1), ("2", 1), ("1", 2), ("2", 2), ("1", 3), ("2", 3)]
    reasons = ["Reasons.", *["Against it."] * 5]
    speeches = ["A first speech.", *["Another speech."] * 5]
    turns = [
        (f"Debater | {who} | round {n}", why) for (who, n), why in zip(heads, reasons, strict=True)
    ]
    drafts = [
        (f"Debater | {who} | round {n}", text)
        for (who, n), text in zip(heads, speeches, strict=True)
    ]
    seen = [0, 1, 2, 2, 3, 4, 4, 5, 6, 6]
    for request, before in zip(made.backend.requests, seen, strict=True):
        assert said(request) == turns[:before], request.path
        assert said(request, "draft") == drafts[:before], request.path
        assert "Not yet." not in request.text()


async def test_without_adaptive_break_every_round_is_played_and_extracted_from(
    tmp_path: Path,
) -> None:
    answers: dict[str, Answer] = {
        f"summary/judge/{n}": extract(n % 2 + 1, f"Extract {n}.") for n in (1, 2, 3)
    }
    made = await AtWork(MultiAgentDebate, answers, adaptive_break=False).play(tmp_path, "summary")
    assert made.calls("summary") == rounds(1, 2, 3)
    judged = [one for one in made.backend.requests if "/judge/" in one.path]
    assert {one.schema.name for one in judged if one.schema} == {"Extraction"}
    assert made.drafts["summary"].text == "Extract 3."
    steps = made.steps("summary", "Judge")
    assert [step["round"] for step in steps] == [1, 2, 3]
    assert [step["supported"] for step in steps] == ["Negative", "Affirmative", "Negative"]
    assert {"cap": "max_rounds"} not in made.steps("summary", "protocol")


@pytest.mark.parametrize("bad", [PROSE, "", verdict(True, 0, " "), verdict(True, 7, "")])
async def test_an_empty_or_unreadable_verdict_continues(bad: str, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"rebuttal/judge/1": bad}
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert made.calls("rebuttal")[-3:] == rounds(2)
    assert made.drafts["rebuttal"].text == "The answer."
    fallback = made.steps("rebuttal", "Judge")[0]
    assert fallback["fallback"] == "the debate continues"


async def test_a_settled_verdict_without_an_answer_takes_the_supported_speech(
    tmp_path: Path,
) -> None:
    answers: dict[str, Answer] = {
        "rebuttal/negative/1": position("The second's."),
        "rebuttal/judge/1": verdict(True, 2, ""),
    }
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert made.calls("rebuttal") == rounds(1)
    assert made.drafts["rebuttal"].text == "The second's."


async def test_a_speech_taken_as_it_stands_need_not_follow(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        **NEVER,
        "rebuttal/affirmative/3": position("The first's last."),
        "rebuttal/judge/4": form(reason="So.", supported=1),
    }
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert made.drafts["rebuttal"].text == "The first's last."
    assert len(made.backend.requests) == 10, "nothing is asked again"


async def test_prose_of_the_judge_is_no_speech(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"judge": "Debater 2 is right, I think."}
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert made.drafts["rebuttal"].text == "Another speech."


@pytest.mark.parametrize("bad", [PROSE, extract(0, ""), REFUSED])
async def test_without_any_answer_the_last_speech_stands(bad: Answer, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        **NEVER,
        "rebuttal/judge/4": bad,
        "rebuttal/negative/3": position("The last."),
    }
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert made.drafts["rebuttal"].text == "The last."
    assert made.steps("rebuttal", "Judge")[-1]["fallback"] == "the last text proposed"
    assert last(made)["verdict"] == "none"


@pytest.mark.parametrize("nothing", ["", REFUSED])
async def test_a_debater_who_says_nothing_is_passed_over(nothing: Answer, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "rebuttal/affirmative/1": nothing,
        "rebuttal/negative/1": composed("First after all.", reasons="Mine."),
    }
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    heads = [head for head, _ in said(made.at("rebuttal/judge/1"), "draft")]
    assert heads == ["Debater | 2 | round 1"]
    fault = "EmptyReply" if nothing == "" else "Refusal"
    step = {"fallback": "no turn in this round", "fault": fault}
    assert made.steps("rebuttal", "Affirmative") == [step]


async def test_a_speech_without_reasons_or_stance_is_a_position(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {**NEVER, "affirmative": "Mine.", "negative": "Another."}
    made = await AtWork(MultiAgentDebate, answers).play(tmp_path, "rebuttal")
    assert [step["stance"] for step in made.steps("rebuttal", "Negative")] == [None] * 3
    assert last(made)["disagreement"] is None
    assert texts(made.at("rebuttal/judge/1"), "draft") == ["Mine.", "Another."]


@pytest.mark.parametrize("nothing", ["", REFUSED])
async def test_where_nobody_says_anything_nothing_is_judged(
    nothing: Answer, tmp_path: Path
) -> None:
    made = AtWork(MultiAgentDebate, {"affirmative": nothing, "negative": nothing})
    with pytest.raises(EmptyReply if nothing == "" else Refusal):
        await made.play(tmp_path, "rebuttal")
    assert not [call for call in made.calls("rebuttal") if call.startswith("judge")]


LEVELS = {
    0: ("full consensus", "完全的共识"),
    1: ("disagree about most of it", "在大部分问题上意见相左"),
    2: ("need not agree with one another in everything", "不必事事一致"),
    3: ("disagree about every single point", "每一个问题上都要针锋相对"),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_level_is_told_to_the_debaters_only(
    level: int, code: str, tmp_path: Path
) -> None:
    made = AtWork(MultiAgentDebate, NEVER, level=level)
    await made.play(tmp_path, "rebuttal", code=code)
    for request in made.backend.requests:
        text = unquoted(request)
        told = [n for n, words in LEVELS.items() if words[code == "zh"] in text]
        assert told == ([] if "/judge/" in request.path else [level]), request.path


async def test_more_debaters_speak_in_turn(tmp_path: Path) -> None:
    made = await AtWork(MultiAgentDebate, debaters=4).play(tmp_path, "rebuttal")
    assert made.calls("rebuttal") == [
        "affirmative/1",
        *(f"negative/{n}" for n in (1, 2, 3)),
        "judge/1",
    ]
    heads = [head.split(" | ")[1] for head, _ in said(made.at("rebuttal/judge/1"), "draft")]
    assert heads == ["1", "2", "3", "4"]
    assert "You are debater 4" in made.at("rebuttal/negative/3").text()


async def test_each_role_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    models = {"negative": "other/one", "judge": "other/two"}
    made = await AtWork(MultiAgentDebate, NEVER, models=models).play(tmp_path, "rebuttal")
    used = {one.path.split("/")[2]: one.model for one in made.backend.requests}
    assert used == {
        "affirmative": "scripted/model",
        "negative": "other/one",
        "judge": "other/two",
    }
    assert all(one.sampling == SAMPLING for one in made.backend.requests)
    options = Options.model_validate({"models": models})
    assert MultiAgentDebate.models(options) == ("other/one", "other/two")
    assert MultiAgentDebate.models(Options()) == ()


async def test_the_trace_tells_stances_disagreement_and_diversity(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        **NEVER,
        "summary/affirmative/1": composed("The week is far too long.", reasons=""),
        "summary/negative/1": position("The week is far too short.", "partly"),
        "summary/affirmative/2": position("Nothing alike here.", "disagree"),
        "summary/negative/2": position("The week is far too long.", "agree"),
        "summary/judge/3": extract(2, "The week is far too long."),
    }
    made = await AtWork(MultiAgentDebate, answers, max_rounds=2).play(tmp_path, "summary")
    first, third = made.steps("summary", "Affirmative")
    second, fourth = made.steps("summary", "Negative")
    assert [one["stance"] for one in (first, second, third, fourth)] == [
        None,
        "partly",
        "disagree",
        "agree",
    ]
    moved = [one["diversity"] for one in (first, second, third, fourth)]
    assert moved[0] == moved[3] == 0.0
    assert 0 < moved[1] < moved[2] <= 100
    closing = last(made, "summary")
    assert (closing["disagreement"], closing["diversity"]) == (0.5, 0.0)
    assert texts(made.at("summary/negative/1"), "turn") == [], "no empty reasons are shown"


@given(st.text(max_size=60), st.text(max_size=60))
@pytest.mark.parametrize("spoken", [ENGLISH, CHINESE])
def test_diversity_is_a_percentage(spoken: object, first: str, second: str) -> None:
    language = ENGLISH if spoken is ENGLISH else CHINESE
    assert 0 <= diversity(first, second, language) <= 100


def test_diversity_reads_chinese_by_the_character() -> None:
    same, other = "我们应当缩短每周的工作时间。", "我们应当延长每周的工作时间。"
    assert diversity(same, same, CHINESE) == 0
    assert 0 < diversity(same, other, CHINESE) < 60
    assert diversity(same, other, ENGLISH) > 90, "as if it were one word"
