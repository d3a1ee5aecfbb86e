from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from plotly.graph_objects import Figure

from arena.report import charts as figures


@pytest.fixture
def board() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "participant": ["first", "second", "third"],
            "rating": [1200.0, 1000.0, 800.0],
            "lower": [1100.0, 900.0, 850.0],
            "upper": [1250.0, 1100.0, 900.0],
            "debates": [4, 4, 4],
        }
    )


def test_the_best_stands_on_top(board: pd.DataFrame) -> None:
    axis = figures.draw_intervals(board).layout.yaxis
    assert list(axis.ticktext) == ["first", "second", "third"]
    assert list(axis.tickvals) == [0, 1, 2]
    assert axis.range[0] > axis.range[1]


def test_each_bar_spans_its_interval(board: pd.DataFrame) -> None:
    bars, points = figures.draw_intervals(board).data
    ends = list(zip(bars.x[0::3], bars.x[1::3], bars.y[0::3], bars.y[1::3], strict=True))
    assert ends == [(1100, 1250, 0, 0), (900, 1100, 1, 1), (850, 900, 2, 2)]
    assert set(bars.x[2::3]) == {None}
    assert list(points.x) == [1200, 1000, 800]
    assert list(points.y) == [0, 1, 2]


def test_the_figure_grows_with_the_board(board: pd.DataFrame) -> None:
    longer = pd.concat([board, board.assign(participant=["x", "y", "z"])])
    heights = [figures.draw_intervals(frame).layout.height for frame in (board, longer)]
    assert heights[1] - heights[0] == 3 * 28


@pytest.mark.parametrize("name", ["<b>bold</b>", '<a href="http://evil.example">x</a>', "a & b"])
def test_a_name_is_no_markup(board: pd.DataFrame, name: str) -> None:
    figure = figures.draw_intervals(board.replace("first", name))
    shown = [figure.layout.yaxis.ticktext[0], figure.data[1].customdata[0][0]]
    for text in shown:
        assert "<" not in text
        assert "&" in text


def test_a_long_name_is_shortened_on_the_axis_only(board: pd.DataFrame) -> None:
    figure = figures.draw_intervals(board.replace("first", "n" * 200))
    assert figure.layout.yaxis.ticktext[0] == "n" * 39 + "…"
    assert figure.data[1].customdata[0][0] == "n" * 200


def test_an_empty_board_is_an_empty_figure(board: pd.DataFrame) -> None:
    figure = figures.draw_intervals(board.iloc[:0])
    assert [len(trace.x) for trace in figure.data] == [0, 0]


def test_one_call_leaves_the_frame_alone(board: pd.DataFrame) -> None:
    before = board.copy()
    first, again = (figures.draw_intervals(board) for _ in range(2))
    pd.testing.assert_frame_equal(board, before)
    assert first.to_json() == again.to_json()


def test_the_line_of_the_mean_follows_the_anchor(board: pd.DataFrame) -> None:
    (line,) = figures.draw_intervals(board, mean=1500).layout.shapes
    assert (line.x0, line.x1) == (1500, 1500)


def test_the_lettering_suits_the_page(board: pd.DataFrame) -> None:
    layout = figures.draw_intervals(board, theme=figures.DARK).layout
    fonts = [layout.xaxis.tickfont, layout.xaxis.title.font, layout.yaxis.tickfont]
    assert {font.color for font in fonts} == {figures.DARK.ink}


def test_a_missing_column_is_named(board: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="lacks lower, upper. Its columns: participant, rating"):
        figures.draw_intervals(board[["participant", "rating"]])


def test_a_repeated_name_is_refused(board: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="two rows are called 'first'"):
        figures.draw_intervals(board.replace("second", "first"))


@pytest.fixture
def pairs() -> pd.DataFrame:
    """First won three of four against second; third has met nobody."""
    names = ["first", "second", "third"]
    cells = {("first", "second"): (0.75, 4), ("second", "first"): (0.25, 4)}
    return pd.DataFrame(
        [
            (row, column, *cells.get((row, column), (math.nan, 0)))
            for row in names
            for column in names
        ],
        columns=["participant", "opponent", "value", "debates"],
    )


def test_rates_are_percentages_with_gaps_for_the_unknown(pairs: pd.DataFrame) -> None:
    (cells,) = figures.draw_win_rates(pairs).data
    assert cells.z[0, 1] == 75
    assert cells.z[1, 0] == 25
    assert np.isnan(cells.z).sum() == 7
    assert cells.text.tolist() == [["", "75", ""], ["25", "", ""], ["", "", ""]]
    assert not cells.hoverongaps


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_even_chances_are_neutral_and_the_ends_apart(
    pairs: pd.DataFrame, theme: figures.Theme
) -> None:
    (cells,) = figures.draw_win_rates(pairs, theme=theme).data
    assert (cells.zmin, cells.zmax) == (0, 100)
    assert cells.colorscale == ((0, theme.low), (0.5, theme.middle), (1, theme.high))
    assert {cells.colorbar.tickfont.color, cells.textfont.color} == {theme.ink}


