"""The queries of the pages on tournaments and debates: stored results as frames."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import pandas as pd

from arena.boards.participation import PRESENT
from arena.boards.selecting import participant_ids
from arena.boards.states import BENCHES
from arena.boards.vote_rules import majority_benches, read_vote_rules
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.records import LOCAL, OFFLINE, Speech
from arena.report.debate_list import SEATED
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.store.schema import THIS_FILE
from arena.text import counted, format_usd

#: The number of debates that a list shows at most; neither a browser nor a person scrolls further.
LISTED = 1_000

_TABLES = f"SELECT 1 FROM duckdb_tables() WHERE table_name = 'tournaments' AND {THIS_FILE}"
#: Tournaments in which a model with a prefix debates or judges. Panels and teams name their models
#: in their options.
_WITH_PREFIX = f"""
    SELECT tournament FROM (
        SELECT tournament, model, CAST(options AS TEXT) AS options FROM participants
        UNION ALL SELECT tournament, model, options FROM ({BENCHES})
    ) WHERE starts_with(model, $prefix) OR contains(options, '"' || $prefix)
"""
_SIMULATED = _WITH_PREFIX.replace("$prefix", "$offline")
_VERY_SMALL = _WITH_PREFIX.replace("$prefix", "$local")
_PREFIXES = {"offline": OFFLINE, "local": LOCAL}
_TOURNAMENTS = f"""
    SELECT tournament, created_at, tournament IN ({_SIMULATED}) AS simulated,
           tournament IN ({_VERY_SMALL}) AS very_small
    FROM tournaments ORDER BY created_at DESC, tournament
"""
_PROGRESS = f"""
    WITH counted AS (
        SELECT count(*) AS debates,
               count(*) FILTER (status = 'planned') AS planned,
               count(*) FILTER (status = 'playing') AS playing,
               count(*) FILTER (status = 'waiting') AS waiting,
               count(*) FILTER (status = 'finished') AS finished,
               count(*) FILTER (status = 'forfeit') AS forfeit,
               count(*) FILTER (status = 'void') AS void,
               count(*) FILTER (status = 'error') AS error
        FROM debates d WHERE tournament = $tournament AND ($ids IS NULL OR {PRESENT})
    ), taken AS (
        SELECT count(*) FILTER (b.status = 'valid') AS ballots,
               count(*) FILTER (b.status = 'failed') AS failed,
               count(*) FILTER (b.status = 'error') AS erred
        FROM ballots b JOIN debates d USING (debate_id)
        WHERE tournament = $tournament AND ($ids IS NULL OR {PRESENT})
    )
    SELECT * EXCLUDE (runs), finished * runs AS ballots_due,
           (debates - forfeit) * runs AS ballots_planned
    FROM counted, taken, (SELECT coalesce(sum(runs), 0) AS runs FROM ({BENCHES})
                          WHERE tournament = $tournament)
"""
_DEBATE = f"""
    SELECT d.debate_id, d.matchup_id, d.tournament, d.status, d.reason, d.leg, d.language,
           d.motion_id, m.text AS motion, m.category, m.info_slide,
           (SELECT t.config->>'$.tournament.contest' FROM tournaments t
            WHERE t.tournament = d.tournament) AS contest,
           p.name AS pro, p.debater AS pro_debater, p.model AS pro_model,
           c.name AS con, c.debater AS con_debater, c.model AS con_model,
           d.tournament IN ({_SIMULATED}) AS simulated,
           d.tournament IN ({_VERY_SMALL}) AS very_small
    {SEATED} WHERE starts_with(d.debate_id, $id) ORDER BY d.debate_id LIMIT 6
"""
_OTHER_LEGS = """
    SELECT debate_id, leg FROM debates
    WHERE matchup_id = $matchup AND tournament = $tournament AND debate_id <> $id ORDER BY leg
"""
#: What each speech cost: the calls of its side and stage; an essay is asked for as a constructive.
_WORK = """
    SELECT split_part(path, '/', 1) AS side, split_part(path, '/', 2) AS stage,
           count(*) AS calls, sum(input_tokens) AS input_tokens,
           sum(output_tokens) AS output_tokens, sum(seconds) AS seconds,
           sum(cost_usd - reserved_usd) AS usd, sum(cost_usd) AS usd_most
    FROM calls WHERE unit = $id GROUP BY ALL
