"""Charts of the pages, each with buttons that save it and its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from arena.output.charts import DARK, LIGHT, Theme
from arena.output.cost_chart import NARROW_PIXELS, WIDE_PIXELS, draw_costs
from arena.output.pictures import FORMATS, PictureFormat, can_draw, draw_picture, save_button
from dashboard.tables import Files, file_name, show_downloads, table_files

#: Draws a chart in the colours of a page.
DrawChart: TypeAlias = Callable[[Theme], Figure]


def theme() -> Theme:
    """Return the theme that the viewer's browser uses."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def show_chart(
    draw: DrawChart,
    data: pd.DataFrame,
    *,
    key: str,
    name: Sequence[str],
    alt: str | None = None,
) -> None:
    """Show a chart, with its data and pictures of it below.

    Args:
        data: what the chart shows.
        name: the parts of the files' names: tournament, bench and chart.
    """
    st.plotly_chart(draw(theme()), config=save_chart(name), key=key, alt=alt)
    _show_files(draw, data, key, name)


def show_costs(points: pd.DataFrame, unit: str, *, name: Sequence[str], alt: str) -> None:
    """Show strength against cost, drawn for wide windows and for phones.

    Args:
        points: as `arena.output.cost_chart.cost_points` returns them, with their unit.
        name: as for `show_chart`.
    """
    for size, width in (("wide", WIDE_PIXELS), ("narrow", NARROW_PIXELS)):
        with st.container(key=f"{size}-costs"):
            figure = draw_costs(points, unit=unit, width=width, theme=theme())
            config = save_chart(name)
            st.plotly_chart(figure, width=width, config=config, key=f"costs-{size}", alt=alt)
    _show_files(lambda light: draw_costs(points, unit=unit, theme=light), points, "costs", name)


def _show_files(draw: DrawChart, data: pd.DataFrame, key: str, name: Sequence[str]) -> None:
    files = {**table_files(data, *name), **picture_files(draw, name)}
    show_downloads(files, key=f"chart-{key}")


def save_chart(name: Sequence[str]) -> dict[str, Any]:
    """Return Plotly's configuration: a button saves a chart as a file named by these parts."""
    return save_button(file_name(*name, ending="svg").removesuffix(".svg"))


def picture_files(draw: DrawChart, name: Sequence[str]) -> Files:
    """Return pictures of a chart in the colours of paper; none where kaleido is not installed."""
    if not can_draw():
        return {}
    return {
        form.upper(): (file_name(*name, ending=form), partial(_picture, draw, form))
        for form in FORMATS
    }


def _picture(draw: DrawChart, form: PictureFormat) -> bytes:
    return draw_picture(draw(LIGHT), form)
