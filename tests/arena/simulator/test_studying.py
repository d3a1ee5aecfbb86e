"""The simulated study of a question: notes that hold what the model recalls."""

from __future__ import annotations

from arena.debaters.maps import Demonstrations, Keywords, Topics
from arena.llm.model import schema_of
from arena.llm.reading import read_form
from arena.llm.request import Request
from arena.prompts import Message
from arena.records import Sampling
from arena.simulator import OfflineBackend
from motions import load_questions

SENTENCE = load_questions("wordplay10").motions[0]
WORDING = SENTENCE.wording("en")
BACKEND = OfflineBackend([SENTENCE])


def asking(task: str, form: type[Keywords | Topics | Demonstrations], seed: int) -> Request:
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
