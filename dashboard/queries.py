"""What the pages on tournaments and debates show: stored results as records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.boards.selecting import participant_ids
from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, read_vote_rules
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.read.ballots import BallotRow, read_ballots
from arena.read.calls import CallRow, read_calls
from arena.read.debates import DebateRow, find_debates, read_debates
from arena.read.selected import Narrowing
from arena.read.tournaments import TournamentRow, find_tournament, read_tournaments
from arena.read.work_counts import Totals, add_up
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.text import counted, format_usd

#: The number of debates that a list shows at most; neither a browser nor a person scrolls further.
LISTED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechWork:
    """What a speech took: calls, tokens, seconds of all calls together, and USD.

    `usd` is what bills are known of; `usd_most` adds what is reserved for answers that were lost.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    usd: float
    usd_most: float

    def describe(self) -> str:
        """Say it in a few words."""
        tokens = f"{self.input_tokens + self.output_tokens:,} tokens"
        seconds = f", {self.seconds:.1f} s" if self.seconds >= 0.05 else ""
        cost = f", {format_usd(self.usd, self.usd_most)}" if self.usd_most else ""
        return f"{counted(self.calls, 'call')}, {tokens}{seconds}{cost}"


def tournaments(store: Store) -> list[TournamentRow]:
    """Return the stored tournaments, the newest first; none of a file that a kill left empty."""
    return [] if store.exists() and store.empty() else read_tournaments(store)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentProgress:
    """How far a tournament is.

    Attributes:
        totals: of the participants that it has now.
        runs: ballots of a debate that its benches plan.
    """

    totals: Totals
    runs: int

    @property
    def ended(self) -> int:
        """The number of debates that are finished or forfeited."""
        return self.totals.count("finished") + self.totals.count("forfeit")

    @property
    def ballots_planned(self) -> int:
        """The number of ballots once all debates are played."""
        return (self.totals.planned - self.totals.count("forfeit")) * self.runs

    @property
    def left(self) -> int:
        """The number of debates still to play and of ballots still to collect."""
        due = self.totals.count("finished") * self.runs
        return self.totals.planned - self.ended + due - self.totals.ballots.get("valid", 0)


def progress(store: Store, tournament: str) -> TournamentProgress:
    """Count the debates and ballots of a tournament.

    Where this version does not know who takes part in it, all debates count.
    """
    try:
        resolved = stored_config(store, tournament)
    except ConfigError:
        stored = find_tournament(store, tournament)
        return TournamentProgress(
            totals=add_up(store, tournament, None), runs=stored.runs if stored else 0
        )
    runs = sum(bench.runs for bench in resolved.benches)
    return TournamentProgress(
        totals=add_up(store, tournament, participant_ids(resolved)), runs=runs
    )


def speech_work(calls: Iterable[CallRow]) -> dict[tuple[str, str], SpeechWork]:
    """Add up the calls of a debate's speeches, by side and stage.

    An essay is asked for as a constructive.
    """
    by_speech: dict[tuple[str, str], list[CallRow]] = {}
    for call in calls:
        if not call.bench:
            side, _, rest = call.path.partition("/")
            by_speech.setdefault((side, rest.partition("/")[0]), []).append(call)
    return {
        speech: SpeechWork(
            calls=len(own),
            input_tokens=sum(call.input_tokens for call in own),
            output_tokens=sum(call.output_tokens for call in own),
            seconds=sum(call.seconds for call in own),
            usd=sum(call.cost_usd - call.reserved_usd for call in own),
            usd_most=sum(call.cost_usd for call in own),
        )
        for speech, own in by_speech.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateContent:
    """What is stored of a debate.

    Attributes:
        works: what the speeches took, by side and stage.
        other_legs: the debates of its matchup in which the sides are swapped.
        majority: the benches of its tournament whose votes decide by majority.
    """

    debate: DebateRow
    tournament: TournamentRow
    speeches: tuple[Speech, ...]
    works: Mapping[tuple[str, str], SpeechWork]
    ballots: tuple[BallotRow, ...]
    other_legs: tuple[str, ...]
    majority: frozenset[str]


def read_debate(store: Store, start: str) -> tuple[list[DebateRow], DebateContent | None]:
    """Read the debate whose id begins so, in one state of the database.

    Returns:
        The debates that begin so, as `find_debates` returns them, and what is stored of
        the debate where it is the only one.
    """
    with store.one_state():
        fitting = find_debates(store, start)
        tournament = find_tournament(store, fitting[0].tournament) if len(fitting) == 1 else None
        if tournament is None:
            return fitting, None
        (debate,) = fitting
        selection = Selection(tournament=debate.tournament, bench="all")
        own = Narrowing(ids=(debate.debate_id,))
        legs = read_debates(store, selection, Narrowing(matchup=debate.matchup_id))
        return fitting, DebateContent(
            debate=debate,
            tournament=tournament,
            speeches=read_speeches(store, [debate.debate_id]).get(debate.debate_id, ()),
            works=speech_work(read_calls(store, selection, own)),
            ballots=tuple(read_ballots(store, selection, own)),
            other_legs=tuple(
                other.debate_id for other in legs if other.debate_id != debate.debate_id
            ),
            majority=majority_benches(read_vote_rules(store, debate.tournament)),
        )
