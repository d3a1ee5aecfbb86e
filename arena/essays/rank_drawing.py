"""The essays that people rank: drawn at random by motion, one of each participant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.records import Speech, digest
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.text import counted

#: A motion's id, and a language.
Place: TypeAlias = tuple[str, str]

_ESSAYS = """
    SELECT d.debate_id, d.motion_id, d.language, s.side,
           CASE s.side WHEN 'pro' THEN d.pro ELSE d.con END AS participant
    FROM debates d JOIN speeches s USING (debate_id)
    WHERE d.tournament = $tournament AND d.status = 'finished' AND s.stage = 'answer'
    ORDER BY d.debate_id, s.side
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChoice:
    """Which essays people rank; by default one of every participant on every motion.

    Attributes:
        sample: number of motions (in a language) to draw at random; None for all.
        seed: of that draw; None for the tournament's.
        participants: names of those whose essays are ranked; () for all. Stored sheets keep
            theirs.
    """

    sample: int | None = None
    seed: int | None = None
    participants: tuple[str, ...] = ()


def draw_essays(
    store: Store, resolved: ResolvedConfig, choice: SheetChoice, done: Collection[Place]
) -> dict[Place, dict[str, Speech]]:
    """Draw one essay of each participant on each motion of a choice.

    Args:
        store: the database of the essays.
        resolved: their tournament.
        choice: of motions and participants.
        done: places whose sheets are stored, which may be drawn with a single essay, too.

    Returns:
        By place, and by the participant's id.

    Raises:
        ConfigError: fewer motions have essays of two participants than the sample needs.
    """
    lots: dict[Place, dict[str, tuple[str, str, str]]] = {}
    names = {item.participant_id: item.name for item in resolved.participants}
    for row in store.rows(_ESSAYS, {"tournament": resolved.name}):
        place, essay = (row["motion_id"], row["language"]), (row["debate_id"], row["side"])
        if not choice.participants or names.get(row["participant"]) in choice.participants:
            lot = digest(resolved.config.tournament.seed, *essay), *essay
            drawn = lots.setdefault(place, {})
            drawn[row["participant"]] = min(lot, drawn.get(row["participant"], lot))
    places = [place for place, drawn in lots.items() if len(drawn) > 1 or place in done]
    lots = {place: lots[place] for place in _sample(places, resolved, choice)}
    debates = {debate_id for drawn in lots.values() for _, debate_id, _ in drawn.values()}
    essays: dict[tuple[str, str], Speech] = {
        (debate_id, essay.side): essay
        for debate_id, speeches in read_speeches(store, sorted(debates)).items()
        for essay in speeches
    }
    return {
        place: {name: essays[debate_id, side] for name, (_, debate_id, side) in drawn.items()}
        for place, drawn in lots.items()
    }


def _sample(
    places: Sequence[Place], resolved: ResolvedConfig, choice: SheetChoice
) -> Sequence[Place]:
    """Return the places in a random but repeatable order, cut to the size of the sample.

    Raises:
        ConfigError: there are fewer.
    """
    if choice.sample is None:
        return places
    if len(places) < choice.sample:
        raise ConfigError(
            f"--sample {choice.sample}: only {counted(len(places), 'motion')} of "
            f"{resolved.name!r} have essays of two participants. Give at most {len(places)}, or "
            "leave the option out to rank them all."
        )
    seed = resolved.config.tournament.seed if choice.seed is None else choice.seed
    return sorted(places, key=lambda place: digest("sample", seed, *place))[: choice.sample]
