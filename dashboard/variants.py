"""Other boards of the same ballots: of a kept moment, of a language, by another rating model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from arena.boards.board import board, make_board, read_surroundings
from arena.boards.covariates import select_for_model
from arena.boards.kept_boards import find_board, kept_boards, selected_settings
from arena.boards.method import STORED, Method
from arena.boards.participation import participation
from arena.boards.rating import rate
from arena.boards.selecting import participant_ids, read_last_entry, scope
from arena.boards.selection import Selection
from arena.boards.states import BoardState
from arena.config.stored import stored_config
from arena.read.joined import AND, open_tournaments
from arena.read.tournaments import find_tournament
from arena.store.database import Store
from ratings import Model

#: What a viewer can rate a board by, with a sentence on each; the first is that of stored boards.
METHODS: Final[Mapping[str, tuple[Method, str]]] = {
    "usual": (
        STORED,
        "A weighted Bradley-Terry model: a clear verdict counts more than a narrow one.",
    ),
    "with a side": (
        Method(model=Model(side=True)),
        "The usual model with a term for what being Pro is worth.",
    ),
    "with ties": (
        Method(model=Model(ties="davidson")),
        "Davidson's model, in which a tie is a result of its own rather than half a win.",
    ),
    "with a side and ties": (
        Method(model=Model(side=True, ties="davidson")),
        "Both: a term for being Pro, and ties as results of their own.",
    ),
    "unweighted": (
        Method(weighted=False),
        "The usual model with every debate counted alike, however clear its verdict was.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMoment:
    """A board that was kept when a run ended.

    Attributes:
        board: the hash that names it.
    """

    board: str
    at: datetime


def kept_moments(store: Store, selection: Selection) -> list[KeptMoment]:
    """Return when a board was kept, the newest first."""
    wanted = selected_settings(selection, STORED)
    return [
        KeptMoment(board=kept.digest, at=kept.created_at)
        for kept in kept_boards(
            store, "WHERE tournament = $tournament", tournament=selection.tournament
        )
        if wanted.items() <= kept.settings.items()
    ]


def kept_state(store: Store, board: str) -> BoardState:
    """Return the state of a kept board.

    Raises:
        ConfigError: there is none, or this version cannot read it.
    """
    kept = find_board(store, board)
    return BoardState(
        board=kept.board(),
        entry=kept.entry,
        at=kept.created_at,
        percentiles={},
        participations={},
        scope=kept.scope,
    )


def joined_state(
    store: Store, selection: Selection, beside: str, language: str, method: Method
) -> BoardState:
    """Rate the ballots of a tournament together with those of another one; no resampling.

    Raises:
        ConfigError: the tournaments cannot be joined, or do not share what is selected.
        RatingError: the ballots cannot be rated by the method.
    """
    joined, resolved = open_tournaments(store, [selection.tournament, beside])
    chosen = replace(selection, tournament=resolved.name, language=language)
    return BoardState(
        board=board(joined, resolved, chosen, method, resample=False),
        entry=read_last_entry(store, resolved),
        at=datetime.now(UTC),
        percentiles={},
        participations={},
        scope=scope(resolved),
    )


def languages(store: Store, tournament: str) -> list[str]:
    """Return the languages of a tournament's debates."""
    stored = find_tournament(store, tournament)
    return list(stored.languages) if stored else []


def varied_state(store: Store, state: BoardState, *, language: str, method: Method) -> BoardState:
    """Rate the ballots of a state by another method, or only those of a language; no resampling.

    Raises:
        ConfigError: this version cannot read the tournament's configuration.
        RatingError: the ballots cannot be rated by the method.
    """
    if language == state.board.selection.language and method == STORED:
        return state
    resolved = stored_config(store, state.board.selection.tournament)
    selection = replace(state.selection, language=language)
    selected = select_for_model(store, resolved, selection, method.model)
    seed = resolved.config.tournament.seed
    rated = rate(selected.comparisons, method, seed=seed, resample=False)
    around = read_surroundings(store, resolved, selection, method, selected=selected)
    is_whole = language == state.board.selection.language
    if is_whole:
        own = {
            row.participant: {
                "forfeits": row.forfeits,
                "usd": row.usd_per_debate,
                "reserved": row.usd_most - row.usd_per_debate,
                "unrated": row.unrated,
            }
            for row in state.board.rows
        }
    else:
        until = replace(selection, until=state.at)
        own = participation(store, until, participant_ids(resolved))
    around = replace(around, participations=own)
    made = make_board(resolved, selection, method, rated=rated, surroundings=around)
    shown = replace(made, selection=replace(selection, entry=None))
    return replace(
        state,
        board=shown,
        percentiles={},
        participations=state.participations if is_whole else {},
        scope=scope(resolved),
    )


def varieties(state: BoardState) -> Iterator[str]:
    """Yield what a state's board selects beyond bench, dimension and category, in words."""
    selection = state.board.selection
    if AND in selection.tournament:
        yield f"tournaments {selection.tournament}"
    if selection.language != "all":
        yield f"only debates in {selection.language}"
    yield from state.board.method.words
    if state.board.method.model.side:
        yield "with a side"
    if state.board.method.model.ties == "davidson":
        yield "with ties"
