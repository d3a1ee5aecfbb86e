"""What the pages use of Streamlit and uvicorn that these do not promise to keep.

It is imported from here alone. `pyproject.toml` admits only versions that have all of it, and
`arena serve` looks whether they are installed (`dashboard/command.py`).
"""

from __future__ import annotations

import streamlit as st
from streamlit.auth_util import encode_provider_token, get_cookie_with_chunks
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionInfo, SessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.bootstrap import load_config_options
from streamlit.web.server.server_util import AUTH_COOKIE_NAME, get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

__all__ = [
    "AUTH_COOKIE_NAME",
    "ASGISendEvent",
    "H11Protocol",
    "PagesKeeping",
    "SessionInfo",
    "SessionStorage",
    "WebSocketsSansIOProtocol",
    "decode_signed_value",
    "encode_provider_token",
    "get_cookie_secret",
    "get_cookie_with_chunks",
    "load_config_options",
]


class PagesKeeping(st.App):
    """Streamlit's server of pages, with a storage of its own for sessions without a connection."""

    storage: type[SessionStorage]

    def _create_runtime(self) -> Runtime:
        runtime = super()._create_runtime()
        sessions = runtime._session_mgr
        assert isinstance(sessions, WebsocketSessionManager)
        sessions._session_storage = self.storage()
        return runtime
