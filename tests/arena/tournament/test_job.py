"""A tournament as paid work: its open units, and the command that goes on with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import BudgetReached
from arena.llm.budget import Budget, Cost, Purse
from arena.store.command_lines import DATABASE
from arena.store.database import Store
from arena.tournament.job import RunOptions, TournamentJob, WorkPart
from tests.support.tournaments import commit, content, judged, planned, played, resolved_of


def test_its_workload_is_what_is_open(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, second, third, *others = plan.debates
    commit(store, played(first), judged(first), played(second), played(third, "void"))
    workload = TournamentJob(plan.resolved, store, options=RunOptions()).workload()
    open_debates = 1 + len(others)
    assert workload.counts() == [
        ("debate", 0, open_debates, 0, 0),
        ("ballot", 0, open_debates + 1, 0, 0),
    ]
    assert workload.left({})["offline/fair"] > 0
    workload.drop_after(third.debate_id)
    assert workload.counts()[1] == ("ballot", 0, open_debates, 0, 0)


def test_it_goes_on_by_a_whole_command(tmp_path: Path) -> None:
    resolved = resolved_of(content(name="rainy weekend"))
    elsewhere = Store(tmp_path / "my results.duckdb")
    assert TournamentJob(resolved, Store(DATABASE), options=RunOptions()).resume == (
        "Continue with: arena resume 'rainy weekend' --yes"
    )
    assert TournamentJob(resolved, elsewhere, options=RunOptions()).resume == (
        f"Continue with: arena resume 'rainy weekend' --db '{elsewhere.path}' --yes"
    )
    assert TournamentJob(resolved, Store(DATABASE), options=RunOptions(usd=12345.67)).resume == (
        "Continue with: arena resume 'rainy weekend' --usd 12345.67 --yes"
    ), "whoever copies it must not lose the cap"


def test_at_the_cap_it_goes_on_with_a_higher_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.duckdb")
    job = TournamentJob(resolved_of(content()), store, options=RunOptions(usd=2.5))
    job.models.set_budget(Budget(2.5, spent=2.4))
    with pytest.raises(BudgetReached):
        job.models.budget.check(Cost(0.2))
    name = job.tournament
    assert job.resume == (
        f"Continue with a higher cap, for example: arena resume {name} --usd 5 --db {store.path} "
        "--yes"
    )


def test_a_higher_cap_is_high_enough_for_what_did_not_fit(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.duckdb")
    job = TournamentJob(resolved_of(content()), store, options=RunOptions(usd=0.001))
    job.models.set_budget(Budget(0.001))
    with pytest.raises(BudgetReached, match=r"the spending cap of 0\.0010 USD is reached"):
        job.models.budget.check(Cost(0.5786))
    assert job.resume.endswith(f"arena resume {job.tournament} --usd 0.58 --db {store.path} --yes")


def test_at_a_cap_of_the_file_it_goes_on_by_a_run_of_the_file(tmp_path: Path) -> None:
    store, file = Store(tmp_path / "x.duckdb"), tmp_path / "my file.toml"
    file.touch()
    resolved = replace(resolved_of(content()), where=str(file))
    job = TournamentJob(resolved, store, options=RunOptions())
    job.models.set_budget(Budget(5.0, tokens=Purse(10, measure="tokens")))
    with pytest.raises(BudgetReached):
        job.models.budget.check(Cost(0.0, 20))
    assert job.resume == (f"Raise it, then continue with: arena run '{file}' --db {store.path}")


def test_a_part_of_a_plan_is_not_resumed_as_a_whole(tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    part = WorkPart(reduce=lambda plan: plan, command="arena rejudge small")
    job = TournamentJob(resolved_of(content()), store, only=part, options=RunOptions())
    assert job.resume == "Continue with: arena rejudge small"
