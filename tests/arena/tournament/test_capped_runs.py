"""The caps of participants, in tokens and of a day, by a server's own count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from arena.tournament.caps import days_file
from tests.servers.faults import Faults
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.console_script import arena, ask, environment
from tests.support.toml_files import bench, player, toml_text

#: How many debates play at once, and who plays them; fewer than most, which are easier to hold, are
#: tried more seldom.
_WAYS = [
    pytest.param(1, "local", marks=pytest.mark.deep),
    pytest.param(8, "local", marks=pytest.mark.deep),
    pytest.param(64, "local", marks=pytest.mark.slow),
    pytest.param(64, "processes:4", marks=pytest.mark.deep),
]

_NAMES = ("one", "two", "three")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """What the tournament takes without a cap: tokens by model, and the price for 5 USD in all."""

    tokens: Mapping[str, int]
    price: float


def _serving(price: float, seed: int = 1) -> ServerSettings:
    return ServerSettings(
        models=(*_NAMES, "judge"),
        usd_per_token=(price, price),
        faults=Faults(rates={"drop": 0.02, "malformed": 0.02, "rate_limit": 0.02}, seed=seed),
    )


def _run(  # noqa: PLR0913 - the keys of the file
    folder: Path,
    server: OpenAIServer,
    *,
    at_once: int = 8,
    executor: str = "local",
    price: float = 0.0,
    limits: Mapping[str, float] | None = None,
    window: Mapping[str, str] | None = None,
    cap: float | None = None,
) -> tuple[int, str]:
    """Run the tournament; `cap` is that of the participant `one`, in USD."""
    short = {"sampling": {"max_tokens": 400}}
    caps = {} if cap is None else {"one": {"usd": cap}}
    server_keys = {
        "api_base": "env:ARENA_LOCAL_BASE_URL|none",
        "api_key": "env:ARENA_LOCAL_API_KEY|none",
        "usd_per_million": {"input": 1e6 * price, "output": 1e6 * price},
    }
    text = toml_text(
        tournament={"name": "capped", "motions": "arena66", "categories": ["fact"], "seed": 7},
        schedule={"matchups_per_pair": 6} | dict(window or {}),
        limits=limits or {},
        models={"openai/*": server_keys},
        participants=[
            player(name, "direct", f"openai/{name}", **short, **caps.get(name, {}))
            for name in _NAMES
        ],
        benches=[bench("single", "single", "openai/judge", runs=2, **short)],
    )
    (folder / "capped.toml").write_text(text, "utf-8")
    options = ("--yes", "--no-report", "--concurrency", str(at_once), "--executor", executor)
    return arena(
        "run",
        folder / "capped.toml",
        *options,
        "--db",
        folder / "x.duckdb",
        env=environment(server.url),
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> _Whole:
    with serving_in_thread(ServerSettings(models=(*_NAMES, "judge"))) as server:
        code, printed = _run(tmp_path_factory.mktemp("whole"), server)
        tokens = dict(server.ledger.tokens_by_model)
    assert code == 0, printed
    return _Whole(tokens=tokens, price=5.0 / sum(tokens.values()))


def _unfinished(folder: Path) -> list[tuple[str, str]]:
    """The pairs of names whose debates are not finished and judged twice."""
    rows = ask(
        folder / "x.duckdb",
        "SELECT p.name, c.name FROM debates AS d JOIN participants AS p ON pro = p.participant_id "
        "JOIN participants AS c ON con = c.participant_id WHERE (SELECT count(*) FROM ballots AS b "
        "WHERE b.debate_id = d.debate_id AND b.status = 'valid') < 2",
    )
    return [(str(pro), str(con)) for pro, con in rows]


@pytest.mark.parametrize(
    ("at_once", "executor"),
    [*_WAYS[:-1], pytest.param(64, "processes:4", marks=pytest.mark.slow)],
)
def test_a_participants_cap_holds_and_the_others_are_played(
    at_once: int, executor: str, whole: _Whole, tmp_path: Path
) -> None:
    cap = 0.4 * whole.tokens["one"] * whole.price
    with serving_in_thread(_serving(whole.price, seed=at_once)) as server:
        code, printed = _run(
            tmp_path,
            server,
            at_once=at_once,
            executor=executor,
            price=whole.price,
            cap=round(cap, 4),
        )
        billed = server.ledger.usd_by_model["one"]
    assert code == 1, printed
    assert printed.count("of participant 'one' is reached") == 1
    assert 0.5 * cap <= billed <= cap, printed
    left = _unfinished(tmp_path)
    assert left and all("one" in pair for pair in left)


@pytest.mark.parametrize(("at_once", "executor"), _WAYS)
def test_a_cap_in_tokens_holds_for_models_that_cost_nothing(
    at_once: int, executor: str, whole: _Whole, tmp_path: Path
) -> None:
    cap = int(0.4 * sum(whole.tokens.values()))
    with serving_in_thread(_serving(0.0, seed=at_once)) as server:
        code, printed = _run(
            tmp_path, server, at_once=at_once, executor=executor, limits={"tokens": cap}
        )
        taken = sum(server.ledger.tokens_by_model.values())
    assert code == 1, printed
    assert f"the spending cap of {cap:,} tokens is reached" in printed
    assert 0.6 * cap <= taken <= cap, printed
    played = ask(tmp_path / "x.duckdb", "SELECT count(*) FROM debates WHERE status = 'finished'")
    assert len(_unfinished(tmp_path)) <= 36 - 0.7 * int(str(played[0][0]))


@pytest.mark.parametrize(("at_once", "executor"), _WAYS)
def test_a_days_cap_ends_the_night_and_the_next_one_goes_on(
    at_once: int, executor: str, whole: _Whole, tmp_path: Path
) -> None:
    now = datetime.now(UTC)
    times = (f"{now + timedelta(hours=hours):%H:%M}" for hours in (-6, 6))
    window = {"window": f"{'-'.join(times)} UTC"}
    with serving_in_thread(_serving(whole.price, seed=at_once)) as server:
        night = partial(
            _run, tmp_path, server, at_once=at_once, executor=executor, price=whole.price,
            window=window, limits={"usd_per_day": 1.0},
        )  # fmt: skip
        code, printed = night()
        first = sum(server.ledger.usd_by_model.values())
        again, words = night()
        same = sum(server.ledger.usd_by_model.values())
        _let_a_day_pass(tmp_path / "x.duckdb")
        night()
        second = sum(server.ledger.usd_by_model.values())
    assert (code, again) == (1, 1)
    assert "the day's spending cap of 1.00 USD is reached" in printed
    assert "the day's spending cap of 1.00 USD is reached" in words
    assert 0.5 <= first <= same <= 1.0, printed
    assert 0.5 <= second - same <= 1.0


def _let_a_day_pass(db: Path) -> None:
    content = json.loads(days_file(db).read_text("utf-8"))
    earlier = {
        (datetime.fromisoformat(day) - timedelta(days=1)).isoformat(): mark
        for day, mark in content["capped"].items()
    }
    days_file(db).write_text(json.dumps({"capped": earlier}), "utf-8")
