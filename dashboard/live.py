"""What the page of a tournament shows, read in one state of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pandas as pd

from arena.boards.next_dollars import MOST_PLANNED, suggest_sentence
from arena.boards.rating_history import rating_history
from arena.boards.selection import Selection, select
from arena.boards.states import BoardState
from arena.config.resolved import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.output.formats import as_json
from arena.read.attention import Matter
from arena.read.ballots import read_ballots
from arena.read.calls import read_calls
from arena.read.debates import read_last_debates
from arena.read.run_figures import run_figures
from arena.read.run_status import RunStatus, read_status, status_content
from arena.read.schedule_results import ScheduleResult, read_schedule_result
from arena.read.selected import Narrowing
from arena.report.overview.changes import State, changes_since, state_at
from arena.report.overview.failures import Failure, failures
from arena.store.database import Store
from arena.tournament.figures import Figures
from dashboard.hidden import find_hidden, hide, hide_in_run, hide_values

#: Debates that a list of the last ones shows, and what it shows of each.
LAST = 12
_SHOWN = ("finished_at", "debate_id", "motion", "pro", "con", "status", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveState:
    """A tournament at a moment.

    Attributes:
        status: what is done and left, and who works on it; without standings.
        figures: of the run that works now, or that ended last; `None` without one.
        last: the debates that ended last: finished_at, debate_id, motion, pro, con, status,
            reason, usd (with its ballots), pro_score, con_score (of the bench).
    """

    at: datetime
    status: RunStatus
    figures: Figures | None
    failures: tuple[Failure, ...]
    last: pd.DataFrame
    bench: str


def read_live(store: Store, tournament: str, bench: str = "") -> LiveState:
    """Read the state of a tournament.

    Args:
        bench: whose verdicts are shown; '' for the default one.

    Raises:
        ConfigError: the tournament is gone.
    """
    with store.one_state():
        resolved = stored_config(store, tournament)
        bench = bench or resolved.board_benches[0]
        status = read_status(store, resolved, rated=False)
        hidden = find_hidden(resolved, status.last_run.state)
        status = _without_hidden(resolved, status)
        run = status.last_run.state
        return LiveState(
            at=datetime.now(UTC),
            status=status,
            figures=run_figures(run) if run else None,
            failures=tuple(
                replace(failure, reason=hide_values(hide(failure.reason, hidden)))
                for failure in failures(store, resolved)
            ),
            last=_read_last(store, Selection(tournament=tournament, bench=bench)),
            bench=bench,
        )


def _read_last(store: Store, selection: Selection) -> pd.DataFrame:
    debates = read_last_debates(store, selection, most=LAST)
    own = Narrowing(ids=tuple(debate.debate_id for debate in debates))
    every = replace(selection, bench="all")
    usd = {debate.debate_id: debate.cost_usd for debate in debates}
    for ballot in read_ballots(store, every, own):
        usd[ballot.debate_id] += ballot.cost_usd
    for call in read_calls(store, every, own):
        usd[call.debate_id] -= call.reserved_usd
    rows = [
        {name: getattr(debate, name) for name in _SHOWN}
        | {"usd": usd[debate.debate_id]}
        | ({"pro_score": won, "con_score": len(debate.outcomes) - won} if debate.outcomes else {})
        for debate in debates
        for won in [sum(debate.outcomes)]
    ]
    scores = dict.fromkeys(("pro_score", "con_score"), float)
    return pd.DataFrame(rows, columns=[*_SHOWN, "usd", *scores]).astype(scores)


def read_status_json(store: Store, tournament: str) -> str:
    """Return what `arena status --json` prints, without addresses that the file does not name."""
    with store.one_state():
        resolved = stored_config(store, tournament)
        status = _without_hidden(resolved, read_status(store, resolved))
    return as_json(status_content(status), indent=None) + "\n"


def read_matters(store: Store, tournament: str) -> tuple[Matter, ...]:
    """Return what needs attention in a tournament, the worst first.

    Nothing, where this version cannot read its configuration: its results still stand.
    """
    with store.one_state():
        try:
            resolved = stored_config(store, tournament)
        except ConfigError:
            return ()
        return _without_hidden(resolved, read_status(store, resolved, rated=False)).matters


def _without_hidden(resolved: ResolvedConfig, status: RunStatus) -> RunStatus:
    run = status.last_run.state
    hidden = find_hidden(resolved, run)
    status = replace(status, matters=tuple(_hide(matter, hidden) for matter in status.matters))
    if run is None or not hidden:
        return status
    return replace(status, last_run=replace(status.last_run, state=hide_in_run(run, hidden)))


def _hide(matter: Matter, hidden: Mapping[str, str]) -> Matter:
    what, cause = (hide_values(hide(words, hidden)) for words in (matter.what, matter.cause))
    return replace(matter, what=what, cause=cause)


def read_course(store: Store, state: BoardState) -> pd.DataFrame:
    """Return the ratings over the number of debates that a state counts; see `rating_history`."""
    with store.one_state():
        resolved = stored_config(store, state.board.selection.tournament)
        return rating_history(store, resolved, state.selection)


def read_schedule_of(store: Store, state: BoardState) -> ScheduleResult | None:
    """Read what the schedule of a state's tournament has decided; `None` for nothing."""
    with store.one_state():
        try:
            resolved = stored_config(store, state.board.selection.tournament)
        except ConfigError:
            return None
        return read_schedule_result(store, resolved, state.board)


def read_next_dollars(store: Store, tournament: str, bench: str) -> str:
    """Read what further dollars would best be spent on; '' where that is not known."""
    resolved = stored_config(store, tournament)
    if resolved.imported or len(resolved.participants) > MOST_PLANNED:
        return ""
    return suggest_sentence(store, resolved, select(resolved, bench=bench))


def read_moment(store: Store, tournament: str, bench: str, moment: datetime) -> State:
    """Return what the debates that had ended before a moment come to.

    Args:
        bench: whose verdicts count; the first one where the tournament has none of that name.
    """
    with store.one_state():
        resolved = stored_config(store, tournament)
        own = bench if bench in resolved.board_benches else None
        return state_at(store, resolved, select(resolved, bench=own), moment)


def compare_states(
    before: State, after: State, *, moments: bool
) -> tuple[tuple[str, ...], pd.DataFrame]:
    """Compare two states: sentences, and a table of the participants of either.

    Args:
        moments: whether they are two moments of one tournament, not two tournaments.

    Returns:
        Sentences (for moments only), and columns participant, rank_before, rank_after, before,
        after and change (Elo points; NaN where a state does not rate the participant).
    """
    names = [*after.ratings, *(name for name in before.ratings if name not in after.ratings)]
    frame = pd.DataFrame(
        {
            "participant": names,
            "rank_before": [before.ranks.get(name) for name in names],
            "before": [before.ratings.get(name) for name in names],
            "rank_after": [after.ranks.get(name) for name in names],
            "after": [after.ratings.get(name) for name in names],
        }
    ).astype({"before": float, "after": float})
    frame["change"] = frame["after"] - frame["before"]
    ordered = frame.sort_values(["rank_after", "rank_before"], na_position="last")
    sentences = changes_since(before, after, is_date=True).sentences if moments else ()
    return sentences, ordered.reset_index(drop=True)
