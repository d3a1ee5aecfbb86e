"""The base of debaters whose speeches a function or another framework makes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from arena.debater import Debater, Draft, Turn

#: Messages as chat models take them: each has a `role` and a `content`.
Messages: TypeAlias = Sequence[Mapping[str, str]]
#: A function that sends messages to the participant's model, and returns its text.
Chat: TypeAlias = Callable[[Messages], Awaitable[str]]


class FunctionDebater(Debater):
    """A debater whose speeches come from a function, or from a framework with its own agents.

    Calls that it makes with `chat` are calls of the participant's model: they are counted, priced,
    kept in the journal and held under the caps. A framework that makes calls with a client of its
    own sets `calls_seen = False`; boards then say that its calls are not in their costs.
    """

    @abstractmethod
    async def make_speech(self, turn: Turn, chat: Chat) -> str:
        """Return the text of the speech of a turn.

        Args:
            chat: to be called in the same order whenever the debate is played: after an
                interruption, the calls that were finished are answered from the journal.
        """

    async def speak(self, turn: Turn) -> Draft:
        """Have the speech made; its calls are numbered within the stage."""
        numbers = count(1)

        async def chat(messages: Messages) -> str:
            return await self.seat.model.chat(
                messages,
                path=f"{turn.stage}/chat/{next(numbers)}",
                task=f"write.{turn.stage}",
                language=self.seat.language.code,
            )

        return Draft(text=await self.make_speech(turn, chat))
