"""The two ways of a call: ours, and through LiteLLM."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["direct", "litellm"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have every call go one way."""
    way: str = request.param
    if way == "litellm":
        monkeypatch.setattr("arena.llm.provider_backend.find_listed", lambda *_: None)
    return way
