import numpy as np
import pytest

from ratings import Comparisons, connectivity, standing_notes, win_rate
from tests.ratings.oracles import Debate, board


def row(first: str, second: str, delta: float) -> Debate:
    return Debate(first=first, second=second, delta=delta, matchup="m")


def test_a_chain_of_wins_has_a_top_and_a_bottom() -> None:
    found = connectivity(board([row("A", "B", 1), row("C", "B", -2)], ["A", "B", "C", "idle"]))
    assert found.components == (("A", "B", "C"), ("idle",))
    assert found.undefeated == ("A",)
    assert found.winless == ("C",)
    assert found.unplayed == ("idle",)
    assert not found.strongly_connected


def test_a_circle_is_strongly_connected() -> None:
    found = connectivity(board([row("A", "B", 1), row("B", "C", 1), row("C", "A", 1)]))
    assert found.components == (("A", "B", "C"),)
    assert (found.undefeated, found.winless, found.unplayed) == ((), (), ())
    assert found.strongly_connected


def test_a_tie_links_both_ways() -> None:
    found = connectivity(board([row("A", "B", 1), row("A", "B", 0)]))
    assert found.undefeated == found.winless == ()
    assert found.strongly_connected


def test_one_alone_is_strongly_connected() -> None:
    found = connectivity(Comparisons.of([], [], [], names=["A"]))
    assert found.strongly_connected
    assert found.components == (("A",),)
    assert found.unplayed == ("A",)


def test_groups_are_listed_by_size_then_name() -> None:
    rows = [row("Y", "Z", 0), row("A", "B", 0), row("C", "D", 0), row("D", "E", 0)]
    found = connectivity(board(rows))
    assert found.components == (("C", "D", "E"), ("A", "B"), ("Y", "Z"))


def test_win_rates_count_ties_half_and_ignore_weights() -> None:
    rows = [row("A", "B", 3), row("A", "B", 0), row("B", "A", 1), row("C", "A", 0)]
    rate = win_rate(board(rows, ["A", "B", "C", "idle"]))
    assert rate[:3].tolist() == pytest.approx([2 / 4, 1.5 / 3, 1 / 2])
    assert np.isnan(rate[3])


def test_notes_say_what_rests_on_the_penalty() -> None:
    notes = standing_notes(board([row("A", "B", 1), row("C", "D", 1)], ["A", "B", "C", "D", "E"]))
    assert notes.names == ("A", "B", "C", "D", "E")
    assert len(notes.board) == 2
    assert "A, B; C, D" in notes.board[0]
    assert notes.board[1] == "without comparisons: E"
    assert [len(own) for own in notes.participants] == [1, 1, 1, 1, 1]
    assert "won every" in notes.participants[0][0]
    assert "lost every" in notes.participants[3][0]
    assert "no comparisons" in notes.participants[4][0]


def test_notes_name_a_group_that_never_lost_to_the_rest() -> None:
    rows = [
        row("A", "B", 1),
        row("B", "A", 1),
        row("C", "D", 1),
        row("D", "C", 1),
        row("A", "C", 1),
    ]
    notes = standing_notes(board(rows))
    assert len(notes.board) == 1
    assert "one-sided" in notes.board[0]
    assert notes.participants == ((), (), (), ())


def test_a_sound_board_has_no_notes() -> None:
    notes = standing_notes(board([row("A", "B", 1), row("B", "A", 1)]))
    assert notes.board == ()
    assert notes.participants == ((), ())
