"""The profile of a participant: strengths, opponents, making and telling debates, of one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from arena.boards.board import Row
from arena.boards.comparisons import compared_debates
from arena.boards.ranks import format_first_place, format_rank_range, ordinal
from arena.boards.states import BoardState, Participation
from arena.read.tournaments import find_tournament
from arena.read.traces import TraceFrames, read_traces
from arena.records import Participant
from arena.report.overview.reading_list import Reading, pick_readings
from arena.report.traces.interactions import OVERALL
from arena.report.traces.steps import SpeechMaking, summarize_making
from arena.store.database import Store
from arena.store.rows import read_participants
from arena.text import counted
from ratings import CON_WINS, PRO_WINS, TIE, predicted


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """A participant of the same debater with other options, or another model.

    Attributes:
        difference: what is set otherwise there, in words.
        elo: its rating less that of the profile's participant, in Elo points.
    """

    name: str
    difference: str
    elo: float


def state_debates(store: Store, state: BoardState) -> pd.DataFrame:
    """Return the debates that a state counts, as `compared_debates` does."""
    return compared_debates(store, state.selection, state.scope)


def find_row(state: BoardState, name: str) -> Row | None:
    """Return the row of a participant; `None` where the board has none."""
    return next((row for row in state.board.rows if row.participant == name), None)


def profile_lines(state: BoardState, row: Row) -> Iterator[str]:
    """Yield sentences on a participant: its place, its record, and what its debates take."""
    if not row.is_rated:
        yield f"Not rated: {row.unrated}."
        return
    place = "No place yet among" if row.rank is None else f"{ordinal(row.rank)} of"
    yield (
        f"{place} {len(state.board.rated)}, could be "
        f"{format_rank_range(row.rank_low, row.rank_high)}: Elo {row.rating:.0f}, 95 % interval "
        f"{row.lower:.0f} to {row.upper:.0f}."
    )
    if state.board.leader and state.board.leader.name == row.participant:
        undefeated = state.board.connectivity.undefeated
        yield from filter(None, [format_first_place(state.board.leader, undefeated)])
    yield (
        f"Won {row.wins}, tied {row.ties} and lost {row.losses} of "
        f"{counted(row.debates, 'debate')} ({100 * row.win_rate:.1f} %, a tie as half)."
    )
    own = state.participations.get(row.participant, Participation())
    if own.ended:
        tokens = own.input_tokens + own.output_tokens
        cost = f", {row.usd_per_debate:.4f} USD" if row.usd_per_debate > 0 else ""
        share = f"{100 * own.availability:.0f} %"
        yield (
            f"A debate takes {tokens:,.0f} tokens{cost} on its side. {share} of its debates came "
            "to their end: no forfeit, error or failing provider."
        )
    if row.note:
        yield f"{row.note[:1].upper()}{row.note[1:]}."


def strengths(
    state: BoardState, beside: Mapping[tuple[str, str], BoardState], name: str
) -> pd.DataFrame:
    """Return a participant's ratings overall, by dimension and by category of motions.

    Columns: participant (what is rated), rating, lower, upper (Elo points), rank, debates.

    Args:
        state: of the overall board.
        beside: the bench's boards of the same moment, by dimension and category.
    """
    boards = {"overall": state}
    boards |= {key[0]: other for key, other in beside.items() if key[1] == "all"}
    boards |= {
        f"{category} motions": other
        for (dimension, category), other in beside.items()
        if dimension == "overall" and category != "all"
    }
    order = sorted(
        boards, key=lambda label: (label != "overall", label.endswith(" motions"), label)
    )
    figures = ("rating", "lower", "upper", "rank", "debates")
    return pd.DataFrame(
        [
            {"participant": label, **{figure: getattr(row, figure) for figure in figures}}
            for label in order
            if (row := find_row(boards[label], name)) is not None and row.is_rated
        ],
        columns=["participant", *figures],
    )


def by_side(debates: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a participant's record by side; columns: side, debates, record, share (percent)."""
    for_pro = debates.loc[debates["pro"] == name, "outcome"]
    for_con = 1 - debates.loc[debates["con"] == name, "outcome"]
    rows = [{"side": "Pro", **_record(for_pro)}, {"side": "Con", **_record(for_con)}]
    return pd.DataFrame(rows)


