from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.boards.board import Row
from arena.output.board_html import MOST_ROWS, board_html, grid_html, ticks_between
from arena.output.tables import tabulate
from arena.records import Participant
from arena.report.leaderboard import COLUMNS

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


def draw(*rows: Row, **more: Any) -> str:  # noqa: ANN401 - as board_html
    return board_html(rows, tabulate(COLUMNS, rows), **more)


def cells(drawn: str, head: str) -> list[str]:
    """Return the texts of a column."""
    found = re.findall(f'data-head="{head}">(.*?)</td>', drawn, re.DOTALL)
    return [re.sub("<[^>]*>", "", cell) for cell in found]


def places(drawn: str) -> list[float]:
    """Return all places and widths of a picture, in per cent."""
    return [float(share) for share in re.findall(r"(?:left|width): ([-\d.]+)%", drawn)]


def test_rows_are_those_of_the_board_in_its_order_each_with_its_picture() -> None:
    drawn = draw(row("alpha", 1100.4), row("beta", 950, rank=2, tie_group=1))
    assert cells(drawn, "#") == ["1", "2"]
    assert cells(drawn, "participant") == ["alpha", "beta"]
    assert cells(drawn, "Elo") == ["1100", "950"]
    assert cells(drawn, "95 % interval") == ["1050 to 1150", "900 to 1000"]
    assert drawn.count('class="track"') == drawn.count('class="line"') == 2
    ticks = re.findall('<i style="[^"]*">([^<]+)', drawn)
    assert ticks == ["900", "1000", "1100"]


def test_a_band_spans_those_who_are_not_separated_from_its_first() -> None:
    drawn = draw(row("a"), row("b"), row("c", tie_group=1))
    classes = re.findall('<tr class="([^"]*) kind-0">', drawn)
    assert classes == ["tied begins", "tied ends", "begins ends"]


def test_who_is_not_rated_is_listed_without_a_picture() -> None:
    unrated = row("never", rank=None, tie_group=None, debates=0)
    drawn = draw(row("alpha"), row("newcomer", rank=None, provisional=True), unrated)
    assert cells(drawn, "participant") == ["alpha", "newcomer", "never"]
    assert cells(drawn, "95 % interval")[2] == "-" and drawn.count('class="track"') == 2
    assert draw() == "" and draw(unrated).count('class="track"') == 0


def test_names_are_text_and_long_ones_are_told_apart() -> None:
    names = [f"{'agent4debate-' * 8}good-no-{part}" for part in ("searcher", "reviewer")]
    drawn = draw(*(row(name) for name in (*names, "<b>&")), link=lambda name: f"p?{name}")
    short = cells(drawn, "participant")
    assert "<b>" not in drawn and short[2] == "&lt;b&gt;&amp;"
    assert len(set(short)) == 3 and all(len(line) <= 32 for line in "\n".join(short).split("\n"))
    assert all(f'title="{name}"' in drawn for name in names), "the whole name is there"
    assert 'href="p?&lt;b&gt;&amp;"' in drawn


def test_each_framework_has_a_colour_and_the_rarest_share_grey() -> None:
    frameworks = ["a", "a", *"bcdefgh"]
    rows = [row(f"{name}{place}") for place, name in enumerate(frameworks)]
    systems = {
        each.participant: Participant(name=each.participant, debater=name, model="m")
        for each, name in zip(rows, frameworks, strict=True)
    }
    drawn = draw(*rows, systems=systems)
    kinds = [int(kind) for kind in re.findall('<tr class="[^"]*kind-(.)"', drawn)]
    assert kinds == [1, 1, 2, 3, 4, 5, 6, 0, 0]
    legend = re.findall('<span class="kind-(.)"><i class="dot"></i>([^<]*)', drawn)
    assert legend == [*zip("123456", "abcdef", strict=True), ("0", "2 other frameworks")]
    alone = draw(*rows[:2], systems=systems)
    assert "legend" not in alone, "one framework needs no colours"


def test_a_field_of_frameworks_and_models_is_a_grid_and_any_other_is_none() -> None:
    kinds = [("a", "m"), ("a", "m"), ("a", "<n>"), ("b", "m")]
    rows = [row(f"p{place}", 1100.0 - 100 * place) for place in range(4)]
    systems = {
        each.participant: Participant(name=each.participant, debater=debater, model=model)
        for each, (debater, model) in zip(rows, kinds, strict=True)
    }
    drawn = grid_html(rows, systems)
    assert re.findall('scope="...">([^<]*)', drawn) == ["m", "&lt;n&gt;", "a", "b"]
    assert re.findall(r"<td[^>]*>(?:<b>)?([\d–]+)", drawn) == ["1100", "900", "800", "–"]
    assert drawn.count("best of 2") == 1 and "1050 to 1150" in drawn
    assert grid_html(rows[:3], systems) == grid_html([], systems) == grid_html(rows, {}) == ""
    apart = {each.participant: systems["p0"] for each in rows[:2]}
    assert grid_html(rows, apart) == "", "one framework on one model"


def test_a_long_board_is_written_from_the_top() -> None:
    drawn = draw(*(row(f"p{place}") for place in range(MOST_ROWS + 5)))
    assert len(cells(drawn, "participant")) == MOST_ROWS
    assert "And 5 participants more." in drawn


@pytest.mark.parametrize("span", [0.5, 3, 44, 100, 777, 2000, 12_345])
def test_ticks_are_few_and_round(span: float) -> None:
    ticks = ticks_between(1000 - span / 3, 1000 + span)
    assert 2 <= len(ticks) <= 6
    step = ticks[1] - ticks[0]
    assert f"{step:.0e}"[0] in "125"


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
    assert all(0 <= share <= 100 for share in places(draw(*rows)))
