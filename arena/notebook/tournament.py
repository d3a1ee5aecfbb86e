"""A stored tournament in Python: its boards, matrices and records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any, Final, TypedDict, TypeVar, Unpack, get_args

from arena.boards.board import board
from arena.boards.matrix import KINDS, PASSED_KINDS, Kind
from arena.boards.method import IntervalKind, Method
from arena.boards.selecting import check_selection
from arena.boards.selection import Cluster, Selection, select
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.config.resolved import ResolvedConfig, check_participants
from arena.console.options import DATE_EXAMPLES, read_date
from arena.errors import ConfigError
from arena.notebook.results import Leaderboard, Records, VersusResult, WinRates
from arena.output.tables import Column
from arena.read.attention import Matter
from arena.read.ballots import BallotRow, read_ballots
from arena.read.calls import CallRow, read_calls
from arena.read.costs import CostRow, read_costs
from arena.read.debates import DebateRow, read_debates
from arena.read.joined import AND, open_tournaments
from arena.read.judges import JudgeRow, read_judges
from arena.read.run_status import RunStatus, read_status
from arena.read.selected import Narrowing
from arena.read.speeches import SpeechRow, read_speeches
from arena.records import DebateStatus, Participant
from arena.report.matrix_report import read_matrix
from arena.report.versus_report import read_versus
from arena.store.database import Store
from ratings import RatingError

#: A time: `datetime`, `date`, or a text such as 2026-11-20 or 2026-11-20T18:00; UTC by default.
When = datetime | date | str
_Row = TypeVar("_Row")


_MATTER: Final[tuple[Column[Matter], ...]] = (
    Column(head="matter", read=lambda matter: matter.sentence, label=True, wraps=True),
    Column(head="command", read=lambda matter: matter.command, left=True),
)


class Filters(TypedDict, total=False):
    """What is selected of a tournament, as the options of the commands.

    `bench` is a name or `all`, by default the first bench; `without` leaves out benches and judges.
    """

    bench: str | None
    dimension: str
    category: str
    language: str
    since: When | None
    until: When | None
    without: Sequence[str]
    cluster: Cluster


class Narrowed(Filters, total=False):
    """Further conditions on debates: their status, a participant, a motion, the start of an id."""

    status: DebateStatus | Sequence[DebateStatus]
    participant: str
    motion: str
    debate: str


class Tournament:
    """A tournament of a database, or several as one; a call reads it anew, and keeps nothing open.

    Its methods raise `ConfigError` for what the tournament does not have, and `StoreError` where
    the database cannot be read.
    """

    def __init__(self, store: Store, *names: str) -> None:
        self._store, self._names = store, names
        self.name = AND.join(names)

    def __repr__(self) -> str:
        return f"<tournament {self.name!r} of {self._store.path}>"

    @property
    def participants(self) -> tuple[Participant, ...]:
        """Who takes part now, in the order of the configuration."""
        return self._open()[1].participants

    def leaderboard(
        self,
        *,
        anchor: str | None = None,
        intervals: IntervalKind = "sandwich",
        **filters: Unpack[Filters],
    ) -> Leaderboard:
        """Rate the participants, as `arena leaderboard` does.

        Args:
            anchor: the participant rated 1000; by default the mean rating is 1000.
            filters: see `Filters`.
        """
        store, resolved = self._open()
        method = Method(anchor=anchor, intervals=intervals)
        with ratings_errors():
            rated = board(store, resolved, _select(resolved, filters), method)
        return Leaderboard(rated, self._store.path)

    def matrix(
        self,
        kind: Kind = "observed",
        *,
        participants: Collection[str] = (),
        **filters: Unpack[Filters],
    ) -> WinRates:
        """Read the results of every pair, as `arena matrix` does.

        Args:
            kind: of the cells, an option of `arena matrix` without its hyphens.
            participants: to show; all by default.
        """
        _check("kind", kind, KINDS + PASSED_KINDS)
        store, resolved = self._open()
        selection = _select(resolved, filters)
        with ratings_errors():
            report = read_matrix(store, resolved, selection, kind, only=participants)
        return WinRates(report)

    def versus(self, first: str, second: str, **filters: Unpack[Filters]) -> VersusResult:
        """Say whether one participant is better than another, as `arena versus` does."""
        store, resolved = self._open()
        selection = _select(resolved, filters)
        with ratings_errors():
            report = read_versus(store, resolved, selection, first, second)
        return VersusResult(report)

    def debates(self, **narrowed: Unpack[Narrowed]) -> Records[DebateRow]:
        """Read the debates, planned ones too, with their results by the first or named bench."""
        store, resolved = self._open()
        by_majority = majority_benches(vote_rules(resolved.benches))

        def read(store: Store, selection: Selection, narrowing: Narrowing) -> list[DebateRow]:
            decides = selection.bench in by_majority
            return read_debates(store, selection, narrowing, by_majority=decides)

        return self._records(DebateRow, read, ("debate", "debates"), narrowed)

    def speeches(self, **narrowed: Unpack[Narrowed]) -> Records[SpeechRow]:
        """Read the speeches, in the order of the debates and of speaking."""
        return self._records(SpeechRow, read_speeches, ("speech", "speeches"), narrowed)

    def ballots(self, **narrowed: Unpack[Narrowed]) -> Records[BallotRow]:
        """Read the ballots, by default those of all benches."""
        narrowed.setdefault("bench", "all")
        return self._records(BallotRow, read_ballots, ("ballot", "ballots"), narrowed)

    def calls(self, **narrowed: Unpack[Narrowed]) -> Records[CallRow]:
        """Read the calls of debaters, and of judges: by default of all benches."""
        narrowed.setdefault("bench", "all")
        return self._records(CallRow, read_calls, ("call", "calls"), narrowed)

    def judges(self, **filters: Unpack[Filters]) -> Records[JudgeRow]:
        """Read what each bench is, and what its ballots came to; by default of all benches."""
        store, resolved = self._open()
        filters.setdefault("bench", "all")
        selection = _select(resolved, filters)
        check_selection(store, resolved, selection)
        rows = read_judges(store, resolved, selection)
        return Records(JudgeRow, rows, about=selection.title, noun=("bench", "benches"))

    def costs(self) -> Records[CostRow]:
        """Read what was spent, by participant or judge, stage, role and model."""
        rows = read_costs(self._store, self._alone().name)
        noun = ("group of calls", "groups of calls")
        return Records(CostRow, rows, about=self.name, noun=noun)

    def status(self) -> RunStatus:
        """Read how far it is, who works on it, and what it cost, as `arena status` does."""
        return read_status(self._store, self._alone())

    def attention(self) -> Records[Matter]:
        """Read what needs attention, the worst first, as `arena status` does."""
        noun = ("matter that needs attention", "matters that need attention")
        rows = self.status().matters
        return Records(Matter, rows, about=self.name, noun=noun, columns=_MATTER)

    def _open(self) -> tuple[Store, ResolvedConfig]:
        return open_tournaments(self._store, self._names)

    def _alone(self) -> ResolvedConfig:
        """Return its configuration for what is told of a tournament by itself."""
        resolved = self._open()[1]
        if resolved.joined:
            raise ConfigError(f"{self.name!r} is several tournaments; ask for this of each one.")
        return resolved

    def _records(
        self,
        record: type[_Row],
        read: Callable[[Store, Selection, Narrowing], list[_Row]],
        noun: tuple[str, str],
        narrowed: Narrowed,
    ) -> Records[_Row]:
        store, resolved = self._open()
        narrowing, words = _narrow(resolved, narrowed)
        filters = {name: narrowed[name] for name in Filters.__annotations__ if name in narrowed}  # type: ignore[literal-required]
        selection = _select(resolved, filters)  # type: ignore[arg-type]
        check_selection(store, resolved, selection)
        rows = read(store, selection, narrowing)
        if start := narrowed.get("debate", ""):
            rows = [row for row in rows if str(getattr(row, "debate_id")).startswith(start)]  # noqa: B009
        return Records(record, rows, about=" · ".join([selection.title, *words]), noun=noun)


@contextmanager
def ratings_errors() -> Iterator[None]:
    """Raise what the ratings refuse as `ConfigError`, which is the base of what users catch."""
    try:
        yield
    except RatingError as error:
        raise ConfigError(str(error)) from None


def _select(resolved: ResolvedConfig, filters: Filters) -> Selection:
    """Return the selection that filters name, with times in UTC."""
    selection = select(resolved, **filters)
    return replace(
        selection,
        since=_read_time(selection.since),
        until=_read_time(selection.until),
        without=tuple(selection.without),
    )


def _narrow(resolved: ResolvedConfig, narrowed: Narrowed) -> tuple[Narrowing, list[str]]:
    """Return the further conditions on debates, and the same in words."""
    status = narrowed.get("status", ())
    statuses: tuple[Any, ...] = (status,) if isinstance(status, str) else tuple(status)
    for each in statuses:
        _check("status", each, get_args(DebateStatus))
    participant, motion = narrowed.get("participant", ""), narrowed.get("motion", "")
    check_participants(resolved, [participant] if participant else [])
    words = [*statuses, *filter(None, (participant, motion, narrowed.get("debate", "")))]
    return Narrowing(statuses=statuses, participant=participant, motion=motion), words


def _check(kind: str, given: str, accepted: Sequence[str]) -> None:
    if given not in accepted:
        raise ConfigError(f"unknown {kind} {given!r}. Accepted: {', '.join(accepted)}.")


def _read_time(when: Any) -> datetime | None:  # noqa: ANN401 - what a user gave
    """Return a time in UTC.

    Raises:
        ConfigError: it is a text that is no date.
    """
    if isinstance(when, str):
        at = read_date(when)
        if at is None:
            with suppress(ValueError):
                at = datetime.fromisoformat(when)
        if at is None:
            raise ConfigError(f"{when!r} is not {DATE_EXAMPLES}.")
        when = at
    elif isinstance(when, date) and not isinstance(when, datetime):
        when = datetime.combine(when, time())
    if isinstance(when, datetime) and when.tzinfo is None:
        return when.replace(tzinfo=UTC)
    return when  # type: ignore[no-any-return]
