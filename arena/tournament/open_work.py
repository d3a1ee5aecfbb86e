"""What is stored of a tournament, and the work on its debates that is still open."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from arena.records import ENDED, BallotCall, Debate
from arena.store.lookups import read_ballot_states, read_statuses
from arena.store.rows import read_debates

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Stored ballots: status, and how often each was asked for, by debate id, bench name and run.
_Ballots: TypeAlias = dict[tuple[str, str, int], tuple[str, int]]

#: Repeat, turns of the busier and of the other participant, id of the matchup.
_Turn: TypeAlias = tuple[int, int, int, str]
#: Turns of the other participant, id of the matchup, its pair.
_Waiting: TypeAlias = tuple[int, str, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """The open work on one debate.

    Attributes:
        play: whether it is to be played.
        erred: whether it ended in an error of a debater's code before.
    """

    debate: Debate
    play: bool
    ballots: tuple[BallotCall, ...]
    erred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDebates:
    """A tournament's stored debates, their statuses by id, and its ballots."""

    debates: list[Debate] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)
    ballots: _Ballots = field(default_factory=dict)


def read_stored(resolved: ResolvedConfig, store: Store) -> StoredDebates:
    """Read what is stored of a tournament."""
    debates = [] if store.empty() else read_debates(store, resolved.name)
    if not debates:
        return StoredDebates()
    return StoredDebates(
        debates=debates,
        statuses=read_statuses(store, resolved.name),
        ballots=read_ballot_states(store, resolved.name),
    )


def open_work(
    resolved: ResolvedConfig, debates: Sequence[Debate], known: StoredDebates
) -> list[OpenWork]:
    """Return the open work on some debates, in playing order."""
    work = []
    # A run asks nobody to vote: see `arena.people.voting`.
    runs = [(bench, run) for bench in resolved.model_benches for run in range(bench.runs)]
    for debate in debates:
        status = known.statuses.get(debate.debate_id, "planned")
        asked = [
            known.ballots.get((debate.debate_id, bench.name, run), ("", 0)) for bench, run in runs
        ]
        calls = tuple(
            BallotCall(bench=bench, run=run, asked=times, erred=ballot == "error")
            for (bench, run), (ballot, times) in zip(runs, asked, strict=True)
            if ballot != "valid" and status != "forfeit"
        )
        play = status not in ENDED
        if play or calls:
            erred = status == "error"
            work.append(OpenWork(debate=debate, play=play, ballots=calls, erred=erred))
    return _take_turns(work)


def _take_turns(work: Sequence[OpenWork]) -> list[OpenWork]:
    """Sort work so that everybody's next matchup comes in turn, as far as there are any.

    A participant that fails at once would otherwise have most of the first debates of a run.
    """
    matchups: defaultdict[tuple[int, str], list[OpenWork]] = defaultdict(list)
    for item in work:
        matchups[item.debate.repeat, item.debate.matchup_id].append(item)
    # Of a pair's matchups in one repeat the next one alone waits: all have the same turn.
    pairs: defaultdict[tuple[int, frozenset[str]], deque[str]] = defaultdict(deque)
    for repeat, matchup in sorted(matchups):
        debate = matchups[repeat, matchup][0].debate
        pairs[repeat, frozenset((debate.pro, debate.con))].append(matchup)
    ordered: list[OpenWork] = []
    turns = _Turns()
    for (repeat, pair), queue in pairs.items():
        turns.wait(repeat, pair, queue[0])
    while turns.waiting:
        repeat, pair, matchup = turns.take()
        ordered += sorted(matchups[repeat, matchup], key=lambda item: item.debate.leg)
        queue = pairs[repeat, pair]
        queue.popleft()
        if queue:
            turns.wait(repeat, pair, queue[0])
    return ordered


class _Turns:
    """Matchups that wait; next is the one whose participants had the fewest turns.

    It is the least by repeat, by the turns of the one of its pair who had more of them, by those of
    the other, and by its id. Each waits in the queue of the one who had more, so that a turn of
    somebody who is in all matchups (of a gauntlet) changes the place of one queue, not of all
    matchups. Places in heaps may be out of date, but never too late: turns are only added.
    """

    def __init__(self) -> None:
        self.waiting = 0
        self._taken = Counter[str]()
        self._queues: defaultdict[tuple[int, str], list[_Waiting]] = defaultdict(list)
        #: The place of each queue, and the queues by place; other entries there are out of date.
        self._place: dict[tuple[int, str], _Turn] = {}
        self._heads: list[tuple[_Turn, str]] = []

    def wait(self, repeat: int, pair: frozenset[str], matchup: str) -> None:
        """Add the next matchup of a pair."""
        self.waiting += 1
        self._queue_up(repeat, pair, matchup)

    def take(self) -> tuple[int, frozenset[str], str]:
        """Take out the next matchup: its repeat, its pair and its id."""
        while True:
            place, seat = heappop(self._heads)
            repeat = place[0]
            if self._place.get((repeat, seat)) != place:
                continue
            _, matchup, pair = heappop(self._queues[repeat, seat])
            busier, fewer = self._seats(pair)
            is_next = place == (repeat, self._taken[busier], self._taken[fewer], matchup)
            if is_next:
                self._taken.update(pair)
            self._show(repeat, seat)
            if is_next:
                self.waiting -= 1
                return repeat, pair, matchup
            self._queue_up(repeat, pair, matchup)

    def _queue_up(self, repeat: int, pair: frozenset[str], matchup: str) -> None:
        busier, fewer = self._seats(pair)
        heappush(self._queues[repeat, busier], (self._taken[fewer], matchup, pair))
        self._show(repeat, busier)

    def _seats(self, pair: frozenset[str]) -> tuple[str, str]:
        """Return the one of a pair who had more turns, and the other."""
        fewer, busier = sorted(pair, key=lambda seat: (self._taken[seat], seat))
        return busier, fewer

    def _show(self, repeat: int, seat: str) -> None:
        """Bring the place of a queue up to date."""
        queue = self._queues[repeat, seat]
        if not queue:
            self._place.pop((repeat, seat), None)
            return
        fewest, matchup, _ = queue[0]
        place = repeat, self._taken[seat], fewest, matchup
        if self._place.get((repeat, seat)) != place:
            self._place[repeat, seat] = place
            heappush(self._heads, (place, seat))
