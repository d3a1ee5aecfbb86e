"""Participants that are no longer what they were, and the debates that leave the board with them.

A participant is its name and its system: debater, model, options and sampling. Where either is
changed in the file, it begins anew, and what was played before counts no longer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from arena.boards.ranks import format_names
from arena.config.stored import resolve_stored
from arena.errors import ConfigError
from arena.records import ENDED
from arena.store.rows import read_configs, read_participants
from arena.text import counted

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Participant
    from arena.store.database import Store

#: The debates that counted with the participants of then, and do not with those of now.
_LEAVING: Final = f"""
    WITH leaving AS (
        SELECT debate_id, cost_usd FROM debates
        WHERE tournament = $tournament AND status IN {ENDED}
          AND list_contains($before, pro) AND list_contains($before, con)
          AND NOT (list_contains($now, pro) AND list_contains($now, con))
    )
    SELECT count(*) AS debates,
           coalesce(sum(cost_usd), 0) + coalesce((
               SELECT sum(b.cost_usd) FROM ballots b JOIN leaving USING (debate_id)), 0) AS usd
    FROM leaving
"""
_LAST_KEPT: Final = """
    SELECT coalesce(json_keys(settings->'$.participants'), []) FROM boards
    WHERE tournament = $tournament AND created_at < $at ORDER BY created_at DESC LIMIT 1
"""
_PLAYED: Final = """
    SELECT DISTINCT unnest([pro, con]) FROM debates
    WHERE tournament = $tournament AND status = 'finished' AND finished_at < $at
"""


#: The finished debates of each two who met, by their ids.
_PAIRS: Final = """
    SELECT least(pro, con) || ' ' || greatest(pro, con), count(*) FROM debates
    WHERE tournament = $tournament AND status = 'finished'
      AND ($until IS NULL OR finished_at < $until) GROUP BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacements:
    """What became of participants.

    Attributes:
        renamed: the present name of each system that has another one, by its earlier name.
        changed: names under which there is another system now.
        removed: names of systems that take part no longer under any name.
    """

    renamed: Mapping[str, str]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What became of them, in one sentence; '' where all are as they were."""
        parts = [f"{old} is called {new} now" for old, new in self.renamed.items()]
        if self.changed:
            parts.append(f"{format_names(self.changed)} {_be(self.changed)} set up differently")
        if self.removed:
            parts.append(f"{format_names(self.removed)} {_be(self.removed)} no longer in it")
        return f"{'; '.join(parts)}." if parts else ""

    @property
    def remedy(self) -> str:
        """How to keep the debates of all of them, in one sentence; '' where all are as they were.

        A system that was changed can stay beside what it has become.
        """
        parts = [f"call {new} {old} again" for old, new in self.renamed.items()]
        if self.changed:
            parts.append(
                f"leave {format_names(self.changed)} as before and add what is new under another "
                "name"
            )
        if self.removed:
            parts.append(f"put {format_names(self.removed)} back")
        return f"To keep them, {'; '.join(parts)}." if parts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """The debates that leave the board once a configuration is stored.

    Attributes:
        usd: that they cost, judging included.
        replaced: what became of their participants.
    """

    debates: int
    usd: float
    replaced: Replacements

    @property
    def lines(self) -> tuple[str, str]:
        """Which they are, and how to keep them."""
        was = "was" if self.debates == 1 else "were"
        return (
            f"{counted(self.debates, 'debate')} that {was} played for {self.usd:.4f} USD, judging "
            f"included, will count no longer: {self.replaced.sentence}",
            self.replaced.remedy,
        )


def find_replacements(before: Mapping[str, str], now: Mapping[str, str]) -> Replacements:
    """Compare the participants of then and now.

    Args:
        before, now: the identity of each system (`Participant.specification`), by its name.
    """
    free: dict[str, list[str]] = {}
    for name, system in now.items():
        if name not in before:
            free.setdefault(system, []).append(name)
    gone = {name: system for name, system in before.items() if name not in now}
    renamed = {name: free[system].pop(0) for name, system in gone.items() if free.get(system)}
    return Replacements(
        renamed=renamed,
        changed=tuple(name for name in before if name in now and now[name] != before[name]),
        removed=tuple(name for name in gone if name not in renamed),
    )


def count_pairs(store: Store, tournament: str, until: datetime | None) -> dict[str, int]:
    """Count the finished debates of each two participants there ever were: `ID ID`, sorted."""
    return dict(store.tuples(_PAIRS, {"tournament": tournament, "until": until}))


def count_moves(
    pairs: Mapping[str, int], before: Collection[str], now: Collection[str]
) -> tuple[int, int]:
    """Count the debates that left the board, and those that came back to it.

    >>> count_moves({"a b": 4, "b c": 2, "c d": 1}, ["a", "b"], ["b", "c"])
    (4, 2)

    Args:
        pairs: of `count_pairs`, before anything more was played.
        before, now: the ids of those who took part then, and who do now.
    """
    left = back = 0
    for pair, debates in pairs.items():
        counted_then, counts = (all(name in ids for name in pair.split()) for ids in (before, now))
        left += debates * (counted_then and not counts)
        back += debates * (counts and not counted_then)
    return left, back


def systems(resolved: ResolvedConfig) -> dict[str, str]:
    """Return the identity of each participant's system, by its name."""
    return {each.name: each.specification for each in resolved.participants}


def read_participants_at(
    store: Store, resolved: ResolvedConfig, at: datetime
) -> tuple[Participant, ...]:
    """Return who took part at a date, as far as they had played, or were on a board kept by then.

    Those of now, where nobody had.
    """
    asked = {"tournament": resolved.name, "at": at}
    kept = {name for (names,) in store.tuples(_LAST_KEPT, asked) for name in names}
    played = {name for (name,) in store.tuples(_PLAYED, asked)}
    present = [each for each in resolved.participants if each.participant_id in played | kept]
    earlier = kept or played
    names = {
        each.name: each
        for each in read_participants(store, resolved.name)
        if each.participant_id in earlier
    } | {each.name: each for each in present}
    return tuple(names.values()) or resolved.participants


def read_departure(store: Store, resolved: ResolvedConfig) -> Departure | None:
    """Read which debates leave the board once a configuration is stored.

    Returns:
        None where nothing that was played leaves it, or this version cannot read what is stored.
    """
    stored = None if store.empty() else read_configs(store).get(resolved.name)
    if stored is None:
        return None
    try:
        before = resolve_stored(store, resolved.name, json.loads(stored))
    except ConfigError:
        return None
    asked = {"tournament": resolved.name, "before": [*before.names], "now": [*resolved.names]}
    ((debates, usd),) = store.tuples(_LEAVING, asked)
    if not debates:
        return None
    replaced = find_replacements(systems(before), systems(resolved))
    return Departure(debates=debates, usd=usd, replaced=replaced)


def _be(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
