"""A board as a table of HTML whose interval column is a picture: for pages, reports, notebooks.

It needs no script and takes any width, so it can stand in the HTML page that a browser loads first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.output.short_names import shorten_names
from arena.output.text_width import text_pixels
from arena.text import counted, plain

if TYPE_CHECKING:
    from arena.boards.board import Row
    from arena.output.tables import Table
    from arena.records import Participant

#: How a board looks: a style sheet, which a page needs once.
STYLE: Final = Path(__file__).with_name("board_html.css")
#: The head of the column in which the picture stands beside the text.
INTERVAL: Final = "95 % interval"
#: Rows that are written; a browser has no room for more, nor has a reader.
MOST_ROWS: Final = 200
#: Elo points of the anchor, or of the mean rating.
_ORIGIN: Final = 1000.0
#: The share of the picture's width that stays free on either side.
_MARGIN: Final = 0.03
#: Pixels of each of the two lines of a name.
_NAME_PIXELS: Final = 230
#: Most numbers on the scale.
_TICKS: Final = 5
#: Colours for frameworks in the style sheet; the rarer ones beyond them are grey.
_COLOURS: Final = 6
#: The share of cells that a grid of frameworks and models must have.
_LEAST_FILLED: Final = 2 / 3
#: The column of the name.
_NAME: Final = 1


def board_html(
    rows: Sequence[Row],
    table: Table,
    *,
    systems: Mapping[str, Participant] | None = None,
    link: Callable[[str], str] | None = None,
    sortable: bool = False,
    most: int = MOST_ROWS,
) -> str:
    """Write a board, the best first.

    Beside the text of its interval, each row shows it: a thin line is the 95 % interval, a thick
    one the comparison interval, a dot the rating, all on the scale in the head. Participants whose
    order is not settled against the first of their group share a band.

    Args:
        rows: of the board.
        table: made of these rows; its second column is the name, and one is headed `INTERVAL`.
        systems: the participants by name; their frameworks get a colour each, where they are known
            and not all the same.
        link: returns the address of what a name leads to.
        sortable: whether heads are buttons, for a page with a script that sorts.
        most: rows that are written; how many more there are is said.

    Returns:
        HTML in which every text is escaped; '' without rows.
    """
    if not rows:
        return ""
    shown = rows[:most]
    scale = _Scale(shown)
    frameworks = {name: system.debater for name, system in (systems or {}).items()}
    kinds = _number_frameworks([frameworks.get(row.participant, "") for row in rows])
    names = [plain(row.participant) for row in shown]
    short = shorten_names(names, _NAME_PIXELS, width=text_pixels, lines=2)
    body = ""
    for row, cells, name, band in zip(shown, table.rows, names, _bands(shown), strict=False):
        words = escape(short[name])
        if link is not None:
            words = f'<a href="{escape(link(row.participant))}" target="_self">{words}</a>'
        picture = _draw_row(row, scale) if row.is_rated else ""
        own = {_NAME: f'<bdi title="{escape(name)}">{words}</bdi>'}
        kind = kinds.get(frameworks.get(row.participant, ""), 0)
        body += f'<tr class="{band}{"" if row.is_rated else " unrated"} kind-{kind}">'
        body += "".join(
            _cell(table, column, own.get(column, escape(plain(text))), picture)
            for column, text in enumerate(cells)
        )
        body += "</tr>"
    more = len(rows) - len(shown)
    rest = (
        f'<p class="quiet">And {counted(more, "participant", style=",")} more.</p>' if more else ""
    )
    heads = "".join(_head(table, column, scale, sortable) for column in range(len(table.head)))
    return (
        f'<div class="board-table" style="--grid: {scale.grid}"><table><thead><tr>'
        f"{heads}</tr></thead><tbody>{body}</tbody></table>{rest}{_legend(kinds)}</div>"
    )


class _Scale:
    """Where Elo points stand on the picture, in per cent of its width."""

    def __init__(self, rows: Sequence[Row]) -> None:
        rated = [row for row in rows if row.is_rated]
        ends = [_ORIGIN, *(end for row in rated for end in (row.lower, row.rating, row.upper))]
        known = [end for end in ends if math.isfinite(end)]
        self._low, self._high = min(known), max(known)
        self._width = max(self._high - self._low, 1.0)
        self.ticks = ticks_between(self._low, self._low + self._width)

    def place(self, elo: float) -> float:
        share = (elo - self._low) / self._width
        return 100 * (_MARGIN + (1 - 2 * _MARGIN) * share)

    @property
    def grid(self) -> str:
        """The lines of the ticks as backgrounds; that of the anchor is dotted."""
        lines = [
            ("repeating-linear-gradient(var(--line) 0 2px, transparent 2px 4px)", _ORIGIN),
            *(("linear-gradient(var(--faint), var(--faint))", tick) for tick in self.ticks),
        ]
        places = ((look, f"{self.place(elo):.2f}% 0 / 1px 100%") for look, elo in lines)
        return ", ".join(f"{look} {place} no-repeat" for look, place in places)


def ticks_between(low: float, high: float, most: int = _TICKS) -> list[float]:
    """Return round numbers between two ends.

    >>> ticks_between(903.2, 1131.0)
    [950.0, 1000.0, 1050.0, 1100.0]
    """
    span = high - low
    power = 10 ** math.floor(math.log10(span / most))
    step = next(power * unit for unit in (1, 2, 5, 10) if span / (power * unit) <= most)
    first = math.ceil(low / step)
    return [float(step * number) for number in range(first, math.floor(high / step) + 1)]


def _number_frameworks(frameworks: Iterable[str]) -> dict[str, int]:
    """Number frameworks for their colours, in their order; rare ones are 0, and one alone none."""
    counts = Counter(filter(None, frameworks))
    if len(counts) < 2:
        return {}
    common = {name for name, _ in counts.most_common(_COLOURS)}
    coloured = [name for name in counts if name in common]
    return dict.fromkeys(counts, 0) | {name: place for place, name in enumerate(coloured, 1)}


def _legend(kinds: Mapping[str, int]) -> str:
    if not kinds:
        return ""
    others = [name for name, kind in kinds.items() if not kind]
    shown = [(escape(plain(name)), kind) for name, kind in kinds.items() if kind]
    shown += [(f"{counted(len(others), 'other framework')}", 0)] if others else []
    keys = "".join(
        f'<span class="kind-{kind}"><i class="dot"></i>{name}</span>' for name, kind in shown
    )
    return f'<div class="legend">Frameworks: {keys}</div>'


def _bands(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the classes of each row: where the band of its group begins and ends."""
    groups = [row.tie_group for row in rows]
    for place, group in enumerate(groups):
        before, after = groups[place - 1 : place], groups[place + 1 : place + 2]
        is_tied = group is not None and group in (*before, *after)
        classes = {"tied": is_tied, "begins": group not in before, "ends": group not in after}
        yield " ".join(name for name, holds in classes.items() if holds)


