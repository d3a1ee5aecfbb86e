"""Models that are stopped until a person mends something: the key, the name, the credit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from arena.errors import ProviderRejected
from arena.llm.traffic.remedies import REMEDIES, STOPPED
from arena.text import as_sentence

#: Rejections in a row after which a model that has answered before is stopped.
_REJECTIONS = 3


class Stop:
    """Whether the calls of one model go on.

    Args:
        note: is told why they do not, one line.

    Attributes:
        fault: why no call goes out until a person mends something; `None` while they do.
        known: set when the model has answered, or is stopped.
    """

    def __init__(self, *, note: Callable[[str], None]) -> None:
        self.fault: ProviderRejected | None = None
        self.known = asyncio.Event()
        self._note = note
        self._rejections = 0
        self._has_answered = False

    def check(self) -> None:
        """Check that calls go out.

        Raises:
            ProviderRejected: they do not.
        """
        if self.fault is not None:
            raise ProviderRejected(str(self.fault), remedy=self.fault.remedy)

    def answered(self) -> None:
        """Note an answer."""
        self._rejections, self._has_answered = 0, True
        self.known.set()

    def rejected(self, fault: ProviderRejected) -> None:
        """Stop the model; once it has answered, only when it is refused again and again.

        A firewall may refuse one prompt, and a gateway lose a model for a moment. Credit that is
        used up does not come back.
        """
        self._rejections += 1
        is_sure = not self._has_answered or fault.remedy == "quota"
        if self.fault is None and (is_sure or self._rejections >= _REJECTIONS):
            self.fault = fault
            self.known.set()
            self._note(f"{as_sentence(str(fault))} {REMEDIES[fault.remedy or 'model']}")

    def format_state(self) -> str:
        """Format what is to be mended; empty where nothing is."""
        return "" if self.fault is None else f"stopped: {STOPPED[self.fault.remedy or 'model']}"
