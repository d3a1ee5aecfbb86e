"""The queries of `dashboard.queries`, cached: all viewers share one query every two seconds."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from arena.boards.comparisons import Selection
from arena.boards.matrix import Kind, Matrix
from arena.console.run_status import LastRun, read_last_run
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches
from dashboard import queries
from dashboard.queries import Standings
from dashboard.settings import PLAYING_SECONDS

_shared = st.cache_data(ttl=PLAYING_SECONDS, max_entries=200, show_spinner=False)


@_shared
def tournaments(db: str) -> pd.DataFrame:
    """Return `queries.tournaments`."""
    return queries.tournaments(_store(db))


@_shared
def boards(db: str, tournament: str) -> pd.DataFrame:
    """Return `queries.boards`."""
    return queries.boards(_store(db), tournament)


@_shared
def standings(db: str, selection: Selection) -> Standings:
    """Return `queries.standings`."""
    return queries.standings(_store(db), selection)


@_shared
def win_rates(db: str, selection: Selection, kind: Kind) -> Matrix | None:
    """Return `queries.win_rates`."""
    return queries.win_rates(_store(db), selection, kind)


@_shared
def progress(db: str, tournament: str) -> pd.DataFrame:
    """Return `queries.progress`."""
    return queries.progress(_store(db), tournament)


@_shared
def last_run(db: str, tournament: str) -> LastRun:
    """Return `read_last_run`."""
    return read_last_run(_store(db), tournament)


@_shared
def debates(db: str, tournament: str) -> pd.DataFrame:
    """Return `queries.debates`; the page filters what all viewers share."""
    return queries.debates(_store(db), tournament)


@_shared
def debate(db: str, debate_id: str) -> pd.DataFrame:
    """Return `queries.debate`."""
    return queries.debate(_store(db), debate_id)


@_shared
def ballots(db: str, debate_id: str) -> pd.DataFrame:
    """Return `queries.ballots`."""
    return queries.ballots(_store(db), debate_id)


@_shared
def speeches(db: str, debate_id: str) -> tuple[Speech, ...]:
    """Return the speeches of a debate in speaking order."""
    return read_speeches(_store(db), [debate_id]).get(debate_id, ())


def _store(db: str) -> Store:
    return Store(Path(db))
