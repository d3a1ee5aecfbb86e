"""A probe that a provider or its cap stops goes on where it was, and asks nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import ProviderRejected
from arena.llm.request import Completion, Request
from arena.store.database import Store
from tests.support.command_line import arena
from tests.support.probes import JUDGE, ask, findings
from tests.support.score_cards import card
from tests.support.scripted_backend import completion
from tests.support.stored_databases import change

#: Six debates, two readings and a copy of each.
_BALLOTS = 18
CUT = (*JUDGE, "--defect", "cut", "--concurrency", "1")


def test_what_was_answered_before_a_fault_is_not_asked_again(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = 0
    advocates = ("--judge", "more", *JUDGE[2:], "--defect", "cut", "--concurrency", "1")

    def failing(request: Request) -> str:
        nonlocal answered
        if answered == 30:
            raise ProviderRejected("down")
        answered += 1
        return answer(request)

    def answer(request: Request) -> str:
        return card() if request.task == "judge.criteria" else "Said."

    ask(monkeypatch, failing)
    words = (*advocates, "--db", own_database)
    assert findings(*words, code=1)["cut"]["readings"] == 0, "no debate has all three yet"
    second = ask(monkeypatch, answer)
    assert findings(*words)["cut"]["readings"] == 6
    assert len(second.requests) == _BALLOTS * 9 - 30
    assert not list(Store(own_database).journal_folder.glob("*"))


def test_a_cap_stops_it_before_it_is_passed_and_a_higher_one_goes_on(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def costing(request: Request) -> Completion:
        limits.append(request.sampling.max_tokens)
        return completion(card(), cost_usd=0.01)

    words = ("--db", own_database, *CUT)
    first = ask(monkeypatch, costing)
    findings(*words, "--debates", "2")
    assert len(first.requests) == 6
    # The worst case of a call is what it costs, and 0.06 USD are spent.
    backend = ask(monkeypatch, costing, (0.0, 0.01 / limits[0]))
    stopped = arena("judges", "probe", *words, "--usd", "0.1")
    assert stopped.exit_code == 1
    assert "Stopped: the spending cap of 0.10 USD is reached" in stopped.stderr
    assert len(backend.requests) <= 4
    spent = Store(own_database).rows("SELECT sum(cost_usd) AS usd FROM trials")[0]["usd"]
    assert 0.06 < spent <= 0.1 + 1e-9
    reserved = (
        "UPDATE calls SET reserved_usd = cost_usd WHERE unit IN (SELECT ballot_id FROM trials)"
    )
    change(Store(own_database), reserved)
    again = arena("judges", "probe", *words, "--usd", "1", "--format", "json")
    assert json.loads(again.stdout)["findings"][0]["readings"] == 6
    assert f"of 1.00 USD (up to {0.01 * _BALLOTS:.4f})." in again.stderr
    assert len(backend.requests) == _BALLOTS - 6
