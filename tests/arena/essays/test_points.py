"""The points of an essay: by a rule, by a model, and by a simulated one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import UnparseableReply
from arena.essays.points import MOST, extract_points
from arena.languages import language, leading_sentences
from arena.simulator import OfflineBackend
from tests.hostile import HOSTILE
from tests.scripted import ScriptedBackend
from tests.seats import language_model, texts

ESSAY = """Shorter weeks keep people healthy and awake. They also sleep more, as studies show again.

Firms win too, because tired workers make costly mistakes. Yes.

Nobody has to earn less for it, since output stays the same in most trials."""
CHINESE = """缩短工作周让员工更健康、更清醒。睡眠也会增加，多项研究都证实了这一点。

企业同样受益，因为疲惫的员工容易犯代价高昂的错误。是的。"""


def test_paragraphs_open_with_their_points() -> None:
    result = leading_sentences(ESSAY, language("en"))
    assert [one.split()[0] for one in result] == ["Shorter", "They", "Firms", "Nobody"]
    assert len(leading_sentences(CHINESE, language("zh"))) == 3


def test_there_are_five_at_most_and_none_in_nothing() -> None:
    many = "\n".join(f"Paragraph number {n} says something of its own here." for n in range(9))
    assert leading_sentences(many, language("en")) == many.split("\n")[:MOST]
    assert leading_sentences("Yes. No.", language("en")) == []


@pytest.mark.parametrize(("code", "label"), [("en", "essay"), ("zh", "文章")])
async def test_a_model_is_shown_one_essay_as_a_quotation(
    code: str, label: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: json.dumps({"points": ["One.", "Two."]}))
    model = language_model(backend, tmp_path)
    points = await extract_points(f"{ESSAY}\n{HOSTILE}", language(code), model, path="points/1")
    assert points == ["One.", "Two."]
    (request,) = backend.requests
    assert (request.task, request.path) == ("extract.points", "points/1")
    assert texts(request, label) == [f"{ESSAY}\n{HOSTILE}"]


async def test_more_than_five_are_asked_for_again(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: json.dumps({"points": ["One."] * 6}))
    with pytest.raises(UnparseableReply):
        await extract_points(
            ESSAY, language("en"), language_model(backend, tmp_path), path="points/1"
        )
    assert [one.attempt for one in backend.requests] == [0, 1]


@pytest.mark.parametrize(("code", "essay"), [("en", ESSAY), ("zh", CHINESE)])
async def test_a_simulated_model_notices_leading_sentences(
    code: str, essay: str, tmp_path: Path
) -> None:
    model = language_model(OfflineBackend(), tmp_path, name="offline/strong")
    points = await extract_points(essay, language(code), model, path="points/1")
    assert points and set(points) <= set(leading_sentences(essay, language(code)))
