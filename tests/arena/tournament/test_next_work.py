"""What a run of a tournament in waves begins with."""

from __future__ import annotations

from pathlib import Path

from arena.store.database import Store
from arena.tournament.next_work import plan_next_work
from arena.tournament.plan import Plan, add_wave, make_plan, store_plan
from tests.handmade import ONE_EACH, changed, commit, content, judged, played, resolved_of


def _free(_: str) -> tuple[float, float]:
    return 0.0, 0.0


def _wave(path: Path) -> tuple[Store, Plan]:
    """A tournament whose first wave of two matchups is stored, nothing of it played."""
    config = changed(content(*"abcd"), ["schedule"], {"kind": "adaptive", "wave": 2})
    resolved, store = resolved_of(config, ONE_EACH), Store(path)
    plan = add_wave(make_plan(resolved, store), store, price=_free)
    store_plan(plan, store)
    return store, plan


def _next(store: Store, plan: Plan) -> Plan:
    return plan_next_work(make_plan(plan.resolved, store), store, price=_free)


def _calls(plan: Plan) -> list[tuple[str, bool, list[int]]]:
    return [
        (work.debate.debate_id, work.play, [call.asked for call in work.ballots])
        for work in plan.open
    ]


def test_a_failed_ballot_waits_until_nobody_has_anything_new(tmp_path: Path) -> None:
    store, plan = _wave(tmp_path / "own.duckdb")
    first, second, *rest = plan.debates
    commit(store, played(first), judged(first, status="failed"), played(second))
    begun = _next(store, plan)
    assert {name for name, _, _ in _calls(begun)} == {d.debate_id for d in (second, *rest)}
    assert (begun.put_off, begun.added) == (1, ())


def test_the_next_wave_is_the_one_that_nobody_disturbed_plans(tmp_path: Path) -> None:
    """It is planned without the failed ballot, whether the run was killed or not."""
    store, plan = _wave(tmp_path / "own.duckdb")
    first, *rest = plan.debates
    records = [judged(debate, 1.0) for debate in rest]
    commit(store, *map(played, plan.debates), judged(first, status="failed"), *records)
    undisturbed = add_wave(plan, store, price=_free)
    continued = _next(store, plan)
    assert undisturbed.wave is not None and continued.wave is not None
    assert continued.added == undisturbed.added != ()
    assert continued.wave.judged == undisturbed.wave.judged
    assert first.debate_id in continued.wave.left_out
    added = {debate.debate_id for debate in continued.added}
    assert {name for name, _, _ in _calls(continued)} == added and continued.put_off == 1


def test_failed_ballots_are_asked_again_where_no_wave_follows(tmp_path: Path) -> None:
    store, plan = _wave(tmp_path / "own.duckdb")
    config = plan.resolved.config
    schedule = config.schedule.model_copy(update={"matchups": 2})
    resolved = resolved_of(
        changed(content(*"abcd"), ["schedule"], schedule.model_dump(exclude_none=True)), ONE_EACH
    )
    first, second, *rest = plan.debates
    commit(
        store,
        *map(played, plan.debates),
        judged(first, status="failed", asked=2),
        judged(second, status="failed"),
        *(judged(debate, 1.0) for debate in rest),
    )
    left = plan_next_work(make_plan(resolved, store), store, price=_free)
    assert _calls(left) == [(second.debate_id, False, [1])], "those asked for least often"
    commit(store, judged(second, 1.0, asked=2))
    left = plan_next_work(make_plan(resolved, store), store, price=_free)
    assert _calls(left) == [(first.debate_id, False, [2])]
    commit(store, judged(first, 1.0, asked=3))
    assert not plan_next_work(make_plan(resolved, store), store, price=_free).open
