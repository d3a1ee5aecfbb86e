from __future__ import annotations

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from arena.boards.board import Row
from arena.output.interval_rows import MOST_ROWS, interval_rows

_FINITE = st.floats(-2e4, 2e4)


def row(name: str = "alpha", rating: float = 1000.0, **changes: object) -> Row:
    values: dict[str, object] = {
        "rank": 1,
        "participant": name,
        "rating": rating,
        "median": rating,
        "lower": rating - 50,
        "upper": rating + 50,
        "rank_low": 1,
        "rank_high": 2,
        "tie_group": 0,
        **dict.fromkeys(("wins", "ties", "losses", "forfeits"), 0),
        "debates": 1,
        **dict.fromkeys(("win_rate", "usd_per_debate", "usd_most"), 0.0),
        "note": "",
    }
    return Row(**values | changes)  # type: ignore[arg-type]


def places(drawn: str) -> list[float]:
    """Return all places and widths of a picture, in per cent."""
    return [float(share) for share in re.findall(r"(?:left|width|origin): ([-\d.]+)%", drawn)]


def test_rows_are_those_of_the_board_in_its_order() -> None:
    drawn = interval_rows([row("alpha", 1100.4), row("beta", 950, rank=2, tie_group=1)])
    assert re.findall('class="wide">([^<]*)', drawn) == ["alpha", "beta"]
    assert re.findall('"rating">([^<]*)', drawn) == ["1100", "950"]
    assert re.findall('"rank">([^<]*)', drawn) == ["1", "2"]
    assert 'aria-label="1100, 95 % interval 1050 to 1150"' in drawn


def test_a_field_spans_those_who_are_not_separated_from_its_first() -> None:
    drawn = interval_rows([row("a"), row("b"), row("c", tie_group=1)])
    classes = re.findall('class="interval-row ([^"]*)"', drawn)
    assert classes == ["tied begins", "tied ends", "begins ends"]


def test_who_is_not_rated_is_not_drawn_and_nobody_rated_is_no_picture() -> None:
    unrated = row("never", rank=None, debates=0)
    assert "never" not in interval_rows([row("alpha"), unrated])
    assert "newcomer" in interval_rows([row("newcomer", rank=None, provisional=True)])
    assert interval_rows([unrated]) == interval_rows([]) == ""


def test_names_are_text_and_long_ones_are_told_apart_on_a_phone() -> None:
    names = ["agent4debate-good-no-searcher", "agent4debate-good-no-reviewer", "<b>&"]
    drawn = interval_rows([row(name) for name in names])
    assert "<b>" not in drawn and "&lt;b&gt;&amp;" in drawn
    short = re.findall('class="narrow">([^<]*)', drawn)
    assert len(set(short)) == 3 and all(
        len(line) <= 17 for name in short[:2] for line in name.split("\n")
    )


def test_a_long_board_is_drawn_from_the_top() -> None:
    drawn = interval_rows([row(f"p{place}") for place in range(MOST_ROWS + 5)])
    assert drawn.count('class="rank"') == MOST_ROWS


@given(st.lists(st.tuples(_FINITE, st.floats(0, 5e3), st.booleans()), min_size=1, max_size=8))
def test_everything_is_within_the_picture(
    board: list[tuple[float, float, bool]],
) -> None:
    rows = [
        row(
            rating=rating,
            lower=rating - half,
            upper=rating + half,
            comparison_lower=rating - half / 2 if known else math.nan,
            comparison_upper=rating + half / 2 if known else math.nan,
        )
        for rating, half, known in board
    ]
    assert all(0 <= share <= 100 for share in places(interval_rows(rows)))
