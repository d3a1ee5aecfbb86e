"""The simulated team beside its writer: reviews, revisions, searches, shortening."""

from __future__ import annotations

import pytest

from arena.debaters.agent4debate_searcher import Compiled, Queries
from arena.debaters.agent_dialogue import number_lines
from arena.languages import LANGUAGES
from arena.prompts import quote
from arena.simulator.measures import find_answers, find_arguments
from arena.simulator.words import cited_marks, content_words
from tests.support.simulated_tasks import (
    EN_PRO,
    MOTION,
    REVIEW,
    WRITTEN,
    ask,
    ask_json,
    brief,
    case,
    material,
    seat,
    speech,
)


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_reviews_and_revises(language: str) -> None:
    words = LANGUAGES[language]
    draft = brief(language, "pro")[0].claim + ("[TODO]" if language == "zh" else " [TODO]")
    shown = material(words, brief(language, "pro"), side="pro")
    writer = quote(words.terms["turn"], draft, words.terms["Writer"])
    variables = seat(language, material=shown, dialogue=writer, round="1", rounds="3")
    review = await ask_json("review.constructive", variables, REVIEW, language=language)
    assert review["marker"] == "revise"
    listed = number_lines(review["suggestions"])
    reviewer = quote(words.terms["turn"], listed, words.terms["Reviewer"])
    variables["dialogue"] = f"{writer}\n{reviewer}"
    better = await ask_json("write.revise", variables, WRITTEN, language=language)
    assert "TODO" not in better["speech"]
    assert len(find_arguments(better["speech"])) > len(find_arguments(draft))
    assert set(cited_marks(better["speech"])) <= {("pro", number) for number in (1, 2, 3)}


async def test_accepts_a_complete_draft() -> None:
    shown = material(LANGUAGES["en"], EN_PRO)
    lines = [f"{one.claim} Research shows this: {one.evidence}" for one in EN_PRO]
    draft = "\n\n".join(f"{line} [{n}]" for n, line in enumerate(lines, start=1))
    variables = seat(material=shown, dialogue=quote("turn", draft, "Writer"))
    verdicts = [
        (await ask_json("review.constructive", variables, REVIEW, seed=seed))["marker"]
        for seed in range(20)
    ]
    assert verdicts.count("accept") > 15


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_answers_what_a_review_names(language: str) -> None:
    words = LANGUAGES[language]
    heard = speech(words, case(brief(language, "con")), "con")
    draft = quote(words.terms["turn"], "—", words.terms["Writer"])
    variables = seat(language, "rebuttal", transcript=heard, dialogue=draft)
    review = await ask_json("review.rebuttal", variables, REVIEW, language=language)
    assert review["marker"] == "revise"
    listed = number_lines(review["suggestions"])
    variables["dialogue"] += "\n" + quote(words.terms["turn"], listed, words.terms["Reviewer"])
    better = await ask("write.revise", variables, language=language)
    assert find_answers(better.text, [point.claim for point in brief(language, "con")])


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_revised_summary_weighs_what_was_left_out(language: str) -> None:
    words = LANGUAGES[language]
    heard = speech(words, case(brief(language, "pro")), "pro")
    heard += "\n" + speech(words, case(brief(language, "con")), "con")
    draft = quote(words.terms["turn"], "—", words.terms["Writer"])
    variables = seat(language, "summary", transcript=heard, dialogue=draft)
    reviews = [
        await ask_json("review.summary", variables, REVIEW, language=language, seed=seed)
        for seed in range(5)
    ]
    listed = next(one["suggestions"] for one in reviews if one["marker"] == "revise")
    text = number_lines(listed)
    variables["dialogue"] += "\n" + quote(words.terms["turn"], text, words.terms["Reviewer"])
    better = await ask("write.revise", variables, language=language)
    assert find_answers(better.text, [point.claim for point in brief(language, "con")])
    assert cited_marks(better.text) == []


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_searches(language: str) -> None:
    words = LANGUAGES[language]
    lists = Queries.model_json_schema()
    question = quote("question", MOTION.wordings[language].text)
    variables = seat(language, question=question)
    asked = await ask_json("search.queries", variables, lists, language=language)
    assert 1 <= len(asked["queries"]) <= 5
    assert not any("<" in query for query in asked["queries"])
    lines = [f"{words.terms['query']} 1: x"]
    lines += [
        f"[{n}] {one.source} — {one.claim} {one.evidence}"
        for n, one in enumerate(brief(language, "pro"), start=1)
    ]
    variables["results"] = quote(words.terms["results"], "\n".join(lines))
    better = [
        (await ask_json("search.correct", variables, lists, language=language, seed=n))["queries"]
        for n in range(10)
    ]
    assert [] in better
    form = Compiled.model_json_schema()
    kept = await ask_json("search.compile", variables, form, language=language)
    assert kept["conclusions"]
    assert [one["query"] for one in kept["kept"]] == [1]
    assert set(kept["kept"][0]["numbers"]) <= {1, 2, 3}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_shortens(language: str) -> None:
    words = LANGUAGES[language]
    long = (await ask("write.constructive", seat(language), language=language)).text
    for limit in (5, 40, 90):
        variables = {"speech": quote(words.terms["speech"], long), "words": str(limit)}
        answer = await ask("shorten", variables, language=language)
        assert 0 < words.count(answer.text) <= limit
        assert content_words(answer.text) <= content_words(long) | content_words(answer.text[:8])
