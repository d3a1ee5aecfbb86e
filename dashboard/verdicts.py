"""The ballots of one debate: who won by bench, run and dimension, and the judges' words."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from arena.commands.console import plain
from dashboard.elements import label, quiet, text

_WINNERS = {1.0: "Pro", 0.5: "Tie", 0.0: "Con"}


def show(ballots: pd.DataFrame) -> None:
    """Show all ballots of a debate, as `queries.ballots` gives them."""
    st.subheader("Ballots", anchor=False)
    if ballots.empty:
        quiet("None yet.", "no-ballots")
        return
    st.caption("Who won each dimension, with the marks of Pro and Con (1 to 10).")
    for place, (bench, taken) in enumerate(ballots.groupby("bench", sort=False)):
        _bench(str(bench), taken, place)


def table(taken: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of one bench: a row per run, a column per dimension, `overall` first."""
    valid = taken[taken["status"] == "valid"]
    cells = [
        f"{_WINNERS[outcome]}{_marks(pro, con)}"
        for outcome, pro, con in zip(
            valid["outcome"], valid["pro_mark"], valid["con_mark"], strict=True
        )
    ]
    wide = valid.assign(cell=cells).pivot_table(
        index="run", columns="dimension", values="cell", aggfunc="first", sort=False
    )
    wide.columns = [label(str(name)) for name in wide.columns]
    wide.insert(0, "Run", wide.index + 1)
    return wide.reset_index(drop=True)


def _marks(pro: float, con: float) -> str:
    return "" if pd.isna(pro) or pd.isna(con) else f"  {pro:.3g} : {con:.3g}"


def _bench(bench: str, taken: pd.DataFrame, place: int) -> None:
    with st.container(key=f"name-bench-{place}"):
        text(f"Bench {bench}")
    if (taken["status"] == "valid").any():
        st.dataframe(table(taken), hide_index=True, key=f"verdicts-{place}")
    for run, reason in taken.loc[taken["status"] == "failed", ["run", "reason"]].itertuples(
        index=False
    ):
        quiet(f"Run {run + 1} failed: {plain(reason)}", f"failed-{place}-{run}")
    with st.expander("The judges' words", key=f"words-{place}"):
        _words(taken[taken["status"] == "valid"])


def _words(valid: pd.DataFrame) -> None:
    runs = list(valid["run"].unique())
    for tab, run in zip(st.tabs([f"Run {run + 1}" for run in runs]), runs, strict=True):
        with tab:
            for row in valid[valid["run"] == run].itertuples():
                winner = _WINNERS[float(row.outcome)]
                marks = _marks(float(row.pro_mark), float(row.con_mark))
                st.caption(f"{label(str(row.dimension))}: {winner}{marks}")
                if row.voter:
                    quiet(f"Judged by {row.voter}", f"voter-{row.bench}-{run}-{row.dimension}")
                text(str(row.comment))
