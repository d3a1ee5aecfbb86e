"""`mad` as in its paper: who is told what, and in which messages; the default stays as it was."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.debater import Turn
from arena.debaters.mad import MultiAgentDebate, Options
from arena.languages import CONTESTS, Contest, Stage, language
from arena.llm.request import Request
from arena.prompts import find_quotes
from arena.tournament.rehearsal import rehearse
from tests.support.debate_seats import language_model, seat
from tests.support.debaters_at_work import Answer, AtWork, form, never_settles
from tests.support.scripted_backend import ScriptedBackend, completion

CODES = ["en", "zh"]
#: The hashes of the prompts of `mad` in the order in which an inner debate needs them.
DEFAULT_PROMPTS = {
    ("debate", "en"): "0380b92101befd9d a0ab983e4f23f946 0fd09f7ad450e90a 7b53308a855df1a6",
    ("debate", "zh"): "43f4b09dacdb049c f73b7dd30b5c58b4 486a8f1262635086 05edf11ea0c51500",
    ("question", "en"): "77cc9ae46123d32b b773098aea0f75e5 a5c5dab6fbead7f5 07631fcb0ceda82b",
    ("question", "zh"): "430a987312e97a88 1392099163bad6ac fa6e75ce5985fca3 b559bd7ae6e77194",
}
_ANSWERS: dict[str, dict[str, Any]] = {
    "AnswerProposal": {"reasons": "Up.", "answer": "100"},
    "AnswerPosition": {"reasons": "Down.", "stance": "disagree", "answer": "96"},
    "AnswerVerdict": {"reason": "Well.", "supported": 0, "settled": False, "answer": ""},
    "AnswerExtraction": {"reason": "Well.", "supported": 2, "answer": "96"},
}


async def debated(
    folder: Path,
    contest: Contest,
    code: str,
    answers: dict[str, Answer] | None = None,
    **options: object,
) -> dict[str, Request]:
    """All requests of an inner debate of two rounds that settle nothing, by path."""
    work = AtWork(MultiAgentDebate, {"judge": never_settles, **(answers or {})})
    if contest == "question":
        work.backend = ScriptedBackend(
            lambda one: form(**_ANSWERS[one.schema.name]) if one.schema else "The candidates."
        )
    made = Options.model_validate({"max_rounds": 2, **options})
    place = seat(language_model(work.backend, folder), code=code, search=work.shelf)
    stage: Stage = "answer" if contest == "question" else "constructive"
    debater = MultiAgentDebate(replace(place, contest=contest), made)
    await debater.speak(Turn(stage=stage, disclosed=()))
    return {one.path.partition(f"{stage}/")[2]: one for one in work.backend.requests}


def system(request: Request) -> str:
    assert [message.role for message in request.messages].count("system") == 1
    return request.messages[0].text


def lines_apart(one: Request, other: Request) -> list[tuple[str, str, str]]:
    """The lines in which two requests of equal length differ, with the role of their message."""
    return [
        (message.role, left, right)
        for message, twin in zip(one.messages, other.messages, strict=True)
        for left, right in zip(message.text.split("\n"), twin.text.split("\n"), strict=True)
        if left != right
    ]


def heard(request: Request, place: int) -> list[tuple[str, ...]]:
    """The debater and the round of each quotation in a message, without repeats."""
    digits = re.compile(r"\d+")
    return list(
        dict.fromkeys(
            tuple(digits.findall(" ".join(found.words)))
            for found in find_quotes(request.messages[place].text)
        )
    )


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("contest", CONTESTS)
async def test_agents_remember_what_they_heard_and_said(
    contest: Contest, code: str, tmp_path: Path
) -> None:
    asked = await debated(tmp_path, contest, code, preset="paper")
    rounds = [f"{agent}/{n}" for n in (1, 2) for agent in ("affirmative", "negative", "judge")]
    assert list(asked) == [*rounds, "judge/3", "judge/4"]
    fresh = {"judge/3": 1, "judge/4": 2}  # the judge that extracts remembers no round
    for path, request in asked.items():
        agent, number = path.split("/")
        turn = fresh.get(path, int(number))
        roles = [message.role for message in request.messages]
        assert roles == ["system", *["user", "assistant"] * (turn - 1), "user"]
        if turn > 1:
            before = asked[f"{agent}/{int(number) - 1}"].messages
            assert request.messages[: len(before)] == before, "its own conversation goes on"
    new = {path: heard(request, -1) for path, request in asked.items()}
    assert new == {
        "affirmative/1": [],
        "negative/1": [("1", "1")],
        "judge/1": [("1", "1"), ("2", "1")],
        "affirmative/2": [("2", "1")],
        "negative/2": [("1", "2")],
        "judge/2": [("1", "2"), ("2", "2")],
        "judge/3": [("1", "1"), ("2", "1"), ("1", "2"), ("2", "2")],
        "judge/4": [],
    }
    assert asked["judge/3"].schema is None and asked["judge/4"].schema is not None
    assert asked["judge/4"].messages[2].text == "The candidates."
    said = {"affirmative": "100", "negative": "96", "judge": "supported"}
    if contest != "question":
        said |= {"affirmative": "A first speech.", "negative": "Another speech."}
    for agent, text in said.items():
        assert text in asked[f"{agent}/2"].messages[2].text
        assert not find_quotes(asked[f"{agent}/2"].messages[2].text)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("contest", CONTESTS)
async def test_the_level_is_all_that_says_how_far_they_agree(
    contest: Contest, code: str, tmp_path: Path
) -> None:
    asked = [
        await debated(tmp_path / str(n), contest, code, preset="paper", level=n) for n in range(4)
    ]
    for path, request in asked[2].items():
        for level in (0, 1, 3):
            apart = lines_apart(request, asked[level][path])
            if path.startswith("judge"):
                assert apart == [], "the moderator is told of no level"
                continue
            opening = level == 0 and path == "negative/1"
            told_again = level == 0 and path == "negative/2"  # its history begins with the same
            roles = [role for role, _, _ in apart]
            assert roles == (["system", "user"] if opening or told_again else ["system"])
    sentences = {
        lines_apart(asked[2]["affirmative/1"], asked[n]["affirmative/1"])[0][2] for n in (0, 1, 3)
    }
    assert len(sentences) == 3


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("contest", CONTESTS)
async def test_only_the_second_debater_has_to_disagree_at_first(
    contest: Contest, code: str, tmp_path: Path
) -> None:
    opposing = re.compile("You disagree with|你不同意")
    for level, expected in ((0, set()), (2, {"negative/1"})):
        asked = await debated(tmp_path / str(level), contest, code, preset="paper", level=level)
        told = {path for path, one in asked.items() if opposing.search(one.messages[-1].text)}
        assert told == expected
    assert not any(opposing.search(system(one)) for one in asked.values())


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("contest", CONTESTS)
async def test_everybody_knows_their_part_the_number_of_debaters_and_the_limit_of_rounds(
    contest: Contest, code: str, tmp_path: Path
) -> None:
    asked = await debated(tmp_path, contest, code, preset="paper", debaters=5, max_rounds=7)
    parts = {"en": ("You are debater {}", "moderator"), "zh": ("你是其中的辩手 {}", "你是主持人")}
    debater, moderator = parts[code]
    for path, request in asked.items():
        first = system(request).partition("\n")[0]
        assert {"5", "7"} <= set(re.findall(r"\d+", first))
        assert (moderator in first.partition(".")[0]) == path.startswith("judge")
    starts = [system(asked[place]) for place in ("affirmative/1", "negative/1", "negative/4")]
    assert [debater.format(n) in text for n, text in zip((1, 2, 5), starts, strict=True)] == [
        True
    ] * 3


async def test_a_request_without_a_reply_is_forgotten_but_not_what_it_showed(
    tmp_path: Path,
) -> None:
    refused: dict[str, Answer] = {"constructive/negative/1": completion("No.", finish="refusal")}
    asked = await debated(tmp_path, "debate", "en", refused, preset="paper")
    assert [message.role for message in asked["negative/2"].messages] == ["system", "user"]
    assert heard(asked["negative/2"], -1) == [("1", "1"), ("1", "2")]
    assert heard(asked["affirmative/2"], -1) == []


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("contest", ["debate", "question"])
async def test_the_default_is_asked_as_it_always_was(
    contest: Contest, code: str, tmp_path: Path
) -> None:
    asked = await debated(tmp_path, contest, code)
    hashes = list(dict.fromkeys(one.prompt_hash for one in asked.values()))
    assert " ".join(hashes) == DEFAULT_PROMPTS[contest, code]
    roles = ["user"] if contest == "question" else ["system", "user"]
    for path, request in asked.items():
        assert [message.role for message in request.messages] == roles, path
    everything = [("1", "1"), ("2", "1"), ("1", "2"), ("2", "2")]
    assert heard(asked["judge/3"], -1) == everything, "in one message"


async def test_without_a_list_the_choice_is_made_from_the_whole_debate(tmp_path: Path) -> None:
    refused: dict[str, Answer] = {"constructive/judge/3": completion("No.", finish="refusal")}
    asked = await debated(tmp_path, "debate", "en", refused, preset="paper")
    assert [message.role for message in asked["judge/4"].messages] == ["system", "user"]
    assert heard(asked["judge/4"], -1) == heard(asked["judge/3"], -1) != []


async def test_where_every_round_is_extracted_from_each_has_a_fresh_judge(tmp_path: Path) -> None:
    asked = await debated(tmp_path, "question", "en", preset="paper", adaptive_break=False)
    judged = {path: one for path, one in asked.items() if path.startswith("judge")}
    lengths = [len(request.messages) for request in judged.values()]
    assert lengths == [2, 4] * 2
    options = Options(preset="paper", adaptive_break=False, max_rounds=2)
    assert MultiAgentDebate.forecast(options, 600).calls == (3 * len(asked),) * 3


def test_an_unset_preset_is_not_stored_and_a_set_one_has_the_values_of_the_paper() -> None:
    models = dict.fromkeys(("affirmative", "negative", "judge"))
    paper = {"level": 2, "debaters": 2, "max_rounds": 3, "adaptive_break": True}
    assert Options().model_dump() == {"models": models, **paper}
    assert Options(preset="paper").model_dump() == {"preset": "paper", "models": models, **paper}
    assert MultiAgentDebate.sampling.temperature == 0


@pytest.mark.parametrize(
    ("contest", "motions", "judge"),
    [
        ("debate", "arena66", "single"),
        ("essay", "refutation64", "single"),
        ("question", "puzzles10", "correctness"),
    ],
)
def test_simulated_models_play_it(contest: Contest, motions: str, judge: str) -> None:
    bench = {"name": "b", "judge": judge, "runs": 1}
    players = {"mad": {"preset": "paper"}, "direct": {}}
    made = {
        "tournament": {
            "name": "t", "contest": contest, "languages": CODES, "motions": motions,
            "most_motions": 1,
        },
        "participants": [
            {"name": name, "debater": name, "model": "offline/good", "options": options}
            for name, options in players.items()
        ],
        "benches": [bench | ({"model": "offline/good"} if judge == "single" else {})],
    }  # fmt: skip
    resolved = resolve(parse_config(made, where="t.toml"), where="t.toml")
    (own, _) = resolved.participants
    played = asyncio.run(rehearse(replace(resolved, participants=(own,), benches=())))
    assert [one.language for one in played] == CODES
    for rehearsal in played:
        assert not rehearsal.problem
        paths = [request.path for request in rehearsal.requests]
        assert len(paths) >= 3 and len(set(paths)) == len(paths), "nothing is asked for again"
        asked = language(rehearsal.language)
        assert {request.language for request in rehearsal.requests} == {asked.code}
