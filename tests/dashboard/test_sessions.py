"""Sessions without a connection: the last ones are kept, and those before them end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dashboard.sessions import LastSessions


def session(name: str, ended: list[str]) -> Any:  # noqa: ANN401 - Streamlit's, as far as needed
    own = SimpleNamespace(id=name, shutdown=lambda: ended.append(name))
    return SimpleNamespace(session=own)


def test_the_oldest_ends_where_another_one_needs_its_place() -> None:
    ended: list[str] = []
    sessions = LastSessions(kept=2)
    for name in "abcbd":
        sessions.save(session(name, ended))
    assert ended == ["a", "c"]
    assert [info.session.id for info in sessions.list()] == ["b", "d"]
    assert sessions.get("a") is None
    sessions.delete("b")
    sessions.save(session("e", ended))
    assert ended == ["a", "c"], "who comes back takes nobody's place"
