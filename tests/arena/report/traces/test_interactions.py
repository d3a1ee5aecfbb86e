"""Turns per speech and tokens per turn (Tables 8 and 9)."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.papers.agent4debate_tables import tokens_table, turns_table
from arena.report.traces.interactions import AGENTS, usage

SPEECHES = pd.DataFrame({"stage": ["constructive", "constructive", "rebuttal", "rebuttal"]})
TURNS = pd.DataFrame(
    [
        *[("constructive", "Searcher", 300)] * 6,  # 6 on 2 speeches: 3
        *[("constructive", "Writer", 90), ("constructive", "Writer", 110)],  # 2 on 2: 1
        *[("rebuttal", "Writer", 100)] * 3,  # 3 on 2: 1.5
        ("rebuttal", "Reviewer", 40),  # 1 on 2: 0.5
    ],
    columns=["stage", "agent", "tokens"],
)


def test_turns_are_means_per_speech_of_a_stage_and_of_all() -> None:
    result = usage(SPEECHES, TURNS)
    assert result.speeches == {"overall": 4, "constructive": 2, "rebuttal": 2, "summary": 0}
    assert result.turns["constructive"] == {
        "Searcher": 3.0, "Analyzer": 0.0, "Writer": 1.0, "Reviewer": 0.0,
    }  # fmt: skip
    assert result.turns["rebuttal"]["Writer"] == 1.5
    # 6 Searchers', 5 Writers' and 1 Reviewer's turns on 4 speeches
    assert result.turns["overall"] == {
        "Searcher": 1.5, "Analyzer": 0.0, "Writer": 1.25, "Reviewer": 0.25,
    }  # fmt: skip
    assert set(result.turns["summary"].values()) == {0.0}


def test_tokens_are_means_per_turn_of_those_who_spoke() -> None:
    assert usage(SPEECHES, TURNS).tokens == {"Searcher": 300, "Writer": 100, "Reviewer": 40}


def test_ours_stand_above_the_published_turns() -> None:
    result = usage(SPEECHES, TURNS)
    less = usage(SPEECHES, TURNS.iloc[4:])
    table = turns_table(result, less, names=["ann", "bob"])
    assert table.head == ("stage", "counted", *AGENTS)
    assert table.rows[:6] == (
        ("overall", "answers of the model", "1.50", "0.00", "1.25", "0.25"),
        ("overall", "turns in the dialogue", "0.50", "0.00", "1.25", "0.25"),
        ("overall", "published", "2.19", "1.00", "2.72", "2.49"),
        ("constructive", "answers of the model", "3.00", "0.00", "1.00", "0.00"),
        ("constructive", "turns in the dialogue", "1.00", "0.00", "1.00", "0.00"),
        ("constructive", "published", "3.44", "1.00", "2.43", "2.17"),
    )
    assert [row[2:] for row in table.rows[8::3]] == [
        ("1.34", "1.00", "2.79", "2.58"),
        ("1.26", "1.00", "3.09", "2.87"),
    ]
    assert table.notes == ("4 speeches of ann, bob.",)


def test_tokens_stand_above_the_published_ones() -> None:
    table = tokens_table({"ann": usage(SPEECHES, TURNS)})
    assert table.rows == (
        ("ann", "300", "", "100", "40"),
        ("published", "2183", "795", "812", "416"),
    )


@pytest.mark.parametrize("frame", [SPEECHES.iloc[:0]])
def test_what_is_missing_is_said(frame: pd.DataFrame) -> None:
    none = usage(frame, TURNS.iloc[:0])
    assert turns_table(none, none, names=[]).rows == ()
    assert turns_table(none, none, names=[]).notes == (
        "No speech of agent4debate with all four agents is stored.",
    )
    assert tokens_table({}).notes == ("No participant of agent4debate takes part.",)