def opponents(state: BoardState, debates: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a participant's record against each opponent it has met, the best first.

    Columns: opponent, debates, record, share and expected (percent, by the ratings), surplus.
    """
    own = debates[(debates["pro"] == name) | (debates["con"] == name)]
    is_pro = own["pro"] == name
    other = own["con"].where(is_pro, own["pro"])
    outcome = own["outcome"].where(is_pro, 1 - own["outcome"])
    rating = {row.participant: row.rating for row in state.board.rated}
    rows = [
        {
            "opponent": str(opponent),
            **_record(results),
            "expected": 100 * float(predicted([rating[name], rating[str(opponent)]])[0, 1]),
        }
        for opponent, results in outcome.groupby(other)
    ]
    columns = ["opponent", "debates", "record", "share", "expected"]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame.assign(surplus=frame["share"] - frame["expected"])
    return frame.sort_values(["share", "surplus"], ascending=False, ignore_index=True)


def _record(outcome: pd.Series) -> dict[str, Any]:
    won, tied, lost = (int((outcome == end).sum()) for end in (PRO_WINS, TIE, CON_WINS))
    total = won + tied + lost
    share = 100 * (won + tied / 2) / total if total else float("nan")
    return {"debates": total, "record": f"{won}-{tied}-{lost}", "share": share}


def read_settings(store: Store, tournament: str) -> dict[str, Participant]:
    """Read how everybody who was ever a participant of a tournament is configured, by name."""
    return {each.name: each for each in read_participants(store, tournament)}


def relatives(state: BoardState, settings: Mapping[str, Participant], name: str) -> list[Relative]:
    """Return participants of the same debater that differ in one thing: its ablations, mostly."""
    own, row = settings.get(name), find_row(state, name)
    if own is None or row is None:
        return []
    rating = {each.participant: each.rating for each in state.board.rated}
    found = []
    for other in settings.values():
        differences = list(_differences(own, other))
        if other.name in rating and other.debater == own.debater and len(differences) == 1:
            elo = rating[other.name] - row.rating
            found.append(Relative(name=other.name, difference=differences[0], elo=elo))
    return sorted(found, key=lambda relative: (-relative.elo, relative.name))


def _differences(own: Participant, other: Participant) -> Iterator[str]:
    if own.model != other.model:
        yield f"model {other.model}"
    for key in sorted({*own.options, *other.options}):
        if own.options.get(key) != other.options.get(key):
            yield f"{key} {_format_value(other.options.get(key))}"
    if own.sampling != other.sampling:
        yield "other sampling"


def _format_value(value: object) -> str:
    if value is None:
        return "by default"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def telling_debates(
    store: Store, state: BoardState, debates: pd.DataFrame, name: str
) -> list[Reading]:
    """Pick the debates of a participant that tell most, as a report picks a tournament's."""
    own = debates[(debates["pro"] == name) | (debates["con"] == name)]
    tournament = state.board.selection.tournament
    stored = find_tournament(store, tournament)
    rating = {row.participant: row.rating for row in state.board.rated}
    contest = stored.contest if stored else "debate"
    return pick_readings(store, own, rating, contest=contest, name=tournament, entry=state.entry)


def making_of(
    store: Store, state: BoardState, debates: pd.DataFrame, names: tuple[str, ...]
) -> list[SpeechMaking]:
    """Summarize how participants' speeches in the debates of a state were made."""
    traced = read_traces(store, state.board.selection.tournament)
    ids = debates["debate_id"]
    counted = TraceFrames(
        speeches=traced.speeches[traced.speeches["unit"].isin(ids)],
        turns=traced.turns[traced.turns["unit"].isin(ids)],
    )
    return summarize_making(counted, names, (OVERALL,))
