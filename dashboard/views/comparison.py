"""The part of the page of a tournament that compares it: two moments, or two tournaments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from arena.output.short_names import shorten_names
from arena.text import counted, plain
from dashboard import cached
from dashboard.addresses import choose, clear_choices, show_notices, switch
from dashboard.elements import guarded, quiet
from dashboard.live import compare_states
from dashboard.tables import literal, show_table, table_files

#: Characters of a tournament's name in the head of a column.
_LONGEST_NAME = 20
_MOMENTS, _TOURNAMENTS = "two moments", "two tournaments"
#: The two moments in the address, and what was written there last, with its tournament.
_ENDS = ("from", "to")
_WRITTEN = "written-moments"


def show(tournament: str, bench: str) -> None:
    """Compare a tournament with its own past, or with another one.

    Args:
        bench: whose verdicts count; '' for the first one.
    """
    st.header("Compare", anchor=False)
    guarded(_show)(tournament, bench)


def _show(tournament: str, bench: str) -> None:
    stored = next((row for row in cached.tournaments() if row.tournament == tournament), None)
    if stored is None or stored.first_finished is None or stored.last_finished is None:
        quiet("No debate has finished yet, so there is nothing to compare.", "no-comparison")
        return
    kinds = (_MOMENTS, _TOURNAMENTS)
    kind = switch(st.container(), "Comparison", kinds, "compare", format_func=str.capitalize)
    show_notices()
    if kind != _TOURNAMENTS:
        _compare_moments(tournament, bench, stored.first_finished, stored.last_finished)
    else:
        clear_choices(*_ENDS)
        _compare_tournaments(tournament, bench)


def _compare_moments(tournament: str, bench: str, began: datetime, ended: datetime) -> None:
    """Compare two moments between the end of the first debate and that of the last."""
    first, last = (at.replace(tzinfo=None, microsecond=0) for at in (began, ended))
    if last - first < timedelta(seconds=2):
        quiet("All debates finished at once, so there are no two moments to compare.", "no-moments")
        return
    start, end = _choose_moments(tournament, first, last + timedelta(seconds=1))
    before, after = (
        cached.moment(tournament, bench, moment.replace(tzinfo=UTC)) for moment in (start, end)
    )
    sentences, frame = compare_states(before, after, moments=True)
    quiet(f"Compared by the verdicts of the bench {after.bench}.", "moments-bench")
    for place, words in enumerate(sentences):
        quiet(words, f"moments-{place}")
    _show_table(frame, f"{start:%H:%M:%S}", f"{end:%H:%M:%S}")


def _choose_moments(tournament: str, first: datetime, last: datetime) -> tuple[datetime, datetime]:
    """Ask for two moments; they stand in the address, which opens the same comparison again.

    Args:
        tournament: its name; moments that the address has from another one are left alone.
    """
    key, named = f"moments-{tournament}", tuple(map(st.query_params.get, _ENDS))
    chosen = st.session_state.get(key)
    written_for, *written = st.session_state.get(_WRITTEN, ("", None, None))
    is_new = named != tuple(written) or (chosen is None and written_for == tournament)
    if is_new:  # the page was opened with them, or the viewer went back
        chosen = _read_moments(named)
        if chosen is None and any(named):
            asked = " to ".join(moment or "nothing" for moment in named)
            words = f"There are no two moments “{asked}” to compare; the usual ones are compared"
            st.warning(literal(f"{words} instead."))
    chosen = chosen or (first + (last - first) / 2, last)
    st.session_state[key] = tuple(min(max(moment, first), last) for moment in chosen)
    picked: tuple[datetime, datetime] = st.slider(  # type: ignore[assignment]  # a range, by its key
        "From one moment to another (UTC)",
        min_value=first,
        max_value=last,
        step=max(timedelta(seconds=1), (last - first) / 100),
        format="MM-DD HH:mm:ss",
        key=key,
    )
    written = [moment.isoformat() for moment in picked]
    st.query_params.update(zip(_ENDS, written, strict=True))
    st.session_state[_WRITTEN] = (tournament, *written)
    return picked


def _read_moments(named: tuple[str | None, ...]) -> tuple[datetime, datetime] | None:
    """Read two moments of an address; `None` where they are none, or in the wrong order."""
    try:
        start, end = (datetime.fromisoformat(moment or "") for moment in named)
    except ValueError:
        return None
    start, end = (
        at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at for at in (start, end)
    )
    return (start, end) if start <= end else None


def _compare_tournaments(tournament: str, bench: str) -> None:
    names = [row.tournament for row in cached.tournaments()]
    others = [name for name in names if name != tournament]
    if not others:
        quiet("This database holds one tournament only.", "one-tournament")
        return
    other = choose(st.container(), "With", others, "with", explicit=True, noun="tournament")
    show_notices()
    now = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=1)
    states = [cached.moment(name, bench, now) for name in (other, tournament)]
    _, frame = compare_states(*states, moments=False)
    for name, state in zip((other, tournament), states, strict=True):
        counts = f"{counted(state.finished, 'debate')} finished, {counted(state.ballots, 'ballot')}"
        money = f"{state.usd:.4f} USD at most"
        quiet(f"{name}: {counts}, {money}, bench {state.bench}.", f"totals-{name}")
    quiet(
        "Ratings of two tournaments have one scale only as far as the same participants, motions "
        "and judges take part.",
        "scales",
    )
    _show_table(frame, other, tournament)


def _show_table(frame: pd.DataFrame, before: str, after: str) -> None:
    names = [plain(name) for name in (before, after)]
    left, right = map(shorten_names(names, _LONGEST_NAME).__getitem__, names)
    show_table(
        frame,
        {
            "participant": TextColumn("Participant", width=180),
            "before": NumberColumn(f"Elo, {left}", format="%.0f"),
            "after": NumberColumn(f"Elo, {right}", format="%.0f"),
            "change": NumberColumn("Difference", format="%+.0f"),
            "rank_before": NumberColumn(f"Rank, {left}"),
            "rank_after": NumberColumn(f"Rank, {right}"),
        },
        key="comparison",
        narrow={"participant": 130, "change": 90, "before": 110, "after": 110},
        alt=f"Ratings of {left} and {right}",
        files=table_files(frame, "compared", before, after),
    )
