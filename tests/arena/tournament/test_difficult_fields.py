"""Fields and budgets that do not fit: each has a defined outcome, said before the start."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.config.schedule_section import TargetSection
from arena.output.settings_text import format_schedule
from arena.records import Debate
from arena.scheduling.asked import Asked
from arena.store.database import Store
from arena.tournament.certainty import FurtherWaves, certainty_lines, foresee, format_waves
from arena.tournament.forecast import ListPrices
from arena.tournament.plan import TournamentPlan, add_wave, make_plan, store_plan
from ratings.design import settled_gap
from tests.support.tournaments import (
    ONE_EACH,
    changed,
    commit,
    content,
    judged,
    played,
    resolved_of,
)

_KINDS: dict[str, dict[str, Any]] = {
    "adaptive": {"kind": "adaptive", "wave": 2},
    "swiss": {"kind": "swiss", "rounds": 4},
    "knockout": {"kind": "knockout"},
    "round_robin": {"kind": "round_robin", "matchups_per_pair": 5},
}


def _free(_: str) -> tuple[float, float]:
    return 0.0, 0.0


def _planned(path: Path, kind: str, names: str, *, drop: str = "") -> tuple[Store, TournamentPlan]:
    """The stored plan of a tournament, without some participants, and its next wave."""
    config = changed(content(*names), ["schedule"], _KINDS[kind])
    config["participants"] = [p for p in config["participants"] if p["name"] not in drop]
    resolved, store = resolved_of(config, ONE_EACH), Store(path)
    plan = make_plan(resolved, store)
    return store, add_wave(plan, store, price=_free) if plan.asked.in_waves else plan


def _finish(store: Store, debates: tuple[Debate, ...]) -> None:
    commit(store, *map(played, debates), *(judged(debate, 1.0 - debate.leg) for debate in debates))


@pytest.mark.parametrize("kind", _KINDS)
def test_odd_fields_go_on_to_their_end_or_for_long(kind: str, tmp_path: Path) -> None:
    for _ in range(4):
        store, plan = _planned(tmp_path / "own.duckdb", kind, "abcde")
        store_plan(plan, store)
        _finish(store, plan.added)
    assert Counter(d.pro for d in plan.debates) == Counter(d.con for d in plan.debates)
    seated = {seat for debate in plan.debates for seat in (debate.pro, debate.con)}
    assert len(seated) == 5, "everybody has debated"


@pytest.mark.parametrize("kind", ["adaptive", "swiss", "knockout"])
def test_who_is_withdrawn_in_the_night_is_paired_no_more(kind: str, tmp_path: Path) -> None:
    """Neither what they had played nor what was still open holds up the others."""
    store, plan = _planned(tmp_path / "own.duckdb", kind, "abcde")
    store_plan(plan, store)
    gone = plan.debates[0].pro
    name = next(p.name for p in plan.resolved.participants if p.participant_id == gone)
    _finish(store, tuple(d for d in plan.debates if gone not in (d.pro, d.con)))
    _, following = _planned(tmp_path / "own.duckdb", kind, "abcde", drop=name)
    assert following.added, "the others go on"
    assert all(gone not in (d.pro, d.con) for d in following.debates)


def test_fewer_motions_than_rounds_are_debated_again(tmp_path: Path) -> None:
    _, plan = _planned(tmp_path / "own.duckdb", "round_robin", "ab")
    uses = Counter(debate.motion_id for debate in plan.debates)
    assert sorted(uses.values()) == [2, 4, 4], "five matchups of two debates, three motions"


def test_a_field_that_voids_have_split_is_linked_before_anything_else(tmp_path: Path) -> None:
    store, plan = _planned(tmp_path / "own.duckdb", "adaptive", "abcd")
    store_plan(plan, store)
    halves = [d for d in plan.debates if d.matchup_id in {plan.debates[0].matchup_id}]
    pair = {halves[0].pro, halves[0].con}
    apart = [d for d in plan.debates if {d.pro, d.con}.isdisjoint(pair)]
    others = [d for d in plan.debates if d not in halves and d not in apart]
    commit(store, *(played(debate, "void") for debate in others))
    _finish(store, (*halves, *apart))
    _, following = _planned(tmp_path / "own.duckdb", "adaptive", "abcd")
    assert following.wave is not None
    first = set(following.wave.wave.pairs[0])
    assert first != pair and first & pair, "one of either part"


def _lines(tmp_path: Path, target: TargetSection, cap: float | None) -> list[str]:
    resolved = resolved_of(content("ann", "bob", "cyd"), ONE_EACH)
    section = resolved.config.schedule.model_validate({"kind": "adaptive", "wave": 2})
    asked = replace(Asked.of(resolved), schedule=section, target=target)
    store = Store(tmp_path / "own.duckdb")
    plan = add_wave(make_plan(resolved, store, asked=asked), store, price=_free)
    usd = dict.fromkeys((p.participant_id for p in resolved.participants), 1.0)
    prices = ListPrices(sides=usd, judging=0.5)
    return list(certainty_lines(foresee(plan, prices, cap=cap), resolved))


def test_a_target_beyond_the_cap_is_said_with_what_the_cap_can_do(tmp_path: Path) -> None:
    """A matchup costs 5 USD: two debates with two sides and their ballots."""
    precise = TargetSection(objective="precision", elo=80)
    line = _lines(tmp_path, precise, 62.0)[0]
    assert line.startswith("the cap pays for about 12 more matchups, 4 of each pair in all: ")
    assert "±80 is out of its reach and takes about " in line
    needed = float(line.rpartition("about ")[2].removesuffix(" USD").replace(",", ""))
    assert "out of its reach" not in _lines(tmp_path, precise, needed + 6)[0]
    ranking, orders = _lines(tmp_path, TargetSection(), 62.0)
    gap = settled_gap(4, 3)
    assert ranking.endswith(
        f" in a wide one; enough to settle two that are about {gap:.0f} Elo apart"
    )
    assert orders.startswith("to settle two that are 100 Elo apart: about ")
    assert _lines(tmp_path, precise, 4.0)[0].startswith(
        "at the expected cost, the cap pays for no further matchup; a debate is tried only if"
    )


def test_without_a_cap_a_plan_says_what_the_schedule_can_do(tmp_path: Path) -> None:
    whole = _lines(tmp_path, TargetSection(objective="precision", elo=10), None)[0]
    start = "the schedule allows 90 more matchups (about 450.00 USD), 30 of each pair in all: "
    assert whole.startswith(start)
    assert "±10 is out of its reach and takes about " in whole
    modest = _lines(tmp_path, TargetSection(objective="precision", elo=150), None)[0]
    assert modest.endswith("whenever one looks"), "nothing is out of reach"


def test_a_single_pair_is_not_each_pair() -> None:
    further = FurtherWaves(
        target=None, matchups=1, usd=0.0, allowed=1, allowed_usd=0.0, by_cap=True,
        pairs=1, per_pair=60.0, half_width=90.0, widest=90.0, at_all_looks=False, clear=math.inf,
        needed_usd=math.nan,
    )  # fmt: skip
    start = "the cap pays for about 1 more matchup, 60 in all: expect ratings"
    assert format_waves(further).startswith(start)
    several = format_waves(replace(further, pairs=3))
    assert several.startswith("the cap pays for about 1 more matchup, 60 of each pair in all: ")
    ranked = format_waves(replace(further, target=TargetSection()))
    assert ranked.endswith("expect ratings to ±90 Elo (95 %); too few to settle an order")


def test_a_first_round_that_connects_nobody_is_no_defect(tmp_path: Path) -> None:
    """Five participants, two matchups a round and a bye: four rounds connect them."""
    _, plan = _planned(tmp_path / "own.duckdb", "swiss", "abcde")
    assert plan.wave is not None
    (byed,) = plan.wave.wave.byes
    name = next(p.name for p in plan.resolved.participants if p.participant_id == byed)
    assert format_schedule(plan) == f"Swiss: 4 rounds; wave 1 has 2 matchups; {name} has a bye"
    sides = dict.fromkeys((p.participant_id for p in plan.resolved.participants), 1.0)
    costs = ListPrices(sides=sides, judging=0.0)
    whole = next(certainty_lines(foresee(plan, costs, cap=None), plan.resolved))
    start = "the schedule allows 8 more matchups (about 32.00 USD), 0.8 of each pair in all: "
    assert whole.startswith(start)
    assert whole.endswith(", whenever one looks"), "results decide all pairings of Swiss rounds"
    poor = next(certainty_lines(foresee(plan, costs, cap=17.0), plan.resolved))
    assert poor.startswith("the cap pays for about 4 more matchups, 0.4 of each pair in all: ")
