"""Objects of an answer that repeat material quoted in its prompt, such as a speaker's own verdict.

A speaker may write the judge's answer into a speech, and a judge may quote it, exactly or not,
while it refuses to give it. What is compared are the decisions in the objects (numbers and
choices) and their prose, by their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from arena.llm.lenient_json import find_objects

#: Values in an object by the names that lead to each.
_Leaves: TypeAlias = Mapping[tuple[str, ...], Any]
#: The name of an object within another, '' without one, and its values.
QuotedObject: TypeAlias = tuple[str, _Leaves]

#: Levels of nesting, more than which no form has.
_DEEPEST: Final = 40

#: Characters from which a text is prose, which nobody repeats by chance; and the most numbers
#: that an answer has in common with a quotation by chance.
_LEAST_PROSE: Final = 16
_MOST_BY_CHANCE: Final = 3
#: Share by which a number of a near copy may differ, and share of its decisions that are near.
_NEAR, _NEAR_SHARE = 0.2, 0.75


def find_quoted_objects(texts: Sequence[str]) -> list[QuotedObject]:
    """Find the objects in quoted texts, and those within them."""
    objects = (item.value for text in texts for item in find_objects(text))
    named = (part for value in objects for part in _objects_in("", value))
    return [(name, leaves) for name, part in named if (leaves := dict(_leaves(part, ())))]


def repeats(value: Mapping[str, Any], quoted: Sequence[QuotedObject], *, is_whole: bool) -> bool:
    """Tell whether an object repeats one of the quoted objects, or its parts do.

    Args:
        quoted: from `find_quoted_objects`.
        is_whole: whether the object is the whole answer, and so meant as one: then it repeats a
            quotation only where that cannot be chance; in other text, a near copy does.
    """
    own = dict(_leaves(value, ()))
    if is_whole:
        return any(_is_copy(own, other) for _, other in quoted)
    if any(_is_near(own, other) for _, other in quoted):
        return True
    parts = {name.casefold(): part for name, part in value.items() if isinstance(part, Mapping)}
    return bool(parts) and all(
        repeats(part, [item for item in quoted if item[0] in ("", name)], is_whole=False)
        for name, part in parts.items()
    )


def _is_copy(own: _Leaves, other: _Leaves) -> bool:
    if any(map(_is_prose, own.values())) and all(
        place in other and other[place] == value for place, value in own.items()
    ):
        return True
    numbers = [place for place, value in own.items() if _number(value) is not None]
    return len(numbers) > _MOST_BY_CHANCE and all(
        _number(other.get(place)) == _number(own[place]) for place in numbers
    )


def _is_near(own: _Leaves, other: _Leaves) -> bool:
    decisions = [place for place in own if not _is_prose(own[place])] or [*own]
    near = sum(place in other and _are_near(own[place], other[place]) for place in decisions)
    return near >= _NEAR_SHARE * max(1, len(decisions))


def _is_prose(leaf: object) -> bool:
    return isinstance(leaf, str) and len(leaf) >= _LEAST_PROSE


def _are_near(value: object, other: object) -> bool:
    first, second = _number(value), _number(other)
    if first is None or second is None:
        return str(value).casefold() == str(other).casefold()
    return abs(first - second) <= max(1.0, _NEAR * max(abs(first), abs(second)))


def _number(value: object) -> float | None:
    try:
        return None if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping | list) and len(place) < _DEEPEST:
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for name, part in parts:
            yield from _leaves(part, (*place, str(name).casefold()))
    elif place:
        yield place, value


def _objects_in(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Mapping[str, Any]]]:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        yield name, value
    if isinstance(value, Mapping | list) and depth < _DEEPEST:
        parts = value.items() if isinstance(value, Mapping) else [(name, part) for part in value]
        for inner, part in parts:
            yield from _objects_in(inner.casefold(), part, depth + 1)
