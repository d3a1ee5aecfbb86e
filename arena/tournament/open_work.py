"""What is stored of a tournament, and the work on its debates that is still open."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, TypeAlias

from arena.records import ENDED, BallotCall, Debate
from arena.store.lookups import read_ballot_states, read_statuses
from arena.store.rows import read_debates

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Stored ballots: status, and how often each was asked for, by debate id, bench name and run.
_Ballots: TypeAlias = dict[tuple[str, str, int], tuple[str, int]]


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
    taken = Counter[str]()

    def turn(repeat: int, pair: frozenset[str]) -> tuple[int, int, int, str]:
        seats = sorted(taken[seat] for seat in pair)
        return repeat, seats[-1], seats[0], pairs[repeat, pair][0]

    waiting = [(turn(*key), key) for key in pairs]
    heapify(waiting)
    ordered: list[OpenWork] = []
    while waiting:
        then, key = waiting[0]
        if (now := turn(*key)) > then:  # others have had a turn of its participants since
            heapreplace(waiting, (now, key))
            continue
        ordered += sorted(matchups[key[0], pairs[key].popleft()], key=lambda item: item.debate.leg)
        taken.update(key[1])
        if pairs[key]:
            heapreplace(waiting, (turn(*key), key))
        else:
            heappop(waiting)
    return ordered
