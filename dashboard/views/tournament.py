"""The page of a tournament while it runs: how far it is, what it costs, what fails, who leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.console.run_status import ENDS, RunStatus
from arena.console.settings_text import format_purse
from arena.errors import ConfigError
from arena.output.line_charts import draw_course
from arena.text import counted, plain
from arena.tournament.figures import (
    format_seconds,
    format_traffic,
    format_troubles,
)
from dashboard import cached
from dashboard.addresses import go_to, show_notices
from dashboard.boards import theme
from dashboard.debate_list import MOST_RATED
from dashboard.elements import guarded, open_page, quiet, show_basis, show_no_debates
from dashboard.gone import explain_unreadable
from dashboard.live import LiveState, read_course, read_live, read_status_json
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, database
from dashboard.tables import (
    file_name,
    show_downloads,
    show_rows,
    show_table,
    show_tiles,
    table_files,
)
from dashboard.tournament_text import (
    format_money,
    format_outcome,
    format_result,
    format_since,
    format_time_left,
    resume_command,
    run_command,
)
from dashboard.views import comparison
from dashboard.views.debates import choose_bench

_MODELS = {
    "model": st.column_config.TextColumn("Model", width="medium"),
    "state": st.column_config.TextColumn("State", width="medium"),
    "finished": st.column_config.NumberColumn("Answered", width="small"),
    "in_flight": st.column_config.NumberColumn("In flight", width="small"),
    "waiting": st.column_config.NumberColumn("Waiting", width="small"),
    "limit": st.column_config.NumberColumn("Limit", help="Calls at once, at most", width="small"),
    "failed": st.column_config.NumberColumn(
        "Failed", help="Attempts without an answer", width="small"
    ),
    "address": st.column_config.TextColumn("Address", width="medium"),
}
_ENDED = {
    "ended": st.column_config.TextColumn("Ended", width=76),
    "result": st.column_config.TextColumn("Result", width=96),
    "pro": st.column_config.TextColumn("Pro", width=146),
    "con": st.column_config.TextColumn("Con", width=146),
    "motion": st.column_config.TextColumn("Motion", width=300),
    "usd": st.column_config.NumberColumn("USD", format="%.4f", width=70),
}
_ENDED_NARROW = {"result": 92, "pro": 130, "con": 130}
_FAILURES = {
    "kind": st.column_config.TextColumn("What", width="medium"),
    "count": st.column_config.NumberColumn("Times", width="small"),
    "reason": st.column_config.TextColumn("Why", width="large"),
    "example": st.column_config.TextColumn("Debate", width="small"),
}


def page(links: Mapping[str, StreamlitPage]) -> None:
    """Show how far a tournament is, follow its run, and compare it with others."""
    tournament, (bench_place, _) = open_page("Tournament", widths=(4, 4, 8))
    if tournament is None:
        return
    bench = choose_bench(bench_place, tournament.name)
    show_notices()
    state = _read(tournament.name, bench)
    if state is None:
        return
    is_idle = state.status.outcome in ENDS
    pause = IDLE_SECONDS if is_idle else PLAYING_SECONDS
    follow = st.fragment(guarded(_follow), run_every=pause)
    follow(tournament.name, bench, links["transcript"], is_idle)
    comparison.show(tournament.name, bench)


def _read(tournament: str, bench: str) -> LiveState | None:
    """Read the state of a tournament; where it has been deleted, say so."""
    try:
        return read_live(database(), tournament, bench)
    except ConfigError as error:
        explain_unreadable(tournament, error)
        return None


def _follow(
    tournament: str,
    bench: str,
    transcript: StreamlitPage,
    was_idle: bool,  # noqa: FBT001
) -> None:
    """Draw what changes during a run; `bench` is '' for the first one."""
    state = _read(tournament, bench)
    if state is None:
        return
    if was_idle and state.status.outcome == "running":
        st.rerun()  # a run has begun: the page looks more often from now on
    status = state.status
    if not sum(status.debates.values()) and not status.others:
        show_no_debates()
        return
    _show_progress(state)
    _show_numbers(state)
    name = file_name(tournament, "status", ending="json")
    content = partial(read_status_json, database(), tournament)
    show_downloads({"All of this as JSON": (name, content)}, key="status")
    if status.target:
        st.caption(status.target)
    if status.way_on:
        st.caption(f"{status.way_on}:")
        st.code(run_command(database()), language=None, wrap_lines=True)
    if status.outcome in ("left", "flawed"):
        st.caption("Go on with:" if status.outcome == "left" else "Try what failed again with:")
        st.code(resume_command(status.tournament, database()), language=None, wrap_lines=True)
    _show_models(status)
    _show_failures(state)
    _show_last(state, transcript)
    _show_course(tournament, bench)


def _show_progress(state: LiveState) -> None:
    status = state.status
    ended = status.debates["finished"] + status.debates["forfeit"]
    st.progress(
        min(1.0, status.share),
        text=f"{status.format_share()} · {format_outcome(status)}",
    )
    quiet(f"State of {state.at:%Y-%m-%d %H:%M:%S} UTC, {counted(ended, 'debate')} ended.", "state")
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
    yield "Spent, USD", *format_money(status)
    if figures is not None and status.outcome == "running":
        yield "Time left", format_time_left(figures), "From the calls left of the slowest model."
        yield "Running for", format_seconds(figures.seconds), ""


def _show_models(status: RunStatus) -> None:
    run = status.last_run.state
    if run is None or not run.models:
        return
    st.header("Models" if status.outcome == "running" else "Models of the last run", anchor=False)
    frame = pd.DataFrame([dict(model) for model in run.models])
    frame["state"] = [plain(str(trouble)) or "well" for trouble in frame["trouble"]]
    show_rows(frame, _MODELS, key="models")
    files = table_files(frame[list(_MODELS)], status.tournament, "models")
    show_downloads(files, key="models")


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
    show_rows(frame, _FAILURES, key="failures")
    files = table_files(frame, state.status.tournament, "failures")
    show_downloads(files, key="failures")


_EVENTS = {
    "search": "Searches that failed",
    "dropped": "Parameters left out",
    "set aside": "Journals set aside",
}


def _show_last(state: LiveState, transcript: StreamlitPage) -> None:
    last = state.last
    st.header("The last debates", anchor=False)
    if last.empty:
        quiet("No debate has ended yet. They appear here as they end.", "no-last")
        return
    quiet(f"Results by the bench {state.bench}.", "last-bench")
    frame = last.assign(
        ended=[format_since(moment) for moment in last["finished_at"]],
        result=[format_result(row) for row in last.to_dict("records")],
    )
    clicked = show_table(
        frame, _ENDED, key="last", narrow=_ENDED_NARROW, alt="The last debates", opens=True
    )
    show_downloads(table_files(last, state.status.tournament, "last-debates"), key="last")
    if clicked is not None:
        go_to(transcript, bench=state.bench, debate=str(last["debate_id"].iloc[clicked]))


def _show_course(tournament: str, bench: str) -> None:
    board = cached.overall_state(database(), tournament, bench)
    if board is None:
        return
    heading = "Ratings over the debates"
    if len(board.board.rows) > MOST_RATED:
        st.header(heading, anchor=False)
        quiet(f"They are not drawn for more than {MOST_RATED} participants.", "course-words")
        return
    course = read_course(database(), board)
    if course.empty:
        return
    st.header(heading, anchor=False)
    show_basis(board)
    quiet(f"Rated by the bench {board.board.selection.bench}.", "course-bench")
    quiet(
        "Elo after the debates that had ended by then. Lines that have become level say that more "
        "debates will change little.",
        "course-words",
    )
    st.plotly_chart(
        draw_course(course, theme=theme()), config={"displayModeBar": False}, key="course"
    )
