"""The verification of a database: nothing was lost, nothing was changed, everything adds up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from arena.boards.digests import board_digest, present_digest
from arena.boards.kept_boards import KeptBoard, check_board_name, kept_boards
from arena.boards.selection import Selection
from arena.config.stored import resolve_stored
from arena.errors import ArenaError, ConfigError
from arena.llm.journal import Journal
from arena.records import ballot_id, digest
from arena.store.consistency import Inconsistency, find_faults
from arena.store.lookups import (
    StoredConfig,
    count_statuses,
    read_debated,
    read_statuses,
    read_stored_configs,
)
from arena.store.rows import read_participants
from arena.store.spending import availability_prefix
from arena.text import counted
from arena.tournament.plan import make_plan
from ratings import RatingError

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Debates or ballots, by tournament and status.
_Counts: TypeAlias = Mapping[tuple[str, str], int]

_STATUSES: Final = ("finished", "forfeit", "void", "error", "waiting", "playing", "planned")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTournament:
    """A tournament of a verified database.

    Attributes:
        debates: their number by status, all statuses included.
        to_judge: the number of ballots on finished debates that are still to be asked for.
        digests: of the overall boards, as they are now, by bench.
    """

    name: str
    debates: Mapping[str, int]
    ballots: Mapping[str, int]
    to_judge: int
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What verifying a database came to."""

    tournaments: tuple[VerifiedTournament, ...]
    faults: tuple[Inconsistency, ...]
    kept: int


def verify(store: Store) -> Verification:
    """Check everything in a database."""
    store.check()
    faults = list(find_faults(store))
    counts, ballots = count_statuses(store, "debates"), count_statuses(store, "ballots")
    tournaments, resolved_tournaments = [], []
    for stored in read_stored_configs(store):
        name = stored.tournament
        faults += _config_faults(stored)
        digests: dict[str, str] = {}
        to_judge = 0
        try:
            resolved = resolve_stored(store, name, json.loads(stored.config))
            resolved_tournaments.append(resolved)
            faults += _participant_faults(store, resolved)
            if resolved.imported:
                faults += _import_faults(resolved, debates=counts, ballots=ballots)
            else:
                plan = make_plan(resolved, store)
                if plan.added:
                    missing = f"not stored: {counted(len(plan.added), 'planned debate')}"
                    faults.append(Inconsistency(table="debates", what=missing, rows=(name,)))
                played = [work for work in plan.open if not work.play]
                to_judge = sum(not call.asked for work in played for call in work.ballots)
            digests = {
                bench: board_digest(store, resolved, Selection(tournament=name, bench=bench))
                for bench in resolved.board_benches
            }
        except (ArenaError, KeyError, TypeError, ValueError) as error:
            faults.append(
                Inconsistency(table="tournaments", what=f"cannot be read: {error}", rows=(name,))
            )
        debates = {status: counts.get((name, status), 0) for status in _STATUSES}
        tournaments.append(
            VerifiedTournament(
                name=name,
                debates=debates,
                ballots={s: n for (t, s), n in ballots.items() if t == name},
                to_judge=to_judge,
                digests=digests,
            )
        )
    faults += _journal_faults(store, resolved_tournaments)
    kept = kept_boards(store)
    faults += _board_faults(store, kept)
    return Verification(tournaments=tuple(tournaments), faults=tuple(faults), kept=len(kept))


def find_published(
    store: Store, result: Verification, published: str
) -> KeptBoard | VerifiedTournament | None:
    """Find the board whose digest was published.

    Args:
        published: the digest, or its first digits.

    Returns:
        The kept board, or the tournament whose board it is now; None where the database has no
        board with this digest, so that something it counts is not what it was.

    Raises:
        ConfigError: it is no digest, or its digits fit several boards.
    """
    digits = check_board_name(published)
    boards: dict[str, KeptBoard | VerifiedTournament] = {
        digest: tournament
        for tournament in result.tournaments
        for digest in tournament.digests.values()
    }
    boards |= {board.digest: board for board in reversed(kept_boards(store))}
    found = sorted(digest for digest in boards if digest.startswith(digits))
    if len(found) > 1:
        raise ConfigError(
            f"{published!r} fits {len(found)} boards: {', '.join(found[:3])}. Give more digits."
        )
    return boards[found[0]] if found else None


def digest_faults(store: Store, kept: KeptBoard) -> tuple[str, ...]:
    """Return why the database does not give a kept board any more; empty where it does."""
    from arena.boards.keep import reproduce  # noqa: PLC0415 - what computes it, for this alone

    try:
        return reproduce(store, kept).differences
    except (ArenaError, RatingError) as error:
        return (str(error).rstrip("."),)


