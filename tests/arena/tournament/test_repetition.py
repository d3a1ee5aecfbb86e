"""A small model that repeats itself: nothing is asked for again with more room for repeats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.llm.truncation import limit_tokens
from arena.records import Sampling
from arena.store.database import Store
from tests.servers.answers import debater, schema_in
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import done
from tests.support.toml_files import FREE, bench, player, toml_text

pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

MODEL = "openai/local-model"
WORDS = 150
ROUND = "Shorter weeks pay for themselves, and everybody who has tried one knows it. "
#: More than any limit of tokens has room for.
ENDLESS = 2000


def repeating(asked: list[int]) -> Any:  # noqa: ANN401 - an answerer
    """A model that says what it is asked for, and then the same over and over."""

    def answer(body: Mapping[str, Any]) -> str:
        asked.append(body.get("max_completion_tokens") or body["max_tokens"])
        said = debater(body)
        if said.startswith("{") and schema_in(body) and "\n\n" not in said:
            return f"{said}\n" * ENDLESS
        return f"{said} {ROUND * ENDLESS}"

    return answer


def tournament(folder: Path, url: str) -> Path:
    """Debaters of four kinds and two judges, all on the model."""
    debaters = ("direct", "agent4debate", "self_reflect", "cot")
    text = toml_text(
        tournament={"name": "small", "seed": 7},
        schedule={"matchups_per_pair": 1, "concurrency": 4},
        limits={"words": WORDS},
        models={MODEL: {"api_base": url} | FREE},
        participants=[player(name, name, MODEL) for name in debaters],
        benches=[bench(judge, judge, MODEL) for judge in ("debatrix", "single")],
    )
    file = folder / "repeating.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_model_that_repeats_itself_finishes_its_debates(tmp_path: Path) -> None:
    db, asked = tmp_path / "repeating.duckdb", list[int]()
    with serving_in_thread(ServerSettings(), repeating(asked)) as server:
        done("run", tournament(tmp_path, server.url), "--yes", "--db", db)
    store = Store(db)
    assert store.rows("SELECT DISTINCT status FROM debates") == [{"status": "finished"}]
    assert store.rows("SELECT DISTINCT status FROM ballots") == [{"status": "valid"}]
    assert store.rows("SELECT count(*) AS n FROM debates") == [{"n": 12}]
    calls = store.rows("SELECT path, attempt, finish_reason, bent FROM calls")
    assert {call["finish_reason"] for call in calls} == {"length"}, "it always runs into its limit"
    assert {call["attempt"] for call in calls} == {0}, "no second request, and no larger one"
    assert len(asked) == len(calls)
    longest = limit_tokens(Sampling(), 450).max_tokens  # an outline of `agent4debate`
    assert limit_tokens(Sampling(), WORDS).max_tokens in asked and max(asked) <= longest
    looped = store.rows("SELECT 1 FROM calls WHERE contains(bent, 'loop')")
    assert len(looped) >= 6 * 12, "every speech at least"
    speeches = store.rows("SELECT text, words FROM speeches")
    assert len(speeches) == 6 * 12
    for row in speeches:
        assert row["text"].count(ROUND.strip()) <= 1, "the first of the repeats stays"
        assert 0 < row["words"] <= WORDS and row["text"].endswith(".")
