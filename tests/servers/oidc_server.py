"""An OpenID Connect provider on loopback: whoever asks is signed in as the person it names."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "arena-tests", "a-secret-of-the-tests"


class OidcServer(ThreadingHTTPServer):
    """The provider; `person` is who the next sign-in is.

    Attributes:
        person: claims of the next sign-in.
        refused: what was wrong with requests.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = RSAKey.generate_key(2048, {"kid": "tests", "use": "sig", "alg": "RS256"})
        self.person: dict[str, Any] = {"email": "ada@example.org", "email_verified": True}
        self.nonces: dict[str, str] = {}
        self.refused: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def metadata(self) -> str:
        """The address of its description."""
        return f"{self.url}/.well-known/openid-configuration"


class _Handler(BaseHTTPRequestHandler):
    server: OidcServer

    def log_message(self, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/.well-known/openid-configuration":
            self._answer(_metadata(self.server.url))
        elif address.path == "/keys":
            self._answer({"keys": [self.server.key.as_dict(private=False)]})
        else:
            self._authorize({name: values[0] for name, values in parse_qs(address.query).items()})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        form = parse_qs(self.rfile.read(length).decode())
        nonce = self.server.nonces.pop(form.get("code", [""])[0], None)
        if nonce is None:
            self.server.refused.append("an unknown code")
            self._answer({"error": "invalid_grant"}, status=400)
            return
        now = int(time.time())
        claims: dict[str, Any] = {"iss": self.server.url, "aud": CLIENT, "sub": "1", "nonce": nonce}
        claims |= {"iat": now, "exp": now + 600, **self.server.person}
        token = jwt.encode({"alg": "RS256", "kid": "tests"}, claims, self.server.key)
        self._answer({"access_token": "a", "token_type": "Bearer", "id_token": token})

    def _authorize(self, query: dict[str, str]) -> None:
        """Sign the person in without a question, and send the browser back."""
        code = f"code-{time.monotonic_ns()}"
        self.server.nonces[code] = query.get("nonce", "")
        back = urlencode({"code": code, "state": query["state"]})
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri']}?{back}")
        self.end_headers()

    def _answer(self, content: dict[str, Any], *, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _metadata(url: str) -> dict[str, Any]:
    return {
        "issuer": url,
        "authorization_endpoint": f"{url}/authorize",
        "token_endpoint": f"{url}/token",
        "jwks_uri": f"{url}/keys",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "code_challenge_methods_supported": ["S256"],
    }


@contextmanager
def signing_in() -> Iterator[OidcServer]:
    """The provider in a thread of its own."""
    server = OidcServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