def _head(table: Table, column: int, scale: _Scale, sortable: bool) -> str:  # noqa: FBT001
    words = escape(plain(table.head[column]))
    label = f'<button type="button">{words}</button>' if sortable else f"<span>{words}</span>"
    order = ' aria-sort="ascending"' if sortable and not column else ""
    axis = ""
    if table.head[column] == INTERVAL:
        ticks = "".join(
            f'<i style="left: {scale.place(tick):.2f}%">{tick:.0f}</i>' for tick in scale.ticks
        )
        axis = f'<span class="axis" aria-hidden="true">{ticks}</span>'
    return f'<th scope="col" class="{_classes(table, column)}"{order}>{axis}{label}</th>'


def _cell(table: Table, column: int, words: str, picture: str) -> str:
    if table.head[column] == INTERVAL:
        words = f"{picture}<span>{words}</span>"
    head = escape(plain(table.head[column]))
    return f'<td class="{_classes(table, column)}" data-head="{head}">{words}</td>'


def _classes(table: Table, column: int) -> str:
    if table.head[column] == INTERVAL:
        return "interval"
    kind = {0: "rank", _NAME: "name", _NAME + 1: "rating"}.get(column, "more")
    wraps = " words" if table.wraps and table.wraps[column] else ""
    return f"{kind}{wraps}" + (" left" if table.aligned_left(column) else "")


def _draw_row(row: Row, scale: _Scale) -> str:
    bars = _bar("line", row.lower, row.upper, scale)
    bars += _bar("thick", row.comparison_lower, row.comparison_upper, scale)
    dot = f'<i class="dot" style="left: {scale.place(row.rating):.2f}%"></i>'
    return f'<span class="track" aria-hidden="true">{bars}{dot}</span>'


def _bar(kind: str, low: float, high: float, scale: _Scale) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    left, right = scale.place(low), scale.place(high)
    return f'<i class="{kind}" style="left: {left:.2f}%; width: {right - left:.2f}%"></i>'


def grid_html(rows: Sequence[Row], systems: Mapping[str, Participant]) -> str:
    """Write the ratings by framework and model, where the field is such a grid.

    Args:
        rows: of a board, the best first, by which frameworks and models are ordered.
        systems: the participants by name.

    Returns:
        HTML in which every text is escaped; '' with fewer than two frameworks or models, or where
        more than a third of the cells is empty.
    """
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        system = systems.get(row.participant)
        if row.is_rated and system is not None and system.model:
            cells.setdefault((system.debater, system.model), []).append(row)
    frameworks = list(dict.fromkeys(framework for framework, _ in cells))
    models = list(dict.fromkeys(model for _, model in cells))
    size = len(frameworks) * len(models)
    if min(len(frameworks), len(models)) < 2 or len(cells) < _LEAST_FILLED * size:
        return ""
    head = "".join(f'<th scope="col">{_breakable(model)}</th>' for model in models)
    body = "".join(
        f'<tr><th scope="row">{_breakable(framework)}</th>'
        + "".join(_grid_cell(cells.get((framework, model), [])) for model in models)
        + "</tr>"
        for framework in frameworks
    )
    return (
        '<div class="board-grid"><table><caption>Elo by framework and model</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _breakable(name: str) -> str:
    """Escape a name that may go on in the next line behind a slash, hyphen or underscore."""
    return re.sub("([/_-])", r"\1<wbr>", escape(plain(name)))


def _grid_cell(rows: Sequence[Row]) -> str:
    """Write the best of a cell."""
    if not rows:
        return "<td>–</td>"
    best = rows[0]
    several = f"<br><small>best of {len(rows)}</small>" if len(rows) > 1 else ""
    ends = f"{best.lower:.0f} to {best.upper:.0f}"
    name = escape(plain(best.participant))
    return f'<td title="{name}"><b>{best.rating:.0f}</b><br><small>{ends}</small>{several}</td>'
