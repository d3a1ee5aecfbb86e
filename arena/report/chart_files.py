"""The charts of a board as files for a paper: one page, the data of each, and pictures."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from arena.battles.exporter import replace_file
from arena.boards.participation import COST_NOTE
from arena.output.charts import draw_intervals
from arena.output.cost_chart import cost_points, draw_costs
from arena.output.formats import as_json
from arena.output.line_charts import draw_rating_history
from arena.output.matrix_charts import draw_win_rates, grid_pixels
from arena.output.pictures import FORMATS, can_draw, draw_picture, save_button

if TYPE_CHECKING:
    from arena.boards.matrix import Matrix

_WIDTH_PIXELS = 680
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<body style="font-family: sans-serif; color: #2f2d2b; margin: 2rem auto; padding: 0 1rem">
<h1>{title}</h1>
{charts}
</body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart with what it shows.

    Attributes:
        name: part of its files' names: ratings, costs, course or win-rates.
        data: its rows.
    """

    name: str
    title: str
    figure: go.Figure
    data: pd.DataFrame


def board_charts(
    board: pd.DataFrame, course: pd.DataFrame, observed: Matrix | None
) -> Iterator[Chart]:
    """Yield the charts of a board, on paper; those that have nothing to show are left out.

    Args:
        board: as `arena.output.cost_chart.cost_points` takes it, the best first.
        course: as `arena.boards.rating_history.rating_history` returns it.
        observed: the win rates; None where there are no pairs.
    """
    ratings = board.filter(regex="^participant$|^rating$|lower$|upper$")
    figure = draw_intervals(ratings).update_layout(width=_WIDTH_PIXELS)
    title = "Ratings with 95 % intervals"
    yield Chart(name="ratings", title=title, figure=figure, data=ratings)
    if found := cost_points(board):
        points, unit = found
        figure, title = draw_costs(points, unit=unit), "Strength against cost, 95 % intervals"
        title = f"{title}. {COST_NOTE}"
        yield Chart(name="costs", title=title, figure=figure, data=points)
    if len(course):
        figure = draw_rating_history(course).update_layout(width=_WIDTH_PIXELS)
        title = "Ratings over the debates, 95 % intervals"
        yield Chart(name="course", title=title, figure=figure, data=course)
    if observed is not None:
        cells, width = observed.frame(), grid_pixels(len(observed.names))
        title = "Share of debates won by the row, %, with the number of debates"
        figure = draw_win_rates(cells).update_layout(width=width)
        yield Chart(name="win-rates", title=title, figure=figure, data=cells)


def write_charts(
    path: Path, charts: Sequence[Chart], *, title: str, beside: Path, force: bool
) -> list[Path]:
    """Write a page with charts, and beside it the data of each and, with kaleido, its pictures.

    Args:
        path: of the page, which loads nothing.
        beside: the file beside which the others are written; their names begin with its own.
        force: whether to replace files that exist.

    Returns:
        The other files.

    Raises:
        ConfigError: a file exists and may not be replaced, or cannot be written.
    """
    blocks = [
        f"<h2>{html.escape(chart.title)}</h2>\n"
        + chart.figure.to_html(
            full_html=False,
            include_plotlyjs=number == 0,
            config=save_button(f"{beside.stem}-{chart.name}"),
        )
        for number, chart in enumerate(charts)
    ]
    path.write_text(_PAGE.format(title=html.escape(title), charts="\n".join(blocks)), "utf-8")
    written = []
    for chart in charts:
        rows = chart.data.astype(object).where(chart.data.notna(), None)
        contents = {"json": f"{as_json(rows.to_dict('records'))}\n".encode()}
        contents |= {form: draw_picture(chart.figure, form) for form in FORMATS if can_draw()}
        for ending, content in contents.items():
            file = beside.with_name(f"{beside.stem}-{chart.name}.{ending}")
            with replace_file(file, force=force) as temporary:
                temporary.write_bytes(content)
            written.append(file)
    return written
