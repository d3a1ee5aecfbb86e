"""The spending cap, by a server's own count."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.load import shipped_configs
from tests.commands import arena, ask, environment
from tests.servers.faults import Faults
from tests.servers.openai_server import ServerSettings, serving_in_thread

#: USD per million tokens at which the tournament below is measured before its price is set.
_UNIT_PRICE = 1.0


def _tournament(folder: Path, *, price: float, cap: float | None) -> Path:
    text = shipped_configs()["local"].replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    text = text.replace("{ input = 0, output = 0 }", f"{{ input = {price}, output = {price} }}")
    if cap is not None:
        text = text.replace("[schedule]", f"[limits]\nusd = {cap}\n\n[schedule]")
    file = folder / f"price-{price:.3f}.toml"
    file.write_text(text.replace('name = "debatrix"', 'name = "b"').replace("runs = 3", "runs = 1"))
    return file


def _settings(price: float, *, seed: int) -> ServerSettings:
    faults = Faults(rates={"drop": 0.02, "malformed": 0.02}, seed=seed)
    return ServerSettings(usd_per_token=(price / 1e6, price / 1e6), faults=faults)


@pytest.mark.slow
def test_a_cap_of_one_dollar_holds_where_the_tournament_costs_five(tmp_path: Path) -> None:
    with serving_in_thread(_settings(_UNIT_PRICE, seed=1)) as server:
        file = _tournament(tmp_path, price=_UNIT_PRICE, cap=None)
        code, printed = arena(
            "run", file, "--yes", "--db", tmp_path / "whole.duckdb", env=environment(server.url)
        )
        whole = server.ledger.answered_usd
    assert code == 0, printed
    price = _UNIT_PRICE * 5.0 / whole
    db = tmp_path / "capped.duckdb"
    with serving_in_thread(_settings(price, seed=1)) as server:
        file = _tournament(tmp_path, price=price, cap=1.0)
        code, printed = arena("run", file, "--yes", "--db", db, env=environment(server.url))
        spent = server.ledger.answered_usd + server.ledger.lost_worst_usd
        again, words = arena("resume", "--yes", "--db", db, env=environment(server.url))
        later = server.ledger.answered_usd + server.ledger.lost_worst_usd
    assert code == 1, printed
    assert "spending cap of 1.00 USD is reached" in printed
    assert 0.80 <= spent <= 1.00
    assert again == 1
    assert "spending cap" in words
    assert later <= 1.00
    states = {str(state) for (state,) in ask(db, "SELECT DISTINCT status FROM debates")}
    assert "planned" in states
    assert "void" not in states
    assert "forfeit" not in states
