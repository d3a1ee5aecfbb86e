"""The picture of a board: the same drawing as SVG and as PNG, in the size of social previews."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFont

from arena.output.board_html import ticks_between
from arena.output.short_names import shorten_names
from arena.output.text_width import text_pixels
from arena.text import counted, plain, shorten

if TYPE_CHECKING:
    from arena.boards.board import Board, Row

#: Pixels; the size that previews of links are shown in.
WIDTH: Final = 1200
HEIGHT: Final = 630
#: Rows that find room.
_MOST_ROWS: Final = 10
_LEFT, _RIGHT, _TOP, _BOTTOM = 420, 1000, 150, 570
_INK, _QUIET, _LINE, _ACCENT, _PAPER = "#2f2d2b", "#6a6763", "#dfdcd7", "#0072b2", "#ffffff"
_NAME_PIXELS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A line between two points, with its width in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    radius: float
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A line of text that begins, or ends, at a point of its middle line."""

    x: float
    y: float
    text: str
    size: int
    colour: str
    at_end: bool = False


Mark = Stroke | Dot | Words


def draw_board(board: Board, title: str, date: str) -> list[Mark]:
    """Return the marks of a board's picture: the first ratings with their intervals."""
    rated = board.rated[:_MOST_ROWS]
    low, high = min(row.lower for row in rated), max(row.upper for row in rated)
    span = max(high - low, 1.0)

    def place(elo: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (elo - low) / span

    caveat = f"{board.caveat} · " if board.caveat else ""
    marks: list[Mark] = [
        Words(x=60, y=60, text=shorten(plain(title), 50), size=42, colour=_INK),
        Words(x=60, y=108, text=shorten(f"{caveat}{board.size}", 95), size=22, colour=_QUIET),
    ]
    for tick in ticks_between(low, low + span):
        x = place(tick)
        marks.append(Stroke(x1=x, y1=_TOP, x2=x, y2=_BOTTOM, colour=_LINE, width=1))
        marks.append(Words(x=x - 20, y=_BOTTOM + 16, text=f"{tick:.0f}", size=18, colour=_QUIET))
    names = [plain(row.participant) for row in rated]
    short = shorten_names(names, _NAME_PIXELS / 1.6, width=text_pixels)
    step = (_BOTTOM - _TOP) / len(rated)
    for number, (row, name) in enumerate(zip(rated, names, strict=True)):
        marks += _draw_row(row, short[name], _TOP + step * (number + 0.5), place)
    more = len(board.rated) - len(rated)
    rest = f" · and {counted(more, 'participant')} more" if more else ""
    footer = f"Elo with 95 % intervals{rest} · {date} · debate-arena"
    return [*marks, Words(x=60, y=HEIGHT - 18, text=footer, size=18, colour=_QUIET)]


def _draw_row(row: Row, name: str, y: float, place: object) -> list[Mark]:
    at: dict[str, float] = {
        end: place(getattr(row, end))  # type: ignore[operator]
        for end in ("lower", "rating", "upper")
    }
    rank = "–" if row.rank is None else str(row.rank)
    return [
        Words(x=60, y=y, text=rank, size=24, colour=_QUIET),
        Words(x=105, y=y, text=name, size=24, colour=_INK),
        Stroke(x1=at["lower"], y1=y, x2=at["upper"], y2=y, colour=_ACCENT, width=4),
        Dot(x=at["rating"], y=y, radius=8, colour=_ACCENT),
        Words(x=WIDTH - 60, y=y, text=f"{row.rating:.0f}", size=26, colour=_INK, at_end=True),
    ]


def as_svg(marks: Sequence[Mark], title: str) -> bytes:
    """Write marks as an SVG file; the reader's own sans-serif shows the text."""
    body = "\n".join(map(_svg_mark, marks))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif"><title>{escape(plain(title))}</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>\n{body}\n</svg>\n'
    ).encode()


def _svg_mark(mark: Mark) -> str:
    if isinstance(mark, Stroke):
        return (
            f'<line x1="{mark.x1:.1f}" y1="{mark.y1:.1f}" x2="{mark.x2:.1f}" y2="{mark.y2:.1f}" '
            f'stroke="{mark.colour}" stroke-width="{mark.width}"/>'
        )
    if isinstance(mark, Dot):
        return (
            f'<circle cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius}" fill="{mark.colour}"/>'
        )
    anchor = ' text-anchor="end"' if mark.at_end else ""
    return (
        f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size}" fill="{mark.colour}" '
        f'dominant-baseline="central"{anchor}>{escape(plain(mark.text))}</text>'
    )


def as_png(marks: Sequence[Mark]) -> bytes:
    """Draw marks as a PNG file, with a font of this machine that has their letters, if any."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    for mark in marks:
        if isinstance(mark, Stroke):
            pen.line((mark.x1, mark.y1, mark.x2, mark.y2), fill=mark.colour, width=mark.width)
        elif isinstance(mark, Dot):
            r = mark.radius
            pen.ellipse((mark.x - r, mark.y - r, mark.x + r, mark.y + r), fill=mark.colour)
        else:
            anchor = "rm" if mark.at_end else "lm"
            pen.text((mark.x, mark.y), mark.text, mark.colour, _font(mark.text, mark.size), anchor)
    content = io.BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()


#: Fonts with the letters of most languages, as systems name their files, then one with Chinese.
_LATIN: Final = ("DejaVuSans.ttf", "Arial.ttf", "Helvetica.ttc", "NotoSans-Regular.ttf")
_CHINESE: Final = ("NotoSansCJK-Regular.ttc", "PingFang.ttc", "msyh.ttc", "Arial Unicode.ttf")
#: The first letter of the scripts of East Asia.
_FIRST_CHINESE: Final = "\u2e80"


def _font(text: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    is_chinese = any(letter >= _FIRST_CHINESE for letter in text)
    return _load((*_CHINESE, *_LATIN) if is_chinese else _LATIN, size)


@cache
def _load(names: tuple[str, ...], size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in names:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
