"""How speeches were made, from traces and stored answers, for every kind of agent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena.languages import CHINESE, ENGLISH, Language
from arena.records import Speech, Step
from arena.report.dialogues.dialogue import format_dialogue, make_dialogue
from arena.report.dialogues.dialogue_writer import StoredAnswer, gather_answers, split_answer
from arena.report.dialogues.records import SpeechDialogue


def dialogue(
    trace: Sequence[Step],
    answers: Mapping[str, object],
    *,
    text: str = "The speech.",
    spoken: Language = ENGLISH,
) -> SpeechDialogue:
    """How Pro's constructive was made: a trace, and answers by the end of their path."""
    speech = Speech(side="pro", stage="constructive", text=text, words=2, trace=tuple(trace))
    stored = [stored_answer(path, answer) for path, answer in answers.items()]
    return make_dialogue(speech, {("pro", "constructive"): stored}, spoken, "debate")


def stored_answer(path: str, answer: object) -> StoredAnswer:
    """An answer as it is stored; what is no text is JSON."""
    written = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    fields, text = split_answer(written)
    path = f"pro/constructive/{path}"
    return StoredAnswer(path=path, model="offline/fair", fields=fields, text=text, attempts=1)


def printed(made: SpeechDialogue, spoken: Language = ENGLISH) -> str:
    return "\n".join(format_dialogue(made, spoken))


TEAM: Sequence[Step] = (
    {"agent": "Analyzer", "marker": "finished"},
    {"agent": "Writer", "marker": "needs_material", "claim": "Costs explode."},
    {
        "agent": "Searcher",
        "question": "Costs explode.",
        "queries": ["costs", "overruns", "budgets"],
        "found": [[1, 2], [], [2]],
        "kept": [2],
        "results": [
            {"number": 1, "origin": "Ann, 2001", "excerpt": "It was dear."},
            {"number": 2, "origin": "Bob, 2002", "excerpt": "It was dearer."},
        ],
        "failed": {"overruns": "no network"},
    },
    {"agent": "Writer", "marker": "finished", "reasoning": "Cite Bob."},
    {"agent": "Reviewer", "marker": "revise", "suggestions": ["Define dear.", "Cite Ann."]},
    {"agent": "Writer", "marker": "finished"},
    {"agent": "protocol", "cap": "max_revisions"},
)
TEAM_ANSWERS = {
    "analyzer/1": "1. Costs.",
    "writer/1": {"marker": "needs_material", "claim": "Costs explode."},
    "writer/2": '{"reasoning": "Cite Bob.", "marker": "finished"}\nHello. It is dear. Bye.',
    "writer/10": '{"marker": "finished"}\nHello. Dear means costly. It is dear. Bye [1].',
    "searcher/1": {"queries": ["costs", "overruns"]},
    "searcher/2": {"queries": ["budgets"]},
    "searcher/3": {"kept": [], "conclusions": "Bob has figures.", "others": []},
    "reviewer/1": {"reasoning": "Vague.", "marker": "revise", "suggestions": ["Define dear."]},
}


def test_a_team_speaks_in_the_order_of_its_work() -> None:
    text = "Hello. Dear means costly. It is dear. Bye [P1]."
    made = dialogue(TEAM, TEAM_ANSWERS, text=text)
    assert [(step.agent, step.act) for step in made.steps] == [
        ("Analyzer", "outline"),
        ("Writer", "asks for material"),
        ("Searcher", "searches"),
        ("Writer", "draft 1"),
        ("Reviewer", "asks for changes"),
        ("Writer", "draft 2"),
        ("Protocol", "reaches the limit of revisions"),
    ]
    assert [step.path.removeprefix("pro/constructive/") for step in made.steps] == [
        "analyzer/1", "writer/1", "searcher/3", "writer/2", "reviewer/1", "writer/10", "",
    ]  # fmt: skip
    assert made.steps[0].text == "1. Costs."
    assert made.steps[3].details[0].text == "Cite Bob."
    assert made.steps[4].text == "1. Define dear.\n2. Cite Ann."
    assert made.steps[4].details[0].text == "Vague."


