"""The spending cap, by a server's own count."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.load import shipped_configs
from tests.servers.faults import Faults
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.console_script import arena, ask, environment

#: USD per million tokens at which the tournament below is measured before its price is set.
_UNIT_PRICE = 1.0


#: What the debates cost that have all their ballots, with these.
_RATED = """
    SELECT coalesce(sum(d.cost_usd + b.usd), 0)
    FROM debates AS d JOIN (
        SELECT debate_id, sum(cost_usd) AS usd FROM ballots
        GROUP BY debate_id HAVING bool_and(status = 'valid')
    ) AS b USING (debate_id)
    WHERE d.status = 'finished'
"""


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


@pytest.fixture(scope="module")
def price(tmp_path_factory: pytest.TempPathFactory) -> float:
    """USD per million tokens at which the whole tournament costs five dollars."""
    folder = tmp_path_factory.mktemp("whole")
    with serving_in_thread(_settings(_UNIT_PRICE, seed=1)) as server:
        file = _tournament(folder, price=_UNIT_PRICE, cap=None)
        code, printed = arena(
            "run", file, "--yes", "--db", folder / "whole.duckdb", env=environment(server.url)
        )
    assert code == 0, printed
    return _UNIT_PRICE * 5.0 / server.ledger.answered_usd


@pytest.mark.parametrize(
    "at_once", [pytest.param(1, marks=pytest.mark.deep), pytest.param(64, marks=pytest.mark.slow)]
)
def test_a_cap_of_one_dollar_holds_where_the_tournament_costs_five(
    at_once: int, price: float, tmp_path: Path
) -> None:
    """And at least 80 % of the money buys debates that are rated, however many play at once."""
    db = tmp_path / "capped.duckdb"
    with serving_in_thread(_settings(price, seed=1)) as server:
        file = _tournament(tmp_path, price=price, cap=1.0)
        command = ("run", file, "--yes", "--no-report", "--db", db, "--concurrency", str(at_once))
        code, printed = arena(*command, env=environment(server.url))
        answered = server.ledger.answered_usd
        spent = answered + server.ledger.lost_worst_usd
        again, words = arena(
            "resume", "--yes", "--no-report", "--db", db, env=environment(server.url)
        )
        later = server.ledger.answered_usd + server.ledger.lost_worst_usd
    assert code == 1, printed
    assert "spending cap of 1.00 USD is reached" in printed
    assert 0.4 <= spent <= later <= 1.00, printed
    rated = float(str(ask(db, _RATED)[0][0]))
    assert rated >= 0.8 * answered, f"{rated:.3f} of {answered:.3f} USD bought rated debates"
    assert again == 1
    assert "spending cap" in words
    states = {str(state) for (state,) in ask(db, "SELECT DISTINCT status FROM debates")}
    assert states == {"finished", "planned"}
