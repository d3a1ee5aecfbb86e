"""The ballots of one debate: who won by bench, run and dimension, and the judges' words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields

import pandas as pd
import streamlit as st

from arena.boards.votes import format_votes
from arena.languages import ENGLISH, Side
from arena.read.ballots import BallotRow
from arena.records import Verdict
from arena.report.debate_result import BenchDecision
from arena.text import plain
from dashboard.elements import capital, label, quiet, text
from dashboard.hidden import hide_values
from ratings import CON_WINS, PRO_WINS, TIE


def by_dimension(ballots: Iterable[BallotRow]) -> pd.DataFrame:
    """Return a row per bench, run and dimension, `overall` first, and one of a lost ballot.

    Columns: bench, run, status, reason, voter, and those of a verdict, NaN where there is none.
    """
    columns = ["bench", "run", "status", "reason", "voter"]
    verdict = [field.name for field in fields(Verdict)]
    rows = []
    for ballot in sorted(ballots, key=lambda ballot: (ballot.bench, ballot.run)):
        head = {name: getattr(ballot, name) for name in columns}
        ordered = sorted(ballot.verdicts, key=lambda each: each.dimension != "overall")
        rows += [head | asdict(each) for each in ordered] or [head]
    frame = pd.DataFrame(rows, columns=[*columns, *verdict])
    return frame.astype(dict.fromkeys(("outcome", "pro_mark", "con_mark"), float))


def show(ballots: pd.DataFrame, sides: Mapping[Side, str] = ENGLISH.sides) -> None:
    """Show all ballots of a debate."""
    st.header("Ballots", anchor=False)
    if ballots.empty:
        quiet("None yet.", "no-ballots")
        return
    marks = f"the marks of {sides['pro']} and {sides['con']} (1 to 10)"
    st.caption(f"The winner of each dimension, with {marks} if the judge gives marks.")
    for place, (bench, verdicts) in enumerate(ballots.groupby("bench", sort=False)):
        _show_bench(str(bench), verdicts, place, sides)


def show_decisions(decisions: Iterable[BenchDecision]) -> None:
    """Show who won by each bench, and what its judges found decisive."""
    for place, decision in enumerate(decisions):
        with st.container(key=f"decision-{place}", gap=None):
            with st.container(key=f"result-{place}"):
                text(decision.sentence)
            for number, reason in enumerate(decision.reasons):
                quiet(capital(reason), f"reason-{place}-{number}")


def table(verdicts: pd.DataFrame, sides: Mapping[Side, str] = ENGLISH.sides) -> pd.DataFrame:
    """Return the verdicts of one bench: a row per run, a column per dimension, `overall` first."""
    winners = _winners(sides)
    valid = verdicts[verdicts["status"] == "valid"]
    cells = [
        f"{winners[outcome]}{_format_marks(pro, con)}"
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


def _format_marks(pro: float, con: float) -> str:
    return "" if pd.isna(pro) or pd.isna(con) else f"  {pro:.3g} : {con:.3g}"


def votes_line(verdicts: pd.DataFrame, sides: Mapping[Side, str] = ENGLISH.sides) -> str:
    """Format the scores and the majority of people's votes; '' where fewer than two voted."""
    voted = verdicts[(verdicts["voter"] != "") & (verdicts["dimension"] == "overall")]
    return format_votes(voted["outcome"].tolist(), _winners(sides))


def _winners(sides: Mapping[Side, str]) -> dict[float, str]:
    return {PRO_WINS: sides["pro"], TIE: "Tie", CON_WINS: sides["con"]}


def _show_bench(bench: str, verdicts: pd.DataFrame, place: int, sides: Mapping[Side, str]) -> None:
    with st.container(key=f"name-bench-{place}"):
        text(f"Bench {bench}")
    valid = verdicts[verdicts["status"] == "valid"]
    if not valid.empty:
        st.dataframe(table(verdicts, sides), hide_index=True, key=f"verdicts-{place}")
    if votes := votes_line(verdicts, sides):
        quiet(votes, f"votes-{place}")
    lost = verdicts.loc[verdicts["status"] != "valid", ["run", "status", "reason"]]
    for run, status, reason in lost.itertuples(index=False):
        how = "failed" if status == "failed" else "ended in an error of the judge's code"
        quiet(f"Run {run + 1} {how}: {plain(hide_values(reason))}", f"{status}-{place}-{run}")
    if valid.empty:
        return  # nothing was judged: there are no comments
    with st.expander("The judges' comments", key=f"words-{place}"):
        _show_comments(valid, sides)


def _show_comments(valid: pd.DataFrame, sides: Mapping[Side, str]) -> None:
    """Show what the judges wrote, a tab per run."""
    winners = _winners(sides)
    runs = list(valid["run"].unique())
    for tab, run in zip(st.tabs([f"Run {run + 1}" for run in runs]), runs, strict=True):
        with tab:
            for row in valid[valid["run"] == run].itertuples():
                winner = winners[float(row.outcome)]
                marks = _format_marks(float(row.pro_mark), float(row.con_mark))
                st.caption(f"{label(str(row.dimension))}: {winner}{marks}")
                if row.voter:
                    quiet(f"Judged by {row.voter}", f"voter-{row.bench}-{run}-{row.dimension}")
                text(str(row.comment))