def test_a_search_shows_what_each_query_returned_and_what_was_kept() -> None:
    search = dialogue(TEAM, TEAM_ANSWERS).steps[2]
    assert [(detail.label, detail.text) for detail in search.details] == [
        ("Question", "Costs explode."),
        ("Query 1", "costs\n[1] Ann, 2001 — It was dear.\n[2] Bob, 2002 — It was dearer."),
        ("Query 2", "overruns\nfailed: no network"),
        ("Query 3", "budgets\n[2]"),
        ("Kept", "[2]"),
        ("Conclusions", "Bob has figures."),
    ]


def test_a_second_draft_shows_what_changed_and_the_last_one_is_the_speech() -> None:
    text = "Hello. Dear means costly.\nIt is dear. Bye [P1]."
    first, second = (
        step for step in dialogue(TEAM, TEAM_ANSWERS, text=text).steps if "draft" in step.act
    )
    assert first.changes is None and not first.delivered
    assert second.changes is not None and second.delivered
    assert second.changes.kept == 2
    assert [(change.kind, change.text) for change in second.changes.changes] == [
        ("added", "Dear means costly."),
        ("removed", "Bye."),
        ("added", "Bye [1]."),
    ]
    lines = printed(dialogue(TEAM, TEAM_ANSWERS, text=text))
    assert "sentences kept: 2, taken out: 1, put in: 2" in lines
    assert "    │ + Dear means costly." in lines and "    │ - Bye." in lines


INNER: Sequence[Step] = (
    {"agent": "Affirmative", "debater": 1, "round": 1, "stance": None, "diversity": 0.0},
    {"agent": "Negative", "debater": 2, "round": 1, "stance": "disagree", "diversity": 80.5},
    {"agent": "Judge", "mode": "discriminative", "round": 1, "settled": False,
     "supported": "Negative"},
    {"agent": "Affirmative", "fallback": "no turn in this round", "fault": "Refusal"},
    {"agent": "Negative", "debater": 2, "round": 2, "stance": "partly", "diversity": 90.0},
    {"agent": "Judge", "mode": "discriminative", "round": 2, "settled": True,
     "supported": "Negative"},
    {"agent": "protocol", "verdict": "negative", "disagreement": 0.75, "diversity": 90.0},
)  # fmt: skip
INNER_ANSWERS = {
    "affirmative/1": '{"reasons": "It is cheap."}\nBuy it.',
    "affirmative/2": "I cannot.",
    "negative/1": '{"reasons": "It breaks.", "stance": "disagree"}\nLeave it there.',
    "negative/2": '{"reasons": "Rent then.", "stance": "partly"}\nRent it first.',
    "judge/1": {"reason": "Open.", "supported": 2, "settled": False},
    "judge/2": {"reason": "Done.", "supported": 2, "settled": True},
}


def test_an_inner_debate_is_shown_by_rounds() -> None:
    made = dialogue(INNER, INNER_ANSWERS, text="Rent it first.")
    assert [(step.round, step.agent, step.act) for step in made.steps] == [
        (1, "Affirmative", "proposes"),
        (1, "Negative", "disagrees"),
        (1, "Judge", "the debate goes on; ahead: Negative"),
        (None, "Affirmative", "no usable answer (refusal): no turn in this round"),
        (2, "Negative", "agrees in part"),
        (2, "Judge", "the debate is settled, for: Negative"),
        (None, "Protocol", "the speech is that of: Negative"),
    ]
    texts = ["Buy it.", "Leave it there.", "", "", "Rent it first.", "", ""]
    assert [step.text for step in made.steps] == texts
    assert [step.delivered for step in made.steps] == [False] * 4 + [True] + [False] * 2
    lines = printed(made).splitlines()
    assert [line for line in lines if "Round" in line] == ["  Round 1", "  Round 2"]
    assert "    │ Reasons: It breaks." in lines and "    │ Reason: Done." in lines


