from __future__ import annotations

import pandas as pd
import pytest

from arena.output import charts as figures


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


def test_comparison_intervals_are_a_second_thicker_bar(board: pd.DataFrame) -> None:
    both = board.assign(comparison_lower=[1150.0, 950.0, 790.0], comparison_upper=1220.0)
    thin, thick, points = figures.draw_intervals(both).data
    assert list(thin.x[0::3]) == [1100, 900, 850]
    assert list(thick.x[0::3]) == [1150, 950, 790]
    assert thin.line.width < 8 < thick.line.width
    assert list(points.x) == [1200, 1000, 800]
    assert figures.draw_intervals(both).layout.xaxis.range[0] < 790
    kept = both.assign(comparison_lower=float("nan"), comparison_upper=float("nan"))
    assert len(figures.draw_intervals(kept).data) == 2


def test_the_figure_grows_with_the_board(board: pd.DataFrame) -> None:
    longer = pd.concat([board, board.assign(participant=["x", "y", "z"])])
    heights = [figures.draw_intervals(frame).layout.height for frame in (board, longer)]
    assert heights[1] - heights[0] == 3 * 28


@pytest.mark.parametrize("name", ["<b>bold</b>", '<a href="http://evil.example">x</a>', "a & b"])
def test_a_name_is_no_markup(board: pd.DataFrame, name: str) -> None:
    figure = figures.draw_intervals(board.replace("first", name))
    shown = [figure.layout.yaxis.ticktext[0], figure.data[1].customdata[0][0]]
    for text in shown:
        assert "<" not in text.replace("<br>", "")
        assert "&" in text


def test_a_long_name_is_shortened_on_the_axis_only(board: pd.DataFrame) -> None:
    figure = figures.draw_intervals(board.replace("first", "n" * 200))
    assert figure.layout.yaxis.ticktext[0] == "n" * 19 + "…"
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


def test_groups_that_cannot_be_told_apart_have_one_backdrop(board: pd.DataFrame) -> None:
    groups = [["first", "second"], ["third"]]
    backdrops = [
        shape
        for shape in figures.draw_intervals(board, groups=groups).layout.shapes
        if shape.type == "rect"
    ]
    assert [(shape.y0, shape.y1) for shape in backdrops] == [(-0.42, 1.42)]
