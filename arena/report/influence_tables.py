"""Tables of the motions and debates that decide a leaderboard."""

from __future__ import annotations

from pathlib import Path

from arena.console.tables import Column, Table, tabulate
from arena.report.influence import DecidingDebate, DecidingSet, Influences, MotionInfluence
from arena.store.command_lines import command_line
from arena.text import counted

#: Debates of a set that are listed.
_SHOWN = 10
#: Pairs that one motion decides, listed in a note.
_PAIRS = 3
#: Gap, in Elo points, up to which two participants share first place.
_EQUAL = 0.05
#: What happens to a set of debates, in words.
_CHANGES = {"left out": "left out", "reversed": "won by the other side"}


def influence_tables(result: Influences, title: str, db: Path) -> tuple[Table, ...]:
    """Return a table of the motions, and one for each set of debates that decides first place.

    Args:
        result: what decides the order.
        title: of the first table.
        db: the database, for the command that shows a debate.
    """
    if not result.debates:
        note = "No debate is rated here, so there is nothing to report."
        return (Table(title=title, head=(), rows=(), notes=(note,)),)
    motions = tabulate(
        _MOTION_COLUMNS,
        result.deciding,
        title=title,
        notes=(
            _motions_note(result),
            *((_turning_note(result),) if result.deciding else ()),
            *(_set_note(deciding, result) for deciding in result.sets),
        ),
    )
    return (motions, *(_set_table(deciding, db) for deciding in result.sets))


def _format_change(change: tuple[str, float]) -> str:
    participant, points = change
    return f"{participant} {points:+.0f}"


def _winner(debate: DecidingDebate) -> str:
    return {1.0: debate.pro, 0.0: debate.con}.get(debate.outcome, "tied")


_MOTION_COLUMNS: tuple[Column[MotionInfluence], ...] = (
    Column(head="motion", read=lambda motion: motion.motion, label=True),
    Column(head="debates", read=lambda motion: motion.debates),
    Column(head="turned", read=lambda motion: len(motion.turned)),
    Column(head="largest change", read=lambda motion: motion.largest, style=_format_change),
)
_SIDES: tuple[Column[DecidingDebate], ...] = (
    Column(head="Pro", read=lambda debate: debate.pro, label=True),
    Column(head="Con", read=lambda debate: debate.con, label=True),
    Column(head="won by", read=_winner, label=True),
)
_DEBATE_COLUMNS: tuple[Column[DecidingDebate], ...] = (
    Column(head="debate", read=lambda debate: debate.debate_id[:8], label=True),
    Column(head="motion", read=lambda debate: debate.motion, label=True),
    *_SIDES,
)
_BATTLE_COLUMNS: tuple[Column[DecidingDebate], ...] = (
    *_SIDES,
    Column(head="battles", read=lambda debate: debate.times),
    Column(head="of", read=lambda debate: debate.alike),
)


def _motions_note(result: Influences) -> str:
    ahead = (
        f"{result.first} leads {result.second} by {result.gap:.0f} Elo points, and is "
        f"{'settled to be above it' if result.settled else 'not separated from it'}."
        if result.gap > _EQUAL
        else f"{result.first} and {result.second} share first place."
    )
    if not result.deciding:
        return f"{ahead} Fewer than two motions have a name, so none can be left out."
    others = [motion.motion for motion in result.deciding if motion.first != result.first]
    keeps = (
        f"Without any one of the {result.motions} motions {result.first} is still first."
        if not others
        else f"{result.first} is no longer first without {', '.join(others)}."
    )
    pairs = result.placed * (result.placed - 1) // 2
    return (
        f"{ahead} {keeps} Each line is a leaderboard without one motion; turned: how many of the "
        f"{counted(pairs, 'pair')} with a place change their order."
    )


def _turning_note(result: Influences) -> str:
    if not result.turning:
        return "No pair's order depends on a single motion."
    listed = "; ".join(
        f"{above} above {below} ({counted(motions, 'motion')})"
        for above, below, motions in result.turning[:_PAIRS]
    )
    more = len(result.turning) - _PAIRS
    return (
        "Pairs whose order depends on a single motion: "
        f"{listed}{f'; and {more} more' if more > 0 else ''}."
    )


def _set_note(deciding: DecidingSet, result: Influences) -> str:
    size = deciding.size
    debates = f"{counted(size, 'debate')} of {result.debates}, {_CHANGES[deciding.change]},"
    would = f"{debates} would put {deciding.first} first"
    if deciding.fewest:
        return f"{would}: the smallest number that does." if size > 1 else f"{would}."
    known = f"; no {counted(deciding.none_of, 'debate')} would" if deciding.none_of else ""
    return f"{would} (an upper bound: fewer may suffice{known})."


def _set_table(deciding: DecidingSet, db: Path) -> Table:
    more = len(deciding.debates) - _SHOWN
    note = (f"And {more} more; --format json lists them all.",) if more > 0 else ()
    change = _CHANGES[deciding.change]
    shown = deciding.debates[:_SHOWN]
    if not shown[0].debate_id:
        return tabulate(
            _BATTLE_COLUMNS,
            shown,
            title=f"Battles that decide who is first, if {change}",
            notes=(
                *note,
                "Of: number of battles with the same participants, winner and weight, any of "
                "which would do.",
            ),
        )
    read = command_line("show", shown[0].debate_id[:8], db=db)
    return tabulate(
        _DEBATE_COLUMNS,
        shown,
        title=f"Debates that decide who is first, if {change}",
        notes=(*note, f"Read the first one with: {read}"),
    )
