"""Who cannot take part is refused before anything is spent, by a run as by its check."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.console import play_tournament
from arena.debaters.direct import Direct
from arena.errors import PromptError
from arena.plugins import judge_class
from arena.store.database import Store
from arena.tournament.models import Models
from arena.tournament.readiness import whoever_costs
from arena.tournament.rehearsal import list_parts, rehearse, two_part_forms
from tests.support.command_line import arena, done, refused
from tests.support.console_script import ask
from tests.support.tournaments import SMALL, changed, content, resolved_of

OTHER = (
    '[[participants]]\nname = "planner"\ndebater = "cot_plan"\nmodel = "offline/good"\n\n'
    "[[benches]]"
)
#: The same with models that cost something; nobody is called.
PAID = (
    SMALL.replace("offline/strong", "openai/gpt-4o")
    .replace("offline/fair", "openai/gpt-4o-mini")
    .replace("offline/weak", "openai/gpt-4.1-mini")
)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A debater whose prompt is broken, and time enough to find that out on a busy machine."""

    async def speak(*_: object) -> None:
        raise PromptError("prompt rebuttal.en.md: missing variables side.")

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(Direct, "speak", speak)
    monkeypatch.setattr(play_tournament, "SECONDS", 60.0)


@pytest.mark.usefixtures("broken")
def test_a_run_refuses_what_its_check_refuses(tmp_path: Path) -> None:
    file, db = tmp_path / "small.toml", tmp_path / "own.duckdb"
    file.write_text(PAID, encoding="utf-8")
    message = refused("check", file)
    assert message.startswith(f"{file}: these cannot take part:\n  strong (en): ")
    assert [line.split()[0] for line in message.splitlines()[1:]] == ["strong", "fair", "weak"]
    assert refused("run", file, "--yes", "--db", db) == message
    assert refused("run", file, "--dry-run", "--db", db) == message
    assert not db.exists(), "nothing was stored"


def test_a_new_bench_is_refused_as_a_check_refuses_it(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def judge(*_: object) -> None:
        raise PromptError("prompt verdict.en.md: missing variables pro.")

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(judge_class("single"), "judge", judge)
    monkeypatch.setattr(play_tournament, "SECONDS", 0.0)
    bench = ("--judge", "single", "--model", "openai/gpt-4o", "--runs", "1", "--db", own_database)
    file = own_database.with_name("small.toml")
    file.write_text(
        SMALL.replace('"debatrix"\nmodel = "offline/strong"', '"single"\nmodel = "openai/gpt-4o"'),
        encoding="utf-8",
    )
    reason = "\n  {} (en): PromptError: prompt verdict.en.md: missing variables pro."
    assert reason.format("bench") in refused("check", file)
    for words in (["--dry-run"], ["--yes"]):
        message = refused("rejudge", *bench, *words)
        assert f"these cannot take part:{reason.format('single')}" in message
    assert "single" not in str(ask(own_database, "SELECT config FROM tournaments"))


def test_a_new_bench_that_cannot_read_a_debate_is_refused(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(Models, "context_tokens", lambda *_: 2000)
    bench = ("--judge", "single", "--model", "openai/gpt-4o", "--runs", "1", "--db", own_database)
    message = refused("rejudge", *bench, "--yes")
    assert "bench 'single': openai/gpt-4o reads 2,000 tokens at most" in message


@pytest.mark.usefixtures("broken")
def test_what_has_begun_goes_on(own_database: Path) -> None:
    file = own_database.with_name("small.toml")
    file.write_text(SMALL, encoding="utf-8")
    done("resume", "--yes", "--db", own_database)
    file.write_text(SMALL.replace("[[benches]]", OTHER), encoding="utf-8")
    planned = done("run", file, "--dry-run", "--db", own_database)
    assert "6 done, 6 to play" in planned, "the new one is not of the broken kind"


def test_only_who_is_new_and_costs_something_rehearses(own_database: Path) -> None:
    resolved = resolved_of(
        changed(content("ann", "bob"), ["participants", 1, "model"], "openai/gpt-4o")
    )
    for name in ("none.duckdb", own_database.name):
        new = whoever_costs(resolved, Store(own_database.with_name(name)))
        assert [entry.name for entry in new.participants] == ["bob"] and not new.benches


def test_a_rehearsal_without_time_is_said_to_be_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(PAID, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(play_tournament, "SECONDS", 0.0)
    planned = arena("run", file, "--dry-run", "--db", tmp_path / "own.duckdb")
    assert "4 parts could not be rehearsed within 0 s" in planned.stdout
    assert f"to rehearse everybody: arena check {file}" in planned.stdout


def test_equal_participants_rehearse_once_under_their_own_names_and_models() -> None:
    resolved = resolved_of(
        changed(content("ann", "bob"), ["participants", 1, "model"], "offline/weak")
    )
    first, second, *_ = asyncio.run(rehearse(resolved))
    assert (first.name, second.name) == ("ann", "bob")
    assert {request.model for request in second.requests} == {"offline/weak"}
    assert [request.messages for request in first.requests] == [
        request.messages for request in second.requests
    ]
    assert len(list_parts(resolved)) == 3


def test_the_forms_are_those_that_debaters_ask_for() -> None:
    made = content("ann", "bob", "cid")
    for place, debater in enumerate(("direct", "cot", "mad")):
        made = changed(made, ["participants", place, "debater"], debater)
        made = changed(made, ["participants", place, "model"], "offline/good")
        made = changed(made, ["participants", place, "options"], {})
    forms = two_part_forms(asyncio.run(rehearse(resolved_of(made))))
    assert {form.__name__: names for form, names in forms["offline/good"].items()} == {
        "Reasoned": ["bob"],
        "Proposal": ["cid"],
    }
