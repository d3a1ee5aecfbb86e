"""Viewers without a browser: what they get by HTTP, and which page their WebSocket draws."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol


@dataclass(kw_only=True)
class Viewer:
    """Somebody who looks at a server.

    Attributes:
        address: of the server.
        cookies: that it has been given.
    """

    address: str
    cookies: httpx.Cookies = field(default_factory=httpx.Cookies)

    def get(self, link: str) -> httpx.Response:
        """Follow a link, such as that of the forms or of the sign-in."""
        with httpx.Client(cookies=self.cookies, follow_redirects=True, timeout=60) as client:
            response = client.get(link)
            self.cookies.update(client.cookies)
            return response

    def status(self, path: str) -> int:
        """The status of a page."""
        return self.get(self.address + path).status_code

    def sign_in(self) -> None:
        """Go to the provider and back."""
        self.get(f"{self.address}/sign-in")

    def draw(self, page: str, *, origin: str = "") -> str:
        """All that the server sends when a page is asked for by WebSocket; a number if refused."""
        try:
            with self._connect(origin or self.address) as socket:
                return _draw(socket, page)
        except InvalidStatus as refused:
            return str(refused.response.status_code)

    def _connect(self, origin: str) -> ClientConnection:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return connect(
            re.sub("^http", "ws", self.address) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": cookies, "Origin": origin},
            max_size=None,
        )


def _draw(socket: ClientConnection, page: str) -> str:
    message = BackMsg()
    message.rerun_script.page_name = page
    socket.send(message.SerializeToString())
    texts: list[str] = []
    while True:
        answer = ForwardMsg()
        received = socket.recv(timeout=60)
        assert isinstance(received, bytes)
        answer.ParseFromString(received)
        texts.append(str(answer))
        if answer.WhichOneof("type") == "script_finished":
            return "\n".join(texts)
