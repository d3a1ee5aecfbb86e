"""Pairings stored, extended and read back; what is open; what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.store.database import Store
from arena.store.motions import read_motions
from arena.tournament.open_work import OpenWork
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from tests.support.stored_databases import change
from tests.support.tournaments import (
    ONE_EACH,
    changed,
    commit,
    content,
    judged,
    motion,
    named,
    planned,
    played,
    resolved_of,
)


def opened(plan: TournamentPlan) -> dict[str, OpenWork]:
    return {work.debate.debate_id: work for work in plan.open}


def rows(store: Store, table: str) -> int:
    return int(store.read(f"SELECT count(*) AS n FROM {table}")["n"][0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.duckdb"


def test_looking_at_a_plan_stores_nothing(path: Path) -> None:
    plan = make_plan(resolved_of(content()), Store(path))
    assert not path.exists()
    assert len(plan.debates) == len(plan.added) == len(plan.open) == 6
    assert plan.finished == 0


def test_a_stored_plan_is_not_added_again(path: Path) -> None:
    store, plan = planned(path)
    store_plan(plan, store)
    again = make_plan(plan.resolved, store)
    assert again.added == ()
    assert {one.debate_id for one in again.debates} == {one.debate_id for one in plan.debates}
    assert [work.debate for work in again.open] == [work.debate for work in plan.open]
    counts = [rows(store, table) for table in ("tournaments", "participants", "motions", "debates")]
    assert counts == [1, 3, 3, 6]
    assert store.rows("SELECT DISTINCT status FROM debates") == [{"status": "planned"}]


@pytest.mark.parametrize("leg", [0, 1])
def test_a_debate_that_somebody_removed_is_planned_again_once(path: Path, leg: int) -> None:
    store, plan = planned(path)
    lost = next(debate for debate in plan.debates if debate.leg == leg)
    change(store, f"DELETE FROM debates WHERE debate_id = '{lost.debate_id}'")
    again = make_plan(plan.resolved, store)
    assert again.added == (lost,)
    assert {one.debate_id for one in again.debates} == {one.debate_id for one in plan.debates}
    assert len(again.debates) == len(again.open) == 6
    store_plan(again, store)
    assert make_plan(plan.resolved, store).added == ()


def test_first_meetings_come_first_and_legs_stand_together(path: Path) -> None:
    config = changed(content(), ["schedule", "matchups_per_pair"], 2)
    plan = make_plan(resolved_of(config, ONE_EACH[:1]), Store(path))
    order = [work.debate for work in plan.open]
    assert [one.repeat for one in order] == [0] * 6 + [1] * 6
    assert [one.leg for one in order] == [0, 1] * 6
    assert all(a.matchup_id == b.matchup_id for a, b in zip(order[::2], order[1::2], strict=True))


def test_what_is_open_follows_from_what_is_stored(path: Path) -> None:
    store, plan = planned(path, content(runs=2))
    done, unjudged, half, forfeit, void, untouched = (work.debate for work in plan.open)
    commit(
        store,
        *(played(one) for one in (done, unjudged, half)),
        played(forfeit, "forfeit", forfeited="pro"),
        played(void, "void"),
        *(judged(done, run=run) for run in range(2)),
        judged(half, run=0),
        judged(half, run=1, status="failed", asked=2),
    )
    again = make_plan(plan.resolved, store)
    work = opened(again)
    assert set(work) == {one.debate_id for one in (unjudged, half, void, untouched)}
    plays = [work[one.debate_id].play for one in (unjudged, half, void, untouched)]
    assert plays == [False, False, True, True]
    assert [(call.run, call.asked) for call in work[unjudged.debate_id].ballots] == [(0, 0), (1, 0)]
    assert [(call.run, call.asked) for call in work[half.debate_id].ballots] == [(1, 2)]
    assert again.finished == 2
    assert len(again.units) == 6 + 12
    assert again.open_units == {
        *(one.debate_id for one in (void, untouched)),
        *(
            judged(one, run=r).ballot.ballot_id
            for one in (unjudged, void, untouched)
            for r in (0, 1)
        ),
        judged(half, run=1).ballot.ballot_id,
    }


def test_a_newcomer_extends_the_stored_pairings(path: Path) -> None:
    store, plan = planned(path)
    before = store.rows("SELECT * FROM debates ORDER BY debate_id")
    larger = make_plan(resolved_of(content("ann", "bob", "cyd", "dan")), store)
    dan = {one.participant_id for one in larger.resolved.participants if one.name == "dan"}
    assert len(larger.added) == 6
    assert all({one.pro, one.con} & dan for one in larger.added)
    store_plan(larger, store)
    kept = [row for row in store.rows("SELECT * FROM debates ORDER BY debate_id") if row in before]
    assert kept == before
    assert len(stored_config(store, None).participants) == 4


def test_more_repeats_and_new_motions_extend_the_stored_pairings(path: Path) -> None:
    store, plan = planned(path)
    config = changed(content(), ["schedule", "matchups_per_pair"], 4)
    larger = make_plan(resolved_of(config, [*ONE_EACH, motion("fact-2")]), store)
    assert set(plan.debates) < set(larger.debates)
    assert len(larger.debates) == 4 * len(plan.debates)
    assert "fact-2" in {one.motion_id for one in larger.added}


def test_a_new_bench_judges_what_is_played(path: Path) -> None:
    store, plan = planned(path)
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    assert make_plan(plan.resolved, store).open == ()
    config = content()
    config["benches"].append({**config["benches"][0], "name": "second", "runs": 2})
    again = make_plan(resolved_of(config), store)
    assert again.added == ()
    assert {work.play for work in again.open} == {False}
    assert {(c.bench.name, c.run) for w in again.open for c in w.ballots} == {
        ("second", 0),
        ("second", 1),
    }


def test_who_was_taken_out_is_not_played(path: Path) -> None:
    store, plan = planned(path)
    smaller = make_plan(resolved_of(content("ann", "bob")), store)
    assert len(smaller.open) == 2
    names = named(plan)
    assert {names[one.debate.pro] for one in smaller.open} == {"ann", "bob"}


def test_two_tournaments_share_a_database(path: Path) -> None:
    store, plan = planned(path)
    _, other = planned(path, content(name="second", seed=8))
    assert len(other.added) == 6
    assert make_plan(plan.resolved, store).added == ()
    assert rows(store, "debates") == 12


def test_another_seed_or_contest_under_a_stored_name_is_refused(path: Path) -> None:
    store, plan = planned(path)
    with pytest.raises(ConfigError) as caught:
        make_plan(resolved_of(content(seed=8)), store)
    text = str(caught.value)
    assert text.startswith(f"tournament.seed: {path} holds a tournament 'small' with seed 7")
    assert "this configuration has 8" in text and "another name" in text and "--db" in text

    def make_essay(link: Any) -> None:  # noqa: ANN401 - an open connection
        (config,) = link.execute("SELECT config FROM tournaments").fetchone()
        essay = str(config).replace('"debate"', '"essay"')
        link.execute(
            "UPDATE tournaments SET config = $essay, config_hash = 'essay'", {"essay": essay}
        )

    store.write(make_essay)
    with pytest.raises(ConfigError, match="with contest 'essay'; this configuration has 'debate'"):
        make_plan(plan.resolved, store)


def test_a_stored_tournament_needs_no_file(path: Path) -> None:
    config = content(motions="/nowhere/own.toml", languages=["en", "zh"])
    config = changed(config, ["models", "openai/x", "api_key"], "env:OWN_KEY")
    config = changed(config, ["limits", "usd"], 2.5)
    motions = [motion(f"m-{n}", also=f"第{n}") for n in range(2)]
    store, plan = planned(path, changed(config, ["schedule", "matchups_per_pair"], 2), motions)
    result = stored_config(store, "small")
    assert result.config == plan.resolved.config
    assert result.participants == plan.resolved.participants
    assert result.benches == plan.resolved.benches
    assert sorted(result.motions, key=lambda one: one.motion_id) == motions
    assert read_motions(store, "small") == result.motions
    assert make_plan(result, store).open == plan.open
    assert result.config_hash == plan.resolved.config_hash


def test_an_extended_configuration_replaces_the_stored_one(path: Path) -> None:
    store, _ = planned(path)
    _, larger = planned(path, changed(content(), ["limits", "usd"], 3.0))
    assert stored_config(store, "small").config.limits.usd == 3.0
    assert store.rows("SELECT config_hash AS h FROM tournaments") == [
        {"h": larger.resolved.config_hash}
    ]


def test_no_key_is_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "sk-live-0123456789")
    store, _ = planned(path, changed(content(), ["models", "a/b", "api_key"], "env:OWN_KEY"))
    (row,) = store.rows("SELECT config FROM tournaments")
    assert "env:OWN_KEY" in row["config"]
    assert b"sk-live-0123456789" not in path.read_bytes()


def test_the_newest_tournament_is_meant_where_none_is_named(path: Path) -> None:
    store, _ = planned(path)
    with pytest.raises(ConfigError) as caught:
        stored_config(store, "big")
    assert str(caught.value) == f"{path}: no tournament 'big'. Stored: small."
    planned(path, content(name="second"))
    assert stored_config(store, None).name == "second"
    assert stored_config(store, "small").name == "small"


def test_a_tournament_goes_on_when_its_old_motions_lack_a_new_language(path: Path) -> None:
    store, _ = planned(path, motions=[motion("old")])
    config = changed(content(languages=["en", "zh"]), ["schedule", "matchups_per_pair"], 2)
    planned(path, config, [motion("new", also="新")])
    store_plan(make_plan(stored_config(store, "small"), store), store)


def test_a_gauntlet_on_a_stored_round_robin_adds_the_newcomer_alone(path: Path) -> None:
    store, plan = planned(path)
    given = {
        **content("ann", "bob", "cyd", "dan"),
        "schedule": {"kind": "gauntlet", "newcomers": ["dan"], "opponents": ["ann", "bob"]},
    }
    larger = make_plan(resolved_of(given), store)
    names = named(larger)
    met = {frozenset((names[one.pro], names[one.con])) for one in larger.added}
    assert met == {frozenset(("dan", "ann")), frozenset(("dan", "bob"))}
    assert set(plan.debates) < set(larger.debates)
    store_plan(larger, store)
    again = stored_config(store, "small")
    assert again.config == larger.resolved.config
    assert make_plan(again, store).added == ()


def test_random_pairs_are_extended_by_matchups_and_by_a_newcomer(path: Path) -> None:
    def of(matchups: int, *names: str) -> dict[str, Any]:
        return {**content(*names), "schedule": {"kind": "random", "matchups": matchups}}

    store, plan = planned(path, of(10))
    assert len(plan.debates) == 20
    longer = make_plan(resolved_of(of(14)), store)
    assert len(longer.added) == 8
    larger = make_plan(resolved_of(of(14, "ann", "bob", "cyd", "dan")), store)
    assert set(plan.debates) < set(larger.debates)
    dan = {one.participant_id for one in larger.resolved.participants if one.name == "dan"}
    assert any({one.pro, one.con} & dan for one in larger.added)
    other = make_plan(resolved_of({**of(10), "tournament": {"name": "other", "seed": 8}}), store)
    meetings = {(one.motion_id, one.pro, one.con) for one in plan.debates}
    assert meetings != {(one.motion_id, one.pro, one.con) for one in other.debates}
