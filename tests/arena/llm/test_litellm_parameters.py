"""Sampling parameters that a model refuses: left out, remembered, recorded, and said once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import shipped_configs
from arena.llm.settings import ModelSettings
from arena.store.database import Store
from tests.command_line import arena, done
from tests.servers.connected import connected, request
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.servers.strict import Refusal, Rejected

pytestmark = pytest.mark.usefixtures("no_stored_boards")


@pytest.mark.parametrize("refusal", ["param", "message", "detail"])
async def test_refused_parameter_is_left_out_and_remembered(refusal: Refusal) -> None:
    refused = ServerSettings(
        models=(), refused_parameters=frozenset({"top_p", "seed"}), refusal=refusal
    )
    async with connected(refused) as (backend, server):
        first = await backend.complete(request())
        assert server.ledger.http_requests == 3
        second = await backend.complete(request())
        assert server.ledger.http_requests == 4
    assert first.dropped == second.dropped == ("top_p", "seed")
    assert server.ledger.last_body["temperature"] == 0.2


async def test_token_limit_goes_by_its_newer_name_where_it_must() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        if "max_tokens" in body:
            raise Rejected("Use 'max_completion_tokens' instead.", param="max_tokens")
        return "Fine."

    async with connected(answer=answer) as (backend, server):
        completion = await backend.complete(request())
    assert completion.dropped == ()
    assert server.ledger.last_body["max_completion_tokens"] == 64


@pytest.mark.parametrize(
    ("model", "dropped"), [("openai/o3-mini", ("top_p",)), ("openai/gpt-5", ("top_p",))]
)
async def test_what_litellm_knows_to_be_refused_is_not_sent(
    model: str, dropped: tuple[str, ...]
) -> None:
    async with connected(models={model: ModelSettings()}) as (backend, server):
        completion = await backend.complete(request(model))
    assert set(dropped) <= set(completion.dropped) <= {"top_p", "temperature", "seed"}
    assert server.ledger.http_requests == 1
    assert server.ledger.last_body["max_completion_tokens"] == 64


def _tournament(folder: Path) -> Path:
    text = shipped_configs()["local"].replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    parts = text.replace("runs = 3", "runs = 1").split("[[participants]]")
    direct = parts[-1].split("[[benches]]")[0]
    again = direct.replace('name = "direct"', 'name = "again"')
    bench = parts[-1].split("[[benches]]")[1]
    file = folder / "small.toml"
    file.write_text(
        "[[participants]]".join([parts[0], direct, again]) + "[[benches]]" + bench, "utf-8"
    )
    return file


def test_it_is_said_once_and_stands_in_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = _tournament(tmp_path), tmp_path / "own.duckdb"
    settings = ServerSettings(refused_parameters=frozenset({"top_p"}))
    with serving_in_thread(settings) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        checked = done("check", file, "--call")
        printed = arena("run", file, "--yes", "--db", db).output
    assert "openai/local-model: answered (" in checked
    assert "does not accept top_p" in checked
    assert (
        printed.count("openai/local-model does not accept top_p, which is left out of its calls")
        == 1
    )
    rows = Store(db).rows(
        "SELECT DISTINCT dropped, task LIKE 'judge.%' AS judging FROM calls ORDER BY ALL"
    )
    # The bench's own default of top-p is the provider's: leaving it out changes nothing.
    assert rows == [{"dropped": "", "judging": True}, {"dropped": "top_p", "judging": False}]
    debate = Store(db).rows("SELECT min(debate_id) AS first FROM debates")[0]["first"]
    shown = done("show", debate, "--calls", "--db", db)
    assert shown.count("(parameters left out, because the model rejects them: top_p)") == 6