DISCUSSION: Sequence[Step] = (
    {"agent": "Personas", "filled": 0, "chosen": [2, 1], "reasons": ["Sees much."],
     "pool": [{"description": "A nurse.", "claim": "It hurts."},
              {"description": "A cook.", "claim": "It costs."},
              {"description": "A judge.", "claim": "It fails."}]},
    {"agent": "Member", "member": 1, "round": 1, "marker": "satisfied"},
    {"agent": "Member", "member": 2, "round": 1, "marker": "open"},
    {"agent": "Critic", "round": 1, "marker": "objects"},
    {"agent": "protocol", "rounds": 1, "consensus": False, "cap": "max_rounds"},
    {"agent": "Planner", "points": [{"claim": "Cost.", "support": ["Bread.", "Milk."]}],
     "acknowledgment": "Some gain."},
    {"agent": "Writer", "marker": "finished"},
)  # fmt: skip
DISCUSSION_ANSWERS = {
    "personas/1": {"personas": []},
    "selector/1": {"members": []},
    "member/1": {"contribution": "Bread costs more.", "marker": "satisfied"},
    "member/2": {"contribution": "So does milk.", "marker": "open"},
    "critic/1": {"objection": "Wages rise.", "marker": "objects"},
    "planner/1": {"reasoning": "Costs first.", "points": []},
    "writer/1": "The speech.",
}


def test_personas_discussion_and_plan_are_shown() -> None:
    made = dialogue(DISCUSSION, DISCUSSION_ANSWERS)
    assert [(step.agent, step.act) for step in made.steps] == [
        ("Persona pool", "draws up 3 personas and chooses 2"),
        ("Member 1", "is satisfied"),
        ("Member 2", "is not satisfied yet"),
        ("Critic", "objects"),
        ("Protocol", "no agreement; rounds, the most allowed: 1"),
        ("Planner", "plan"),
        ("Writer", "draft 1"),
    ]
    assert [(detail.label, detail.text) for detail in made.steps[0].details] == [
        ("Member 1", "2. A cook.\nIt costs.\nReason: Sees much."),
        ("Member 2", "1. A nurse.\nIt hurts."),
        ("Not chosen", "3. A judge.\nIt fails."),
    ]
    assert made.steps[5].text == "1. Cost.\n   - Bread.\n   - Milk.\nAcknowledged: Some gain."
    assert made.steps[6].delivered


def test_a_chinese_debate_is_shown_in_chinese() -> None:
    answers = {**DISCUSSION_ANSWERS, "writer/1": "发言。"}
    made = dialogue(DISCUSSION, answers, text="发言。", spoken=CHINESE)
    lines = printed(made, CHINESE)
    assert made.steps[1].agent == "成员1" and made.steps[1].act == "表示满意"
    assert "第1轮" in lines and "│ 发言。" in lines
    inner = dialogue(INNER, INNER_ANSWERS, spoken=CHINESE)
    assert inner.steps[3].act == "没有可用的回答（拒绝回答）：本轮不发言"


def test_parts_have_drafts_of_their_own() -> None:
    trace: Sequence[Step] = (
        {"agent": "Writer", "marker": "finished", "part": "claim"},
        {"agent": "Reviewer", "marker": "revise", "suggestions": ["More."]},
        {"agent": "Writer", "marker": "finished"},
        {"agent": "Writer", "marker": "finished", "part": "reasons"},
        {"agent": "Composer", "marker": "finished"},
    )
    made = dialogue(trace, {f"writer/{n}": f"Part {n}." for n in (1, 2, 3)})
    assert [step.act for step in made.steps] == [
        "Claim, draft 1",
        "asks for changes",
        "Claim, draft 2",
        "Reasons and evidence, draft 1",
        "writes the speech from the parts",
    ]


