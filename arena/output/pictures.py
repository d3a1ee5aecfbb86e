"""Charts as files: pictures by kaleido where it is installed, else by the reader's browser."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias

import plotly.graph_objects as go

PictureFormat: TypeAlias = Literal["svg", "png"]
FORMATS: Final[tuple[PictureFormat, ...]] = ("svg", "png")
#: What to do where no pictures can be made.
NO_PICTURES: Final = (
    "Pictures (SVG, PNG): open the HTML file and press the camera above a chart, or install "
    "kaleido (pip install kaleido) and export again."
)
#: Pixels of a PNG for one of the chart, enough for 300 dots per inch in print.
_SCALE: Final = 3


def can_draw() -> bool:
    """Return whether pictures can be made without a browser window: kaleido is installed."""
    return find_spec("kaleido") is not None


def draw_picture(figure: go.Figure, form: PictureFormat) -> bytes:
    """Return a picture of a chart on white.

    Raises:
        ValueError, RuntimeError: kaleido is not installed, or finds no Chrome.
    """
    white = go.Figure(figure).update_layout(paper_bgcolor="#ffffff")
    return bytes(white.to_image(format=form, scale=_SCALE if form == "png" else 1))


def save_button(name: str) -> dict[str, Any]:
    """Return Plotly's configuration: one button above a chart, which saves it as SVG.

    Args:
        name: of the file, without its ending.
    """
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
