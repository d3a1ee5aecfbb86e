"""An address on loopback that takes notifications, refuses them, or never answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True, kw_only=True)
class Notified:
    """What came in at an address: bodies and their content types, refused ones included."""

    url: str = ""
    bodies: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


@contextmanager
def notified(*, statuses: Sequence[int] = (), location: str = "") -> Iterator[Notified]:
    """Serve an address that answers with some statuses, one after the other, and then with 200.

    Args:
        statuses: of the first answers.
        location: a header of the answers that redirect.
    """
    seen, left = Notified(), list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - its name in the standard library
            length = int(self.headers["Content-Length"])
            seen.bodies.append(self.rfile.read(length).decode())
            seen.kinds.append(self.headers["Content-Type"])
            self.send_response(left.pop(0) if left else 200)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        seen.url = f"http://127.0.0.1:{server.server_port}/topic"
        try:
            yield seen
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def hanging() -> Iterator[str]:
    """Listen at an address whose calls are never answered."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/secret-topic"


def refusing() -> str:
    """Return an address at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}/secret-topic"