def test_the_choice_among_samples_is_shown() -> None:
    trace: Sequence[Step] = (
        {"agent": "Writer", "marker": "finished", "draft": 1},
        {"agent": "Writer", "fallback": "the draft is left out", "fault": "EmptyReply"},
        {"agent": "Writer", "marker": "finished", "draft": 3},
        {"agent": "Chooser", "marks": {"1": 4, "3": 9}},
        {"agent": "Chooser", "chosen": 3, "of": 2},
    )
    answers = {
        "writer/1": "One.",
        "writer/2": "",
        "writer/3": "The speech.",
        "chooser/1": {"marks": [{"draft": 3, "reason": "Clear.", "mark": 9}]},
    }
    made = dialogue(trace, answers)
    assert [step.text for step in made.steps] == ["One.", "", "The speech.", "", ""]
    assert made.steps[2].delivered
    assert [(detail.label, detail.text) for detail in made.steps[3].details] == [
        ("Draft 1", "4"),
        ("Draft 3", "9, Clear."),
    ]
    assert made.steps[4].act == "chooses draft 3 of 2"


def test_samples_that_failed_do_not_shift_the_reasoning_of_the_others() -> None:
    trace: Sequence[Step] = (
        {"agent": "Writer", "marker": "finished", "reasoning": "Two and two."},
        {"agent": "Chooser", "votes": {"4": 1}},
    )
    answers = {
        "writer/1": "I cannot.",
        "writer/2": {"reasoning": "Two and two.", "answer": "4"},
    }
    made = dialogue(trace, answers, text="4")
    assert made.steps[0].text == "4" and made.steps[0].delivered
    assert made.steps[2].act == "further answer (pro/constructive/writer/1)"
    assert made.steps[2].text == "I cannot."


def test_corrections_are_drafts_of_the_speech() -> None:
    trace: Sequence[Step] = (
        {"agent": "Writer", "marker": "finished"},
        {"agent": "protocol", "action": "clean", "removed": ["heading"]},
        {"agent": "protocol", "action": "again", "fault": "WrongLanguage"},
        {"agent": "protocol", "action": "shorten", "from": 812},
    )
    answers = {"writer/1": "Un. Deux.", "again": "One. Two. Three.", "shorten": "One. Two."}
    made = dialogue(trace, answers, text="One. Two.")
    assert [step.act for step in made.steps] == [
        "draft 1",
        "takes off: heading",
        "asks for the speech again (wrong language)",
        "has the speech shortened, from 812",
    ]
    assert made.steps[2].changes is None  # nothing of it stood in the draft before
    assert made.steps[3].changes is not None and made.steps[3].delivered


def test_the_trace_of_an_unknown_debater_is_shown_by_its_fields() -> None:
    trace: Sequence[Step] = ({"agent": "Oracle", "round": 2, "mood": "grim", "odds": [1, 2]},)
    (step,) = dialogue(trace, {"oracle/1": "Beware."}).steps
    assert (step.agent, step.round, step.text) == ("Oracle", 2, "Beware.")
    assert [(detail.label, detail.text) for detail in step.details] == [
        ("mood", "grim"),
        ("odds", "[1, 2]"),
    ]


def test_hostile_text_stays_behind_the_bar() -> None:
    hostile = "\x1b[2J\u202eFine.\n── Ballots ──\r\u2028bench, run 1, overall Pro\x85x"
    trace: Sequence[Step] = (
        {"agent": "Ora\ncle\x1b[1m", "mood\n── x": hostile},
        {"agent": "Critic", "round": 1, "marker": f"objects\n{hostile}"},
        {"agent": "protocol", "cap": hostile},
    )
    lines = printed(dialogue(trace, {"critic/1": {"objection": hostile}})).splitlines()
    assert not set("\x1b\u202e\r\x85\u2028") & set("".join(lines))
    assert all(line.startswith(("  ", "    │ ")) for line in lines)
    assert [line for line in lines if line.lstrip().startswith(("──", "bench"))] == []


@pytest.mark.parametrize(
    ("answer", "fields", "text"),
    [
        ("Plain [3]", {}, "Plain [3]"),
        ('```json\n{"a": 1}\n```\nText [3]', {"a": 1}, "Text [3]"),
        ('<think>Hm.</think>{"a": 1}', {"a": 1}, ""),
        ('[{"a": 1}]', {"a": 1}, ""),
    ],
)
def test_an_answer_is_split_into_fields_and_text(
    answer: str, fields: dict[str, Any], text: str
) -> None:
    assert split_answer(answer) == (fields, text)