@pytest.mark.parametrize(
    ("draw", "shown", "end"),
    [(figures.draw_residuals, ["75", "25"], 75), (figures.draw_differences, ["0.8", "0.2"], 0.75)],
)
def test_what_has_two_directions_is_neutral_at_zero(
    draw: Callable[..., Figure], shown: list[str], end: float, pairs: pd.DataFrame
) -> None:
    (cells,) = draw(pairs).data
    assert (cells.zmin, cells.zmax) == (-end, end)
    assert [cells.text[0, 1], cells.text[1, 0]] == shown
    (empty,) = draw(pairs.assign(value=math.nan)).data
    assert (empty.zmin, empty.zmax) == (-1, 1)


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of sRGB, 0 to 1, as the WCAG 2.2 defines it."""
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_figures_are_readable_on_every_colour_of_the_scale(theme: figures.Theme) -> None:
    ink, *ends = (
        np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        for colour in (theme.ink, theme.low, theme.middle, theme.high)
    )
    shades = [(1 - t) * a + t * b for a, b in pairwise(ends) for t in np.linspace(0, 1, 21)]
    for shade in shades:
        dark, light = sorted((luminance(tuple(ink)), luminance(tuple(shade))))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_hovering_tells_both_names_and_the_debates(pairs: pd.DataFrame) -> None:
    (cells,) = figures.draw_win_rates(pairs.replace("first", "<b>x</b>")).data
    assert list(cells.customdata[0, 1]) == ["&lt;b&gt;x&lt;/b&gt;", "second", 4]
    for place in range(3):
        assert f"%{{customdata[{place}]}}" in cells.hovertemplate


def test_columns_are_the_numbers_of_the_rows(pairs: pd.DataFrame) -> None:
    layout = figures.draw_win_rates(pairs).layout
    assert list(layout.yaxis.ticktext) == ["first  1", "second  2", "third  3"]
    assert list(layout.xaxis.ticktext) == ["1", "2", "3"]
    assert layout.yaxis.range[0] > layout.yaxis.range[1]


@pytest.mark.parametrize("name", ["<b>bold</b>", "a & b"])
def test_a_name_of_a_grid_is_no_markup(pairs: pd.DataFrame, name: str) -> None:
    label = figures.draw_counts(pairs.replace("first", name)).layout.yaxis.ticktext[0]
    assert "<" not in label
    assert "&" in label


def test_counts_start_at_zero(pairs: pd.DataFrame) -> None:
    (cells,) = figures.draw_counts(pairs.assign(value=[math.nan, 12.0, *[math.nan] * 7])).data
    assert cells.zmin == 0
    assert cells.text[0, 1] == "12"


@pytest.mark.parametrize(("size", "lettered"), [(20, True), (21, False)])
def test_a_large_grid_has_no_figures_in_its_cells(size: int, lettered: bool) -> None:
    names = [f"p{number}" for number in range(size)]
    cells = [(row, column, 0.5, 1) for row in names for column in names]
    frame = pd.DataFrame(cells, columns=["participant", "opponent", "value", "debates"])
    assert bool(figures.draw_win_rates(frame).data[0].texttemplate) is lettered


def test_a_pair_that_is_missing_is_an_error(pairs: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="do not form a square"):
        figures.draw_win_rates(pairs.drop(index=1))
    with pytest.raises(ValueError, match="lacks debates"):
        figures.draw_counts(pairs.drop(columns="debates"))


def test_recovery_is_a_line_for_each_schedule_and_the_target() -> None:
    frame = pd.DataFrame(
        {
            "schedule": ["a", "a", "<b>", "<b>"],
            "usd": [1.0, 2.0, 1.0, 2.0],
            "tau": [0.1, 0.5, 0.2, 0.7],
            "error": [0.1, 0.1, 0.1, 0.1],
        }
    )
    figure = figures.draw_recovery(frame, target=0.8)
    assert [line.name for line in figure.data] == ["a", "&lt;b&gt;"]
    assert list(figure.data[1].y) == [0.2, 0.7]
    assert figure.data[0].line.color != figure.data[1].line.color
    assert figure.layout.shapes[0].y0 == 0.8
    with pytest.raises(ValueError, match="lacks error"):
        figures.draw_recovery(frame.drop(columns="error"), target=0.8)
