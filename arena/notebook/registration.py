"""Debaters and judges that a program gives itself, instead of an installed package."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isabstract, iscoroutinefunction
from typing import Any, TypeAlias

from arena.debater import Debater, Seat, Turn
from arena.debaters.function import Chat, FunctionDebater
from arena.errors import ConfigError
from arena.judge import Judge
from arena.registered import give, read_all

#: Makes the speech of a turn for a seat, with a function that asks the participant's model.
SpeechFunction: TypeAlias = Callable[[Seat, Turn, Chat], Awaitable[str]]
Debaters: TypeAlias = Mapping[str, type[Debater] | SpeechFunction]
Judges: TypeAlias = Mapping[str, type[Judge]]


def register(*, debaters: Debaters | None = None, judges: Judges | None = None) -> None:
    """Register debaters and judges by name for this program, as packages do by entry points.

    Configurations then name them, and results that rest on them can be read. Another program that
    reads these results registers them as well.

    Args:
        debaters: classes that subclass `arena.api.Debater`, or functions
            `async def speech(seat, turn, chat) -> str`, where `await chat(messages)` asks the
            participant's model.
        judges: classes that subclass `arena.api.Judge`.

    Raises:
        ConfigError: a value is none of these, or an installed package has the name.
    """
    made = {name: _debater(name, given) for name, given in (debaters or {}).items()}
    for name, given in (judges or {}).items():
        _check_class("judges", name, given, Judge)
    for kind, classes in (("debaters", made), ("judges", judges or {})):
        group = f"arena.{kind}"
        for name in classes:
            if point := read_all()[group].get(name):
                raise ConfigError(
                    f"{kind}: {name!r} is registered by {point.module}. Choose another name."
                )
        for name, each in classes.items():
            give(group, name, each)


def _debater(name: str, given: Any) -> type[Debater]:  # noqa: ANN401 - what a user gave
    if iscoroutinefunction(given):
        return _of_function(given)
    _check_class(
        "debaters", name, given, Debater, " or an async function of a seat, a turn and a chat"
    )
    return given  # type: ignore[no-any-return]


def _check_class(kind: str, name: str, given: object, base: type, more: str = "") -> None:
    if not (isinstance(given, type) and issubclass(given, base)) or isabstract(given):
        raise ConfigError(
            f"{kind}: {name!r} is {given!r}. Accepted: a class that subclasses "
            f"arena.api.{base.__name__} and has its methods{more}."
        )


def _of_function(speech: SpeechFunction) -> type[Debater]:
    """Return a debater whose speeches a function makes."""

    class OfFunction(FunctionDebater):
        """A debater whose speeches a function makes."""

        async def make_speech(self, turn: Turn, chat: Chat) -> str:
            return await speech(self.seat, turn, chat)

    OfFunction.__module__ = speech.__module__ or "__main__"  # None where code was executed
    return OfFunction
