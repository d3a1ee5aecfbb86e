"""The queries of the pages, cached: all viewers share a query until the database is written.

Whether it was written is looked up every two seconds, so a run costs each query once in that time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from arena.boards import states as board_states
from arena.boards.states import BoardState
from arena.languages import language
from arena.languages.language import contest_language
from arena.read import motions
from arena.records import Speech
from arena.report import debate_list
from arena.report.dialogues.dialogue import read_dialogues
from arena.report.dialogues.records import SpeechDialogue
from arena.report.overview.reading_list import Reading
from arena.report.traces.steps import SpeechMaking
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.tournament.run_record import read_last_run
from dashboard import (
    live,
    pairs,
    profiles,
    queries,
    states,
    variants,
)
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, database

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@st.cache_data(ttl=PLAYING_SECONDS, max_entries=40, show_spinner=False)
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


def _identity(state: BoardState) -> tuple[object, ...]:
    """Return what tells a state from all others."""
    board = state.board
    effects, words = board.effects, board.method.words
    return board.selection, state.entry, state.at, board.data_hash, words, effects


def shared(
    query: Callable[Concatenate[Store, _Arguments], _Result],
    *,
    known: Callable[[str], object] = version,
    entries: int = 40,
    ttl: float | None = None,
    spinner: bool | str = False,
    in_place: bool = False,
) -> Callable[_Arguments, _Result]:
    """Return a query of the served database whose results are kept.

    Args:
        known: from the database's path to what is another whenever results are not valid any more.
        ttl: seconds for which a result is valid; `None` for ever.
        spinner: what a viewer who waits for it reads.
        in_place: whether all viewers share one object, which nobody changes, because it is large;
            others are pickled, and nobody changes what others see.
    """

    def read(key: object, db: str, *args: _Arguments.args, **more: _Arguments.kwargs) -> _Result:
        return query(Store(Path(db)), *args, **more)

    read.__qualname__ = f"{query.__module__}.{query.__qualname__}"  # tells Streamlit's caches apart
    cache = st.cache_resource if in_place else st.cache_data
    kept = cache(
        max_entries=entries, ttl=ttl, show_spinner=spinner, hash_funcs={BoardState: _identity}
    )(read)

    @functools.wraps(query)
    def ask(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        db = str(database())
        return kept(known(db), db, *args, **kwargs)

    return ask


def recent(
    query: Callable[Concatenate[Store, _Arguments], _Result],
) -> Callable[_Arguments, _Result]:
    """Return a query that also depends on what no version tells: asked anew after two seconds."""
    return shared(query, known=_same, ttl=PLAYING_SECONDS)


def of_state(
    query: Callable[Concatenate[Store, _Arguments], _Result],
    *,
    entries: int = 12,
    in_place: bool = False,
) -> Callable[_Arguments, _Result]:
    """Return a query of what follows from a state and so never changes.

    Args:
        entries: few, for a run makes a new state every half minute.
    """
    return shared(query, known=_same, entries=entries, in_place=in_place)


def _same(_: str) -> None:
    return None


tournaments = shared(queries.tournaments)
progress = shared(queries.progress)
last_run = recent(read_last_run)
stored_selections = shared(board_states.stored_selections)
current_state = shared(board_states.read_state)
overall_state = shared(board_states.overall_state)
kept_moments = shared(variants.kept_moments)
kept_state = of_state(variants.kept_state)
languages = shared(variants.languages)
varied_state = of_state(variants.varied_state)
joined_state = shared(variants.joined_state, spinner="Rating the debates of both")
bench_ranks = of_state(states.read_bench_ranks)
states_of_bench = of_state(states.states_of_bench, entries=3)
win_rates = of_state(states.win_rates)
meeting = of_state(pairs.read_meeting)
state_debates = of_state(profiles.state_debates, entries=3, in_place=True)
settings = shared(profiles.read_settings)
read_motions = shared(motions.read_motions)
debates_state = shared(debate_list.read_debates, known=slow_version, entries=3, in_place=True)
read_debate = shared(queries.read_debate)
live_state = recent(live.read_live)
matters = shared(live.read_matters, known=slow_version, ttl=IDLE_SECONDS)
next_dollars = shared(live.read_next_dollars, known=slow_version)
course = of_state(live.read_course, entries=6)
schedule_result = of_state(live.read_schedule_of)
moment = shared(live.read_moment, known=slow_version, spinner="Rating the debates until then")


@of_state
def telling_debates(store: Store, state: BoardState, name: str) -> list[Reading]:
    """Return `profiles.telling_debates`."""
    return profiles.telling_debates(store, state, state_debates(state), name)


@of_state
def making_of(store: Store, state: BoardState, names: tuple[str, ...]) -> list[SpeechMaking]:
    """Return `profiles.making_of`."""
    return profiles.making_of(store, state, state_debates(state), names)


@shared
def speeches(store: Store, debate_id: str) -> tuple[Speech, ...]:
    """Return the speeches of a debate in speaking order."""
    return read_speeches(store, [debate_id]).get(debate_id, ())


@shared
def dialogues(store: Store, debate_id: str, code: str, contest: str) -> list[SpeechDialogue]:
    """Return how the speeches of a debate were made."""
    words = contest_language(language(code), contest)
    return read_dialogues(store, debate_id, speeches(debate_id), words, contest)
