"""Viewers without a browser: what they get by HTTP, and which page their WebSocket draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

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
        """Follow a link, such as that of the sign-in."""
        return self._ask("GET", link)

    def enter(self, link: str) -> httpx.Response:
        """Press the button of the link to the forms."""
        return self._ask("POST", link)

    def _ask(self, method: str, link: str) -> httpx.Response:
        with httpx.Client(cookies=self.cookies, follow_redirects=True, timeout=60) as client:
            response = client.request(method, link)
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
            with self.open_session(origin) as session:
                return session.ask(Request(page=page)).text
        except InvalidStatus as refused:
            return str(refused.response.status_code)

    @contextmanager
    def open_session(self, origin: str = "") -> Iterator[Session]:
        """Open a WebSocket; raises `InvalidStatus` where the server refuses it."""
        with self._connect(origin or self.address) as socket:
            yield Session(socket)

    def _connect(self, origin: str) -> ClientConnection:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return connect(
            re.sub("^http", "ws", self.address) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": cookies, "Origin": origin},
            max_size=None,
            open_timeout=60,
        )


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a browser sends to have a page drawn, or after a press of a button.

    Attributes:
        page: the path of the page.
        page_hash: Streamlit's name of the page, which counts before the path where it is given.
        query: the choices in the page's address.
        texts: what the viewer typed or chose, by the id of the element.
        button: the id of the button that was pressed; '' for none.
    """

    page: str = ""
    page_hash: str = ""
    query: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    button: str = ""

    def to_bytes(self) -> bytes:
        """Return the message of a browser."""
        message = BackMsg()
        run = message.rerun_script
        run.page_name, run.page_script_hash = self.page, self.page_hash
        run.query_string = self.query
        for name, words in self.texts.items():
            run.widget_states.widgets.add(id=name, string_value=words)
        if self.button:
            run.widget_states.widgets.add(id=self.button, trigger_value=True)
        return bytes(message.SerializeToString())


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server sends until a page is drawn."""

    messages: list[ForwardMsg]

    @property
    def text(self) -> str:
        """All of it as text."""
        return "\n".join(map(str, self.messages))

    @property
    def page_hash(self) -> str:
        """Streamlit's name of the page that is drawn."""
        hashes = [message.navigation.page_script_hash for message in self.messages]
        return next(filter(None, hashes))

    def find(self, kind: str) -> dict[str, Any]:
        """All elements of a kind, such as `button`, by their keys, which end their ids."""
        drawn = [message.delta.new_element for message in self.messages]
        elements = [getattr(one, kind) for one in drawn if one.WhichOneof("type") == kind]
        return {one.id.removeprefix("$$ID-").partition("-")[2]: one for one in elements}


class Session:
    """A session of a viewer, over one WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        """Begin without a page."""
        self._socket = socket

    def ask(self, request: Request) -> Answer:
        """Send what a browser would, and wait until the run of the script that it began has ended.

        That run may end early, for another run: of the page to which it leads.
        """
        self._socket.send(request.to_bytes())
        messages: list[ForwardMsg] = []
        while not messages or not _is_end(messages[-1]):
            received = self._socket.recv(timeout=60)
            assert isinstance(received, bytes)
            messages.append(ForwardMsg.FromString(received))
        return Answer(messages=messages)


def _is_end(message: ForwardMsg) -> bool:
    """Whether a run of the page's script has ended, and no other takes its place."""
    return (
        message.WhichOneof("type") == "script_finished"
        and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
    )
