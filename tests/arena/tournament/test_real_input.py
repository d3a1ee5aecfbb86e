"""The local example through LiteLLM, against an OpenAI-compatible server that fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal

import pytest

from arena.config.load import shipped_configs
from arena.plugins import debater_class, names_for_contest
from tests.servers.faults import BROKEN, Fault, Faults
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.command_line import arena, done, refused
from tests.support.console_script import arena as called
from tests.support.console_script import ask, environment
from tests.support.toml_files import FREE, bench, player, toml_text

pytestmark = pytest.mark.usefixtures("no_stored_boards")

#: Ten percent of requests, evenly over the faults of the infrastructure.
_TENTH: dict[Fault, float] = dict.fromkeys(BROKEN, 0.02)


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """The local example with two of its participants, one matchup and one run of the bench."""
    start, *participants = shipped_configs()["local"].split("[[participants]]")
    last, bench = participants[-1].split("[[benches]]")
    text = "[[participants]]".join((start, participants[0], last)) + "[[benches]]" + bench
    assert {"agent4debate", "direct"} == set(re.findall(r'debater = "(.*)"', text))
    text = text.replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    file = tmp_path / "local.toml"
    file.write_text(text.replace("runs = 3", "runs = 1"), "utf-8")
    return file


@contextmanager
def _server(
    patch: pytest.MonkeyPatch, settings: ServerSettings | None = None, *, port: int = 0
) -> Iterator[OpenAIServer]:
    """A server to which the local example's address points, for commands of this process."""
    with serving_in_thread(settings or ServerSettings(), port=port) as server:
        patch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        yield server


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


