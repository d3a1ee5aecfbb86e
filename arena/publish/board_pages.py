"""The pages of a site that show boards: the start, the other boards, win rates, and for papers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.boards.overlaps import format_bars
from arena.boards.participation import COST_NOTE
from arena.output.board_html import board_html, grid_html
from arena.output.formats import as_json
from arena.output.tables import Column, Table, as_markdown, tabulate
from arena.publish import addresses
from arena.publish.frame import Frame, trusted
from arena.publish.picture import as_png, as_svg, draw_board
from arena.publish.site_table import SiteTable, drop_keys, without_money
from arena.report.leaderboard import COLUMNS, board_json, board_notes, format_summary
from arena.report.overview.figures import heat_rows
from arena.text import UP_TO, plain

if TYPE_CHECKING:
    from arena.boards.board import Row
    from arena.publish.content import SiteBoard, SiteContent

File = tuple[str, bytes]


def board_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield the page of each board, and the files beside it."""
    for number, each in enumerate(content.boards):
        name = each.address.removesuffix(".html")
        yield from _board_table(content, each, name).files()
        yield each.address, _show_board(content, frame, each, each.address)
        if number == 0:
            yield addresses.INDEX, _show_board(content, frame, each, addresses.INDEX)
    yield from _files_for_papers(content, frame)


def _board_table(content: SiteContent, each: SiteBoard, name: str) -> SiteTable:
    """Return a board as a table; the content of its JSON is that of `arena leaderboard`."""
    written = board_json(each.board)
    if "costs" not in content.wanted:
        written = f"{as_json(drop_keys(json.loads(written)))}\n"
    return SiteTable(table=tabulate(_columns(content), each.board.rows), name=name, content=written)


def _columns(content: SiteContent) -> list[Column[Row]]:
    return list(COLUMNS) if "costs" in content.wanted else without_money(COLUMNS)


def _show_board(
    content: SiteContent,
    frame: Frame,
    each: SiteBoard,
    address: str,
) -> bytes:
    board, systems = each.board, content.participants
    root, is_main = addresses.to_root(address), address == addresses.INDEX

    def profile(participant: str) -> str:
        return root + addresses.participant_page(participant)

    table = tabulate(_columns(content), board.rows)
    picture = board_html(board.rows, table, systems=systems, link=profile)
    schedule = content.report.schedule if is_main else None
    others = [(other.title, other.address) for other in content.boards[1:] if other is not each]
    summary, *notes = _notes(content, each)
    return frame.page(
        "board",
        address,
        title=frame.name if is_main else f"Board: {each.title}",
        about=board.selection.title,
        summary=summary,
        decided=schedule.sentences if schedule else (),
        board=trusted(picture + grid_html(board.rows, systems)),
        bars=format_bars(board),
        name=each.address.removesuffix(".html"),
        notes=notes,
        others=others if is_main else [(frame.name, addresses.INDEX), *others],
        for_papers=is_main,
        digest=each.digest,
        check=content.command(*_options(each), "--keep"),
    )


def _options(each: SiteBoard) -> Iterator[str]:
    selection = each.board.selection
    yield "leaderboard"
    yield from ("--bench", selection.bench)
    if selection.dimension != "overall":
        yield from ("--dimension", selection.dimension)
    if selection.category != "all":
        yield from ("--category", selection.category)


def _notes(content: SiteContent, each: SiteBoard) -> list[str]:
    """Return what is said below a board; nothing of money where that is left out."""
    notes = board_notes(each.board, content.db)
    of_money = () if "costs" in content.wanted else (COST_NOTE, UP_TO)
    return [note for note in notes if note not in of_money]


def _files_for_papers(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield the main board as a picture, and as tables to paste."""
    marks = draw_board(content.main, frame.name, frame.as_of)
    yield "board.svg", as_svg(marks, frame.name)
    yield "board.png", as_png(marks)
    table = replace(
        tabulate(_columns(content), content.main.rows, title=frame.name),
        notes=(format_summary(content.main), *filter(None, (content.main.caveat,))),
    )
    yield "board.md", as_markdown(table).encode()
    yield "board.tex", as_latex(table).encode()


#: What LaTeX reads as commands, and what stands for it.
_LATEX = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "±": r"$\pm$",
    }
)


def as_latex(table: Table) -> str:
    r"""Write a table for LaTeX with booktabs.

    >>> print(as_latex(Table(title="T_1", head=("a", "b"), rows=(("x", "1"),))))
    % needs \usepackage{booktabs}
    \begin{table}
    \caption{T\_1}
    \begin{tabular}{lr}
    \toprule
    a & b \\
    \midrule
    x & 1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    sides = "".join("l" if table.aligned_left(column) else "r" for column in range(len(table.head)))
    caption = " ".join(filter(None, (table.title and f"{table.title}.", *table.notes)))
    caption = caption if table.notes else table.title
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        rf"\caption{{{_latex(caption)}}}",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        rf"{' & '.join(map(_latex, table.head))} \\",
        r"\midrule",
        *(rf"{' & '.join(map(_latex, row))} \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return " ".join(plain(text).split()).translate(_LATEX)


def win_rate_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield the page of win rates, and the files beside it."""
    report = content.matrix
    names = report.matrix.names
    table = report.table()
    pairs = {
        (first, second): addresses.pair_page(first, second)
        for first in names
        for second in names
        if tuple(sorted((first, second))) in content.pairs
    }
    content_of: Any = f"{as_json(report.content())}\n"
    yield from SiteTable(table=table, name="win-rates", content=content_of).files()
    yield (
        addresses.WIN_RATES,
        frame.page(
            "win_rates",
            addresses.WIN_RATES,
            title="Win rates",
            about=report.selection.title,
            heat=heat_rows(report.matrix),
            names=names,
            pairs=pairs,
            profiles={name: addresses.participant_page(name) for name in names},
            notes=report.lines(),
        ),
    )
