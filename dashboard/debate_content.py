"""All that the page of a debate shows of it, read while the database is open once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from arena.boards.vote_rules import majority_benches, read_vote_rules
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches
from dashboard import queries
from dashboard.queries import SpeechWork


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateContent:
    """What is stored of a debate.

    Attributes:
        speeches: in speaking order.
        works: what they took, by side and stage.
        ballots: as `queries.ballots` returns them.
        other_legs: ids of the debates of the same matchup.
        majority: the benches of its tournament whose votes decide by majority.
    """

    speeches: tuple[Speech, ...]
    works: Mapping[tuple[str, str], SpeechWork]
    ballots: pd.DataFrame
    other_legs: tuple[str, ...]
    majority: frozenset[str]


def read_debate(store: Store, start: str) -> tuple[pd.DataFrame, DebateContent | None]:
    """Read the debate whose id begins so, in one state of the database.

    Args:
        start: of its id.

    Returns:
        The debates that begin so, as `queries.find_debates` returns them, and what is stored of
        the debate where it is the only one.

    Raises:
        StoreError: the database cannot be read.
    """
    with store.one_state():
        frame = queries.find_debates(store, start)
        if len(frame) != 1:
            return frame, None
        debate = frame.iloc[0]
        return frame, _read_content(
            store, str(debate["debate_id"]), str(debate["matchup_id"]), str(debate["tournament"])
        )


def _read_content(store: Store, debate_id: str, matchup: str, tournament: str) -> DebateContent:
    return DebateContent(
        speeches=read_speeches(store, [debate_id]).get(debate_id, ()),
        works=queries.speech_work(store, debate_id),
        ballots=queries.ballots(store, debate_id),
        other_legs=tuple(queries.other_legs(store, debate_id, matchup, tournament)),
        majority=majority_benches(read_vote_rules(store, tournament)),
    )
