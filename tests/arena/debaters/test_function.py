"""Debaters whose speeches a function makes: its calls are seen, or marked as not seen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from arena.boards.next_debates import matchup_costs
from arena.config.resolved import ResolvedConfig
from arena.debater import Turn
from arena.debaters.function import Chat, FunctionDebater
from arena.store.database import Store
from arena.tournament.rehearsal import list_parts
from arena.tournament.tryout import try_debater
from tests.support.command_line import arena, done
from tests.support.console_script import ask
from tests.support.own_client import OwnClient, own_client_as_direct
from tests.support.tournaments import SMALL, content, resolved_of


class Pair(FunctionDebater):
    """A planner and a writer."""

    async def make_speech(self, turn: Turn, chat: Chat) -> str:
        situation = f"Motion: {self.seat.motion}\nYou speak for {self.seat.side}, {turn.stage}."
        plan = await chat([{"role": "system", "content": "Plan."}, _user(situation)])
        return await chat([_user(f"{situation}\nThe plan: {plan}\nWrite the speech.")])


class Wrong(FunctionDebater):
    """A debater whose message has no role that there is."""

    async def make_speech(self, turn: Turn, chat: Chat) -> str:
        return await chat([{"role": "tool", "content": "Plan."}])


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_each_call_has_a_place_and_is_counted() -> None:
    debate, unit = asyncio.run(try_debater(Pair))
    assert len(debate.speeches) == 6
    assert [call.path for call in unit.calls if "/chat/" in call.path] == [
        f"{side}/{stage}/chat/{number}"
        for side in ("con", "pro")
        for stage in ("constructive", "rebuttal", "summary")
        for number in (1, 2)
    ]
    assert all(call.input_tokens and call.output_tokens for call in unit.calls)


def test_a_framework_with_a_client_of_its_own_has_no_calls() -> None:
    debate, unit = asyncio.run(try_debater(OwnClient))
    assert len(debate.speeches) == 6 and unit.calls == ()


def test_what_is_no_message_is_the_frameworks_bug() -> None:
    with pytest.raises(ValueError, match="its `role` must be system, user, assistant"):
        asyncio.run(try_debater(Wrong))


@pytest.fixture
def unseen() -> Iterator[None]:
    with own_client_as_direct():
        yield


@pytest.mark.usefixtures("unseen")
def test_calls_that_are_not_seen_are_no_free_ones(own_database: Path, tmp_path: Path) -> None:
    mark = "calls not seen: its own calls are in no cost, count or cap"
    state = arena("status", "--db", own_database).stdout
    assert f"  strong: {mark} (the debater direct uses a client of its own)" in state
    assert f"  strong: {mark}" in done("leaderboard", "--db", own_database)
    ((debate,),) = ask(own_database, "SELECT min(debate_id) FROM debates")
    assert done("show", str(debate), "--db", own_database).count(f"; {mark}") == 2
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    assert f"  strong: {mark}" in done("check", file)
    assert f"  strong: {mark}" in done("run", file, "--dry-run", "--db", tmp_path / "x.duckdb")


@pytest.mark.usefixtures("unseen")
def test_what_calls_cost_that_are_not_seen_is_unknown_on_every_surface(
    own_database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    board = done("leaderboard", "--db", own_database)
    done("report", "--db", own_database)
    page = Path(f"{own_database}.report.html").read_text("utf-8").replace("\xa0", " ")
    unknown = "unknown for offline/fair, offline/strong, offline/weak"
    assert f"Spent: {unknown}." in " ".join(board.split())
    assert f"    {unknown}\n" in arena("status", "--db", own_database).stdout
    assert f"small: {unknown}, whose calls are in no USD." in done("list", "--db", own_database)
    assert f"spent, {unknown}" in page and f"By role: {unknown}." in page
    assert f"  cost {unknown}\n" in done("run", file, "--dry-run", "--db", tmp_path / "x.duckdb")
    rows = json.loads(done("leaderboard", "--format", "json", "--db", own_database))["rows"]
    assert [row["usd_per_debate"] for row in rows] == [None] * len(rows)
    assert "USD/debate" in board and "0.0000" not in board


@pytest.mark.usefixtures("unseen")
def test_a_side_whose_cost_is_unknown_is_not_taken_for_free(own_database: Path) -> None:
    with duckdb.connect(str(own_database)) as link:
        link.execute("UPDATE participants SET debater = 'baseline' WHERE name = 'strong'")
        link.execute("UPDATE calls SET cost_usd = 0.5, reserved_usd = 0")
    costs = matchup_costs(Store(own_database), "small")
    assert costs["weak"] == pytest.approx(costs["strong"]) and costs["weak"] > 0


@pytest.mark.usefixtures("unseen")
def test_no_rehearsal_makes_calls_that_are_not_seen() -> None:
    resolved: ResolvedConfig = resolved_of(content("ann", "bob"))
    assert [getattr(part, "name", "") for _, part in list_parts(resolved)] == ["bench"]
