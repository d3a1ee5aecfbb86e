"""What a site shows, read once from a stored tournament."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.boards.board import Board, board
from arena.boards.digests import board_digest
from arena.boards.method import STORED
from arena.boards.selection import Selection, select
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.config.resolved import bench_dimensions
from arena.errors import ConfigError
from arena.publish import addresses
from arena.read.costs import CostRow, read_costs
from arena.read.debates import DebateRow, read_debates
from arena.read.judges import JudgeRow, read_judges
from arena.read.motions import MotionRow, read_motions
from arena.read.tournaments import find_tournament
from arena.records import ENDED
from arena.report.leaderboard import format_summary
from arena.report.matrix_report import MatrixReport, read_matrix
from arena.report.overview.content import Report, make_report
from arena.store.command_lines import command_line
from arena.store.database import Store
from ratings import PAPER, EffectInterval

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Participant

#: The board with the advantage of a side.
_WITH_SIDE: Final = replace(STORED, model=replace(PAPER, side=True))
#: What can be left out of a site, and what has to be asked for.
LEFT_OUT: Final = ("speeches", "rationales", "costs", "report")
ASKED_FOR: Final = ("comments", "voters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What of a tournament is published.

    Attributes:
        without: of `LEFT_OUT`.
        including: of `ASKED_FOR`: what people wrote beside their votes, and who they are.
        url: where the site will stand; '' where that is not known.
    """

    without: frozenset[str] = frozenset()
    including: frozenset[str] = frozenset()
    url: str = ""

    def __contains__(self, part: str) -> bool:
        """Return whether a part of the site is published."""
        return part in self.including if part in ASKED_FOR else part not in self.without


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteBoard:
    """A board with its digest."""

    board: Board
    digest: str

    @property
    def address(self) -> str:
        """The address of its page; that of the first board is the start of the site."""
        selection = self.board.selection
        return addresses.board_page(selection.bench, selection.dimension, selection.category)

    @property
    def title(self) -> str:
        """What it selects, in words: the bench, and the dimension or category if it has one."""
        selection = self.board.selection
        parts = [selection.bench]
        parts += [selection.dimension] * (selection.dimension != "overall")
        parts += [f"{selection.category} motions"] * (selection.category != "all")
        return ", ".join(parts)


class SiteContent:
    """What a site shows; large parts are read where they are needed.

    Attributes:
        db: the name of the database, for commands: a site names no folder of a machine.
        boards: that rate somebody, by bench, dimension and category; the main one first.
    """

    def __init__(self, store: Store, resolved: ResolvedConfig, wanted: Wanted) -> None:
        """Read the boards.

        Raises:
            ConfigError: nobody is rated yet.
        """
        self.store, self.resolved, self.wanted = store, resolved, wanted
        self.db = Path(store.path.name)
        main = board(store, resolved, self.selection)
        if not main.comparisons:
            raise ConfigError(
                f"{format_summary(main)} There is no board to publish yet. How far it is: "
                f"{command_line('status', resolved.name, db=store.path)}"
            )
        others = (board(store, resolved, other) for other in self._other_selections())
        self.boards = tuple(
            SiteBoard(board=each, digest=board_digest(store, resolved, each.selection))
            for each in (main, *others)
            if each.comparisons
        )

    @property
    def selection(self) -> Selection:
        """What the main board selects."""
        return select(self.resolved)

    @property
    def main(self) -> Board:
        """The board that the site starts with."""
        return self.boards[0].board

    def command(self, *words: str) -> str:
        """Return a command on the tournament as readers of the site copy it."""
        return command_line(*words, db=self.db, tournament=self.resolved.name)

    def _other_selections(self) -> Iterator[Selection]:
        resolved = self.resolved
        for bench in resolved.board_benches:
            for dimension in dict.fromkeys(("overall", *bench_dimensions(resolved, bench))):
                categories: tuple[str, ...] = ("all",)
                if dimension == "overall" and not resolved.imported:
                    categories = ("all", *sorted({row.category for row in self.debates}))
                for category in categories:
                    selected = select(resolved, bench=bench, dimension=dimension, category=category)
                    is_again = dimension == "overall" and category == "all"
                    if not (is_again and bench == self.selection.bench):
                        yield selected

    @cached_property
    def report(self) -> Report:
        """All that the report says."""
        at = self.as_of or datetime.fromtimestamp(0)  # noqa: DTZ006 - shown nowhere
        return replace(make_report(self.store, self.resolved, at=at), db=self.db)

    @cached_property
    def as_of(self) -> datetime | None:
        """When the newest debate finished; None of imported battles."""
        row = find_tournament(self.store, self.resolved.name)
        return None if row is None else row.last_finished

    @cached_property
    def debates(self) -> list[DebateRow]:
        """The debates that have ended, with their results by the first bench."""
        if self.resolved.is_battle_log:
            return []
        decides = self.selection.bench in majority_benches(vote_rules(self.resolved.benches))
        rows = read_debates(self.store, self.selection, by_majority=decides)
        return [row for row in rows if row.status in ENDED]

    @cached_property
    def matrix(self) -> MatrixReport:
        """Who won against whom, by the first bench."""
        return read_matrix(self.store, self.resolved, self.selection, "observed")

    @cached_property
    def judges(self) -> list[JudgeRow]:
        """What each bench is, and what its ballots came to."""
        selected = Selection(tournament=self.resolved.name, bench="all")
        return read_judges(self.store, self.resolved, selected)

    @cached_property
    def side_effects(self) -> Mapping[str, EffectInterval]:
        """What it is worth to each bench to speak for Pro, in Elo points, as `--side` has it."""
        effects = {}
        for row in self.judges:
            selection = select(self.resolved, bench=row.bench)
            rated = board(self.store, self.resolved, selection, _WITH_SIDE, resample=False)
            if rated.comparisons and rated.effects:
                effects[row.bench] = rated.effects[0]
        return effects

    @cached_property
    def costs(self) -> list[CostRow]:
        """What was spent."""
        return read_costs(self.store, self.resolved.name)

    @property
    def has_costs(self) -> bool:
        """Whether there is a page of costs."""
        return "costs" in self.wanted and bool(self.costs)

    @cached_property
    def motions(self) -> Mapping[str, list[MotionRow]]:
        """The motions of the debates in all their languages, by id."""
        found: dict[str, list[MotionRow]] = {}
        for row in read_motions(self.store, self.resolved.name):
            found.setdefault(row.motion_id, []).append(row)
        return found

    @cached_property
    def participants(self) -> Mapping[str, Participant]:
        """The participants by name."""
        return {system.name: system for system in self.resolved.participants}

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], list[DebateRow]]:
        """The debates of each two participants, by their names in order."""
        found: dict[tuple[str, str], list[DebateRow]] = {}
        for row in self.debates:
            if row.pro != row.con and {row.pro, row.con} <= self.participants.keys():
                first, second = sorted((row.pro, row.con))
                found.setdefault((first, second), []).append(row)
        return found
