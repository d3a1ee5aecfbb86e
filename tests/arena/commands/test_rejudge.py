"""`arena rejudge`: another bench on stored debates, which stay as they are."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from arena.commands.rejudge import _command
from arena.config.stored import stored_config
from arena.languages import SIDES
from arena.records import Speech
from arena.store.database import Store
from arena.tournament.rejudge import NewBench
from tests.support.command_line import done, refused
from tests.support.tournaments import changed, commit, content, judged, planned, played

pytestmark = pytest.mark.usefixtures("no_stored_boards")


def kept(db: Path, bench: str) -> list[dict[str, object]]:
    """Everything that judging again may not touch."""
    return Store(db).rows(
        "SELECT debate_id, d.status, d.finished_at, d.cost_usd, ballot_id, run, rationale, "
        "b.seconds, dimension, outcome, comment FROM debates d LEFT JOIN ballots b "
        "USING (debate_id) LEFT JOIN ballot_scores USING (ballot_id) "
        "WHERE b.bench = $bench ORDER BY ALL",
        {"bench": bench},
    )


def test_another_bench_takes_ballots_and_nothing_else_changes(own_database: Path) -> None:
    (first,) = Store(own_database).rows("SELECT DISTINCT bench FROM ballots")
    before = kept(own_database, str(first["bench"]))
    again = ("rejudge", "--judge", "single", "--model", "offline/strong", "--runs", "1")
    printed = done(*again, "--dry-run", "--db", own_database)
    debates = len({row["debate_id"] for row in before})
    assert f"0 to play, {debates} ballots to take" in printed
    assert kept(own_database, "single") == []
    printed = done(*again, "--yes", "--db", own_database)
    assert f"took {debates} ballots." in printed
    assert "bench single" in printed and "Elo by bench" in printed
    assert f"Rank correlation of {first['bench']} and single: Kendall " in printed
    beside = printed[printed.index("Elo by bench") :]
    assert done("leaderboard", "--beside", "--db", own_database).endswith(f"\n{beside}")
    assert kept(own_database, str(first["bench"])) == before
    assert len({row["ballot_id"] for row in kept(own_database, "single")}) == debates
    printed = done(*again, "--yes", "--db", own_database)
    assert "Everything has been played" in printed, "the same command again with the same bench"
    assert "bench single" in done("leaderboard", "--bench", "single", "--db", own_database)


@pytest.mark.slow
def test_a_second_bench_of_one_method_is_named_by_its_model(own_database: Path) -> None:
    rejudge = ("rejudge", "--judge", "single", "--runs", "1", "--yes", "--db", own_database)
    done(*rejudge, "--model", "offline/strong", "--family", "weak")
    resolved = stored_config(Store(own_database), None)
    assert [bench.family for bench in resolved.benches if bench.name == "single"] == ["weak"]
    again = done(*rejudge, "--model", "offline/strong")
    assert "Everything has been played" in again, "the family is known already"
    message = refused(*rejudge, "--model", "offline/strong", "--family", "fair", "--name", "single")
    assert "another bench 'single' (single on offline/strong, 1 run, family 'weak')" in message
    assert "bench single-good" in done(*rejudge, "--model", "offline/good")


def test_unplayed_debates_stay_unplayed(own_database: Path) -> None:
    def undo(link: object) -> None:
        link.execute(  # type: ignore[attr-defined]
            "UPDATE debates SET status = 'planned' "
            "WHERE debate_id = (SELECT min(debate_id) FROM debates)"
        )

    store = Store(own_database)
    store.write(undo)
    (count,) = store.rows("SELECT count(*) AS n FROM debates WHERE status = 'finished'")
    command = ("rejudge", "--judge", "single", "--model", "offline/fair", "--runs", "1")
    printed = done(*command, "--yes", "--db", own_database)
    assert f"Played 0 debates, 0 forfeits; took {count['n']} ballots." in printed
    assert store.rows("SELECT count(*) AS n FROM debates WHERE status = 'planned'")[0]["n"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--judge", "singel", "--model", "offline/fair"],
            "--judge: unknown judge 'singel'. Known: ",
        ),
        (["--judge", "single"], "model: missing"),
        (["--judge", "single", "--model", "fair"], "has no provider"),
        (["--judge", "single", "--model", "offline/fair", "--option", "x=1"], "unknown option"),
        (["--judge", "single", "--model", "offline/fair", "--option", "x"], "write KEY=VALUE"),
        (["--judge", "correctness", "--runs", "1"], "does not support contest = 'debate'"),
    ],
)
def test_what_is_no_bench_is_refused(small_database: Path, words: list[str], message: str) -> None:
    assert message in refused("rejudge", *words, "--yes", "--db", small_database)


def test_a_real_judge_needs_its_own_key_alone(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = "openai/gpt-4o-mini"
    command = ("rejudge", "--judge", "single", "--model", model, "--db", own_database)
    assert "OPENAI_API_KEY" in refused(*command, "--yes")
    assert "ballots to take" in done(*command, "--dry-run")


@pytest.fixture
def essays(tmp_path: Path) -> Path:
    """A tournament of essays that is judged in the order given."""
    config = changed(content(contest="essay"), ["benches", 0, "judge"], "single")
    store, plan = planned(tmp_path / "essays.duckdb", config)
    answers = tuple(
        Speech(side=side, stage="answer", text=f"By {side}.", words=2) for side in SIDES
    )
    written = [replace(played(debate), speeches=answers) for debate in plan.debates]
    commit(store, *written, *map(judged, plan.debates))
    return store.path


@pytest.mark.slow
def test_essays_are_judged_again_in_both_orders(essays: Path) -> None:
    one = ("rejudge", "--judge", "single", "--model", "offline/good", "--runs", "1")
    named = (*one, "--name", "both", "--swap", "--yes", "--db", essays)
    printed = done(*named)
    assert "both (single, 1 run, both orders)" in printed
    rows = Store(essays).rows("SELECT bench, bool_and(swapped) AS s FROM ballots GROUP BY bench")
    assert {row["bench"]: row["s"] for row in rows} == {"bench": False, "both": True}
    assert "Everything has been played" in done(*named), "the same command again"
    message = refused(*one, "--name", "both", "--yes", "--db", essays)
    assert "another bench 'both' (single on offline/good, 1 run, both orders)" in message
    assert "Both orders of a pair" in done("judges", "--db", essays)


def test_only_pairs_are_judged_in_both_orders(small_database: Path) -> None:
    one = ("rejudge", "--judge", "single", "--model", "offline/good", "--swap", "--yes")
    message = refused(*one, "--db", small_database)
    assert "swap: only pairs of essays" in message


def test_it_has_the_window_of_a_run(small_database: Path) -> None:
    words = ("rejudge", "--judge", "single", "--model", "offline/strong", "--name", "late")
    plan = done(*words, "--stop-at", "2999-01-01 07:00", "--dry-run", "--db", small_database)
    assert "begins at once" in plan and "ends by" in plan


def test_what_stops_early_says_the_whole_command_that_goes_on(
    own_database: Path, tmp_path: Path
) -> None:
    db = Path(shutil.copy(own_database, tmp_path / "my results.duckdb"))
    stored = stored_config(Store(db), None)
    new = NewBench(judge="single", model="openai/none", runs=1, swap=True, options={})
    command = _command(stored.name, new, ("criteria=a b",), 2.5, db)
    assert shlex.split(command)[1:] == [
        "rejudge", "small", "--judge", "single", "--model", "openai/none", "--runs", "1",
        "--usd", "2.5", "--option", "criteria=a b", "--swap", "--db", str(db),
    ]  # fmt: skip
