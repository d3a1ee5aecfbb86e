"""Prompts in other words: they say the same, and what a judge makes of them is measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from arena.languages import LANGUAGES
from arena.llm.request import Completion, Request
from arena.prompts import find_quotes
from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.debatrix_script import CALLS_ON_A_PAIR
from tests.support.evaluations import evaluated, write_pairs
from tests.support.paired_answers import JUDGES, comparing, pair
from tests.support.probes import ask
from tests.support.scripted_backend import ScriptedBackend

_FOLDER = files("judges") / "prompts"
FIRST, OTHERS = (
    {one.name: one.read_text("utf-8") for one in (_FOLDER / name).iterdir()}
    for name in ("answers", "answers_reworded")
)
#: What is no wording: variables, includes, headers, and names of fields in backticks.
_FILLED = re.compile(r"{[{%].*?[%}]}|^(task|flags) = .*|`[^`]*`")
#: A sentence of the other prompts alone.
OTHER_WORDS = "Neither knew the other's text"
ROWS = [
    (f"Question {n}?", "One.", "Two.", winner) for n, winner in enumerate(["a", "b", "a", "tie"])
]
GOOD = ("--reworded", "--model", "offline/good", "--judge")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with four labelled pairs."""
    return write_pairs(tmp_path, ROWS)


def swayed(request: Request) -> str | Completion:
    """A judge that the wording alone decides for."""
    return comparing(8, 9)(request) if OTHER_WORDS in request.text() else comparing(9, 8)(request)


def test_every_prompt_is_there_twice_and_no_line_is_the_same() -> None:
    assert FIRST.keys() == OTHERS.keys()
    for name, text in FIRST.items():
        both = [
            {line for line in one.splitlines() if len(_FILLED.sub("", line)) > 12}
            for one in (text, OTHERS[name])
        ]
        assert not both[0] & both[1], name


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    "name", [name for name, (judge, _) in JUDGES.items() if judge.can_reword(judge.options)]
)
async def test_other_words_ask_for_the_same(name: str, code: str, tmp_path: Path) -> None:
    judge, calls = JUDGES[name]
    asked = []
    for reworded in (False, True):
        backend = ScriptedBackend(comparing())
        given = pair(backend, tmp_path / str(reworded), code=code, reworded=reworded)
        verdicts = (await judge.judge(given)).verdicts
        asked.append((backend.requests, verdicts))
    (plain, said), (others, said_again) = asked
    assert len(plain) == len(others) == calls
    assert said == said_again
    for one, other in zip(plain, others, strict=True):
        assert (one.path, one.task, one.schema) == (other.path, other.task, other.schema)
        assert one.variables == other.variables
        assert find_quotes(one.text()) == find_quotes(other.text()), "what is judged is the same"
        assert one.prompt_hash != other.prompt_hash and one.text() != other.text()


@pytest.mark.parametrize(
    ("judge", "calls"), [("single", 1), ("more", 9), ("samre", 13), ("debatrix", CALLS_ON_A_PAIR)]
)
def test_a_judge_that_the_wording_decides_for_is_found_out(
    judge: str, calls: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, swayed)
    (one,) = evaluated(place, *GOOD, judge, "--runs", "2")["rewordings"]
    assert (one["readings"], one["moved"], one["noise"], one["missing"]) == (4, 4, 0, 0)
    assert (one["net"], one["p"]) == (1.0, 0.125)
    assert (one["told"], one["right"], one["right_others"]) == (3, 2, 1)
    assert len(backend.requests) == 4 * 2 * 3 * calls, "pairs, runs, readings"
    assert sum(OTHER_WORDS in one.text() for one in backend.requests) > 0


def test_one_that_it_does_not_is_not(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(monkeypatch, knowing({"Question 1?": (8, 9)}))
    evaluation = evaluated(place, *GOOD, "single")
    (one,) = evaluation["rewordings"]
    assert (one["moved"], one["noise"], one["net"], one["p"]) == (0, 0, 0.0, 1.0)
    assert one["kappa"]["value"] == one["kappa_again"]["value"] == 1.0
    assert (one["told"], one["right"], one["right_others"]) == (3, 3, 3)
    assert evaluation["accuracies"][0]["share"] == 1.0


def knowing(said: Mapping[str, tuple[float, float]]) -> Callable[[Request], str | Completion]:
    """A judge that scores by what is asked, and else prefers the first."""

    def script(request: Request) -> str | Completion:
        found = [scores for words, scores in said.items() if words in request.text()]
        return comparing(*(found or [(9, 8)])[0])(request)

    return script


def test_it_adds_to_what_was_measured_without_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, swayed)
    words = ("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb", "--yes",
             "--judge", "single", "--model", "offline/good")  # fmt: skip
    before = done(*words)
    assert "Sensitivity" not in before and len(backend.requests) == 4
    after = done(*words, "--reworded")
    assert "each judges once more, and once with reworded prompts" in after
    assert "4 taken before, 8 to take" in after
    assert len(backend.requests) == 4 + 8
    tables = before.partition("judges against people")[2].strip()
    assert tables.splitlines()[:8] == after.partition("against people")[2].strip().splitlines()[:8]
    assert "| single | 4" in done(*words, "--reworded", "--format", "markdown").replace("  ", " ")
    benches = Store(place / "own.duckdb").rows(
        "SELECT bench, count(*) AS n FROM trials GROUP BY bench ORDER BY bench"
    )
    assert [(one["bench"], one["n"]) for one in benches] == [
        ("single", 8),
        ("single (reworded)", 4),
    ]


def test_a_verdict_that_is_missing_is_said_to_be(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mumbling(request: Request) -> str | Completion:
        lost = OTHER_WORDS in request.text() and "Question 2?" in request.text()
        return "Hm." if lost or request.attempt else comparing(9, 8)(request)

    ask(monkeypatch, mumbling)
    evaluation = evaluated(place, *GOOD, "single", code=1)
    (one,) = evaluation["rewordings"]
    assert (one["readings"], one["missing"]) == (3, 1)
    assert evaluation["accuracies"][0]["missing"] == 0


def test_judges_with_one_set_of_prompts_are_refused(place: Path) -> None:
    words = ("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb", "--reworded")
    message = refused(*words, "--judge", "marks", "--model", "offline/good")
    assert "--reworded: 'marks' (bench 'marks') has no reworded prompts" in message
    members = 'members=[{judge="single"},{judge="marks"},{judge="single"}]'
    message = refused(*words, "--judge", "jury", "--model", "offline/good", "--option", members)
    assert "--reworded: 'jury'" in message and not (place / "own.duckdb").exists()
