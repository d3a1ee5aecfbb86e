"""The queries of the pages, cached: all viewers share a query until the database is written.

Whether it was written is looked up every two seconds, so a run costs each query once in that time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from arena.boards.matrix import Kind, Matrix
from arena.boards.selection import Selection
from arena.boards.states import BoardState
from arena.languages import language
from arena.languages.language import contest_language
from arena.records import Speech
from arena.report.making.dialogue import read_dialogues
from arena.report.making.records import SpeechDialogue
from arena.report.overview.reading_list import Reading
from arena.report.traces.steps import SpeechMaking
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.tournament.run_record import LastRun, read_last_run
from dashboard import debate_content, motion_list, pairs, profiles, queries, states, variants
from dashboard.debate_content import DebateContent
from dashboard.debate_list import DebatesState, read_debates
from dashboard.motion_list import StoredMotion
from dashboard.pairs import PairDebates
from dashboard.profiles import Settings
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS
from dashboard.states import BenchRanks
from dashboard.variants import METHODS, KeptMoment

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_recent = st.cache_data(ttl=PLAYING_SECONDS, max_entries=40, show_spinner=False)
#: What follows from a state never changes: it is kept, by the state's identity. Few are kept, for a
#: run makes a new state every half minute.
_kept = st.cache_data(max_entries=12, show_spinner=False)
_kept_large = st.cache_data(max_entries=3, show_spinner=False)


@_recent
def version(db: str) -> tuple[tuple[int, int, int], ...]:
    """Return what is another whenever the database is written: sizes and times of its files."""
    files = []
    for path in (Path(db), Path(f"{db}.wal")):
        with suppress(FileNotFoundError):
            state = path.stat()
            files.append((state.st_ino, state.st_size, state.st_mtime_ns))
    return tuple(files)


@st.cache_data(ttl=IDLE_SECONDS, max_entries=40, show_spinner=False)
def slow_version(db: str) -> tuple[tuple[int, int, int], ...]:
    """Return the `version` of half a minute ago at most: for what takes long to read."""
    return version(db)


def _shared(query: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Decorate a query, whose first argument is the database: its results are kept for a version.

    The results are pickled; nobody changes what others see.
    """

    def read(known: object, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        return query(*args, **kwargs)

    read.__qualname__ = query.__qualname__  # by this name, Streamlit tells its caches apart
    kept = st.cache_data(max_entries=40, show_spinner=False)(read)

    @functools.wraps(query)
    def ask(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        return kept(version(str(args[0])), *args, **kwargs)

    return ask


def identity(state: BoardState) -> tuple[object, ...]:
    """Return what tells a state from all others."""
    board = state.board
    return (
        board.selection,
        state.entry,
        state.at,
        board.data_hash,
        board.method.words,
        board.effects,
    )


@_shared
def tournaments(db: str) -> pd.DataFrame:
    """Return `queries.tournaments`."""
    return queries.tournaments(_store(db))


@_shared
def stored_selections(db: str, tournament: str) -> pd.DataFrame:
    """Return `states.stored_selections`."""
    return states.stored_selections(_store(db), tournament)


@_shared
def current_state(db: str, selection: Selection) -> BoardState | None:
    """Return `states.current_state`."""
    return states.current_state(_store(db), selection)


@_shared
def overall_state(db: str, tournament: str, bench: str) -> BoardState | None:
    """Return `states.overall_state`."""
    return states.overall_state(_store(db), tournament, bench)


@_shared
def kept_moments(db: str, selection: Selection) -> list[KeptMoment]:
    """Return `variants.kept_moments`."""
    return variants.kept_moments(_store(db), selection)


@_kept
def kept_state(db: str, board: str) -> BoardState:
    """Return `variants.kept_state`."""
    return variants.kept_state(_store(db), board)


@_shared
def languages(db: str, tournament: str) -> list[str]:
    """Return `variants.languages`."""
    return variants.languages(_store(db), tournament)


def varied_state(db: str, state: BoardState, *, language: str, method: str) -> BoardState:
    """Return `variants.varied_state`, with a method of `METHODS`."""
    return _varied(db, identity(state), state, language, method)


@_kept
def _varied(
    db: str, known: tuple[object, ...], _state: BoardState, language: str, method: str
) -> BoardState:
    by = METHODS[method][0]
    return variants.varied_state(_store(db), _state, language=language, method=by)


def bench_ranks(db: str, state: BoardState) -> BenchRanks | None:
    """Return `states.bench_ranks` of the boards that were stored with a state's."""
    return _bench_ranks(db, identity(state), state)


@_kept
def _bench_ranks(db: str, known: tuple[object, ...], _state: BoardState) -> BenchRanks | None:
    return states.bench_ranks(_state, states.bench_states(_store(db), _state))


def states_of_bench(db: str, state: BoardState) -> dict[tuple[str, str], BoardState]:
    """Return `states.states_of_bench`."""
    return _states_of_bench(db, identity(state), state)


@_kept_large
def _states_of_bench(
    db: str, known: tuple[object, ...], _state: BoardState
) -> dict[tuple[str, str], BoardState]:
    return states.states_of_bench(_store(db), _state)


def win_rates(db: str, state: BoardState, kind: Kind) -> Matrix | None:
    """Return `states.win_rates`."""
    return _win_rates(db, identity(state), state, kind)


@_kept
def _win_rates(db: str, known: tuple[object, ...], _state: BoardState, kind: Kind) -> Matrix | None:
    return states.win_rates(_store(db), _state, kind)


def meeting(db: str, state: BoardState, first: str, second: str) -> PairDebates:
    """Return `pairs.read_meeting`."""
    return _meeting(db, identity(state), state, first, second)


@_kept
def _meeting(
    db: str, known: tuple[object, ...], _state: BoardState, first: str, second: str
) -> PairDebates:
    return pairs.read_meeting(_store(db), _state, first, second)


def state_debates(db: str, state: BoardState) -> pd.DataFrame:
    """Return `profiles.state_debates`; all viewers share the frame, so nobody changes it."""
    return _state_debates(db, identity(state), state)


@st.cache_resource(max_entries=3, show_spinner=False)
def _state_debates(db: str, known: tuple[object, ...], _state: BoardState) -> pd.DataFrame:
    return profiles.state_debates(_store(db), _state)


@_shared
def settings(db: str, tournament: str) -> dict[str, Settings]:
    """Return `profiles.read_settings`."""
    return profiles.read_settings(_store(db), tournament)


def telling_debates(db: str, state: BoardState, name: str) -> list[Reading]:
    """Return `profiles.telling_debates`."""
    return _telling_debates(db, identity(state), state, name)


@_kept
def _telling_debates(
    db: str, known: tuple[object, ...], _state: BoardState, name: str
) -> list[Reading]:
    debates = state_debates(db, _state)
    return profiles.telling_debates(_store(db), _state, debates, name)


def making_of(db: str, state: BoardState, names: tuple[str, ...]) -> list[SpeechMaking]:
    """Return `profiles.making_of`."""
    return _making_of(db, identity(state), state, names)


@_kept
def _making_of(
    db: str, known: tuple[object, ...], _state: BoardState, names: tuple[str, ...]
) -> list[SpeechMaking]:
    return profiles.making_of(_store(db), _state, state_debates(db, _state), names)


@_shared
def read_motion(db: str, tournament: str, motion_id: str) -> list[StoredMotion]:
    """Return `motion_list.read_motion`."""
    return motion_list.read_motion(_store(db), tournament, motion_id)


@_shared
def progress(db: str, tournament: str) -> pd.DataFrame:
    """Return `queries.progress`."""
    return queries.progress(_store(db), tournament)


@_recent
def last_run(db: str, tournament: str) -> LastRun:
    """Return `read_last_run`."""
    return read_last_run(_store(db), tournament)


def debates_state(db: str, tournament: str, bench: str) -> DebatesState:
    """Return `debate_list.read_debates`; all viewers share the frame, so nobody changes it.

    They are read anew when the database has been written, and at most every half minute.
    """
    return _debates_state(slow_version(db), db, tournament, bench)


@st.cache_resource(max_entries=3, show_spinner=False)
def _debates_state(known: object, db: str, tournament: str, bench: str) -> DebatesState:
    return read_debates(_store(db), tournament, bench)


@_shared
def read_debate(db: str, start: str) -> tuple[pd.DataFrame, DebateContent | None]:
    """Return `debate_content.read_debate`."""
    return debate_content.read_debate(_store(db), start)


@_shared
def dialogues(db: str, debate_id: str, code: str, contest: str) -> list[SpeechDialogue]:
    """Return how the speeches of a debate were made."""
    words = contest_language(language(code), contest)
    return read_dialogues(_store(db), debate_id, speeches(db, debate_id), words, contest)


@_shared
def speeches(db: str, debate_id: str) -> tuple[Speech, ...]:
    """Return the speeches of a debate in speaking order."""
    return read_speeches(_store(db), [debate_id]).get(debate_id, ())


def _store(db: str) -> Store:
    return Store(Path(db))
