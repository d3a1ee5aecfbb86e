"""Results that show themselves: as a table, a frame, a chart, a sentence, a piece of HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from arena.boards.board import Board, Row
from arena.output.formats import as_json
from arena.output.html_table import as_html
from arena.output.tables import Column, Table, as_records, as_text, field_columns, tabulate
from arena.report.leaderboard import board_json, format_summary, leaderboard_table
from arena.report.matrix_report import MatrixReport
from arena.report.matrix_table import MatrixRow, matrix_rows
from arena.report.versus import Margin, format_answer
from arena.report.versus_report import VersusReport
from arena.text import counted

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

_Row = TypeVar("_Row")


class Shown(Sequence[_Row], Generic[_Row]):
    """A sequence of records which shows itself.

    Attributes:
        rows: the records.
    """

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.rows = tuple(rows)

    @overload
    def __getitem__(self, place: int) -> _Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Row, ...]: ...
    def __getitem__(self, place: int | slice) -> _Row | tuple[_Row, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[_Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return as_text(self.table, width=120)

    def _repr_html_(self) -> str:
        return as_html(self.table)

    @property
    def table(self) -> Table:
        """The table that the command prints, with its title and notes."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """What it comes to, as the command says it."""
        raise NotImplementedError

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that stands below the table."""
        return self.table.notes

    @property
    def frame(self) -> pd.DataFrame:
        """The records as a table of pandas, with the keys that the command's CSV has."""
        import pandas as pd  # noqa: PLC0415

        keys = [column.key for column in self.table.columns if column.key is not None]
        return pd.DataFrame(as_records(self.table), columns=keys)

    def to_arrow(self) -> pa.Table:
        """Return the records as a table of Arrow."""
        import pyarrow as pa  # noqa: PLC0415

        return pa.Table.from_pylist(self.frame.to_dict("records"))


class Records(Shown[_Row]):
    """Records as they are stored: debates, ballots, calls and so on.

    Args:
        record: their type, whose fields are the columns.
        about: what they were selected by, in words.
        columns: that people see; by default those of the type.
    """

    def __init__(
        self,
        record: type[_Row],
        rows: Sequence[_Row],
        *,
        about: str,
        noun: tuple[str, str],
        columns: Sequence[Column[_Row]] = (),
    ) -> None:
        super().__init__(rows)
        self._record, self._about, self._noun = record, about, noun
        self._columns = tuple(columns) or field_columns(record)

    @property
    def sentence(self) -> str:
        """How many there are, and of what."""
        return f"{counted(len(self), *self._noun, style=',')}: {self._about}."

    @property
    def table(self) -> Table:
        """A table of the columns that are for people."""
        notes = (f"{counted(len(self), *self._noun, style=',')}.",)
        return tabulate(self._columns, self.rows, title=self._about, notes=notes)

    @property
    def frame(self) -> pd.DataFrame:
        """A row per record, a column per field; of debates, the winner too.

        Verdicts and references are dicts; options, answers and the steps of a trace are JSON.
        """
        import pandas as pd  # noqa: PLC0415

        names = [field.name for field in fields(self._record)]  # type: ignore[arg-type]
        names += ["winner"] * hasattr(self._record, "winner")
        return pd.DataFrame(
            {name: [_as_cell(getattr(row, name)) for row in self.rows] for name in names}
        )


def _as_cell(value: Any) -> Any:  # noqa: ANN401 - of any field
    """Return a value as frames and tables of Arrow take it."""
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, tuple):
        return value
    if any(isinstance(item, Mapping) for item in value):
        return json.dumps(value, ensure_ascii=False)
    return [asdict(item) if is_dataclass(item) else item for item in value]  # type: ignore[arg-type]


class Leaderboard(Shown[Row]):
    """A leaderboard, the best first; its figures are those of `arena leaderboard --format json`.

    Attributes:
        board: with all that is computed beside the rows.
    """

    def __init__(self, board: Board, db: Path) -> None:
        super().__init__(board.rows)
        self.board, self._db = board, db

    def _repr_html_(self) -> str:
        from arena.output.board_html import STYLE, board_html  # noqa: PLC0415

        style = f"<style>{STYLE.read_text('utf-8')}</style>"
        return as_html(self.table, picture=style + board_html(self.rows, self.table))

    @property
    def table(self) -> Table:
        """The board as the command prints it."""
        return leaderboard_table(self.board, self._db)

    @property
    def sentence(self) -> str:
        """What the board settles, and what not."""
        return format_summary(self.board)

    @property
    def content(self) -> dict[str, Any]:
        """All of the board, as JSON has it."""
        return _as_content(board_json(self.board))

    def figure(self) -> go.Figure:
        """Draw the ratings with their intervals."""
        from arena.output.charts import draw_intervals  # noqa: PLC0415

        frame = self.frame.filter(regex="^participant$|^rating$|lower$|upper$")
        return draw_intervals(frame[frame["rating"].notna()])


class WinRates(Shown[MatrixRow]):
    """The results of every pair, the best rated participant first.

    Attributes:
        report: with its notes, and a test for circles of kind `residual`.
    """

    def __init__(self, report: MatrixReport) -> None:
        super().__init__(matrix_rows(report.matrix))
        self.report = report

    @property
    def table(self) -> Table:
        """The matrix as the command prints it."""
        return self.report.table()

    @property
    def sentence(self) -> str:
        """What the cells are, and how many debates they count."""
        return self.report.lines()[0]

    @property
    def content(self) -> dict[str, Any]:
        """All of the matrix, as JSON has it."""
        return _as_content(as_json(self.report.content()))

    @property
    def pairs(self) -> pd.DataFrame:
        """A row per cell: participant, opponent, value, debates."""
        return self.report.matrix.frame()

    def figure(self) -> go.Figure:
        """Draw the matrix as a heat map."""
        from arena.output import matrix_charts  # noqa: PLC0415

        draw = {
            "counts": matrix_charts.draw_counts,
            "residual": matrix_charts.draw_residuals,
            "difference": matrix_charts.draw_differences,
            "elo": matrix_charts.draw_differences,
        }.get(self.report.matrix.kind, matrix_charts.draw_win_rates)
        return draw(self.pairs)


class VersusResult(Shown[Margin]):
    """Two participants against each other; a row per dimension.

    Attributes:
        report: with the difference of their ratings.
    """

    def __init__(self, report: VersusReport) -> None:
        super().__init__(report.pair.margins)
        self.report = report

    @property
    def table(self) -> Table:
        """The comparison as the command prints it."""
        return self.report.table()

    @property
    def sentence(self) -> str:
        """Who of the two is better, and how sure that is."""
        return format_answer(self.report.pair)

    @property
    def content(self) -> dict[str, Any]:
        """All of the comparison, as JSON has it."""
        return _as_content(as_json(self.report.content()))


def _as_content(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    return content
