"""The page of two participants head to head: who is better, points, then debate by debate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.column_config import TextColumn

from arena.boards.states import BoardState
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.output.formats import as_json
from arena.output.tables import Table, as_csv
from arena.report.versus import Versus, format_answer, versus_content, versus_table
from arena.store.database import Store
from dashboard import cached
from dashboard.addresses import choose, current_choices, go_to, show_notices
from dashboard.boards import board_choices, board_page
from dashboard.elements import capital, label, quiet, show_empty_state, show_lines, text
from dashboard.letters import WIDE_BOX_PIXELS, fit_box
from dashboard.pairs import PairDebates
from dashboard.settings import database
from dashboard.tables import Files, named_files, show_downloads, show_table, table_files

_FILTERS = ("category", "time", "language")


def page() -> None:
    """Compare two participants, and follow a run."""
    board_page(
        "Head to head",
        _show,
        filters=_FILTERS,
        why="it shows the points on every dimension, which no rating model changes",
    )


def _show(state: BoardState) -> None:
    if len(state.board.rated) < 2:
        show_empty_state("No pairs yet.", "Two rated participants or more can be compared.")
        return
    answer = st.container(key="summary")
    with st.container(key="choices-pair"):
        left, right = st.columns(2)
    names = [row.participant for row in state.board.rows]
    pick = partial(choose, explicit=True, format_func=fit_box(names, WIDE_BOX_PIXELS))
    first = pick(left, "First", names, "first", noun="first participant")
    others = [name for name in names if name != first]
    second = pick(right, "Second", others, "second", noun="second participant")
    show_notices()
    meeting = cached.meeting(state, first, second)
    with answer:
        text(format_answer(meeting.pair))
    if not meeting.pair.debates:
        chosen = current_choices(*_FILTERS)
        show_empty_state(
            f"These two have no judged debate {'that fits the filters' if chosen else 'yet'}.",
            "The matrix of counts on the page Win rates shows who has met whom.",
            filters=tuple(chosen),
        )
        return
    _show_points(meeting.pair, state)
    st.header("Debate by debate", anchor=False)
    quiet(
        f"Both debates of a matchup stand together; the side is that of {first}. Click on a debate "
        "to read it.",
        "debates",
    )
    clicked = show_table(
        debates_table(meeting, first),
        _columns(meeting),
        key="meetings",
        narrow={"motion": 150, "side": 56, "points": 62, "won overall": 86},
        alt=f"Debates of {first} and {second}",
        opens=True,
        lines=2,
        files=table_files(meeting.frame, first, second, "debates"),
    )
    if clicked is not None:
        debate_id = str(meeting.frame["debate_id"].iloc[clicked])
        go_to("transcript", **board_choices(state), debate=debate_id)


def _show_points(pair: Versus, state: BoardState) -> None:
    table = versus_table(pair, title="")
    columns = {
        "dimension": TextColumn("Dimension", width=110),
        "first": TextColumn(pair.first, width=120),
        "second": TextColumn(pair.second, width=120),
        "interval": TextColumn("95 % interval", width=120),
        "p": TextColumn("p", width=70),
        "debates": TextColumn("Debates", width=80),
    }
    frame = pd.DataFrame(list(table.rows), columns=list(columns))
    frame["dimension"] = frame["dimension"].map(capital)
    show_table(
        frame,
        columns,
        key="points",
        narrow={"dimension": 84, "first": 78, "second": 78, "interval": 106},
        alt=f"Points of {pair.first} and {pair.second}",
    )
    show_lines(table.notes, "points")
    show_downloads(_files(pair, table, state), key="pair")


def _files(pair: Versus, table: Table, state: BoardState) -> Files:
    """Return the points as files, which equal what `arena versus` prints."""
    contents: dict[str, Callable[[], str]] = {"CSV": lambda: as_csv(table)}
    with suppress(ConfigError):  # of another version: the page still shows the figures
        resolved = stored_config(Store(database()), state.board.selection.tournament)
        content = versus_content(pair, resolved, state.board.selection)
        contents["JSON"] = lambda: f"{as_json(content)}\n"
    return named_files(pair.first, pair.second, **contents)


def debates_table(meeting: PairDebates, first: str) -> pd.DataFrame:
    """Return a row per debate of two participants: motion, sides, winner, points, dimensions."""
    frame = meeting.frame
    is_pro = frame["pro"] == first
    own = frame["pro_score"].where(is_pro, frame["con_score"])
    other = frame["con_score"].where(is_pro, frame["pro_score"])
    return pd.DataFrame(
        {
            "motion": frame["motion"],
            "category": frame["category"],
            "side": is_pro.map({True: "Pro", False: "Con"}),
            "points": [f"{a:.3g} : {b:.3g}" for a, b in zip(own, other, strict=True)],
            **{
                f"won {name}": frame[f"won {name}"].fillna("–").replace("", "tie")
                for name in meeting.dimensions
            },
        }
    )


def _columns(meeting: PairDebates) -> dict[str, object]:
    columns: dict[str, object] = {
        "motion": TextColumn("Motion", width=340),
        "category": TextColumn("Category", width=80),
        "side": TextColumn("Side", width=60),
        "points": TextColumn("Points", width=80),
    }
    for name in meeting.dimensions:
        words = "Winner" if name == "overall" else label(name)
        columns[f"won {name}"] = TextColumn(words, width=130)
    return columns
