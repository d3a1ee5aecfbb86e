"""The two common shapes of a battle log, and the columns that either may have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from arena.errors import ConfigError
from ratings import CON_WINS, PRO_WINS, TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a log names the two participants, and how it says who won.

    Attributes:
        first, second: the columns of the participants.
        outcomes: what the column `winner` may say, as the first one's outcome; of several words
            for one outcome the first is written.
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

#: What a log may say beside who won, under these names or under others that are told.
OPTIONAL: Final = (
    "judge", "category", "motion", "language", "score_a", "score_b", "weight", "timestamp",
    "group", "simulated",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where a file has what.

    Attributes:
        shape: of the two.
        place: columns of the file by our names, `winner` included.
        ignored: columns that nothing is taken from.
    """

    shape: Shape
    place: Mapping[str, str]
    ignored: tuple[str, ...]


def recognise(found: Collection[str], renamed: Mapping[str, str], *, where: str) -> Columns:
    """Find out what the columns of a file are.

    Args:
        found: the file's columns.
        renamed: those that a user told, by our names.
        where: the file, for messages.

    Raises:
        ConfigError: a column is missing, or the shape is not clear.
    """
    _check_renamed(found, renamed, where)
    taken = {name: renamed.get(name, name) for name in (*_names(), *OPTIONAL, "winner")}
    present = {name: column for name, column in taken.items() if column in found}
    shapes = [one for one in SHAPES.values() if {one.first, one.second} <= set(present)]
    if len(shapes) != 1 or "winner" not in present:
        both = "both shapes at once" if len(shapes) > 1 else "neither shape"
        missing = "" if "winner" in present else " (no column `winner`)"
        raise ConfigError(
            f"{where}: {both}{missing}; its columns: {', '.join(found)}. Accepted: "
            "model_a, model_b, winner; or left, right, winner. "
            "Columns of other names: --column winner=NAME."
        )
    (shape,) = shapes
    used = {shape.first, shape.second, "winner", *OPTIONAL}
    place = {name: column for name, column in present.items() if name in used}
    ignored = tuple(one for one in found if one not in place.values())
    return Columns(shape=shape, place=place, ignored=ignored)


def _names() -> list[str]:
    return [name for shape in SHAPES.values() for name in (shape.first, shape.second)]


def _check_renamed(found: Collection[str], renamed: Mapping[str, str], where: str) -> None:
    known = (*_names(), "winner", *OPTIONAL)
    for name, column in renamed.items():
        if name not in known:
            raise ConfigError(f"--column {name}={column}: accepted names: {', '.join(known)}.")
        if column not in found:
            raise ConfigError(f"{where}: no column {column!r}; it has: {', '.join(found)}.")
