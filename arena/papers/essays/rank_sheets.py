"""Sheets of K essays on one motion, for people to rank.

A sheet holds one essay of every participant that wrote on its motion, without names. The pairs of
a sheet are stored as finished debates of a separate tournament. So a ranking is a ballot on each
pair, and boards, agreement and other judges work as they do for debates. Nothing is played there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.languages import ANSWER, Language, language
from arena.languages.language import pair_language
from arena.papers.judged_speeches import read_judged_speeches
from arena.records import Debate, Speech, digest
from arena.scheduling.asked import Asked
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches, write_given_debates
from arena.text import counted
from arena.tournament.plan import TournamentPlan, store_plan

#: The bench of the people who rank, and the dimension that they rank besides `overall`.
BENCH, DIMENSION = "people", "persuasiveness"
#: A motion's id, and a language.
Place: TypeAlias = tuple[str, str]


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
        done: places whose sheets are stored, which may be drawn with a single essay, too.

    Returns:
        By place, and by the participant's id.

    Raises:
        ConfigError: fewer motions have essays of two participants than the sample needs.
    """
    lots: dict[Place, dict[str, tuple[str, str, str]]] = {}
    essays: dict[tuple[str, str], Speech] = {}
    names = {item.participant_id: item.name for item in resolved.participants}
    planned = {debate.debate_id: debate for debate in read_debates(store, resolved.name)}
    for each in read_judged_speeches(store, resolved.name):
        debate, side = planned[each.debate.debate_id], each.speech.side
        writer = debate.pro if side == "pro" else debate.con
        if each.speech.stage != ANSWER or (
            choice.participants and names.get(writer) not in choice.participants
        ):
            continue
        essay = debate.debate_id, side
        essays[essay] = each.speech
        lot = digest(resolved.config.tournament.seed, *essay), *essay
        drawn = lots.setdefault((debate.motion_id, debate.language), {})
        drawn[writer] = min(lot, drawn.get(writer, lot))
    places = [place for place, drawn in lots.items() if len(drawn) > 1 or place in done]
    if choice.sample is not None:
        if len(places) < choice.sample:
            raise ConfigError(
                f"--sample {choice.sample}: only {counted(len(places), 'motion')} of "
                f"{resolved.name!r} have essays of two participants. Give at most {len(places)}, "
                "or leave the option out to rank them all."
            )
        seed = resolved.config.tournament.seed if choice.seed is None else choice.seed
        places = sorted(places, key=lambda place: digest("sample", seed, *place))[: choice.sample]
    return {
        place: {name: essays[debate_id, side] for name, (_, debate_id, side) in lots[place].items()}
        for place in places
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSheet:
    """K essays on one motion, without the names of their writers.

    Attributes:
        sheet_id: the matchup id of its pairs.
        task: what the writers were asked to do.
        language: that of the essays, with the words of essay contests.
        pairs: the ids of its debates, by the letters of Pro and Con.
    """

    sheet_id: str
    task: str
    language: Language
    essays: Mapping[str, Speech]
    pairs: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSheets:
    """The sheets that were asked for."""

    ranked: ResolvedConfig
    sheet_ids: frozenset[str]


def rankings_tournament(tournament: str) -> str:
    """Return the name of the tournament that holds the sheets of another one's essays."""
    return f"{tournament} ranked"


def store_sheets(
    store: Store, resolved: ResolvedConfig, *, people: int, choice: SheetChoice | None = None
) -> StoredSheets:
    """Store the sheets of a tournament's essays; stored sheets stay as they are.

    Args:
        people: the number of people who rank each sheet; used when the first sheets are made.
        choice: of motions and participants. The same choice gives the same sheets, and a larger
            sample with the same seed contains the smaller one.

    Raises:
        ConfigError: the tournament is no essay contest, no motion has essays of two participants,
            or fewer have than the sample needs.
    """
    if resolved.config.tournament.contest != "essay":
        raise ConfigError(
            f"tournament {resolved.name!r} is not an essay contest, so there is nothing to rank. "
            "`arena run essays` plays one; for debates, use `arena vote`."
        )
    stored = read_debates(store, rankings_tournament(resolved.name))
    ranked = _ranked_config(store, resolved, people=people, known=bool(stored))
    done = {(debate.motion_id, debate.language) for debate in stored}
    drawn = draw_essays(store, resolved, choice or SheetChoice(), done)
    pairs = [
        pair
        for place, essays in sorted(drawn.items())
        if place not in done
        for pair in _pairs(ranked.name, place, essays)
    ]
    if not pairs and not stored:
        raise ConfigError(
            f"tournament {resolved.name!r} has no motion with finished essays of two participants "
            f"yet. Play it first with: {command_line('resume', resolved.name, db=store.path)}"
        )
    if pairs:
        added = tuple(debate for debate, _ in pairs)
        asked = Asked.of(ranked)
        plan = TournamentPlan(
            resolved=ranked, debates=added, added=added, open=(), finished=0, asked=asked
        )
        store_plan(plan, store)
        given = {debate.debate_id: essays for debate, essays in pairs}
        store.write(lambda link: write_given_debates(link, given))
    ids = frozenset(_sheet_id(ranked.name, place) for place in drawn)
    return StoredSheets(ranked=ranked, sheet_ids=ids)


def read_sheets(store: Store, ranked: ResolvedConfig) -> tuple[RankSheet, ...]:
    """Return the sheets that a tournament of rankings holds, in the order of their ids."""
    groups: dict[str, list[Debate]] = {}
    for debate in read_debates(store, ranked.name):
        groups.setdefault(debate.matchup_id, []).append(debate)
    ids = [debate.debate_id for group in groups.values() for debate in group]
    essays = read_speeches(store, ids)
    motions = {motion.motion_id: motion for motion in ranked.motions}
    return tuple(
        _sheet(sheet_id, group, essays, motions[group[0].motion_id].wording(group[0].language).text)
        for sheet_id, group in sorted(groups.items())
    )


def _ranked_config(
    store: Store, resolved: ResolvedConfig, *, people: int, known: bool
) -> ResolvedConfig:
    """Return the tournament that holds the sheets; `known` where it is stored already."""
    name = rankings_tournament(resolved.name)
    content = resolved.config.model_dump(mode="json", exclude_none=True)
    content["tournament"] |= {"name": name, "ranks": resolved.name}
    content["schedule"] = {}
    if known:
        people = stored_config(store, name).benches[0].runs
    options = {"dimensions": [DIMENSION]}
    content["benches"] = [{"name": BENCH, "judge": "human", "runs": people, "options": options}]
    return resolve(parse_config(content, where=name), where=name, motions=resolved.motions)


def _pairs(
    name: str, place: Place, essays: Mapping[str, Speech]
) -> Iterator[tuple[Debate, tuple[Speech, Speech]]]:
    """Yield the pairs of a new sheet, each with its two essays."""
    motion, code = place
    for pro, con in combinations(_shuffled(name, place, essays), 2):
        debate = Debate(
            debate_id=digest(name, motion, code, pro, con),
            matchup_id=_sheet_id(name, place),
            tournament=name,
            motion_id=motion,
            language=code,
            leg=0,
            repeat=0,
            pro=pro,
            con=con,
        )
        yield debate, (replace(essays[pro], side="pro"), replace(essays[con], side="con"))


def _shuffled(name: str, place: Place, essays: Mapping[str, object]) -> list[str]:
    """Return participants in the order of their letters, which is random but repeatable."""
    return sorted(essays, key=lambda participant: digest(name, *place, participant))


def _sheet_id(name: str, place: Place) -> str:
    return digest(name, *place)


def _sheet(
    sheet_id: str, group: Sequence[Debate], speeches: Mapping[str, tuple[Speech, ...]], motion: str
) -> RankSheet:
    """Build a sheet from its pairs, their essays by debate, and the text of its motion."""
    writers = {writer for debate in group for writer in (debate.pro, debate.con)}
    first = group[0]
    order = _shuffled(first.tournament, (first.motion_id, first.language), dict.fromkeys(writers))
    letters = {writer: chr(ord("A") + place) for place, writer in enumerate(order)}
    essays: dict[str, Speech] = {}
    for debate in group:
        for speech in speeches[debate.debate_id]:
            essays[letters[debate.pro if speech.side == "pro" else debate.con]] = speech
    spoken = pair_language(language(first.language))
    return RankSheet(
        sheet_id=sheet_id,
        task=spoken.terms["refute"].format(motion),
        language=spoken,
        essays=dict(sorted(essays.items())),
        pairs={(letters[debate.pro], letters[debate.con]): debate.debate_id for debate in group},
    )