@pytest.mark.parametrize(
    ("usage", "rate"), [("present", 0.0), ("absent", 0.05)], ids=["sound", "faulty"]
)
def test_a_tournament_on_a_local_server_runs_through(
    local: Path, usage: Literal["present", "absent"], rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faults of the infrastructure are retried and counted; missing token counts are estimated."""
    db = local.with_suffix(".duckdb")
    rates: dict[Fault, float] = dict.fromkeys(BROKEN, rate)
    settings = ServerSettings(usage=usage, faults=Faults(rates=rates, seed=3))
    with _server(monkeypatch, settings) as server:
        done("run", local, "--yes", "--db", db)
        failed = [one for one in server.ledger.requests if one.fate != "answered"]
        requests = server.ledger.times.total()
    counts = _counts(db)
    assert counts["debates"] == counts["finished"] == counts["valid"] == 2
    assert {one.fate for one in failed} == (set(BROKEN) if rate else set())
    assert counts["retries"] == len(failed)
    assert counts["calls"] + counts["retries"] == requests > 0
    tokens = ask(db, "SELECT min(input_tokens), min(output_tokens) FROM calls")
    assert all(int(str(one)) > 0 for one in tokens[0])


@pytest.mark.deep
def test_the_whole_local_example_survives_a_faulty_server(tmp_path: Path) -> None:
    db = tmp_path / "local.duckdb"
    settings = ServerSettings(faults=Faults(rates=_TENTH, seed=5))
    with serving_in_thread(settings) as server:
        code, printed = called("run", "local", "--yes", "--db", db, env=environment(server.url))
    assert code == 0, printed
    counts = _counts(db)
    assert counts["debates"] == counts["finished"] == 24
    assert counts["valid"] == 72
    assert counts["retries"] > 0.05 * counts["calls"]


_SERVER = {"api_base": "env:ARENA_LOCAL_BASE_URL", "api_key": "env:ARENA_LOCAL_API_KEY|none"}


def _run_faulty(
    folder: Path,
    names: Sequence[str],
    *,
    seed: int,
    **tables: Any,  # noqa: ANN401 - of a file
) -> dict[str, int]:
    """What is stored of a contest of these debaters, on a server of which a tenth fails."""
    file, db = folder / "own.toml", folder / "own.duckdb"
    players = [player(name, name, "openai/*") for name in names]
    text = toml_text(models={"openai/*": _SERVER | FREE}, participants=players, **tables)
    file.write_text(text, "utf-8")
    with serving_in_thread(ServerSettings(faults=Faults(rates=_TENTH, seed=seed))) as server:
        code, printed = called(
            "run", file, "--yes", "--no-report", "--db", db, env=environment(server.url)
        )
    assert code == 0, printed
    return _counts(db)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("matchups", "judge"), [(1, "single"), pytest.param(2, "debatrix", marks=pytest.mark.deep)]
)
def test_every_debater_plays_through_on_a_faulty_server(
    matchups: int, judge: str, tmp_path: Path
) -> None:
    names = [
        point.name
        for point in entry_points(group="arena.debaters")
        if point.value.startswith("arena.")
        and debater_class(point.name).needs_model
        and "debate" in debater_class(point.name).contests
    ]
    counts = _run_faulty(
        tmp_path,
        names,
        seed=9,
        tournament={"name": "every", "languages": ["en", "zh"]},
        schedule={"kind": "gauntlet", "newcomers": ["direct"], "matchups_per_pair": matchups},
        benches=[bench("bench", judge, "openai/*")],
    )
    assert len(names) >= 11
    debates = 2 * matchups * (len(names) - 1)
    assert counts["debates"] == counts["finished"] == counts["valid"] == debates
    assert counts["retries"] > 0.05 * counts["calls"]


@pytest.mark.deep
@pytest.mark.slow
def test_a_question_contest_runs_through_on_a_faulty_server(tmp_path: Path) -> None:
    names = [
        one for one in names_for_contest("debaters", "question") if debater_class(one).needs_model
    ]
    assert len(names) >= 6
    asked = {"name": "asked", "languages": ["en", "zh"], "motions": "wordplay10"}
    counts = _run_faulty(
        tmp_path,
        names,
        seed=11,
        tournament=asked | {"contest": "question"},
        schedule={"matchups_per_pair": 2},
        benches=[
            bench("by-chrf", "correctness"),
            bench("by-meaning", "translation", "openai/*"),
        ],
    )
    pairs = len(names) * (len(names) - 1) // 2
    assert counts["debates"] == counts["finished"] == 4 * pairs
    assert counts["valid"] == 2 * counts["debates"]
    assert counts["retries"] > 0.05 * counts["calls"]


def test_a_server_that_is_not_there_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_LOCAL_BASE_URL", "http://127.0.0.1:9/v1")
    assert "127.0.0.1:9" in refused("run", "local", "--yes", "--db", tmp_path / "x.duckdb")
    assert not (tmp_path / "x.duckdb").exists()


@pytest.mark.slow
def test_a_provider_that_fails_for_good_leaves_void_debates_that_a_resume_plays(
    local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = local.with_suffix(".duckdb")
    text = local.read_text("utf-8")
    local.write_text(text.replace("[schedule]", "[limits]\ngive_up_after = 0.2\n\n[schedule]"))
    broken = ServerSettings(faults=Faults(rates={"server_error": 1.0}))
    with _server(monkeypatch, broken) as server:
        played = arena("run", local, "--yes", "--db", db)
        port = int(server.url.split(":")[2].split("/")[0])
    assert played.exit_code == 1
    assert "2 debates are void" in played.output
    assert ask(db, "SELECT DISTINCT status, replays FROM debates") == [("void", 2)]
    with _server(monkeypatch, port=port):
        done("resume", "--yes", "--db", db)
    assert _counts(db)["valid"] == 2


@pytest.mark.parametrize(
    ("fault", "kinds"), [("refusal", {"Refusal"}), ("empty_content", {"EmptyReply"})]
)
def test_faults_of_content_are_forfeits_with_their_reason(
    local: Path, fault: Fault, kinds: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    db = local.with_suffix(".duckdb")
    with _server(monkeypatch, ServerSettings(faults=Faults(rates={fault: 1.0}))):
        done("run", local, "--yes", "--db", db)
    rows = ask(db, "SELECT status, reason FROM debates")
    assert [status for status, _ in rows] == ["forfeit", "forfeit"]
    assert {part.split(": ")[1] for _, reason in rows for part in str(reason).split("; ")} == kinds


def test_a_judge_that_cannot_be_understood_is_asked_again_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, file = tmp_path / "local.duckdb", _judged_by_server(tmp_path)
    settings = ServerSettings(faults=Faults(rates={"wrong_type": 1.0}))
    with _server(monkeypatch, settings) as server:
        played = arena("run", file, "--yes", "--db", db)
        port = int(server.url.split(":")[2].split("/")[0])
    assert played.exit_code == 1
    assert "2 ballots failed" in played.output
    assert ask(db, "SELECT DISTINCT status, asked FROM ballots") == [("failed", 1)]
    assert ask(db, "SELECT count(*) FROM ballot_scores") == [(0,)]
    with _server(monkeypatch, port=port):
        done("resume", "--yes", "--db", db)
    assert ask(db, "SELECT DISTINCT status, asked FROM ballots") == [("valid", 2)]


def _judged_by_server(folder: Path) -> Path:
    text = toml_text(
        tournament={"name": "judged", "categories": ["fact"]},
        schedule={"matchups_per_pair": 1},
        models={
            "openai/*": {
                "api_base": "env:ARENA_LOCAL_BASE_URL|none",
                "usd_per_million": {"input": 0, "output": 0},
            }
        },
        participants=[
            player("a"),
            player("b", "direct", "offline/weak"),
        ],
        benches=[bench("server", "debatrix", "openai/*")],
    )
    file = folder / "judged.toml"
    file.write_text(text, "utf-8")
    return file
