"""The page of a participant's profile, or of two side by side."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from arena.boards.states import BoardState
from arena.output.charts import draw_intervals
from arena.report.traces.trace_tables import making_tables
from dashboard import cached
from dashboard.addresses import choose, go_to, show_notices
from dashboard.boards import board_choices, board_page
from dashboard.elements import (
    capital,
    quiet,
    show_empty_state,
    show_lines,
    show_link,
    show_text_table,
    text,
)
from dashboard.letters import WIDE_BOX_PIXELS, fit_box
from dashboard.profiles import by_side, find_row, opponents, profile_lines, relatives, strengths
from dashboard.show_charts import show_chart
from dashboard.tables import show_table, table_files, table_frame
from dashboard.variants import varieties

_NOBODY = "Nobody"
_OPPONENTS = {
    "opponent": TextColumn("Opponent", width=150),
    "record": TextColumn("Won-tied-lost", width=104),
    "share": NumberColumn("Share", format="%.0f %%", width=70),
    "expected": NumberColumn(
        "Expected", format="%.0f %%", width=80, help="By the ratings of the two."
    ),
}
_OPPONENTS_NARROW = {"opponent": 128, "record": 96, "share": 56, "expected": 70}
_SIDES = {
    "side": TextColumn("As", width=60),
    "debates": NumberColumn("Debates", width=80),
    "record": TextColumn("Won-tied-lost", width=110),
    "share": NumberColumn("Share", format="%.0f %%", width=70),
}
_RELATIVES = {
    "participant": TextColumn("Participant", width=150),
    "difference": TextColumn("Differs by", width=120),
    "elo": NumberColumn("Elo more", format="%+.0f", width=74),
}
_RELATIVES_NARROW = {"participant": 134, "difference": 126, "elo": 76}


def page() -> None:
    """Show a participant, and follow a run."""
    board_page("Participants", _show)


def _show(state: BoardState) -> None:
    names = [row.participant for row in state.board.rows]
    with st.container(key="choices-profile"):
        left, right = st.columns(2)
    words = fit_box([_NOBODY, *names], WIDE_BOX_PIXELS)
    name = choose(left, "Participant", names, "profile", explicit=True, format_func=words)
    others = [_NOBODY, *(other for other in names if other != name)]
    beside = choose(right, "Beside", others, "beside", noun="participant", format_func=words)
    show_notices()
    shown = [name] if beside == _NOBODY else [name, beside]
    beside_boards = cached.states_of_bench(state)
    frames = {each: strengths(state, beside_boards, each) for each in shown}
    narrowed = bool(beside_boards and [*varieties(state)])
    for place, (column, each) in enumerate(zip(st.columns(len(shown)), shown, strict=True)):
        with column:
            _show_profile(state, each, place)
            _show_strengths(frames, each, place, narrowed=narrowed)
            _show_records(state, each, place)
            _show_relatives(state, each, place)
            _show_readings(state, each, place)
    _show_making(state, tuple(shown))


def _show_profile(state: BoardState, name: str, place: int) -> None:
    row = find_row(state, name)
    if row is None:
        show_empty_state("Not on this board.", "Choose another participant.")
        return
    with st.container(key=f"name-profile-{place}"):
        text(name)
    if own := cached.settings(state.board.selection.tournament).get(name):
        quiet(f"{own.debater} on {own.model}" if own.model else own.debater, f"model-{place}")
    for number, line in enumerate(profile_lines(state, row)):
        with st.container(key=f"line-{place}-{number}"):
            text(line)


def _show_strengths(
    frames: Mapping[str, pd.DataFrame], name: str, place: int, *, narrowed: bool
) -> None:
    """Show a participant's ratings by dimension and category, on one scale for all shown.

    Args:
        narrowed: whether the rest of the page is of one language, or by another rating model.
    """
    frame, every = frames[name], pd.concat(list(frames.values()))
    if frame.empty:
        return
    st.header("Strengths", anchor=False)
    quiet("Elo overall, by dimension and by category, with 95 % intervals.", f"elo-{place}")
    if narrowed:
        quiet("These are of all languages, by the usual rating model.", f"elo-of-{place}")
    words = frame.assign(participant=frame["participant"].map(capital))
    room = 0.03 * (every["upper"].max() - every["lower"].min())
    span = (every["lower"].min() - room, every["upper"].max() + room)
    show_chart(
        lambda colours: draw_intervals(words, theme=colours).update_xaxes(range=span),
        words,
        key=f"strengths-{place}",
        name=(name, "strengths"),
        alt=f"Ratings of {name} by dimension and category",
    )


def _show_records(state: BoardState, name: str, place: int) -> None:
    debates = cached.state_debates(state)
    st.header("By side", anchor=False)
    sides = by_side(debates, name)
    files = table_files(sides, name, "sides")
    show_table(sides, _SIDES, key=f"sides-{place}", alt=f"Sides of {name}", files=files)
    _show_lost(state, name, place)
    met = opponents(state, debates, name)
    st.header("Opponents", anchor=False)
    if met.empty:
        quiet("None yet.", f"no-opponents-{place}")
        return
    best, worst = met.iloc[0]["opponent"], met.iloc[-1]["opponent"]
    if best != worst:
        quiet(f"Best against {best}, worst against {worst}. Click on one.", f"best-{place}")
    clicked = show_table(
        met,
        _OPPONENTS,
        key=f"opponents-{place}",
        narrow=_OPPONENTS_NARROW,
        alt=f"Opponents of {name}",
        opens=True,
        files=table_files(met, name, "opponents"),
    )
    if clicked is not None:
        opponent = str(met["opponent"].iloc[clicked])
        go_to("head-to-head", **board_choices(state), first=name, second=opponent)


def _show_lost(state: BoardState, name: str, place: int) -> None:
    """Show links to the debates that a participant lost, by side, and by category as well."""
    own = board_choices(state)
    named = cached.stored_selections(state.board.selection.tournament)["category"].unique()
    categories = () if "category" in own else sorted(set(map(str, named)) - {"all"})
    for side in ("pro", "con"):
        with st.container(horizontal=True, key=f"lost-{side}-{place}"):
            for category in ("", *categories):
                chosen = {"participant": name, "side": side, "result": "lost"}
                chosen |= {"category": category} if category else {}
                words = ", ".join(filter(None, (f"Lost as {side.capitalize()}", category)))
                show_link("debates", words, "list", **own, **chosen)


def _show_relatives(state: BoardState, name: str, place: int) -> None:
    settings = cached.settings(state.board.selection.tournament)
    alike = relatives(state, settings, name)
    if not alike:
        return
    st.header("The same debater otherwise", anchor=False)
    rows = [(each.name, each.difference, each.elo) for each in alike]
    frame = pd.DataFrame(rows, columns=["participant", "difference", "elo"])
    show_table(
        frame,
        _RELATIVES,
        key=f"relatives-{place}",
        narrow=_RELATIVES_NARROW,
        alt=f"Variants of {name}",
        files=table_files(frame, name, "variants"),
    )


def _show_readings(state: BoardState, name: str, place: int) -> None:
    own = board_choices(state)
    readings = cached.telling_debates(state, name)
    if readings:
        st.header("Its most telling debates", anchor=False)
    for number, reading in enumerate(readings):
        key = f"{place}-{number}"
        with st.container(border=True, key=f"reading-{key}"):
            with st.container(key=f"agent-{key}"):
                text(f"{reading.title}: {reading.motion}")
            text(reading.why)
            quiet(reading.result, f"reading-result-{key}")
            debate_id = reading.debate_ids[0]
            show_link("transcript", "Read it", "description", **own, debate=debate_id)
            words, choices = "How its speeches were made", {"debate": debate_id, "made": name}
            show_link("transcript", words, "account_tree", **own, **choices)
    show_link("debates", "All its debates", "list", **own, participant=name)


def _show_making(state: BoardState, names: tuple[str, ...]) -> None:
    """Show how participants' speeches were made; it is read when it is opened."""
    with st.expander(
        "How the speeches are made: turns, searches, revisions, faults", key="making",
        on_change="rerun",
    ) as opened:  # fmt: skip
        if not opened.open:
            return
        makings = cached.making_of(state, names)
        if not makings:
            quiet("No speeches are stored.", "no-speeches")
            return
        for place, table in enumerate(making_tables(makings, title="")):
            with st.container(key=f"agent-making-{place}"):
                text(table.title.removeprefix(" · ").capitalize())
            files = table_files(table_frame(table), *names, "making", str(place + 1))
            show_text_table(table, key=f"making-{place}", alt=table.title, files=files)
            show_lines(table.notes, f"making-{place}")
