"""`arena versus`: two participants against each other, in three forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import done, refused
from tests.support.tournaments import (
    changed,
    commit,
    content,
    decide,
    judged,
    meeting,
    named,
    planned,
    played,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Overall ann beats bob in six matchups, and ties with cyd; on source it is reversed."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path_factory.mktemp("versus") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann")
    return store.path


def test_a_table_has_a_row_for_each_dimension(path: Path) -> None:
    # six differences of one sign: 2 of 64 assignments are as far
    lines = done("versus", "bob", "ann", "--db", path).splitlines()
    assert lines[:2] == ["small · bob versus ann · bench bench · simulated models", ""]
    assert lines[2].startswith("ann is better than bob, settled (95 %): +")
    assert "100 % of 12 debates (12-0-0 won-tied-lost)" in " ".join(lines[2:4])
    assert lines[lines.index("", 2) :][:7] == [
        "",
        "dimension   bob   ann  95 % interval       p  debates",
        "overall    0.00  3.00   0.00 to 0.00  0.0312       12",
        "source     3.00  0.00   3.00 to 3.00  0.0312       12",
        "",
        "12 debates in 6 matchups; bob was Pro in 6 and Con in 6. Both debates of each",
        "matchup are judged, so the sides are balanced.",
    ]
    words = " ".join(lines).rpartition("Their debates: arena ")[2].split()
    assert "12 debates. Read the first" in done(*words), "those that the figures rest on"


def test_markdown_is_a_table_under_its_title(path: Path) -> None:
    lines = done("versus", "ann", "cyd", "--db", path, "--format", "markdown").splitlines()
    assert lines[0] == "**small · ann versus cyd · bench bench · simulated models**"
    assert lines[2].startswith("ann is better than cyd, settled (95 %): +142 Elo points ")
    assert lines[4] == "| dimension | ann | cyd | 95 % interval | p | debates |"
    assert lines[6] == "| overall | 1.50 | 1.50 | 1.50 to 1.50 | 1.0000 | 12 |"


def test_json_holds_the_unrounded_numbers(path: Path) -> None:
    document = json.loads(done("versus", "ann", "bob", "--db", path, "--format", "json"))
    assert (document["tournament"], document["bench"], document["simulated"]) == (
        "small",
        "bench",
        True,
    )
    assert (document["debates"], document["matchups"], document["single"]) == (12, 6, 0)
    assert document["margins"][0] == {
        "dimension": "overall",
        "points": 3.0,
        "lower": 3.0,
        "upper": 3.0,
        "test": {"p": 0.03125, "exact": True, "differences": 6},
        "debates": 12,
    }


def test_a_category_and_a_language_choose_debates(path: Path) -> None:
    words = ("versus", "ann", "bob", "--db", path, "--category", "policy", "--language", "en")
    assert done(*words).splitlines()[0] == (
        "small · ann versus bob · bench bench · policy motions · in en · simulated models"
    )
    document = json.loads(done(*words, "--format", "json"))
    assert (document["debates"], document["category"], document["language"]) == (4, "policy", "en")


def test_a_leg_without_its_twin_is_said(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    one, other = meeting(plan, "ann", "bob"), meeting(plan, "bob", "ann")
    commit(store, played(one), played(other), judged(one, 1.0))
    said = " ".join(done("versus", "ann", "bob", "--db", store.path).split())
    assert "1 debate in 1 matchup; ann was Pro in 1 and Con in 0." in said
    assert "Of 1 matchup only one debate is judged, so the sides are not balanced." in said
    document = json.loads(done("versus", "ann", "bob", "--db", store.path, "--format", "json"))
    assert (document["single"], document["margins"][0]["lower"]) == (1, None)


def test_a_debate_that_waits_for_ballots_is_no_meeting_yet(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store, played(meeting(plan, "ann", "bob")))
    message = refused("versus", "ann", "bob", "--db", store.path)
    assert message == (
        "It is not known here whether ann is better than bob: ann is not rated: no valid ballot on "
        "1 finished debate; bob is not rated: no valid ballot on 1 finished debate. "
        "None of the 2 debates of ann and bob has all its ballots of bench bench yet (1 "
        "finished). Continue with: "
        f"arena resume small --db {store.path}"
    )


def test_a_category_of_which_nothing_is_judged_is_said(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    debate = meeting(plan, "ann", "bob")
    commit(store, played(debate), judged(debate, 1.0))
    category = next(
        motion.category for motion in plan.resolved.motions if motion.motion_id != debate.motion_id
    )
    message = refused("versus", "ann", "bob", "--db", store.path, "--category", category)
    assert (
        "No debate of ann and bob that is judged in full by bench bench fits "
        f"({category} motions). Choose another --category"
    ) in message


def test_those_who_never_meet_are_refused(tmp_path: Path) -> None:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "kind"], "gauntlet")
    config = changed(config, ["schedule", "newcomers"], ["ann"])
    store, _ = planned(tmp_path / "own.duckdb", config)
    message = refused("versus", "bob", "cyd", "--db", store.path)
    assert message.endswith(
        "cyd is not rated: no debate yet. bob and cyd never meet in tournament 'small'. "
        f"Which pairs do: arena matrix --counts -t small --db {store.path}"
    )


def test_those_who_have_not_met_are_compared_through_others(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    met = [meeting(plan, first, "ann") for first in ("bob", "cyd")]
    commit(store, *map(played, met), *(judged(debate, 1.0) for debate in met))
    text = " ".join(done("versus", "bob", "cyd", "--db", store.path).split())
    assert "from debates with others, for the two have not met" in text
    assert "None of the 2 debates of bob and cyd has all its ballots" in text
    words = ("versus", "bob", "cyd", "--db", store.path, "--format", "json")
    document = json.loads(done(*words))
    assert (document["debates"], document["margins"], document["gap"]["above"]) == (0, [], "")
    assert document["answer"].startswith("Whether bob is better than cyd is not settled: 50 % ")


def test_who_forfeited_all_debates_is_not_compared(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    names = named(plan)
    records = [
        played(debate, "forfeit", forfeited="pro" if names[debate.pro] == "cyd" else "con")
        if "cyd" in {names[debate.pro], names[debate.con]}
        else played(debate)
        for debate in plan.debates
    ]
    met = [meeting(plan, "ann", "bob"), meeting(plan, "bob", "ann")]
    commit(store, *records, *(judged(debate, 1.0) for debate in met))
    assert refused("versus", "ann", "cyd", "--db", store.path) == (
        "It is not known here whether ann is better than cyd: cyd is not rated: 4 of 4 debates "
        "forfeited (it ended so). All 2 debates of ann and cyd were forfeited. Which: "
        f"arena debates --participant ann -t small --db {store.path}"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("ann", "zoe"), "unknown participant 'zoe'. Known: ann, bob, cyd."),
        (
            ("ann", "ann"),
            "'ann' was given twice, but a participant never meets itself. Name two of: ",
        ),
        (("ann", "bob", "--bench", "jury"), "tournament 'small' has no bench 'jury'. Known: bench"),
        (("ann", "bob", "--category", "art"), "unknown category 'art'. Accepted: all, fact, "),
        (("ann", "bob", "-t", "big"), "no tournament 'big'. Stored: small."),
    ],
)
def test_what_cannot_be_compared_is_refused(
    path: Path, given: tuple[str, ...], message: str
) -> None:
    assert message in refused("versus", *given, "--db", path)
