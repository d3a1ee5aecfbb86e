"""Whole tournaments of models that read little: every prompt fits, and `arena show` says how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.llm.context_window import count_prompt
from arena.llm.request import Completion, Request
from arena.simulator import OfflineBackend
from arena.store.database import Store
from tests.support.command_line import arena, done
from tests.support.toml_files import bench, player, toml_text

pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

#: Tokens that the debaters' model reads, and the judges'.
WINDOWS = {"offline/fair": 4000, "offline/good": 4800}
DEBATERS = ("agent4debate", "baseline", "self_reflect", "mad", "debate_to_write")
JUDGES = ("debatrix", "single", "more", "samre")


def tournament(folder: Path, *, words: int, debaters: tuple[str, ...] = DEBATERS) -> Path:
    """Everybody against the first, in two languages, judged by several judges."""
    text = toml_text(
        tournament={"name": "cramped", "languages": ["en", "zh"], "seed": 3},
        limits={"words": words},
        schedule={"kind": "gauntlet", "newcomers": ["agent4debate"], "matchups_per_pair": 1},
        participants=[player(name, name, "offline/fair") for name in debaters],
        benches=[bench(judge, judge, "offline/good") for judge in JUDGES],
    )
    file = folder / "cramped.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Gives simulated models a small window; every request is checked against it."""
    sent: list[Request] = []
    complete = OfflineBackend.complete

    async def checked(backend: OfflineBackend, request: Request) -> Completion:
        fits = count_prompt(request) + request.output_limit <= WINDOWS[request.model]
        assert fits, request.path
        sent.append(request)
        return await complete(backend, request)

    monkeypatch.setattr(OfflineBackend, "complete", checked)
    window = staticmethod(WINDOWS.__getitem__)
    monkeypatch.setattr(OfflineBackend, "context_tokens", window, raising=False)
    return sent


def test_every_debater_and_judge_gets_along(tmp_path: Path, small_window: list[Request]) -> None:
    db = tmp_path / "cramped.duckdb"
    done("run", tournament(tmp_path, words=150), "--yes", "--db", db)
    store = Store(db)
    assert store.rows("SELECT DISTINCT status FROM debates") == [{"status": "finished"}]
    assert store.rows("SELECT DISTINCT status FROM ballots") == [{"status": "valid"}]
    steps = [
        (row["debate_id"], step)
        for row in store.rows("SELECT debate_id, trace FROM speeches ORDER BY ALL")
        for step in json.loads(row["trace"])
        if step.get("action") == "leave out"
    ]
    cut = {step["path"].split("/")[2] for _, step in steps}
    assert {"writer", "reviewer", "searcher"} <= cut
    assert any("findings" in step for _, step in steps)
    paths = {request.path for request in small_window}
    assert all(step["path"] in paths for _, step in steps)
    shown = done("show", steps[0][0], "--db", db)
    assert " without some findings" in shown and " for lack of room" in shown
    judged = store.rows("SELECT debate_id FROM ballots WHERE contains(trace, 'leave out')")
    assert "leave out, path run/0/" in done("show", judged[0]["debate_id"], "--ballots", "--db", db)


def test_a_window_too_small_voids_and_forfeits_nothing(
    tmp_path: Path, small_window: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WINDOWS, "offline/fair", 2600)
    db = tmp_path / "cramped.duckdb"
    file = tournament(tmp_path, words=150, debaters=DEBATERS[:2])
    said = arena("run", file, "--yes", "--db", db).output
    assert "offline/fair reads 2,600 tokens, too few for " in said
    assert "Choose a model that reads more" in said
    statuses = {row["status"] for row in Store(db).rows("SELECT DISTINCT status FROM debates")}
    assert "void" in statuses and statuses <= {"void", "finished"}
    assert small_window, "what fits was sent"
