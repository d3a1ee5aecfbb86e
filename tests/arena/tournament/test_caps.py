"""The caps of a configuration as purses, filled by the database and by journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.errors import BudgetReached
from arena.llm.purse import Purse
from arena.records import Debate
from arena.store.database import Store
from arena.tournament.caps import has_further_caps, open_budget
from arena.tournament.plan import Plan
from tests.handmade import changed, commit, content, judged, meeting, planned, played, resolved_of
from tests.refusals import refusal


def capped() -> dict[str, Any]:
    """A configuration with a cap of every kind."""
    limits = {"usd": 5.0, "tokens": 900, "usd_per_day": 3.0, "tokens_per_day": 500}
    config = changed(content(), ["limits"], limits)
    config = changed(config, ["participants", 0, "usd"], 2.0)
    return changed(config, ["participants", 1, "tokens"], 400)


def purses(store: Store, plan: Plan) -> dict[tuple[str, str, bool], Purse]:
    budget = open_budget(store, plan.resolved, usd=5.0)
    return {(one.participant, one.measure, one.is_daily): one for one in budget.limited}


def write_journal(store: Store, unit: str, *lines: dict[str, object]) -> None:
    store.journal_folder.mkdir(exist_ok=True)
    text = "".join(json.dumps({"attempt": 0, **line}) + "\n" for line in lines)
    (store.journal_folder / f"{unit}.jsonl").write_text(text, "utf-8")


def play(store: Store, debate: Debate) -> None:
    record = played(debate, costs=[("pro/a", 0.5), ("con/a", 0.25)])
    commit(store, record, judged(debate))


def test_ids_and_stored_configurations_do_not_know_of_caps_that_are_not_set() -> None:
    plain, config = resolved_of(content()), resolved_of(capped())
    ids = [participant.participant_id for participant in plain.participants]
    assert [participant.participant_id for participant in config.participants] == ids
    stored = plain.config.model_dump(mode="json")
    assert set(stored["limits"]) == {"usd", "words", "timeout_seconds", "retries"}
    assert "usd" not in stored["participants"][0] and "tokens" not in stored["participants"][0]
    again = parse_config(config.config.model_dump(mode="json"), where="stored")
    assert again == config.config and has_further_caps(again)
    assert not has_further_caps(plain.config)


@pytest.mark.parametrize("key", ["usd", "usd_per_day", "tokens", "tokens_per_day"])
def test_a_cap_of_nothing_is_refused(key: str) -> None:
    for value in (0, -1, "much"):
        assert key in refusal(changed(content(), ["limits", key], value))
    if "day" not in key:
        assert key in refusal(changed(content(), ["participants", 0, key], 0))


def test_a_participant_pays_for_its_own_calls_and_nobody_for_the_judges(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    play(store, meeting(plan, "ann", "bob"))
    spent = purses(store, plan)
    assert spent["", "usd", False].spent == 0.5 + 0.25 + 0.25
    assert spent["ann", "usd", False].spent == 0.5
    assert spent["bob", "tokens", False].spent > 0
    total = spent["", "tokens", False].spent
    assert total == 2 * spent["bob", "tokens", False].spent  # two calls of as many tokens
    assert spent["", "usd", True].spent == 0  # all of it before the first day that is known


def test_what_a_kill_left_reserved_counts_for_all_whose_purse_it_was(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    purses(store, plan)
    write_journal(
        store,
        meeting(plan, "bob", "ann").debate_id,
        {"event": "start", "path": "pro/a", "usd": 0.5, "tokens": 300},
        {"event": "start", "path": "con/a", "usd": 1.5, "tokens": 50},
        {"event": "call", "path": "con/b", "usd": 0.25,
         "completion": {"usage": {"input_tokens": 5, "output_tokens": 2}}},
    )  # fmt: skip
    spent = {key: purse.spent for key, purse in purses(store, plan).items()}
    assert spent == {
        ("", "usd", False): 2.25,
        ("", "tokens", False): 357,
        ("", "usd", True): 2.25,
        ("", "tokens", True): 357,
        ("ann", "usd", False): 1.75,
        ("bob", "tokens", False): 300,
    }


def test_a_cap_that_is_reached_says_which_commands_raise_it(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    budget = open_budget(store, plan.resolved, usd=5.0, db=" --db x.duckdb")
    file = "in the file and run that (arena run FILE --db x.duckdb); finished work is kept."
    ways = {
        ("", "usd", False): "To go on, raise it (arena resume small --usd AMOUNT --db x.duckdb), "
        f"or raise `[limits] usd` {file}",
        ("", "tokens", False): f"Raise `[limits] tokens` {file}",
        ("", "usd", True): f"Run it again on the next day, or raise `[limits] usd_per_day` {file}",
        ("ann", "usd", False): f"Raise its `usd` {file}",
    }
    for purse in budget.limited:
        if way := ways.pop((purse.participant, purse.measure, purse.is_daily), ""):
            with pytest.raises(BudgetReached) as reached:
                purse.refuse("more is needed", 0.5)
            assert str(reached.value).endswith(f"more is needed. {way}")
    assert not ways


def test_a_reader_leaves_no_trace(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    before = sorted(tmp_path.iterdir())
    open_budget(store, plan.resolved, usd=None, writes=False)
    assert sorted(tmp_path.iterdir()) == before
