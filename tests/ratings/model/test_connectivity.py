import numpy as np
import pytest
from hypothesis import given as drawn

from ratings import Comparisons, connectivity, standing_notes, win_rate
from tests.ratings.oracles import Debate, board, debates


def row(first: str, second: str, delta: float) -> Debate:
    return Debate(first=first, second=second, delta=delta, matchup="m")


def test_a_chain_of_wins_has_a_top_and_a_bottom() -> None:
    result = connectivity(board([row("A", "B", 1), row("C", "B", -2)], ["A", "B", "C", "idle"]))
    assert result.components == (("A", "B", "C"), ("idle",))
    assert result.undefeated == ("A",)
    assert result.winless == ("C",)
    assert result.unplayed == ("idle",)
    assert not result.strongly_connected


def test_a_circle_is_strongly_connected() -> None:
    result = connectivity(board([row("A", "B", 1), row("B", "C", 1), row("C", "A", 1)]))
    assert result.components == (("A", "B", "C"),)
    assert (result.undefeated, result.winless, result.unplayed) == ((), (), ())
    assert result.strongly_connected


def test_a_tie_links_both_ways() -> None:
    result = connectivity(board([row("A", "B", 1), row("A", "B", 0)]))
    assert result.undefeated == result.winless == ()
    assert result.strongly_connected


def test_one_alone_is_strongly_connected() -> None:
    result = connectivity(Comparisons.of([], [], [], names=["A"]))
    assert result.strongly_connected
    assert result.components == (("A",),)
    assert result.unplayed == ("A",)


def test_groups_are_listed_by_size_then_name() -> None:
    rows = [row("Y", "Z", 0), row("A", "B", 0), row("C", "D", 0), row("D", "E", 0)]
    result = connectivity(board(rows))
    assert result.components == (("C", "D", "E"), ("A", "B"), ("Y", "Z"))


def test_win_rates_count_ties_half_and_ignore_weights() -> None:
    rows = [row("A", "B", 3), row("A", "B", 0), row("B", "A", 1), row("C", "A", 0)]
    rate = win_rate(board(rows, ["A", "B", "C", "idle"]))
    assert rate[:3].tolist() == pytest.approx([2 / 4, 1.5 / 3, 1 / 2])
    assert np.isnan(rate[3])


def test_notes_say_what_rests_on_the_penalty() -> None:
    notes = standing_notes(board([row("A", "B", 1), row("C", "D", 1)], ["A", "B", "C", "D", "E"]))
    assert notes.names == ("A", "B", "C", "D", "E")
    assert len(notes.board) == 1
    assert "A, B; C, D; matchups between the groups would link them" in notes.board[0]
    assert [len(own) for own in notes.participants] == [1, 1, 1, 1, 1]
    assert "won every" in notes.participants[0][0]
    assert "lost every" in notes.participants[3][0]
    assert notes.participants[4] == ("not rated: no comparison",)


def test_notes_name_a_group_that_never_lost_to_the_rest() -> None:
    rows = [
        row("A", "B", 1),
        row("B", "A", 1),
        row("C", "D", 1),
        row("D", "C", 1),
        row("A", "C", 1),
    ]
    notes = standing_notes(board(rows))
    assert "one-sided" in notes.board[0]
    assert notes.board[1:] == (
        "C, D are compared with the rest by C against A alone (1 comparison)",
        "B is compared with nobody but A (2 comparisons)",
        "D is compared with nobody but C (2 comparisons)",
    )
    assert notes.participants == ((), (), (), ())


def test_a_sound_board_has_no_notes() -> None:
    notes = standing_notes(board([row("A", "B", 1), row("B", "A", 1)]))
    assert notes.board == ()
    assert notes.participants == ((), ())
    idle = Comparisons.of(["A", "B"], ["B", "A"], [1, 1], names=["A", "B", "Z"])
    assert standing_notes(idle).board == ()  # Z lost to nobody, but met nobody either


def linked(
    comparisons: Comparisons, *, without: frozenset[str] = frozenset()
) -> set[frozenset[str]]:
    """Components by walking, the obvious way."""
    names = comparisons.names
    near: dict[str, set[str]] = {name: {name} for name in names}
    for i, j in zip(comparisons.first.tolist(), comparisons.second.tolist(), strict=True):
        if without != {names[i], names[j]}:
            near[names[i]].add(names[j])
            near[names[j]].add(names[i])
    for _ in names:
        near = {name: set().union(*(near[one] for one in known)) for name, known in near.items()}
    return {frozenset(known) for known in near.values()}


@drawn(debates(most=9))
def test_a_bridge_is_a_pair_without_which_there_is_one_part_more(rows: list[Debate]) -> None:
    standings = board(rows)
    whole, found = (
        linked(standings),
        {frozenset(one.pair): one for one in connectivity(standings).bridges},
    )
    for pair in {frozenset((one.first, one.second)) for one in rows}:
        parts = linked(standings, without=pair) - whole
        if sum(map(len, parts)) <= 2:
            assert pair not in found
            continue
        assert set(found[pair].cut_off) in parts
        assert len(found[pair].cut_off) == min(map(len, parts))
        own = [one for one in rows if {one.first, one.second} == pair]
        assert found[pair].comparisons == len(own)
        assert found[pair].clusters == len({one.matchup for one in own})
        del found[pair]
    assert found == {}


def test_a_bridge_names_the_smaller_part_and_says_how_little_carries_it() -> None:
    rows = [
        row("A", "B", 1),
        row("B", "C", 1),
        row("C", "A", 1),
        row("C", "D", 1),
        row("D", "E", 0),
    ]
    first, second = connectivity(board(rows)).bridges
    assert (first.pair, first.cut_off, first.comparisons) == (("C", "D"), ("D", "E"), 1)
    assert (second.pair, second.cut_off) == (("D", "E"), ("E",))
    note = standing_notes(board(rows)).board[-2]
    assert note == "D, E are compared with the rest by D against C alone (1 comparison)"


def test_two_alone_are_no_bridge_and_a_round_trip_has_none() -> None:
    assert connectivity(board([row("A", "B", 1)])).bridges == ()
    assert connectivity(board([row("A", "B", 1), row("B", "C", 1), row("C", "A", 1)])).bridges == ()


def test_separated_groups_are_those_that_beat_each_other_both_ways() -> None:
    rows = [row("A", "B", 1), row("B", "A", 1), row("B", "C", 1)]
    assert connectivity(board(rows)).separated == (("A", "B"), ("C",))


def test_a_long_list_of_bridges_is_cut() -> None:
    notes = standing_notes(board([row("hub", f"p{n}", 1) for n in range(6)])).board
    assert sum("nobody but hub" in one for one in notes) == 3
    assert notes[-1] == "3 more pairs carry a comparison alone"


def test_a_one_sided_board_names_who_never_lost_or_never_won() -> None:
    ring = [row("B", "C", 1), row("C", "D", 1), row("D", "B", 1)]
    for outcome, did in ((1, "lost or tied to"), (-1, "won or tied against")):
        (note,) = standing_notes(board([*ring, *(row("A", name, outcome) for name in "BCD")])).board
        assert note.startswith(f"one-sided: A never {did} the rest;")
