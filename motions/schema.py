"""From raw entries to records: the one place where a motion's content is checked."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from motions.errors import MotionError
from motions.formats import Entry
from motions.records import Brief, Category, Motion, Point, Wording

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
MotionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Point(_Strict):
    claim: Text
    evidence: Text
    source: str = ""

    def record(self) -> Point:
        return Point(claim=self.claim, evidence=self.evidence, source=self.source.strip())


class _Wording(_Strict):
    text: Text
    info_slide: str = ""
    pro: list[_Point] = Field(default_factory=list)
    con: list[_Point] = Field(default_factory=list)

    def record(self) -> Wording:
        brief = Brief(
            pro=tuple(point.record() for point in self.pro),
            con=tuple(point.record() for point in self.con),
        )
        return Wording(text=self.text, info_slide=self.info_slide.strip(), brief=brief)


class _Motion(_Strict):
    id: MotionId
    category: Category
    topic: Text
    en: _Wording | None = None
    zh: _Wording | None = None

    def wordings(self) -> dict[str, Wording]:
        found = {"en": self.en, "zh": self.zh}
        return {language: wording.record() for language, wording in found.items() if wording}


def build(entry: Entry, motion_set: str) -> Motion:
    """Checks an entry and turns it into a motion of the set.

    Raises:
        MotionError: A key is missing, unknown or wrong; the motion has no wording in any language;
            a brief has points on one side only.
    """
    parsed = _parse(entry)
    motion = Motion(
        motion_id=parsed.id,
        motion_set=motion_set,
        category=parsed.category,
        topic=parsed.topic,
        wordings=parsed.wordings(),
    )
    _check_wordings(motion, entry)
    return motion


def place(entry: Entry) -> str:
    """Returns where an entry stands: file, number and, if it has one, id."""
    given = entry.fields.get("id") if isinstance(entry.fields, dict) else None
    name = f" ({given})" if isinstance(given, str) else ""
    return f"{entry.file}, motion {entry.number}{name}"


def _parse(entry: Entry) -> _Motion:
    try:
        return _Motion.model_validate(entry.fields)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        more = f" ({len(others)} more in this motion.)" if others else ""
        raise MotionError(f"{place(entry)}: {_explain(dict(first))}{more}") from error


def _check_wordings(motion: Motion, entry: Entry) -> None:
    if not motion.wordings:
        raise MotionError(
            f"{place(entry)}: no wording in any language; accepted: en, zh. "
            "Add a [motion.en] or a [motion.zh] table with a text."
        )
    for language, wording in motion.wordings.items():
        sides = {"pro": wording.brief.pro, "con": wording.brief.con}
        empty = [side for side, points in sides.items() if not points]
        if len(empty) == 1:
            raise MotionError(
                f"{place(entry)}, field {language}.{empty[0]}: the brief has no points on this "
                "side; accepted is at least one on each, or no brief at all. "
                f"Add a [[motion.{language}.{empty[0]}]] table."
            )


def _explain(fault: dict[str, Any]) -> str:
    """Words one fault that pydantic found: the field, what was given, what is accepted."""
    path = fault["loc"]
    field = ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
    if fault["type"] == "extra_forbidden":
        accepted = ", ".join(_keys_beside(path))
        return f"unknown key {field!r}; accepted here: {accepted}. Rename or remove it."
    if fault["type"] == "missing":
        return f"field {field} is missing. Add it."
    spot = f"field {field}" if field else "the motion"
    return f"{spot}: given {fault['input']!r}; {_accepted(fault)}. Correct it."


def _accepted(fault: dict[str, Any]) -> str:
    match fault["type"]:
        case "literal_error":
            return f"accepted: {fault['ctx']['expected']}"
        case "string_too_short":
            return "accepted: text that is not blank"
        case "string_pattern_mismatch":
            return "accepted: letters, digits, '-', '_' and '.', without spaces"
        case "list_type":
            return "accepted: a list of tables, each under its own [[double brackets]]"
        case "model_type" | "model_attributes_type":
            return "accepted: a table of keys and values"
        case _:
            return f"accepted: {fault['msg'].lower()}"


def _keys_beside(path: tuple[str | int, ...]) -> list[str]:
    """Returns the keys accepted where the last part of the path stands."""
    depth: dict[int, type[BaseModel]] = {1: _Motion, 2: _Wording}
    return list(depth.get(len(path), _Point).model_fields)
