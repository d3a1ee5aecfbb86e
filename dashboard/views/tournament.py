"""The page of a tournament while it runs: how far it is, what it costs, what fails, who leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from arena.llm.budget import format_purse
from arena.output.line_charts import MOST_LINES, draw_rating_history
from arena.read.run_status import ENDS, RunStatus
from arena.report.debate_list import MOST_RATED
from arena.store.database import Store
from arena.text import counted, format_cap, format_seconds, plain
from arena.tournament.figures import format_left, format_traffic, format_troubles
from dashboard import cached
from dashboard.addresses import go_to, show_notices
from dashboard.elements import (
    guarded,
    open_page,
    quiet,
    read_or_explain,
    show_basis,
    show_moment,
    show_no_debates,
    text,
)
from dashboard.live import LiveState, read_status_json
from dashboard.settings import (
    IDLE_SECONDS,
    PLAYING_SECONDS,
    database,
    database_option,
)
from dashboard.show_charts import show_chart
from dashboard.tables import file_name, show_downloads, show_table, show_tiles, table_files
from dashboard.views import comparison
from dashboard.views.debates import choose_bench, fold_line

_MODELS = {
    "model": TextColumn("Model", width="medium"),
    "state": TextColumn("State", width="medium"),
    "finished": NumberColumn("Answered", width="small"),
    "in_flight": NumberColumn("In flight", width="small"),
    "waiting": NumberColumn("Waiting", width="small"),
    "limit": NumberColumn("Limit", help="Calls at once, at most", width="small"),
    "failed": NumberColumn("Failed", help="Attempts without an answer", width="small"),
    "address": TextColumn("Address", width="medium"),
}
_ENDED = {
    "ended": TextColumn("Ended", width=124),
    "result": TextColumn("Result", width=96),
    "pro": TextColumn("Pro", width=146),
    "con": TextColumn("Con", width=146),
    "motion": TextColumn("Motion", width=300),
    "usd": NumberColumn("USD", format="%.4f", width=70),
}
_ENDED_NARROW = {"result": 92, "pro": 130, "con": 130}
_FAILURES = {
    "kind": TextColumn("What", width="medium"),
    "count": NumberColumn("Times", width="small"),
    "reason": TextColumn("Why", width="large"),
    "example": TextColumn("Debate", width="small"),
}
_FAILURES_NARROW = {"kind": 112, "count": 56, "reason": 190}


def page() -> None:
    """Show how far a tournament is, follow its run, and compare it with others."""
    tournament, (bench_place, _) = open_page(
        "Tournament", widths=(4, 4, 8), fold=partial(fold_line, names=())
    )
    if not tournament:
        return
    bench = choose_bench(bench_place, tournament)
    show_notices()
    state = read_or_explain(cached.live_state, tournament, bench)
    if state is None:
        return
    is_idle = state.status.outcome in ENDS
    pause = IDLE_SECONDS if is_idle else PLAYING_SECONDS
    st.fragment(guarded(_follow), run_every=pause)(tournament, bench, is_idle)
    comparison.show(tournament, bench)


def _follow(tournament: str, bench: str, was_idle: bool) -> None:  # noqa: FBT001
    """Draw what changes during a run; `bench` is '' for the first one."""
    state = read_or_explain(cached.live_state, tournament, bench)
    if state is None:
        return
    if was_idle and state.status.outcome == "running":
        st.rerun()  # a run has begun: the page looks more often from now on
    status = state.status
    if not sum(status.debates.values()) and not status.others:
        show_no_debates()
        return
    _show_attention(status)
    _show_progress(state)
    _show_numbers(state)
    _show_next_dollars(tournament, state)
    name = file_name(tournament, "status", ending="json")
    content = partial(read_status_json, Store(database()), tournament)
    show_downloads({"All of this as JSON": (name, content)}, key="status")
    _show_models(status)
    _show_failures(state)
    _show_last(state)
    _show_course(tournament, bench)


def _show_attention(status: RunStatus) -> None:
    """Show one line per matter, the worst first, and its command; nothing without a matter."""
    if status.matters:
        st.header("Needs attention", anchor=False)
    for place, matter in enumerate(status.matters):
        quiet(f"{matter.sentence}\n{matter.command}", f"attention-{place}")


def _show_progress(state: LiveState) -> None:
    status = state.status
    ended = status.debates["finished"] + status.debates["forfeit"]
    st.progress(
        min(1.0, status.share),
        text=f"{status.format_share()} · {status.words}",
    )
    show_moment(state.at, f"{counted(ended, 'debate')} ended")
    if status.others:
        quiet(f"Not counted: {status.format_others()}.", "others")


def _show_numbers(state: LiveState) -> None:
    """Show the main numbers, and how the calls of a run go."""
    show_tiles(_tiles(state))
    for place, purse in enumerate(state.status.purses):
        quiet(f"Spent of a further cap: {format_purse(purse)}.", f"cap-{place}")
    figures = state.figures
    if figures is not None and state.status.outcome == "running":
        quiet(f"This run: {format_traffic(figures)}.", "traffic")
        for place, line in enumerate(format_troubles(figures)):
            quiet(line, f"trouble-{place}")


def _tiles(state: LiveState) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and explanation of each tile."""
    status, figures = state.status, state.figures
    total = sum(status.debates.values())
    listed = ", ".join(f"{number} {name}" for name, number in status.debates.items() if number)
    yield "Debates finished", f"{status.debates['finished']} of {total}", listed
    ballots = f"{status.ballots['valid']} of {status.ballots_planned}"
    yield "Ballots", ballots, status.format_ballots()
    yield "Spent, USD", *_format_money(status)
    if figures is not None and status.outcome == "running":
        left = format_left(figures) or "almost done"
        yield "Time left", left.split("; ")[0].removesuffix(" left"), left
        yield "Running for", format_seconds(figures.seconds), ""


