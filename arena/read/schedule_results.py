"""What a schedule itself decides: who wins a knockout, a Swiss table, a gauntlet's newcomers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final

from arena.boards.method import STORED
from arena.boards.ranks import format_names, format_rank_range, ordinal
from arena.boards.selection import Selection
from arena.read.heading import Heading
from arena.scheduling.asked import Asked
from arena.text import counted

if TYPE_CHECKING:
    from arena.boards.board import Board, Row
    from arena.config.resolved import ResolvedConfig
    from arena.scheduling.knockout import ContestResult
    from arena.scheduling.waves import Situation
    from arena.store.database import Store

#: What the last rounds of a knockout are called, by their number of contests.
_ROUNDS: Final[Mapping[int, str]] = {1: "final", 2: "semi-finals", 4: "quarter-finals"}
#: Why a contest has a winner who has no more points than the other.
_WHYS: Final[Mapping[str, str]] = {
    "": "",
    "left": ", who has left the tournament",
    "lot": ", by lot",
}
#: What a selection may be of, for what its schedule decides to stand beside it.
_WHOLE = ("dimension", "category", "language", "since", "until", "without")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A contest of a knockout.

    Attributes:
        round: from 1.
        first, second: names; `second` is None for a bye.
        first_points, second_points: in all their matchups of the knockout; a debate is 1 point.
        winner: None while it is open.
        why: `bye`, `left` or `lot` where points do not say who won; else ''.
    """

    round: int
    first: str
    second: str | None
    first_points: float
    second_points: float
    winner: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissPlace:
    """A participant's place in the table of Swiss rounds.

    Attributes:
        points: a debate won is 1, a tie ½, a bye 2, and an open matchup counts as drawn.
        matchups: that it was paired for.
    """

    place: Annotated[int, Heading("place", "d")]
    participant: Annotated[str, Heading("participant")]
    points: Annotated[float, Heading("points", "g")]
    matchups: Annotated[int, Heading("matchups", "d")]
    byes: Annotated[int, Heading("byes", "d")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleResult:
    """What a schedule itself has decided so far.

    Attributes:
        bench: whose verdicts decide.
        winner: of the knockout; None where there is none, or it is open.
        sentences: say it.
        contests: of the knockout, round by round.
        swiss: the table of the Swiss rounds, the best first: of equal points, the higher rated.
    """

    bench: str
    sentences: tuple[str, ...]
    winner: str | None = None
    contests: tuple[Contest, ...] = ()
    swiss: tuple[SwissPlace, ...] = ()


def read_schedule_result(
    store: Store, resolved: ResolvedConfig, board: Board
) -> ScheduleResult | None:
    """Read what the schedule of a board's tournament has decided.

    Returns:
        None where the schedule decides nothing itself, or the board is of a part of its verdicts
        or rated otherwise.
    """
    selection, whole = board.selection, Selection(tournament=resolved.name, bench="")
    section = resolved.config.schedule
    is_whole = all(getattr(selection, name) == getattr(whole, name) for name in _WHOLE)
    if not is_whole or board.method != STORED or resolved.imported or resolved.joined:
        return None
    if section.kind == "gauntlet":
        own = {row.participant: row for row in board.rows}
        sentences = (_format_newcomer(own[name], board) for name in section.newcomers or ())
        return ScheduleResult(bench=selection.bench, sentences=tuple(sentences))
    if section.kind not in ("swiss", "knockout") and not section.knockout:
        return None
    return _read_waves(store, resolved)


def _format_newcomer(row: Row, board: Board) -> str:
    """Say where a newcomer of a gauntlet stands."""
    if not row.is_rated:
        return f"{row.participant} has no place yet: {row.unrated or 'no verdict counts'}."
    could_be = format_rank_range(row.rank_low, row.rank_high)
    is_open = row.rank is not None and row.rank_low != row.rank_high
    place = f"{ordinal(row.rank)} of" if row.rank else f"{could_be} of"
    return (
        f"{row.participant} is {place} {len(board.rated)}{f' (could be {could_be})' * is_open}: it "
        f"won {row.wins}, tied {row.ties} and lost {row.losses} of "
        f"{counted(row.debates, 'verdict')}, at {row.rating:.0f} Elo."
    )


def _read_waves(store: Store, resolved: ResolvedConfig) -> ScheduleResult:
    # What plans is loaded for schedules that are planned in waves alone.
    from arena.scheduling.knockout import play_rounds  # noqa: PLC0415
    from arena.scheduling.meetings import swiss_rounds  # noqa: PLC0415
    from arena.scheduling.swiss import count_rounds  # noqa: PLC0415
    from arena.store.lookups import read_names  # noqa: PLC0415
    from arena.tournament.open_work import open_work, read_stored  # noqa: PLC0415
    from arena.tournament.wave_planning import read_situation  # noqa: PLC0415

    asked, known = Asked.of(resolved), read_stored(resolved, store)
    names = read_names(store, resolved.name)
    work = open_work(resolved, known.debates, known)
    situation = read_situation(
        resolved,
        store,
        known.debates,
        asked=asked,
        open_matchups={each.debate.matchup_id for each in work},
    )
    rounds = play_rounds(situation)
    sentences: list[str] = []
    swiss: tuple[SwissPlace, ...] = ()
    if asked.schedule.kind == "knockout" or asked.schedule.knockout:
        sentences.append(_format_knockout(rounds, names))
    if asked.schedule.kind == "swiss":
        before = _before_knockout(situation)
        swiss = _read_swiss(before, names)
        planned = swiss_rounds(asked.schedule, len(resolved.participants))
        sentences.append(_format_swiss(swiss, count_rounds(before), planned))
    winner = rounds[-1][0].winner if rounds and len(rounds[-1]) == 1 else None
    if len(resolved.benches) > 1:
        sentences.append(f"The verdicts of bench {asked.bench} decide.")
    return ScheduleResult(
        bench=asked.bench,
        winner=names[winner] if winner else None,
        sentences=tuple(sentences),
        contests=tuple(_contests(rounds, names)),
        swiss=swiss,
    )


def _contests(
    rounds: Sequence[Sequence[ContestResult]], names: Mapping[str, str]
) -> Iterator[Contest]:
    for number, results in enumerate(rounds, start=1):
        for result in results:
            first, second = result.contest
            yield Contest(
                round=number,
                first=names[first],
                second=names[second] if second else None,
                first_points=result.points[0],
                second_points=result.points[1],
                winner=names[result.winner] if result.winner else None,
                why=result.why,
            )


def _format_knockout(rounds: Sequence[Sequence[ContestResult]], names: Mapping[str, str]) -> str:
    """Say who has won a knockout, or how far it is."""
    if not rounds:
        return "The knockout has not begun."
    last = rounds[-1]
    if len(last) == 1 and last[0].winner:
        return f"{names[last[0].winner]} wins the knockout, {_format_final(last[0], names)}."
    title = _ROUNDS.get(len(last), f"round of {2 * len(last)}")
    open_contests = [
        " against ".join(names[name] for name in result.contest if name)
        for result in last
        if not result.winner
    ]
    through = [names[result.winner] for result in last if result.winner]
    further = f"; through to the next round: {format_names(through)}" if through else ""
    return f"The knockout is in its {title}: open is {format_names(open_contests)}{further}."


def _format_final(result: ContestResult, names: Mapping[str, str]) -> str:
    """Say how the final was decided, from the winner's side."""
    first, second = result.contest
    pairs = zip(result.contest, result.points, strict=True)
    (_, ours), (_, theirs) = sorted(pairs, key=lambda pair: pair[0] != result.winner)
    loser = second if result.winner == first else first
    points = f"{ours:g} to {theirs:g} points"
    return f"the final by {points} against {names[loser or first]}{_WHYS[result.why]}"


def _read_swiss(situation: Situation, names: Mapping[str, str]) -> tuple[SwissPlace, ...]:
    """Return the table of Swiss rounds, by which the next one is paired."""
    from arena.scheduling.standings import count_points, rank_by_points  # noqa: PLC0415

    points, matchups = count_points(situation), Counter(chain(*situation.matchups))
    return tuple(
        SwissPlace(
            place=place,
            participant=names[name],
            points=points[name],
            matchups=matchups[name],
            byes=situation.byes[name],
        )
        for place, name in enumerate(rank_by_points(situation), start=1)
    )


def _before_knockout(situation: Situation) -> Situation:
    """Return a situation without the matchups of a knockout."""
    waves = tuple(wave for wave in situation.waves if wave.phase != "knockout")
    played = sum(len(wave.meetings) for wave in waves)
    judged = situation.comparisons
    return replace(
        situation,
        waves=waves,
        comparisons=judged.only(judged.cluster < played),
        forfeits={key: winners for key, winners in situation.forfeits.items() if key < played},
    )


def _format_swiss(table: Sequence[SwissPlace], played: int, planned: int) -> str:
    listed = format_names([f"{place.participant} {place.points:g}" for place in table])
    return f"Swiss table after {played} of {counted(planned, 'round')}, in points: {listed}."