def test_a_long_text_that_was_delivered_is_not_repeated() -> None:
    text = "Wages rise year by year, and so do all the prices in town."
    lines = printed(
        dialogue([{"agent": "Writer", "marker": "finished"}], {"writer/1": text}, text=text)
    )
    assert lines == "  Writer: draft 1\n    (word for word the text below)"


def test_answers_to_choose_from_are_samples() -> None:
    finished = {"agent": "Writer", "marker": "finished", "reasoning": "Halve it."}
    trace: Sequence[Step] = (finished, finished, {"agent": "Chooser", "votes": {"4": 2}})
    answers = {f"writer/{n}": {"reasoning": "Halve it.", "answer": "4"} for n in (1, 2)}
    made = dialogue(trace, answers, text="4")
    assert [(step.act, step.text) for step in made.steps[:2]] == [
        ("sample 1", "4"),
        ("sample 2", "4"),
    ]
    assert all(step.changes is None for step in made.steps)


def test_the_judge_of_an_inner_debate_is_quoted_where_it_writes_itself() -> None:
    trace = INNER[:3]
    answers: dict[str, object] = {
        path: answer for path, answer in INNER_ANSWERS.items() if "/1" in path
    }
    for text, shown in (("Leave it there.", ""), ("Sell it.", "Sell it.")):
        answers["judge/1"] = f'{{"reason": "So.", "supported": 2, "settled": true}}\n{text}'
        judge = dialogue(trace, answers, text="Sell it.").steps[2]
        assert (judge.text, judge.delivered) == (shown, bool(shown))
        assert [detail.text for detail in judge.details] == ["So."]


@pytest.mark.parametrize(
    "step",
    [
        {"agent": "Personas", "pool": [1], "chosen": [1]},
        {"agent": "Chooser", "marks": [3]},
        {"agent": "Reviewer", "suggestions": 5},
        {"agent": "Planner", "points": ["Cost."]},
        {"agent": "Searcher", "queries": "one", "found": 3},
        {"agent": "Search", "query": "one", "results": [{"origin": "x"}]},
        {"agent": "protocol", "verdict": "none", "disagreement": "much"},
        {"agent": 7},
        {},
    ],
)
def test_a_step_of_another_shape_is_shown_by_its_fields(step: Step) -> None:
    (shown,) = dialogue([step], {}).steps
    given = {key for key in step if key != "agent"}
    assert {detail.label for detail in shown.details} == given and not shown.act


def test_a_text_in_the_trace_is_shown_where_no_answer_is_stored() -> None:
    trace: Sequence[Step] = (
        {"agent": "Writer", "marker": "finished", "round": 0, "answer": "One."},
        {"agent": "Reviewer", "marker": "revise", "suggestions": ["Two."], "round": 1},
        {"agent": "Writer", "marker": "finished", "round": 1, "answer": "Two."},
    )
    made = dialogue(trace, {})
    assert [(step.round, step.text) for step in made.steps] == [
        (None, "One."),
        (1, "1. Two."),
        (1, "Two."),
    ]


def test_an_answer_that_was_asked_for_again_is_the_last_one() -> None:
    calls = [
        {"path": "pro/answer/writer/1", "attempt": n, "model": "m", "answer": text}
        for n, text in ((1, "Second."), (0, "First."))
    ]
    trace = ({"agent": "Writer", "marker": "finished"},)
    speech = Speech(side="pro", stage="answer", text="Other.", words=1, trace=trace)
    made = make_dialogue(speech, gather_answers(calls), ENGLISH, "question")
    assert [(step.text, step.attempts) for step in made.steps] == [("Second.", 2)]
    assert "  Writer: draft 1 (asked 2 times)" in printed(made)


def test_an_essay_is_asked_for_as_a_constructive() -> None:
    stored = {("pro", "constructive"): [stored_answer("writer/1", "Essay.")]}
    trace = ({"agent": "Writer", "marker": "finished"},)
    speech = Speech(side="pro", stage="answer", text="Essay.", words=1, trace=trace)
    (step,) = make_dialogue(speech, stored, ENGLISH, "essay").steps
    assert step.delivered
