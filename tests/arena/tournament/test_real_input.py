"""The local example through LiteLLM, against an OpenAI-compatible server that fails."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal

import pytest

from arena.config.load import shipped_configs
from arena.plugins import able, debater_class
from tests.commands import arena, ask, environment
from tests.servers.faults import Fault, Faults
from tests.servers.openai_server import ServerSettings, serving_in_thread

#: Ten percent of requests, evenly over the faults of the infrastructure.
_TENTH: dict[Fault, float] = {
    "rate_limit": 0.02,
    "server_error": 0.02,
    "drop": 0.02,
    "empty_choices": 0.02,
    "malformed": 0.02,
}


def _short(folder: Path) -> Path:
    """The local example with one matchup per pair and one run per bench."""
    text = shipped_configs()["local"].replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    file = folder / "short.toml"
    file.write_text(text.replace("runs = 3", "runs = 1"), "utf-8")
    return file


def _counts(db: Path) -> dict[str, int]:
    query = """
        SELECT (SELECT count(*) FROM debates),
               (SELECT count(*) FROM debates WHERE status = 'finished'),
               (SELECT count(*) FROM ballots WHERE status = 'valid'),
               (SELECT sum(retries) FROM calls), (SELECT count(*) FROM calls)
    """
    (row,) = ask(db, query)
    names = ("debates", "finished", "valid", "retries", "calls")
    return {name: int(str(value)) for name, value in zip(names, row, strict=True)}


@pytest.mark.parametrize("usage", ["present", "absent"])
def test_a_tournament_on_a_local_server_runs_through(
    tmp_path: Path, usage: Literal["present", "absent"]
) -> None:
    db = tmp_path / "local.duckdb"
    with serving_in_thread(ServerSettings(usage=usage)) as server:
        code, printed = arena(
            "run", _short(tmp_path), "--yes", "--db", db, env=environment(server.url)
        )
        requests = server.ledger.times.total()
    assert code == 0, printed
    found = _counts(db)
    assert found["debates"] == found["finished"] == found["valid"] == 12
    assert found["calls"] == requests
    assert found["retries"] == 0
    tokens = ask(db, "SELECT min(input_tokens), min(output_tokens) FROM calls")
    assert all(int(str(one)) > 0 for one in tokens[0])


def test_faults_of_the_infrastructure_are_retried_and_counted(tmp_path: Path) -> None:
    db = tmp_path / "local.duckdb"
    settings = ServerSettings(faults=Faults(rates=_TENTH, seed=3))
    with serving_in_thread(settings) as server:
        code, printed = arena(
            "run", _short(tmp_path), "--yes", "--db", db, env=environment(server.url)
        )
        failed = [one for one in server.ledger.requests if one.fate != "answered"]
        requests = server.ledger.times.total()
    assert code == 0, printed
    found = _counts(db)
    assert found["debates"] == found["finished"] == found["valid"] == 12
    assert {one.fate for one in failed} == set(_TENTH)
    assert found["retries"] == len(failed)
    assert found["calls"] + found["retries"] == requests


@pytest.mark.slow
def test_the_whole_local_example_survives_a_faulty_server(tmp_path: Path) -> None:
    db = tmp_path / "local.duckdb"
    settings = ServerSettings(faults=Faults(rates=_TENTH, seed=5))
    with serving_in_thread(settings) as server:
        code, printed = arena("run", "local", "--yes", "--db", db, env=environment(server.url))
    assert code == 0, printed
    found = _counts(db)
    assert found["debates"] == found["finished"] == 24
    assert found["valid"] == 72
    assert found["retries"] > 0.05 * found["calls"]


_SERVER = """
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = { input = 0, output = 0 }
"""
_ONE = '[[participants]]\nname = "{name}"\ndebater = "{name}"\nmodel = "openai/*"\n'
_EVERY = """
[tournament]
name = "every"
languages = ["en", "zh"]
[schedule]
kind = "gauntlet"
newcomers = ["direct"]
matchups_per_pair = 2
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "openai/*"
runs = 1
"""


def _run_faulty(folder: Path, text: str, names: Sequence[str], *, seed: int) -> dict[str, int]:
    """What is stored of a contest of these debaters, on a server of which a tenth fails."""
    file, db = folder / "own.toml", folder / "own.duckdb"
    participants = "".join(_ONE.format(name=name) for name in names)
    file.write_text(text + _SERVER + participants, "utf-8")
    with serving_in_thread(ServerSettings(faults=Faults(rates=_TENTH, seed=seed))) as server:
        code, printed = arena("run", file, "--yes", "--db", db, env=environment(server.url))
    assert code == 0, printed
    return _counts(db)


@pytest.mark.slow
def test_every_debater_plays_through_on_a_faulty_server(tmp_path: Path) -> None:
    names = [
        point.name
        for point in entry_points(group="arena.debaters")
        if point.value.startswith("arena.") and debater_class(point.name).needs_model
    ]
    found = _run_faulty(tmp_path, _EVERY, names, seed=9)
    assert len(names) >= 11
    assert found["debates"] == found["finished"] == found["valid"] == 4 * (len(names) - 1)
    assert found["retries"] > 0.05 * found["calls"]


_ASKED = """
[tournament]
name = "asked"
contest = "question"
languages = ["en", "zh"]
motions = "wordplay10"
[schedule]
matchups_per_pair = 2
[[benches]]
name = "by-chrf"
judge = "correctness"
runs = 1
[[benches]]
name = "by-meaning"
judge = "translation"
model = "openai/*"
runs = 1
"""


@pytest.mark.slow
def test_a_question_contest_runs_through_on_a_faulty_server(tmp_path: Path) -> None:
    names = [one for one in able("debaters", "question") if debater_class(one).needs_model]
    assert len(names) >= 6
    found = _run_faulty(tmp_path, _ASKED, names, seed=11)
    pairs = len(names) * (len(names) - 1) // 2
    assert found["debates"] == found["finished"] == 4 * pairs
    assert found["valid"] == 2 * found["debates"]
    assert found["retries"] > 0.05 * found["calls"]


def test_a_server_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    code, printed = arena(
        "run",
        "local",
        "--yes",
        "--db",
        tmp_path / "x.duckdb",
        env=environment("http://127.0.0.1:9/v1"),
    )
    assert code == 2
    assert "127.0.0.1:9" in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "x.duckdb").exists()


def test_a_provider_that_fails_for_good_leaves_void_debates_that_a_resume_plays(
    tmp_path: Path,
) -> None:
    db = tmp_path / "local.duckdb"
    file = _short(tmp_path)
    file.write_text(
        file.read_text("utf-8").replace("[schedule]", "[limits]\nretries = 0\n\n[schedule]")
    )
    broken = ServerSettings(faults=Faults(rates={"server_error": 1.0}))
    with serving_in_thread(broken) as server:
        code, printed = arena("run", file, "--yes", "--db", db, env=environment(server.url))
        port = int(server.url.split(":")[2].split("/")[0])
    assert code == 1
    assert "12 debates are void" in printed
    assert ask(db, "SELECT DISTINCT status, replays FROM debates") == [("void", 2)]
    with serving_in_thread(ServerSettings(), port=port) as server:
        code, printed = arena("resume", "--yes", "--db", db, env=environment(server.url))
    assert code == 0, printed
    assert _counts(db)["valid"] == 12


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("prose", {"UnparseableReply"}),
        ("wrong_type", {"UnparseableReply"}),
        ("cut_off", {"TruncatedReply"}),
        ("refusal", {"Refusal"}),
        ("empty_content", {"EmptyReply", "UnparseableReply"}),
    ],
)
def test_faults_of_content_are_forfeits_with_their_reason(
    tmp_path: Path, fault: Fault, words: set[str]
) -> None:
    db = tmp_path / "local.duckdb"
    settings = ServerSettings(faults=Faults(rates={fault: 1.0}))
    with serving_in_thread(settings) as server:
        code, printed = arena(
            "run", _short(tmp_path), "--yes", "--db", db, env=environment(server.url)
        )
    assert code == 0, printed
    found = ask(db, "SELECT status, reason FROM debates")
    assert {status for status, _ in found} == {"forfeit"}
    kinds = {part.split(": ")[1] for _, reason in found for part in str(reason).split("; ")}
    assert kinds == words


def test_a_judge_that_cannot_be_understood_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    db, file = tmp_path / "local.duckdb", _judged_by_server(tmp_path)
    settings = ServerSettings(faults=Faults(rates={"prose": 1.0}))
    with serving_in_thread(settings) as server:
        code, printed = arena("run", file, "--yes", "--db", db, env=environment(server.url))
        port = int(server.url.split(":")[2].split("/")[0])
    assert code == 1
    assert "2 ballots failed" in printed
    assert ask(db, "SELECT DISTINCT status, asked FROM ballots") == [("failed", 1)]
    assert ask(db, "SELECT count(*) FROM ballot_scores") == [(0,)]
    with serving_in_thread(ServerSettings(), port=port) as server:
        code, printed = arena("resume", "--yes", "--db", db, env=environment(server.url))
    assert code == 0, printed
    assert ask(db, "SELECT DISTINCT status, asked FROM ballots") == [("valid", 2)]


def _judged_by_server(folder: Path) -> Path:
    text = """
        [tournament]
        name = "judged"
        categories = ["fact"]
        [models."openai/*"]
        api_base = "env:ARENA_LOCAL_BASE_URL|none"
        usd_per_million = { input = 0, output = 0 }
        [[participants]]
        name = "a"
        debater = "direct"
        model = "offline/good"
        [[participants]]
        name = "b"
        debater = "direct"
        model = "offline/weak"
        [[benches]]
        name = "server"
        judge = "debatrix"
        model = "openai/*"
        runs = 1
    """
    file = folder / "judged.toml"
    file.write_text(text, "utf-8")
    return file
