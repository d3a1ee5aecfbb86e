"""`arena trace`: how speeches were made, in three forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import done, refused
from tests.support.tournaments import commit, content, planned, played


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All debates of ann, bob and cyd are played; Pro's rebuttals cost 2 USD, others nothing."""
    store, plan = planned(tmp_path_factory.mktemp("trace") / "own.duckdb")
    costs = [("pro/rebuttal/writer/1", 2.0), ("con/summary/writer/1", 0.0)]
    commit(store, *(played(debate, costs=costs) for debate in plan.debates))
    return store.path


def test_a_participant_is_told_by_stage(path: Path) -> None:
    lines = done("trace", "--participant", "bob", "--db", path).splitlines()
    assert lines[0] == "small · simulated models · speeches"
    told = [line.split() for line in lines if line.startswith("bob")]
    # of 12 speeches 2 are Pro's rebuttals, and 2 are Con's summaries: 5 tokens and 0.1 s each
    assert told[0] == ["bob", "overall", "12", "0.33", "2", "0.00", "0.00", "0.00"]
    assert told[2][:4] == ["bob", "rebuttal", "4", "0.50"]
    assert told[6] == ["bob", "rebuttal", "0.00", "0.00", "1.0000", "0.0500"]


def test_one_stage_is_told_of_all(path: Path) -> None:
    document = json.loads(done("trace", "--stage", "summary", "--db", path, "--format", "json"))
    assert (document["tournament"], document["simulated"]) == ("small", True)
    told = [(one["participant"], one["stage"], one["speeches"]) for one in document["speeches"]]
    assert told == [(name, "summary", 4) for name in ("ann", "bob", "cyd")]
    assert document["speeches"][0]["agents"] == {"Writer": {"turns": 0.5, "tokens": 5.0}}
    assert document["published"]["turns"]["summary"]["Writer"] == 3.0932
    assert document["published"]["tokens"]["Reviewer"] == 415.57


def test_markdown_is_a_table_under_its_title(path: Path) -> None:
    lines = done("trace", "--db", path, "--format", "markdown").splitlines()
    assert lines[0] == "**small · simulated models · speeches**"
    assert lines[2].startswith("| participant | stage | speeches | turns | tokens | searches |")
    assert "| ann | overall | turns | 0.33 |" in lines


def test_a_tournament_without_a_finished_debate_says_so(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb", content("ann", "bob"))
    assert done("trace", "--db", store.path).splitlines() == [
        "small · simulated models",
        "",
        "No debate has finished yet. Continue with:",
        f"arena resume small --db {store.path}",
    ]
    assert json.loads(done("trace", "--db", store.path, "--format", "json"))["speeches"] == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--participant", "zoe"), "unknown participant 'zoe'. Known: ann, bob, cyd."),
        (
            ("--stage", "answer"),
            "--stage: unknown stage 'answer'. Known: constructive, rebuttal, summary.",
        ),
        (("-t", "big"), "no tournament 'big'. Stored: small."),
    ],
)
def test_what_there_is_not_is_refused(path: Path, given: tuple[str, ...], message: str) -> None:
    assert message in refused("trace", *given, "--db", path)


def test_imported_battles_have_no_speeches(tmp_path: Path) -> None:
    log = tmp_path / "battles.csv"
    log.write_text("model_a,model_b,winner\nann,bob,model_a\n")
    db = tmp_path / "own.duckdb"
    done("import", log, "--name", "log", "--db", db)
    message = refused("trace", "--db", db)
    assert message == (
        "tournament 'log' was imported without speeches, so there is nothing to trace. Name a "
        "tournament that was played; `arena list` shows them."
    )
