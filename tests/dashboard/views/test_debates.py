"""The pages of debates and motions: they name the bench whose verdicts they show."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from arena.boards.stored_boards import store_boards
from arena.store.database import Store
from dashboard.settings import DATABASE
from tests.dashboard.handmade import execute
from tests.dashboard.views.drawing import draw, read_texts
from tests.support.tournaments import changed, commit, content, judged, planned, played, unit

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture
def two_benches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every debate is Pro's for the bench `bench`, and Con's for the bench `other`."""
    config = changed(content("ann", "bob"), ["schedule", "matchups_per_pair"], 3)
    benches = [*config["benches"], {**config["benches"][0], "name": "other"}]
    store, plan = planned(tmp_path / "own.duckdb", changed(config, ["benches"], benches))
    first = [judged(debate, 1.0) for debate in plan.debates]
    second = [judged(debate, 0.0) for debate in plan.debates]
    ballots = [replace(each.ballot, bench="other") for each in second]
    commit(
        store,
        *map(played, plan.debates),
        *first,
        *(
            replace(each, ballot=ballot, unit=unit(ballot.ballot_id))
            for each, ballot in zip(second, ballots, strict=True)
        ),
    )
    store_boards(store, plan.resolved)
    monkeypatch.setenv(DATABASE, str(store.path))


def named_bench(app: AppTest) -> str:
    return str(next(each.value for each in app.selectbox if each.label == "Bench"))


@pytest.mark.usefixtures("two_benches")
def test_debates_have_the_verdicts_of_the_bench_in_the_address() -> None:
    usual, other = draw("debates"), draw("debates", bench="other", result="lost")
    assert (named_bench(usual), named_bench(other)) == ("bench", "other")
    assert set(usual.dataframe[0].value["score"]) == {"1 : 0"}
    assert set(other.dataframe[0].value["score"]) == {"1 : 0"}
    assert other.query_params["bench"] == "other"


@pytest.mark.usefixtures("two_benches")
def test_motions_have_the_verdicts_of_the_bench_in_the_address() -> None:
    usual, other = draw("motions"), draw("motions", bench="other")
    assert (named_bench(usual), named_bench(other)) == ("bench", "other")
    assert set(usual.dataframe[0].value["pro_share"]) == {100}
    assert set(other.dataframe[0].value["pro_share"]) == {0}


@pytest.mark.usefixtures("two_benches")
def test_a_debate_without_a_winner_says_what_became_of_it() -> None:
    store = Store(Path(os.environ[DATABASE]))
    ids = [row["debate_id"] for row in store.rows("FROM debates ORDER BY debate_id LIMIT 2")]
    execute(
        store,
        f"DELETE FROM ballot_scores WHERE ballot_id IN "
        f"(SELECT ballot_id FROM ballots WHERE debate_id IN ('{ids[0]}', '{ids[1]}'))",
        f"DELETE FROM ballots WHERE debate_id IN ('{ids[0]}', '{ids[1]}')",
        f"UPDATE debates SET status = 'forfeit', forfeited = 'pro' WHERE debate_id = '{ids[0]}'",
    )
    winners = list(draw("debates").dataframe[0].value["won_by"])
    assert winners.count("forfeit") == winners.count("not judged yet") == 1
    assert set(winners) - {"forfeit", "not judged yet"} <= {"ann", "bob"}


@pytest.mark.usefixtures("two_benches")
def test_filters_of_a_board_that_the_list_ignores_are_named() -> None:
    app = draw("debates", dimension="source", category="policy")
    said = read_texts(app)
    assert "This page ignores dimension “source”: it lists debates by their overall" in said
    assert set(app.dataframe[0].value["category"]) == {"policy"}
