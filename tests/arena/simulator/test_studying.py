"""The simulated study of a question, and the stances of a simulated inner debate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import BaseModel

from arena.debaters.mad import AnswerPosition
from arena.debaters.maps import Demonstrations, Keywords, Topics
from arena.languages import LANGUAGES
from arena.llm.answers import read_form
from arena.llm.request import Request
from arena.llm.schemas import schema_of
from arena.prompts import Message, quote
from arena.records import Sampling
from arena.simulator import OfflineBackend
from motions import load_questions

SENTENCE = load_questions("wordplay10").motions[0]
WORDING = SENTENCE.wording("en")
PUZZLE = load_questions("puzzles10").motions[0]
BACKEND = OfflineBackend([SENTENCE, PUZZLE])


def asking(task: str, form: type[BaseModel], seed: int) -> Request:
    return Request(
        model="offline/strong",
        messages=(Message(role="user", text=f"Question: {WORDING.text}"),),
        task=task,
        language="en",
        variables={"motion": WORDING.text},
        schema=schema_of(form),
        sampling=Sampling(),
        path="pro/answer/analyst/1",
        seed=seed,
    )


async def test_keywords_hold_the_right_sense_where_it_is_recalled_and_else_the_literal_one() -> (
    None
):
    assert WORDING.answers is not None
    meanings = set()
    for seed in range(40):
        completion = await BACKEND.complete(asking("study.keywords", Keywords, seed))
        (keyword,) = read_form(completion.text, Keywords).value.keywords
        meanings.add(keyword.meaning)
    assert meanings == {WORDING.answers.explanation, WORDING.answers.wrong_explanation}


async def test_topics_are_brief_and_no_example_is_invented() -> None:
    topics = await BACKEND.complete(asking("study.topics", Topics, 1))
    assert len(read_form(topics.text, Topics).value.topics) == 1
    examples = await BACKEND.complete(asking("study.demonstrations", Demonstrations, 1))
    assert read_form(examples.text, Demonstrations).value.demonstrations == []


@pytest.mark.parametrize(
    ("code", "words", "stances"),
    [
        ("en", "All debaters have to come to one answer.", {"agree"}),
        ("en", "The debaters disagree about most of it.", {"agree", "partly"}),
        ("en", "The debaters need not agree in everything.", {"agree"}),
        ("en", "The debaters disagree about every single point.", {"disagree"}),
        ("zh", "各位辩手在每一点上都持不同意见。", {"disagree"}),
    ],
)
async def test_a_debater_takes_the_stance_that_it_is_asked_for(
    code: str, words: str, stances: set[str]
) -> None:
    """The answer before is the mistake that it makes itself."""
    wording = PUZZLE.wording(code)
    assert wording.answers is not None
    draft = quote(LANGUAGES[code].terms["draft"], wording.answers.wrong[0], "1")
    taken = set()
    for seed in range(30):
        request = replace(
            asking("answer.question", AnswerPosition, seed),
            messages=(Message(role="user", text=f"{wording.text}\n\n{draft}\n\n{words}"),),
            language=code,
            variables={"motion": wording.text},
        )
        form = read_form((await BACKEND.complete(request)).text, AnswerPosition).value
        if form.answer == wording.answers.wrong[0]:
            taken.add(form.stance)
    assert taken == stances
