"""`arena run --motion`: played without a file, judged, and told."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from arena.commands.run import show_verdict
from arena.config.one_motion import OneMotion, one_motion_config
from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from tests.support.command_line import arena, done, refused
from tests.support.played_tournaments import DATABASE, played_once
from tests.support.tournaments import commit, content, judged, motion, planned, played

pytestmark = pytest.mark.usefixtures("no_stored_boards")

MOTION = "Cities should ban private cars"
TWO = ("--a", "offline/strong", "--b", "offline/weak")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The database of one motion that was played, and what was printed; for reading only."""

    def play(folder: Path) -> None:
        printed = done("run", "--motion", MOTION, *TWO, "--yes", "--db", folder / DATABASE)
        final = printed.replace(str(folder), str(folder.with_suffix("")))
        (folder / "printed.txt").write_text(final, "utf-8")

    folder = played_once(tmp_path_factory, "one-motion", play)
    return folder / DATABASE, (folder / "printed.txt").read_text("utf-8")


def test_a_motion_is_debated_both_ways_and_its_verdict_told(run: tuple[Path, str]) -> None:
    database, printed = run
    assert "2 debates in 1 matchup of two legs; 0 done, 2 to play, 6 ballots to take" in printed
    verdict = printed[printed.index(f"\n{MOTION}\n") :]
    assert "Judged by debatrix on offline/strong (simulated models)" in verdict
    legs = [line for line in verdict.splitlines() if line.startswith("Pro ")]
    assert legs == [
        "Pro offline/strong · Con offline/weak",
        "Pro offline/weak · Con offline/strong",
    ]
    rows = [line.split() for line in verdict.splitlines() if line.startswith("  overall")]
    assert len(rows) == 2
    for _, pro, con, *votes in rows:
        assert 1 <= float(pro) <= 10 and 1 <= float(con) <= 10
        assert sum(map(int, votes)) == 3
    places = [line for line in verdict.splitlines() if line.startswith("Read it with: ")]
    for place in places:
        words = place.removeprefix("Read it with: arena ").split()
        assert MOTION in done(*words)
    assert len(places) == 2
    again = done("run", "--motion", MOTION, *TWO, "--db", database)
    assert again.startswith(
        "Everything has been played: 2 debates of 'cities-should-ban-private-cars."
    )
    assert verdict.strip() in again


def test_another_judge_judges_what_is_played(run: tuple[Path, str], tmp_path: Path) -> None:
    database = Path(shutil.copy(run[0], tmp_path))
    judge = ("--judge-model", "offline/fair")
    printed = done("run", "--motion", MOTION, *TWO, *judge, "--yes", "--db", database)
    assert "0 done, 0 to play, 6 ballots to take" in printed
    assert "Judged by debatrix on offline/fair" in printed


def test_a_plan_is_shown_and_nobody_is_there_to_say_yes(tmp_path: Path) -> None:
    database = tmp_path / "own.duckdb"
    printed = done("run", "--motion", MOTION, *TWO, "--dry-run", "--db", database)
    assert "2 to play, 6 ballots to take" in printed and "USD" in printed
    result = arena("run", "--motion", MOTION, *TWO, "--db", database)
    assert result.exit_code == 2 and "confirmation is needed" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_real_model_that_judges_itself_is_told(tmp_path: Path) -> None:
    real = ("--a", "openai/gpt-4o", "--b", "openai/gpt-4o-mini", "--dry-run")
    told = "openai/gpt-4o judges debates in which it takes part;"
    options = ("--db", tmp_path / "own.duckdb")
    assert told in done("run", "--motion", MOTION, *real, *options)
    neutral = ("--judge-model", "openai/gpt-4.1")
    assert told not in done("run", "--motion", MOTION, *real, *neutral, *options)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["weekend.toml", "--motion", "M", *TWO],
            "--motion and FILE (weekend.toml) cannot be combined",
        ),
        (
            ["--motion", "M", "--a", "offline/weak"],
            "the models that debate it are missing. Add --b MODEL, ",
        ),
        (["--motion", "M"], "Add --a MODEL and --b MODEL, for example --a offline/strong"),
        (["--a", "offline/weak"], "--a: accepted with --motion TEXT only"),
        (
            ["offline", "--judge-model", "x", "--category", "fact"],
            "--judge-model, --category: accepted with --motion",
        ),
        (["--motion", " ", *TWO], "--motion is blank"),
        (["--motion", "M", "--a", "gpt", "--b", "offline/weak"], "--a: 'gpt' has no provider"),
    ],
)
def test_contradictions_are_refused_and_nothing_is_written(
    tmp_path: Path, words: list[str], message: str
) -> None:
    assert message in refused("run", *words, "--yes", "--db", tmp_path / "own.duckdb")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def legs(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb", content("ann", "bob"), [motion("fact-1")])


@pytest.mark.parametrize(
    ("as_pro", "as_con", "sentence"),
    [
        (1.0, 0.0, "ann wins on both sides."),
        (0.0, 1.0, "bob wins on both sides."),
        (1.0, 1.0, "Each wins once, both times as Pro: between these two, the side decided."),
        (0.0, 0.0, "Each wins once, both times as Con: between these two, the side decided."),
        (0.5, 0.5, "Both debates are ties."),
        (0.5, 1.0, "bob wins one debate; the other is a tie."),
        (0.5, None, "Not every debate has a verdict, so there is no winner yet."),
    ],
)
def test_both_legs_make_one_sentence(
    legs: tuple[Store, TournamentPlan],
    capsys: pytest.CaptureFixture[str],
    as_pro: float,
    as_con: float | None,
    sentence: str,
) -> None:
    store, plan = legs
    (ann,) = (one.participant_id for one in plan.resolved.participants if one.name == "ann")
    records: list[DebateRecord | BallotRecord] = [played(debate) for debate in plan.debates]
    for debate in plan.debates:
        outcome = as_pro if debate.pro == ann else as_con
        if outcome is not None:
            records.append(judged(debate, outcome, argument=0.5, source=0.5, language=0.5))
    commit(store, *records)
    show_verdict(store, plan.resolved)
    said = capsys.readouterr().out
    assert f"\n{sentence}\n" in said
    assert said.index("Pro ann") < said.index("Pro bob")


def test_a_forfeit_is_told_with_its_reason(
    legs: tuple[Store, TournamentPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    store, plan = legs
    commit(store, *(played(one, "forfeit", forfeited="pro") for one in plan.debates))
    show_verdict(store, plan.resolved)
    said = capsys.readouterr().out
    assert "no verdict, the debate is forfeit: pro, rebuttal: it ended so" in said


def test_a_missing_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "own.duckdb")
    plan = make_plan(one_motion_config(OneMotion(motion="M", a=TWO[1], b=TWO[3])), store)
    store_plan(plan, store)
    bench = plan.resolved.benches[0].name
    ballots = [judged(one, argument=1.0, source=1.0, language=1.0) for one in plan.debates]
    commit(
        store,
        *map(played, plan.debates),
        *(replace(one, ballot=replace(one.ballot, bench=bench)) for one in ballots),
    )
    show_verdict(store, plan.resolved)
    assert "only 1 of 3 runs have a verdict; continue with: arena resume" in capsys.readouterr().out
