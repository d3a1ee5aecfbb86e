"""What a test must not wait for: pauses of the program."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

#: Pauses of the program that no result depends on, and what they are in tests (seconds).
_PAUSES: Mapping[str, object] = {
    "arena.llm.calls._PAUSE": (0.0, 0.0),
    "arena.llm.traffic.circuit_breaker.TRY_SECONDS": (0.01, 0.05),
    "arena.llm.traffic.rate_limits.REFUSAL_SECONDS": (0.0, 0.0),
    "arena.tournament.models.GIVE_UP_SECONDS": 5.0,
    "arena.tournament.paid_work.GATHER_SECONDS": 0.02,
    "arena.llm.journal._sync": lambda _descriptor: None,
    "arena.tournament.run.gc": SimpleNamespace(
        collect=lambda: 0, freeze=lambda: None, unfreeze=lambda: None
    ),
}


def switch_off_pauses(patch: pytest.MonkeyPatch) -> None:
    """Let nothing wait for a retry, for a batch to fill, or for the disk."""
    for name, value in _PAUSES.items():
        patch.setattr(name, value)
