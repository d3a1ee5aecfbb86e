"""`arena debates`: who met whom, on what, with which score."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.command_line import done, refused
from tests.support.tournaments import commit, content, judged, meeting, planned, played


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb", content(runs=2))


def listed(*arguments: str | Path) -> list[list[str]]:
    """The rows, without the heading and the last line."""
    *lines, last = done("debates", *arguments).splitlines()
    assert last.startswith(f"{len(lines) - 1} debates. Read the first one with: arena show ")
    return [line.split() for line in lines[1:]]


def test_a_result_names_the_winner_and_its_score_first(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    scored, lost = meeting(plan, "bob", "ann"), meeting(plan, "ann", "cyd")
    commit(store, played(scored), judged(scored, 1.0), judged(scored, 0.5, run=1))
    commit(store, played(lost, "forfeit", forfeited="con"))
    rows = {row[0]: row[1:] for row in listed("--db", store.path)}
    assert len(rows) == 6
    assert rows[scored.debate_id[:8]] == [
        *(scored.motion_id, "en", "bob", "ann", "finished"),
        *("pro", "1.5", ":", "0.5"),
    ]
    found = rows[lost.debate_id[:8]]
    assert " ".join(found[4:]) == "forfeit con, rebuttal: it ended so -"
    assert rows[meeting(plan, "cyd", "bob").debate_id[:8]][-2:] == ["planned", "-"]


def test_the_debates_of_one_participant_are_listed(stored: tuple[Store, TournamentPlan]) -> None:
    store, _ = stored
    rows = listed("--db", store.path, "--participant", "ann")
    assert len(rows) == 4
    assert all("ann" in row[3:5] for row in rows)


def test_the_debates_on_one_motion_are_listed(stored: tuple[Store, TournamentPlan]) -> None:
    store, _ = stored
    rows = listed("--db", store.path, "--motion", "policy-1")
    assert [row[1] for row in rows] == ["policy-1"] * 2
    both = listed("--db", store.path, "--motion", "policy-1", "--participant", rows[0][3])
    assert both == rows


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--participant", "dan", "unknown participant 'dan'. Known: ann, bob, cyd."),
        ("--opponent", "dan", "unknown participant 'dan'. Known: ann, bob, cyd."),
        ("--opponent", "bob", "--opponent 'bob' was given without --participant: name both."),
        (
            "--motion",
            "fact-9",
            "unknown motion 'fact-9'. Known: fact-1, policy-1, value-1. Did you mean 'fact-1'?",
        ),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    stored: tuple[Store, TournamentPlan], option: str, given: str, message: str
) -> None:
    assert refused("debates", "--db", stored[0].path, option, given) == message


def test_the_named_tournament_is_meant_and_else_the_newest(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    planned(store.path, content("dan", "eve", name="newer"))
    assert len(listed("--db", store.path)) == 2
    assert len(listed("--db", store.path, "-t", "small")) == 6
    message = refused("debates", "--db", store.path, "-t", "older")
    assert message == f"{store.path}: no tournament 'older'. Stored: newer, small."


def test_names_and_reasons_are_shown_as_they_are_written(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content("a:apple:", "b"))
    lost = plan.debates[0]
    commit(store, played(lost, "forfeit", forfeited="pro"))
    store.write(lambda link: _set_reason(link, "[red]bell \x07[/red]"))
    printed = done("debates", "--db", store.path)
    assert "a:apple:" in printed
    assert "[red]bell [/red]" in printed


def _set_reason(link: object, reason: str) -> None:
    link.execute("UPDATE debates SET reason = $reason", {"reason": reason})  # type: ignore[attr-defined]
