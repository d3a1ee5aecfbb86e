"""A speech that the protocol had shortened goes back to the debater's Reviewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debates.protocol import play
from arena.languages import Side
from arena.llm.request import Completion, Request
from arena.plugins import debater_class
from arena.records import Speech
from tests.making import form, said
from tests.scripted import ScriptedBackend
from tests.seats import request_at, seats

LONG = "We say it. " * 8
SHORT = "We say it briefly."
MORE = form(reasoning="", marker="revise", suggestions=["Say it well."])
FINE = form(reasoning="", marker="accept", suggestions=[])
#: Paths of the review of a shortened constructive, and of the rewrite after it.
AFTER = {
    "agent4debate": ("pro/constructive/reviewer/2", "pro/constructive/writer/2"),
    "self_reflect": ("pro/constructive/reviewer/2", "pro/constructive/writer/2"),
}

with_a_reviewer = pytest.mark.parametrize("name", AFTER)


class Shortened:
    """A debate in which Pro's first speech is too long; its Reviewer accepted the long one."""

    def __init__(self, name: str, review: str, rewrite: str = "") -> None:
        self.name, self.answers = name, dict(zip(AFTER[name], (review, rewrite), strict=True))
        self.backend = ScriptedBackend(self._answer)

    async def play(self, folder: Path, **options: object) -> Speech:
        places = seats(self.backend, folder, words=12)
        debaters = {}
        names: dict[Side, str] = {"pro": self.name, "con": "direct"}
        for side, name in names.items():
            framework = debater_class(name)
            given = {"searcher": False, "analyzer": False} if name == "agent4debate" else {}
            chosen = (given | options) if side == "pro" else {}
            debaters[side] = framework(places[side], framework.Options.model_validate(chosen))
        played = await play(debaters)
        assert played.status == "finished", played.reason
        return played.speeches[0]

    def asked(self) -> list[str]:
        """The calls of Pro's constructive, without attempts."""
        start = "pro/constructive/"
        paths = [request.path for request in self.backend.requests]
        return [path.removeprefix(start) for path in paths if path.startswith(start)]

    def _answer(self, request: Request) -> str | Completion:
        if request.path in self.answers:
            return self.answers[request.path]
        if request.path == "pro/constructive/writer/1":
            return LONG
        return FINE if "reviewer" in request.path else SHORT


@with_a_reviewer
async def test_the_reviewer_sees_what_was_shortened(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, FINE)
    speech = await debate.play(tmp_path)
    assert debate.asked() == ["writer/1", "reviewer/1", "shorten", "reviewer/2"]
    assert said(request_at(debate.backend, AFTER[name][0]))[-1] == ("Writer", SHORT)
    assert "has 4 words" in request_at(debate.backend, AFTER[name][0]).text()
    assert speech.text == SHORT
    agents = [step["agent"] for step in speech.trace]
    assert agents == ["Writer", "Reviewer", "protocol", "Reviewer"]


@with_a_reviewer
async def test_the_writer_revises_once_with_the_count(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, MORE, "We say it briefly and well.")
    speech = await debate.play(tmp_path)
    assert debate.asked() == ["writer/1", "reviewer/1", "shorten", "reviewer/2", "writer/2"]
    assert "has 4 words" in request_at(debate.backend, AFTER[name][1]).text()
    assert (speech.text, speech.trimmed) == ("We say it briefly and well.", False)


@with_a_reviewer
async def test_a_revision_that_is_too_long_again_is_cut_at_a_sentence(
    name: str, tmp_path: Path
) -> None:
    speech = await Shortened(name, MORE, "We say it well. " * 4).play(tmp_path)
    assert (speech.text, speech.trimmed) == (
        "We say it well. We say it well. We say it well.",
        True,
    )


@with_a_reviewer
@pytest.mark.parametrize("review", ["The draft is fine.", MORE])
async def test_a_muddle_leaves_the_shortened_speech(name: str, review: str, tmp_path: Path) -> None:
    speech = await Shortened(name, review, rewrite="").play(tmp_path)
    assert speech.text == SHORT


@with_a_reviewer
async def test_without_a_reviewer_nobody_is_asked(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, MORE)
    speech = await debate.play(tmp_path, max_revisions=0)
    assert (speech.text, debate.asked()) == (SHORT, ["writer/1", "shorten"])
