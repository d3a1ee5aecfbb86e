from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from plotly.graph_objects import Figure

from arena.output import charts
from arena.output import matrix_charts as figures


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
    of_four = '<br><span style="font-size:10px">4</span>'
    won, lost = f"75{of_four}", f"25{of_four}"
    assert cells.text.tolist() == [["", won, ""], [lost, "", ""], ["", "", ""]]
    assert not cells.hoverongaps


@pytest.mark.parametrize("theme", [charts.LIGHT, charts.DARK])
def test_even_chances_are_neutral_and_the_ends_apart(
    pairs: pd.DataFrame, theme: charts.Theme
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
    assert [text.partition("<br>")[0] for text in (cells.text[0, 1], cells.text[1, 0])] == shown
    (empty,) = draw(pairs.assign(value=math.nan)).data
    assert (empty.zmin, empty.zmax) == (-1, 1)


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of sRGB, 0 to 1, as the WCAG 2.2 defines it."""
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("theme", [charts.LIGHT, charts.DARK])
def test_figures_are_readable_on_every_colour_of_the_scale(theme: charts.Theme) -> None:
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


def test_columns_have_the_names_of_the_rows(pairs: pd.DataFrame) -> None:
    layout = figures.draw_win_rates(pairs).layout
    assert list(layout.yaxis.ticktext) == ["first", "second", "third"]
    assert layout.xaxis.ticktext == layout.yaxis.ticktext
    assert layout.yaxis.range[0] > layout.yaxis.range[1]


def test_columns_of_a_large_matrix_have_the_numbers_of_the_rows() -> None:
    names = [f"n{number}" for number in range(21)]
    cells = [(row, column, 0.5, 2) for row in names for column in names]
    frame = pd.DataFrame(cells, columns=["participant", "opponent", "value", "debates"])
    figure = figures.draw_win_rates(frame)
    assert figure.layout.xaxis.ticktext[:2] == ("1", "2")
    assert figure.layout.yaxis.ticktext[0] == "n0  1" and figure.data[0].text[0, 0] == "50"


def test_names_above_the_columns_have_room_and_take_none_of_the_cells(pairs: pd.DataFrame) -> None:
    short, long = (
        figures.draw_win_rates(pairs.replace("first", name)).layout
        for name in ("first", "first of all")
    )
    higher = long.height - short.height
    assert higher > 0
    assert long.margin.t - short.margin.t == pytest.approx(higher)


@pytest.mark.parametrize("name", ["<b>bold</b>", "a & b"])
def test_a_name_of_a_grid_is_no_markup(pairs: pd.DataFrame, name: str) -> None:
    label = figures.draw_counts(pairs.replace("first", name)).layout.yaxis.ticktext[0]
    assert "<" not in label
    assert "&" in label


def test_counts_start_at_zero(pairs: pd.DataFrame) -> None:
    (cells,) = figures.draw_counts(pairs.assign(value=[math.nan, 12.0, *[math.nan] * 7])).data
    assert cells.zmin == 0
    assert cells.text[0, 1] == "12"


@pytest.mark.parametrize(("size", "lettered"), [(40, True), (41, False)])
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


def test_a_click_on_a_cell_that_is_known_tells_its_pair(pairs: pd.DataFrame) -> None:
    figure = figures.with_targets(figures.draw_win_rates(pairs), pairs)
    *_, targets = figure.data
    pairs_told = [list(point[:2]) for point in targets.customdata]
    assert pairs_told == [["first", "second"], ["second", "first"]]
    assert targets.hovertemplate == (
        "<b>%{customdata[2]}</b> against <b>%{customdata[3]}</b><br>%{customdata[5]:.1f} %<br>"
        "%{customdata[4]} debates<extra></extra>"
    )
    assert list(targets.customdata[0][2:]) == ["first", "second", 4, 75]
    assert list(zip(targets.x, targets.y, strict=True)) == [(1, 0), (0, 1)]


def test_a_grid_is_as_wide_as_its_cells(pairs: pd.DataFrame) -> None:
    assert figures.grid_pixels(4) - figures.grid_pixels(3) == figures.CELL_PIXELS
