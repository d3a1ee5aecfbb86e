"""The columns of battle logs: two common shapes, and the optional columns of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from arena.errors import ConfigError
from ratings import CON_WINS, PRO_WINS, TIE

#: Accepted words for the winner, with the outcome of the first named; case does not matter.
WINNERS: Final[Mapping[str, float]] = {
    "a": PRO_WINS, "b": CON_WINS, "tie": TIE,
    "1": PRO_WINS, "2": CON_WINS,
    "answer_a": PRO_WINS, "answer_b": CON_WINS,
    "model_a": PRO_WINS, "model_b": CON_WINS,
    "a>b": PRO_WINS, "b>a": CON_WINS, "a=b": TIE,
    "tie (bothbad)": TIE, "tie (inconsistent)": TIE,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The names that a log gives to the two participants and to the outcomes.

    Attributes:
        first, second: the columns of the participants.
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

#: The optional columns of a log, by our names; a user may map them to other names.
OPTIONAL: Final = (
    "judge", "category", "motion", "language", "score_a", "score_b", "weight", "timestamp",
    "debate", "group", "simulated",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a file.

    Attributes:
        shape: the shape that they have.
        place: the file's columns by our names, `winner` included.
        ignored: the file's columns that are not used.
    """

    shape: Shape
    place: Mapping[str, str]
    ignored: tuple[str, ...]

    def with_column(self, ours: str, theirs: str) -> Columns:
        """Return the columns with one more that is used."""
        ignored = tuple(column for column in self.ignored if column != theirs)
        return replace(self, place={**self.place, ours: theirs}, ignored=ignored)


def recognise(columns: Collection[str], renamed: Mapping[str, str], *, where: str) -> Columns:
    """Find the shape of a file, and its column for each of our names.

    Args:
        columns: the file's columns.
        renamed: columns that the user named, by our names.
        where: the file, for messages.

    Raises:
        ConfigError: a column is missing, or the shape is not clear.
    """
    _check_renamed(columns, renamed, where)
    if "debate" in renamed and renamed.get("judge", "judge") not in columns:
        raise ConfigError(
            f"{where}: --column debate={renamed['debate']} needs the column of the judges, whose "
            "verdicts on one debate are kept apart. Name it with --column judge=NAME, or let the "
            f"verdicts on one debate count as one observation: --column group={renamed['debate']}."
        )
    taken = {
        name: renamed.get(name, name) for name in (*_participant_columns(), *OPTIONAL, "winner")
    }
    present = {name: column for name, column in taken.items() if column in columns}
    shapes = [shape for shape in SHAPES.values() if {shape.first, shape.second} <= set(present)]
    if len(shapes) != 1 or "winner" not in present:
        both = "both shapes at once" if len(shapes) > 1 else "neither shape"
        missing = "" if "winner" in present else " (no column `winner`)"
        raise ConfigError(
            f"{where}: {both}{missing}; its columns: {', '.join(columns)}. Accepted: "
            "model_a, model_b, winner; or left, right, winner. "
            "Columns of other names: --column winner=NAME."
        )
    (shape,) = shapes
    used = {shape.first, shape.second, "winner", *OPTIONAL}
    place = {name: column for name, column in present.items() if name in used}
    ignored = tuple(column for column in columns if column not in place.values())
    return Columns(shape=shape, place=place, ignored=ignored)


def _participant_columns() -> list[str]:
    """Return the names that the shapes give to participants."""
    return [name for shape in SHAPES.values() for name in (shape.first, shape.second)]


def _check_renamed(columns: Collection[str], renamed: Mapping[str, str], where: str) -> None:
    known = (*_participant_columns(), "winner", *OPTIONAL)
    for name, column in renamed.items():
        if name not in known:
            raise ConfigError(
                f"--column {name}={column}: the first name must be one of {', '.join(known)}."
            )
        if column not in columns:
            raise ConfigError(f"{where}: no column {column!r}; it has: {', '.join(columns)}.")