def _format_money(status: RunStatus) -> tuple[str, str]:
    """Return what was spent against the cap, and what it consists of."""
    cap = "" if status.cap is None else f" of {format_cap(status.cap)}"
    more = "No spending cap." if status.cap is None else f"The cap is {format_cap(status.cap)} USD."
    if status.reserved_usd:
        more += (
            f" Up to {status.reserved_usd:.4f} USD more are reserved for answers that were cut "
            "off, whose bill is not known."
        )
    return f"{status.usd:.{3 if 0 < status.usd < 1 else 2}f}{cap}", more


def _show_next_dollars(tournament: str, state: LiveState) -> None:
    """Say what further dollars would best be spent on, once nobody works on the tournament."""
    if state.status.outcome not in ENDS:
        return
    if sentence := cached.next_dollars(tournament, state.bench):
        with st.container(border=True, key="next-dollars"):
            st.header("Next dollars", anchor=False)
            text(sentence)
            quiet(f"For another amount: arena plan --usd 20 {database_option()}", "next-dollars")


def _show_models(status: RunStatus) -> None:
    run = status.last_run.state
    if run is None or not run.models:
        return
    st.header("Models" if status.outcome == "running" else "Models of the last run", anchor=False)
    frame = pd.DataFrame([dict(model) for model in run.models])
    frame["state"] = [plain(str(trouble)) or "well" for trouble in frame["trouble"]]
    files = table_files(frame[list(_MODELS)], status.tournament, "models")
    show_table(frame, _MODELS, key="models", files=files)


def _show_failures(state: LiveState) -> None:
    rows = [
        {"kind": failure.kind, "count": failure.count, "reason": plain(failure.reason)}
        | {"example": failure.example}
        for failure in state.failures
    ]
    run = state.status.last_run.state
    for kind, causes in (run.failures if run else {}).items():
        if kind in ("search", "dropped", "set aside"):  # the others are stored with their debates
            rows += [
                {"kind": _EVENTS[kind], "count": cause["count"], "reason": plain(cause["reason"])}
                | {"example": cause["example"]}
                for cause in causes
            ]
    st.header("Failures", anchor=False)
    if not rows:
        quiet("Nothing has failed.", "no-failures")
        return
    frame = pd.DataFrame(rows)
    files = table_files(frame, state.status.tournament, "failures")
    show_table(frame, _FAILURES, key="failures", narrow=_FAILURES_NARROW, files=files)


_EVENTS = {
    "search": "Searches that failed",
    "dropped": "Parameters left out",
    "set aside": "Journals set aside",
}


def _show_last(state: LiveState) -> None:
    last = state.last
    st.header("The last debates", anchor=False)
    if last.empty:
        quiet("No debate has ended yet. They appear here as they end.", "no-last")
        return
    quiet(f"Results by the bench {state.bench}.", "last-bench")
    frame = last.assign(
        ended=[_format_since(moment) for moment in last["finished_at"]],
        result=[format_result(row) for row in last.to_dict("records")],
    )
    clicked = show_table(
        frame,
        _ENDED,
        key="last",
        narrow=_ENDED_NARROW,
        alt="The last debates",
        opens=True,
        files=table_files(last, state.status.tournament, "last-debates"),
    )
    if clicked is not None:
        go_to("transcript", bench=state.bench, debate=str(last["debate_id"].iloc[clicked]))


def _format_since(moment: object) -> str:
    """Format when a debate ended: the time of day, UTC, and the date where it is not today's."""
    at = pd.Timestamp(moment)  # type: ignore[arg-type]
    if pd.isna(at):
        return ""
    at = at.tz_convert("UTC")
    today = pd.Timestamp.now(tz="UTC").date()
    return f"{at:%H:%M:%S}" if at.date() == today else f"{at:%Y-%m-%d %H:%M}"


def format_result(row: Mapping[Any, Any]) -> str:
    """Format how a debate ended, by the ballots of one bench.

    >>> format_result({"status": "finished", "pro_score": 2.5, "con_score": 0.5})
    'Pro 2.5 : 0.5'
    >>> format_result({"status": "void", "pro_score": None, "con_score": None})
    'void'
    """
    if row["status"] != "finished":
        return str(row["status"])
    if pd.isna(row["pro_score"]):
        return "not judged yet"
    pro, con = float(row["pro_score"]), float(row["con_score"])
    winner = "Tie" if pro == con else "Pro" if pro > con else "Con"
    return f"{winner} {pro:g} : {con:g}"


def _show_course(tournament: str, bench: str) -> None:
    board = cached.overall_state(tournament, bench)
    if board is None:
        return
    heading = "Ratings over the debates"
    if len(board.board.rows) > MOST_RATED:
        st.header(heading, anchor=False)
        quiet(f"They are not drawn for more than {MOST_RATED} participants.", "course-words")
        return
    course = cached.course(board)
    if course.empty:
        return
    st.header(heading, anchor=False)
    show_basis(board)
    quiet(f"Rated by the bench {board.board.selection.bench}.", "course-bench")
    quiet(
        "Elo after the debates that had ended by then, with 95 % intervals. Lines that have become "
        "level say that more debates will change little.",
        "course-words",
    )
    if course["participant"].nunique() > MOST_LINES:
        quiet(f"The best {MOST_LINES} are drawn; the files below hold all.", "course-most")
    show_chart(
        lambda colours: draw_rating_history(course, theme=colours),
        course,
        key="course",
        name=(tournament, board.board.selection.bench, "course"),
    )
