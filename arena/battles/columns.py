"""The columns of battle logs: two common shapes, optional columns, and what others tell unasked.

Columns that nobody named may hold times, name debates and groups, and hold the seed of an exported
board.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from arena.battles.layouts import ALIASES, LAYOUTS, find_neighbour
from arena.battles.source import Source, head_key, sql_text
from arena.battles.times import read_time
from arena.errors import ConfigError
from ratings import CON_WINS, PRO_WINS, TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The names that a log gives to the two participants and to the outcomes.

    Attributes:
        outcomes: the first participant's outcome for each of the shape's own words for the winner.
            Where several words mean the same, an export writes the first.
    """

    name: str
    first: str
    second: str
    outcomes: Mapping[str, float]


MODELS: Final = Shape(
    name="models",
    first="model_a",
    second="model_b",
    outcomes={"model_a": PRO_WINS, "model_b": CON_WINS, "tie": TIE, "tie (bothbad)": TIE},
)
SIDES: Final = Shape(
    name="sides",
    first="left",
    second="right",
    outcomes={"left": PRO_WINS, "right": CON_WINS, "tie": TIE},
)
SHAPES: Final = {shape.name: shape for shape in (MODELS, SIDES)}
#: The names that the shapes give to participants.
_PARTICIPANTS: Final = tuple(
    name for shape in SHAPES.values() for name in (shape.first, shape.second)
)

