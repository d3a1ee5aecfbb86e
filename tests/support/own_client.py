"""A debater that calls models by a client of its own, in place of the built-in `direct`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import pytest

from arena.debater import Turn
from arena.debaters.function import Chat, FunctionDebater
from arena.registered import registered


class OwnClient(FunctionDebater):
    """A debater whose calls nobody sees."""

    calls_seen = False

    async def make_speech(self, turn: Turn, chat: Chat) -> str:
        return "Cars poison the air of a centre, and all who live there pay for that each day."


@contextmanager
def own_client_as_direct() -> Iterator[None]:
    """Register the debater under the name `direct`."""
    group = "arena.debaters"
    point = EntryPoint(name="direct", value="tests.support.own_client:OwnClient", group=group)
    replaced = {**registered(group), "direct": point}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "arena.plugins.registered",
            lambda name: replaced if name == group else registered(name),
        )
        yield
