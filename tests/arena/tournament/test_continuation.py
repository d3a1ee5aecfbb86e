"""A stored tournament is continued on the terms that its results were made on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.boards.keep import keep_boards
from arena.errors import ConfigError
from arena.records import Debate
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from tests.support.tournaments import changed, commit, content, judged, planned, played, resolved_of

_WORDS = changed(content(), ["limits", "words"], 300)
_SEARCH = changed(content(), ["search"], {"kind": "none"})


def _bench(**values: Any) -> dict[str, Any]:  # noqa: ANN401 - of a configuration
    config = content()
    config["benches"] = [{**config["benches"][0], **values}]
    return config


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb")


def _refusal(store: Store, config: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        make_plan(resolved_of(config), store)
    return str(caught.value)


def _play(store: Store, *debates: Debate) -> None:
    commit(store, *map(played, debates), *map(judged, debates))


@pytest.mark.parametrize(
    "config",
    [_WORDS, _SEARCH, _bench(judge="single"), _bench(model="offline/weak")],
    ids=["words", "search", "judge", "model"],
)
def test_before_anything_has_ended_all_may_change(
    stored: tuple[Store, TournamentPlan], config: dict[str, Any]
) -> None:
    assert make_plan(resolved_of(config), stored[0]).open


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (_WORDS, "limits.words: {path} holds 1 debate of 'small', held with words 600; "),
        (_SEARCH, "search.kind: {path} holds 1 debate of 'small', held with kind "),
        (
            changed(content(), ["search"], {"kind": "folder", "path": "docs"}),
            "this configuration has 'folder'. Use 'brief' to continue it, or give the new",
        ),
    ],
    ids=["words", "search", "folder"],
)
def test_once_a_debate_has_ended_others_are_held_alike(
    stored: tuple[Store, TournamentPlan], config: dict[str, Any], message: str
) -> None:
    store, plan = stored
    commit(store, played(plan.debates[0]))
    assert message.format(path=store.path) in _refusal(store, config)


def test_a_folder_to_search_may_be_moved_and_not_exchanged(tmp_path: Path) -> None:
    def searching(path: str) -> dict[str, Any]:
        return changed(content(), ["search"], {"kind": "folder", "path": path})

    store, plan = planned(tmp_path / "own.duckdb", searching("/old/documents"))
    _play(store, plan.debates[0])
    assert make_plan(resolved_of(searching("/new/documents")), store).open
    assert "search.path" in _refusal(store, searching("/old/papers"))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            _bench(judge="single"),
            "benches.bench.judge: {path} holds 1 ballot of bench 'bench', given with judge "
            "'debatrix'; this configuration has 'single'. Use 'debatrix' to continue it, or "
            "give the new bench another name",
        ),
        (_bench(model="offline/weak"), "benches.bench.model: "),
        (_bench(options={"mode": "single_pass"}), "benches.bench.options.mode: "),
        (_bench(sampling={"temperature": 0.5}), "benches.bench.sampling.temperature: "),
    ],
    ids=["judge", "model", "options", "sampling"],
)
def test_a_bench_that_has_given_a_verdict_judges_on_in_the_same_way(
    stored: tuple[Store, TournamentPlan], config: dict[str, Any], message: str
) -> None:
    store, plan = stored
    _play(store, plan.debates[0])
    assert _refusal(store, config).startswith(message.format(path=store.path))


@pytest.mark.parametrize(
    "config",
    [_bench(runs=3), _bench(family="own"), _bench(count="ballots"), _bench(name="other", runs=1)],
    ids=["runs", "family", "count", "name"],
)
def test_more_runs_and_a_bench_of_another_name_continue_it(
    stored: tuple[Store, TournamentPlan], config: dict[str, Any]
) -> None:
    store, plan = stored
    _play(store, plan.debates[0])
    assert make_plan(resolved_of(config), store).open


def test_a_bench_whose_ballots_all_failed_may_change(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    commit(store, played(plan.debates[0]), judged(plan.debates[0], status="failed"))
    assert make_plan(resolved_of(_bench(model="offline/weak")), store).open


def test_a_bench_that_was_left_out_comes_back_as_it_was(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    _play(store, *plan.debates)
    keep_boards(store, plan.resolved)
    store_plan(make_plan(resolved_of(_bench(name="other")), store), store)
    assert "benches.bench.model" in _refusal(store, _bench(model="offline/weak"))
    assert make_plan(plan.resolved, store).open == ()


def test_people_may_be_asked_otherwise(tmp_path: Path) -> None:
    def asked(**options: Any) -> dict[str, Any]:  # noqa: ANN401 - of a configuration
        return _bench(judge="human", model="", options=options)

    store, plan = planned(tmp_path / "own.duckdb", asked())
    _play(store, *plan.debates)
    assert make_plan(resolved_of(asked(rule="majority")), store)
    assert "benches.bench.judge" in _refusal(store, content())
