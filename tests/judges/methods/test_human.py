"""`human` as a bench: no call, as many votes as people, and refused where people cannot vote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.config.resolved import dimensions
from arena.errors import ConfigError
from arena.tournament.forecast import estimate
from arena.tournament.plan import TournamentPlan, make_plan
from tests.support.tournaments import content, planned, resolved_of


def of_people(**bench: object) -> dict[str, Any]:
    config = content("ann", "bob")
    config["benches"].append({"name": "people", "judge": "human", **bench})
    return config


def test_its_dimensions_are_those_of_its_options_and_overall() -> None:
    assert dimensions(resolved_of(of_people()).benches[1]) == (
        "argument",
        "source",
        "language",
        "overall",
    )
    few = resolved_of(of_people(options={"dimensions": ["argument"]})).benches[1]
    assert dimensions(few) == ("argument", "overall")
    assert few.runs == 3


@pytest.mark.parametrize(
    ("bench", "message"),
    [
        ({"options": {"dimensions": ["overall"]}}, "`overall`, which is always asked"),
        ({"options": {"dimensions": ["a", "a"]}}, "must differ from each other"),
        ({"options": {"dimensions": ["two words"]}}, "begins with a lower-case letter"),
        ({"model": "offline/fair"}, "'human' uses no model"),
        ({"swap": True}, "swap"),
    ],
)
def test_what_people_cannot_do_is_refused(bench: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        resolved_of(of_people(**bench))


def test_nobody_votes_twice_on_a_pair_of_essays() -> None:
    given = of_people(swap=True)
    given["tournament"]["contest"] = "essay"
    given["benches"] = given["benches"][1:]
    with pytest.raises(
        ConfigError,
        match="people vote on each pair once",
    ):
        resolved_of(given)
    del given["benches"][0]["swap"]
    assert resolved_of(given).benches[0].judge == "human"


def test_people_are_no_members_of_a_jury() -> None:
    members = [{"judge": "human"}, {"judge": "single"}, {"judge": "single"}]
    config = content("ann", "bob")
    config["benches"] = [
        {"name": "jury", "judge": "jury", "model": "offline/fair", "options": {"members": members}}
    ]
    with pytest.raises(ConfigError, match="people cannot be members of a jury"):
        resolved_of(config)


def test_a_run_takes_no_votes_and_pays_nothing_for_them(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", of_people())
    assert {call.bench.name for work in plan.open for call in work.ballots} == {"bench"}
    assert _taken(make_plan(plan.resolved, store)) == len(plan.debates)
    assert estimate(plan.resolved, [], ballots=["people"], price=lambda _: (1.0, 1.0)).usd[2] == 0


def _taken(plan: TournamentPlan) -> int:
    return sum(len(work.ballots) for work in plan.open)