#: The optional columns of a log, by our names; a user may map them to other names.
OPTIONAL: Final = (
    "judge", "category", "motion", "language", "score_a", "score_b", "weight", "timestamp",
    "debate", "group", "simulated",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a file."""

    shape: Shape
    place: Mapping[str, str]
    ignored: tuple[str, ...]

    def with_column(self, ours: str, theirs: str) -> Columns:
        """Return the columns with one more that is used."""
        ignored = tuple(column for column in self.ignored if column != theirs)
        return replace(self, place={**self.place, ours: theirs}, ignored=ignored)


def recognise(
    source: Source, renamed: Mapping[str, str], *, baseline: str = ""
) -> tuple[Source, Columns]:
    """Find the shape of a file and its column for each of our names, computed where it has to be.

    Args:
        source: the file as it is.
        renamed: heads by our names, as the user gives them; empty for a column that is not used.
        baseline: the model that a file of Arena-Hard compares with and does not name.

    Raises:
        ConfigError: a column is missing, or the shape is not clear.
    """
    source = _with_baseline(source, baseline)
    place = _find_renamed(source, renamed)
    keys = {head_key(head) for head in source.columns}
    layout = next((layout for layout in LAYOUTS if layout.fits(keys)), None)
    if layout is not None and not {*layout.cells, "winner"} & set(renamed):
        source, computed = layout.convert(source)
        place |= computed
    for name in (*_PARTICIPANTS, "winner", *OPTIONAL):
        if name not in renamed and name not in place:
            place |= _find_column(source, name, {*place.values()})
    place = {name: head for name, head in place.items() if head}
    shapes = [shape for shape in SHAPES.values() if {shape.first, shape.second} <= set(place)]
    if len(shapes) != 1 or "winner" not in place:
        raise ConfigError(_explain_shape(source, place, shapes))
    (shape,) = shapes
    used = (shape.first, shape.second, "winner", *OPTIONAL)
    place = {name: place[name] for name in used if name in place}
    ignored = tuple(head for head in source.columns if head not in place.values())
    return source, Columns(shape=shape, place=place, ignored=ignored)


def _with_baseline(source: Source, baseline: str) -> Source:
    """Return a file of Arena-Hard's judgments with its baseline, which older ones do not name.

    Raises:
        ConfigError: it is not known, or the file is none of these.
    """
    keys = {head_key(head) for head in source.columns}
    lacks = {"model", "games"} <= keys and not {"baseline", "winner"} & keys
    if baseline and not lacks:
        raise ConfigError(
            f"--baseline {baseline}: {source.path} is no file of Arena-Hard's judgments (model, "
            "games) without a baseline. Leave the option out."
        )
    if lacks and not baseline:
        raise ConfigError(
            f"{source.path}: holds Arena-Hard's judgments, and does not name the baseline that "
            "each model was compared with. Say it: --baseline NAME (gpt-4-0314 in Arena-Hard v0.1)."
        )
    if not lacks:
        return source
    told = source.compute({"told_baseline": sql_text(baseline)})
    return replace(told, columns={**told.columns, "baseline": "told_baseline"})


def _find_column(source: Source, name: str, taken: Collection[str]) -> dict[str, str]:
    """Return the head of our name, or of another name for it; nothing where there is none.

    Raises:
        ConfigError: two heads are spellings of the same name.
    """
    for key in (head_key(name), *ALIASES.get(name, ())):
        heads = [head for head in source.columns if head_key(head) == key and head not in taken]
        if len(heads) > 1:
            raise ConfigError(
                f"{source.path}: two columns are named {name}: {', '.join(map(repr, heads))}. "
                f"Say which is meant: --column {name}={heads[0]}."
            )
        if heads and (key == head_key(name) or name != "timestamp" or _has_time(source, heads[0])):
            return {name: heads[0]}
    return {}


def _has_time(source: Source, head: str) -> bool:
    """Return whether any value of a column is a time."""
    return source.has(f"{read_time(source.columns[head])} IS NOT NULL")


def _explain_shape(source: Source, place: Mapping[str, str], shapes: Sequence[Shape]) -> str:
    neighbour = find_neighbour(map(head_key, source.columns))
    if neighbour:
        return (
            f"{source.path}: holds no comparisons of two participants; it is of {neighbour}. "
            "Nothing can be rated from it: write a row for each comparison, with model_a, model_b "
            "and winner."
        )
    both = "both shapes at once" if len(shapes) > 1 else "neither shape"
    missing = "" if "winner" in place else " (no column `winner`)"
    return (
        f"{source.path}: {both}{missing}; its columns: {', '.join(source.columns)}. Accepted: "
        "model_a, model_b, winner; or left, right, winner; or a published layout (docs/guide.md). "
        "Columns of other names: --column winner=NAME."
    )


def _find_renamed(source: Source, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the heads that the user names, however they are spelled."""
    known = (*_PARTICIPANTS, "winner", *OPTIONAL)
    place = {}
    for name, given in renamed.items():
        if name not in known:
            raise ConfigError(
                f"--column {name}={given}: the first name must be one of {', '.join(known)}."
            )
        alike = [head for head in source.columns if head_key(head) == head_key(given)]
        if given in source.columns or not given:
            place[name] = given
        elif len(alike) == 1:
            (place[name],) = alike
        else:
            raise ConfigError(
                f"{source.path}: no column {given!r}; it has: {', '.join(source.columns)}."
            )
    return place


def check_debate_column(renamed: Mapping[str, str], columns: Columns, *, where: str) -> None:
    """Check that a column of debates that is named has one of judges beside it.

    Raises:
        ConfigError: it has not.
    """
    if renamed.get("debate") and "judge" not in columns.place:
        raise ConfigError(
            f"{where}: --column debate={renamed['debate']} needs the column of the judges, whose "
            "verdicts on one debate are kept apart. Name it with --column judge=NAME, or let the "
            f"verdicts on one debate count as one observation: --column group={renamed['debate']}."
        )


#: Names of columns that say which rows belong together: of one debate, or of one question.
_GROUP_NAME: Final = re.compile(
    r"(?:.*[_\W])?(?:(?:debate|group|matchup|match|cluster)(?:[_\W]?(?:id|no|number|key))?"
    r"|(?:question|prompt|conversation|session|thread|item)[_\W]?id)",
    re.IGNORECASE,
)
#: Names of columns that say which debate a row judges.
_DEBATE_NAME: Final = re.compile(r"debate(?:[_\W]?(?:id|no|number|key))?", re.IGNORECASE)
SEED: Final = "seed"
#: DuckDB's largest BIGINT has as many digits; a number of so many is no seed of ours.
_SEED_DIGITS: Final = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What was taken from columns that the user did not name.

    Attributes:
        debate: the column of debates that several rows judge; "" where every row is a debate.
        lacks_debates: whether judges are named, and no column says which debate they judge.
        group: the column taken as groups; "" where none was.
        seed: that of the exported board; None where the log has none.
    """

    columns: Columns
    debate: str = ""
    debates: int = 0
    lacks_debates: bool = False
    group: str = ""
    groups: int = 0
    seed: int | None = None


def take_hints(source: Source, columns: Columns, *, grouped: bool) -> Hints:
    """Find the columns of debates and groups that nobody named, and the seed of an exported board.

    Args:
        grouped: whether to look for debates and groups.

    Raises:
        ConfigError: several columns look like groups, and none of them contains the others'.
    """
    hints = _take_debate(source, Hints(columns=columns), grouped=grouped)
    if "group" in columns.place and hints.debate:
        name = columns.place["group"]
        hints = replace(hints, group=name, groups=source.count_values(name))
    elif grouped and "group" not in columns.place:
        hints = _take_group(source, hints)
    if SEED in columns.ignored:
        hints = _take_seed(source, hints)
    return hints


def _take_debate(source: Source, hints: Hints, *, grouped: bool) -> Hints:
    """Take a column of debates some of which several rows judge, if the file names judges.

    Where judges are not known, the rows of a debate cannot be told apart: they are a group.
    """
    place = dict(hints.columns.place)
    named, group = place.pop("debate", ""), place.get("group", "")
    names = (named, *filter(_DEBATE_NAME.fullmatch, (*hints.columns.ignored, group)))
    name = next(filter(None, names), "")
    if grouped and "judge" in place and name not in ("", group):
        debates = source.count_values(name)
        if debates < source.count_rows(name):
            taken = hints.columns.with_column("debate", name)
            return replace(hints, columns=taken, debate=name, debates=debates)
    unused = {*hints.columns.ignored, named} - {"", *place.values()}
    ignored = tuple(column for column in source.columns if column in unused)
    columns = replace(hints.columns, place=place, ignored=ignored)
    lacks_debates = grouped and "judge" in place and not name
    return replace(hints, columns=columns, lacks_debates=lacks_debates)


def _take_group(source: Source, hints: Hints) -> Hints:
    """Take the column of the widest groups: debates lie within matchups, and those within more."""
    names = [name for name in hints.columns.ignored if _GROUP_NAME.fullmatch(name)]
    counts = {name: source.count_values(name) for name in names}
    repeated = {
        name: values
        for name, values in counts.items()
        if 1 < values < source.count_rows(name)
        and not (hints.debate and _is_within(source, name, hints.debate))
    }
    if not repeated:
        return hints
    widest = sorted(repeated, key=lambda name: repeated[name])
    if not all(_is_within(source, fine, wide) for wide, fine in pairwise(widest)):
        listed = ", ".join(f"{name} ({values:,} values)" for name, values in repeated.items())
        first = next(iter(repeated))
        raise ConfigError(
            f"{source.path}: several columns look like groups of related battles: {listed}. Name "
            f"one with --column group={first}, or use --no-group to count every battle by itself."
        )
    taken = hints.columns.with_column("group", widest[0])
    return replace(hints, columns=taken, group=widest[0], groups=repeated[widest[0]])


def _is_within(source: Source, fine: str, wide: str) -> bool:
    """Return whether all rows of each value of a column have one value of another."""
    return source.count_values(fine, wide) <= source.count_values(fine)


def _take_seed(source: Source, hints: Hints) -> Hints:
    """Take a seed that is the same whole number in all rows."""
    values = source.values(f"trim({source.columns[SEED]})", most=2)
    if len(values) != 1 or not re.fullmatch(rf"\d{{1,{_SEED_DIGITS}}}", values[0]):
        return hints
    ignored = tuple(name for name in hints.columns.ignored if name != SEED)
    taken = replace(hints.columns, ignored=ignored)
    return replace(hints, columns=taken, seed=int(values[0]))
