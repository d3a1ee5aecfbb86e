"""The chart of docs/scheduling.md: how the order is recovered as dollars are spent, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

#: Of a palette that colour-blind readers can distinguish (Wong 2011, Nat Methods 8, 441).
_COLOURS: Final = ("#777777", "#E69F00", "#009E73", "#0072B2", "#CC79A7", "#D55E00")
_WIDTH, _HEIGHT, _LEFT, _TOP = 560, 300, 60, 20
_SIZE: Final = f'width="{_WIDTH + 330}" height="{_HEIGHT + 70}"'
_STEPS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line of the chart.

    Attributes:
        name: of the schedule.
        usd: (N,) spent.
        tau: (N,) mean Kendall's τ.
    """

    name: str
    usd: Sequence[float]
    tau: Sequence[float]


def draw_curves(curves: Sequence[Curve], *, target: float) -> str:
    """Return an SVG of the curves up to the target, on white so that it suits dark pages."""
    most = max(curve.usd[-1] for curve in curves)

    def place(usd: float, tau: float) -> str:
        return f"{_LEFT + _WIDTH * usd / most:.1f},{_TOP + _HEIGHT * (1 - tau):.1f}"

    parts = [*_axes(most), _rule(place(0, target), place(most, target))]
    for number, curve in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(map(place, (0, *curve.usd), (0, *curve.tau)))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        )
        parts.append(_label(_LEFT + _WIDTH + 14, _TOP + 14 + 24 * number, curve.name, colour))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_SIZE} font-family="sans-serif" '
        f'font-size="14">\n<rect {_SIZE} fill="white"/>\n{body}\n</svg>\n'
    )


def _axes(most: float) -> list[str]:
    """Return the grid and its numbers."""
    parts = []
    for step in range(_STEPS + 1):
        share = step / _STEPS
        x, y = _LEFT + _WIDTH * share, _TOP + _HEIGHT * (1 - share)
        parts.append(_rule(f"{_LEFT},{y:.1f}", f"{_LEFT + _WIDTH},{y:.1f}", "#dddddd"))
        parts.append(_label(_LEFT - 8, y + 5, f"{share:g}", "#333333", "end"))
        parts.append(_label(x, _TOP + _HEIGHT + 22, f"{most * share:,.0f}", "#333333", "middle"))
    middle = _LEFT + _WIDTH / 2
    parts.append(_label(middle, _TOP + _HEIGHT + 44, "US dollars", "#333333", "middle"))
    parts.append(_label(_LEFT + 6, _TOP - 6, "Kendall's τ to the truth", "#333333"))
    return parts


def _rule(start: str, end: str, colour: str = "#888888") -> str:
    return f'<polyline points="{start} {end}" stroke="{colour}" stroke-width="1"/>'


def _label(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(text)}</text>'