"""
_BALLOTS = """
    SELECT b.bench, b.run, b.status, b.seconds, b.cost_usd, b.reason, b.voter, s.dimension,
           s.outcome, s.pro_mark, s.con_mark, s.comment
    FROM ballots b LEFT JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id = $id
    ORDER BY b.bench, b.run, s.dimension <> 'overall', s.dimension
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechWork:
    """What a speech took: calls, tokens, seconds of all calls together, and USD.

    `usd` is what bills are known of; `usd_most` adds what is reserved for answers that were lost.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    usd: float
    usd_most: float

    def describe(self) -> str:
        """Say it in a few words."""
        tokens = f"{self.input_tokens + self.output_tokens:,} tokens"
        seconds = f", {self.seconds:.1f} s" if self.seconds >= 0.05 else ""
        cost = f", {format_usd(self.usd, self.usd_most)}" if self.usd_most else ""
        return f"{counted(self.calls, 'call')}, {tokens}{seconds}{cost}"


def tournaments(store: Store) -> pd.DataFrame:
    """Return the stored tournaments, the newest first.

    Columns: tournament, created_at, simulated, very_small.
    """
    if store.read(_TABLES).empty:
        return pd.DataFrame(columns=["tournament", "created_at", "simulated", "very_small"])
    return store.read(_TOURNAMENTS, _PREFIXES)


def benches(store: Store, tournament: str) -> pd.DataFrame:
    """Return a tournament's benches in their order; columns: bench, judge, model, runs."""
    return store.read(
        f"SELECT bench, judge, model, runs FROM ({BENCHES}) "  # noqa: S608 - a constant
        "WHERE tournament = $tournament ORDER BY position",
        {"tournament": tournament},
    )


def progress(store: Store, tournament: str) -> pd.DataFrame:
    """Return one row of counts: debates of the participants that it has now, and their ballots.

    Where this version does not know who they are, all debates count. Columns: debates (also by
    status), ballots, failed, erred, ballots_due (of finished debates) and ballots_planned (once all
    debates are played).
    """
    ids = None
    with suppress(ConfigError):
        ids = participant_ids(stored_config(store, tournament))
    return store.read(_PROGRESS, {"tournament": tournament, "ids": ids})


def find_debates(store: Store, start: str) -> pd.DataFrame:
    """Return the debates whose ids begin so, with motion and sides; at most six.

    Their columns `simulated` and `very_small` say whether such a model debates or judges in the
    tournament.

    Args:
        start: of an id; '' finds none.
    """
    if not start:
        return pd.DataFrame()
    return store.read(_DEBATE, {"id": start, **_PREFIXES})


def other_legs(store: Store, debate_id: str, matchup: str, tournament: str) -> list[str]:
    """Return the ids of the other debates of a matchup, in which the sides are swapped."""
    parameters = {"id": debate_id, "matchup": matchup, "tournament": tournament}
    return [str(row["debate_id"]) for row in store.rows(_OTHER_LEGS, parameters)]


def speech_work(store: Store, debate_id: str) -> dict[tuple[str, str], SpeechWork]:
    """Return what the speeches of a debate took, by side and stage."""
    return {
        (str(row["side"]), str(row["stage"])): SpeechWork(
            calls=int(row["calls"]),
            input_tokens=int(row["input_tokens"]),
            output_tokens=int(row["output_tokens"]),
            seconds=float(row["seconds"]),
            usd=float(row["usd"]),
            usd_most=float(row["usd_most"]),
        )
        for row in store.rows(_WORK, {"id": debate_id})
    }


def ballots(store: Store, debate_id: str) -> pd.DataFrame:
    """Return the verdicts on a debate: a row per bench, run and dimension, or lost ballot."""
    return store.read(_BALLOTS, {"id": debate_id})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateContent:
    """What is stored of a debate.

    Attributes:
        works: what they took, by side and stage.
        majority: the benches of its tournament whose votes decide by majority.
    """

    speeches: tuple[Speech, ...]
    works: Mapping[tuple[str, str], SpeechWork]
    ballots: pd.DataFrame
    other_legs: tuple[str, ...]
    majority: frozenset[str]


def read_debate(store: Store, start: str) -> tuple[pd.DataFrame, DebateContent | None]:
    """Read the debate whose id begins so, in one state of the database.

    Returns:
        The debates that begin so, as `find_debates` returns them, and what is stored of
        the debate where it is the only one.
    """
    with store.one_state():
        frame = find_debates(store, start)
        if len(frame) != 1:
            return frame, None
        debate_id, matchup, tournament = map(
            str, frame.iloc[0][["debate_id", "matchup_id", "tournament"]]
        )
        return frame, DebateContent(
            speeches=read_speeches(store, [debate_id]).get(debate_id, ()),
            works=speech_work(store, debate_id),
            ballots=ballots(store, debate_id),
            other_legs=tuple(other_legs(store, debate_id, matchup, tournament)),
            majority=majority_benches(read_vote_rules(store, tournament)),
        )