def _config_faults(stored: StoredConfig) -> Iterator[Inconsistency]:
    """Yield what is wrong with the row of a tournament."""
    name = stored.tournament
    content = json.loads(stored.config)
    section = content.get("tournament", {}) if isinstance(content, dict) else {}
    for what, is_wrong in (
        ("configuration differs from its hash", digest(content) != stored.config_hash),
        ("configuration is of another tournament", section.get("name") != name),
        ("seed differs from that of the configuration", section.get("seed") != stored.seed),
    ):
        if is_wrong:
            yield Inconsistency(table="tournaments", what=what, rows=(name,))


def _participant_faults(store: Store, resolved: ResolvedConfig) -> Iterator[Inconsistency]:
    """Yield participants that are not what their id says, are missing, or belong nowhere."""
    stored = read_debated(store, resolved.name)
    actual = {player.participant_id for player in read_participants(store, resolved.name)}
    wanted = resolved.names.keys()
    orphans = {key for key, debated in stored.items() if not debated} - wanted
    for what, keys in (
        ("settings differ from the id, which is their hash", stored.keys() - actual),
        ("is in the configuration and not stored", wanted - stored.keys()),
        ("is neither in the configuration nor in a debate", orphans),
    ):
        if keys:
            yield Inconsistency(
                table="participants", what=what, rows=tuple(sorted(keys)[:3]), count=len(keys)
            )


def _import_faults(
    resolved: ResolvedConfig, *, debates: _Counts, ballots: _Counts
) -> Iterator[Inconsistency]:
    """Yield that a tournament has not as many ballots as verdicts were imported."""
    rows = resolved.config.model_dump()["source"]["rows"]
    table, noun, counts = "ballots", "verdict", ballots
    if resolved.is_battle_log:  # each is a debate
        table, noun, counts = "debates", "battle", debates
    stored = sum(count for (name, _), count in counts.items() if name == resolved.name)
    if stored != rows:
        what = f"{counted(rows, noun, style=',')} imported, {stored:,} stored"
        yield Inconsistency(table=table, what=what, rows=(resolved.name,))


def _board_faults(store: Store, kept: Sequence[KeptBoard]) -> Iterator[Inconsistency]:
    """Yield the kept boards that counted more, or something else, than what is still there.

    Only they know of a ballot that was removed with all that belongs to it, or of a debate that
    was made unplayed again.
    """
    changed: dict[str, str] = {}
    for board in kept:
        try:
            holds = present_digest(store, board) == board.digest
        except (KeyError, TypeError, ValueError):  # settings that no program wrote
            holds = False
        if not holds:
            changed[board.name] = board.tournament
    for tournament in sorted(set(changed.values())):
        names = [name for name, owner in changed.items() if owner == tournament]
        yield Inconsistency(
            table="boards",
            what=(
                f"debates or ballots of {tournament!r} that a kept board counted were removed, "
                "changed or made unplayed"
            ),
            rows=tuple(names[:3]),
            count=len(names),
        )


def _journal_faults(store: Store, tournaments: Sequence[ResolvedConfig]) -> Iterator[Inconsistency]:
    """Yield damaged journals, and those of calls that belong to no debate and no ballot.

    Where essays are measured by models, a journal may be that of a measurement. The journal of the
    call that finds out whether a judge's model answers stays for good.
    """
    journal = Journal(store.journal_folder)
    if damaged := journal.find_damaged():
        yield Inconsistency(
            table="journals",
            what="has lines that cannot be read; their calls are made, and paid for, again",
            rows=tuple(damaged)[:3],
            count=sum(damaged.values()),
        )
    if any(resolved.config.tournament.contest == "essay" for resolved in tournaments):
        return
    units = journal.units()
    prefixes = tuple(availability_prefix(resolved.name) for resolved in tournaments)
    units = {unit for unit in units if not unit.startswith(prefixes)}
    unknown = units and units - read_statuses(store).keys()
    if unknown:
        unknown -= {
            ballot_id(debate_id, bench.name, run)
            for resolved in tournaments
            for debate_id in read_statuses(store, resolved.name)
            for bench in resolved.benches
            for run in range(bench.runs)
        }
    if unknown:
        yield Inconsistency(
            table="journals",
            what=(
                "belongs to no debate and no ballot of this database; the calls in it were paid. "
                f"Move it out of {store.journal_folder} if you want to keep them, or delete it"
            ),
            rows=tuple(sorted(unknown)[:3]),
            count=len(unknown),
        )
