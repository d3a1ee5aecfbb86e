"""What is registered by name: by packages, the built-in too, and by the program itself."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeAlias

_GROUPS: Final = ("arena.commands", "arena.debaters", "arena.judges")


@dataclass(frozen=True, slots=True)
class GivenClass:
    """A debater or a judge that the program registers itself, used like an entry point."""

    given: type

    @property
    def module(self) -> str:
        """The module that defines it."""
        return self.given.__module__

    @property
    def value(self) -> str:
        """Where it is defined."""
        return f"{self.module}:{self.attr}"

    @property
    def attr(self) -> str:
        """Its name there."""
        return self.given.__qualname__

    def load(self) -> Any:  # noqa: ANN401 - as an entry point's
        """Return the class."""
        return self.given


Registered: TypeAlias = EntryPoint | GivenClass
_GIVEN: Final[Mapping[str, dict[str, Registered]]] = {group: {} for group in _GROUPS}


def registered(group: str) -> Mapping[str, Registered]:
    """Return what is registered in a group by name; nothing is loaded."""
    return ChainMap(_GIVEN[group], read_all()[group])


def give(group: str, name: str, given: type) -> None:
    """Register a class of the program under a name, for as long as it runs; a newer replaces it."""
    _GIVEN[group][name] = GivenClass(given)


def given() -> Mapping[str, Mapping[str, type]]:
    """Return the classes that the program has registered itself, by group and name."""
    return {
        group: {name: each.given for name, each in classes.items() if isinstance(each, GivenClass)}
        for group, classes in _GIVEN.items()
    }


@cache
def read_all() -> Mapping[str, dict[str, Registered]]:
    """Read the entry points of all groups at once: that opens a file of each package."""
    points = entry_points()
    return {group: {point.name: point for point in points.select(group=group)} for group in _GROUPS}
