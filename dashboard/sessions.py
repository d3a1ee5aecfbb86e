"""The sessions of viewers who have left: the last ones are kept, in case they come back.

Streamlit keeps 128 of them for two minutes and ends none, and each holds an event loop of three
descriptors. Here a session ends when its place is taken.
"""

from __future__ import annotations

from typing import Final

from dashboard.private import PagesKeeping, SessionInfo, SessionStorage

#: Sessions that are kept: whoever reloads a page, or has lost the connection, finds the same one.
KEPT: Final = 8


class LastSessions(SessionStorage):
    """Sessions without a connection: the last ones, others end."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._sessions: dict[str, SessionInfo] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """Return a session; `None` where it is not kept."""
        return self._sessions.get(session_id)

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session, and end the oldest where there are too many."""
        self._sessions.pop(session_info.session.id, None)
        self._sessions[session_info.session.id] = session_info
        while len(self._sessions) > self._kept:
            self._sessions.pop(next(iter(self._sessions))).session.shutdown()

    def delete(self, session_id: str) -> None:
        """Forget a session, which goes on elsewhere or is ended by the caller."""
        del self._sessions[session_id]

    def list(self) -> list[SessionInfo]:
        """Return all sessions."""
        return [*self._sessions.values()]


class Pages(PagesKeeping):
    """Streamlit's server of pages, which keeps few sessions."""

    storage = LastSessions
