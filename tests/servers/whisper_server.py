"""OpenAI's audio transcription on loopback: as strict as its documented form, faulty on request.

Documented are: POST /v1/audio/transcriptions, `Authorization: Bearer KEY`, multipart/form-data with
`file` (flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm, by its name's ending, at most 25 MB),
`model`, and optionally `language` (ISO-639-1), `prompt`, `response_format` and `temperature`; with
`json`, an object with `text`. Errors are `{"error": {"message", "type", "param", "code"}}`.
"""

from __future__ import annotations

import io
import re
import wave
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aiohttp import BodyPartReader, web

from tests.servers.chat_bodies import refusal
from tests.servers.threads import LoopbackServer

Fault: TypeAlias = Literal["html", "wrong_form"] | int
KEY = "sk-whisper-secret-0123456789"
MODEL = "whisper-1"

_ENDINGS = ("flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm")
_FORMATS = ("json", "text", "srt", "verbose_json", "vtt")
_FIELDS = ("model", "language", "prompt", "response_format", "temperature")
_MOST_BYTES = 25 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recording as it arrived."""

    name: str
    media_type: str
    content: bytes
    fields: Mapping[str, str]


class _Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class WhisperServer(LoopbackServer):
    """The server.

    Attributes:
        text: what it hears in every recording.
        fault: what requests meet instead of an answer; `None` for none.
        key: the key that it asks for; '' for none.
        received: the recordings that it accepted, in order.
    """

    def __init__(
        self, text: str = "Trams run on time.", *, fault: Fault | None = None, key: str = KEY
    ) -> None:
        self.text, self.fault, self.key = text, fault, key
        self.received: list[Recording] = []

    @property
    def api_base(self) -> str:
        """What a configuration gives as `api_base`."""
        return f"{self.url}/v1"

    def application(self) -> web.Application:
        app = web.Application(client_max_size=2 * _MOST_BYTES)
        app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        return app

    async def _transcribe(self, request: web.Request) -> web.StreamResponse:
        try:
            if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
                raise _Refused(401, "Incorrect API key provided.")
            recording = await _read_form(request)
            _check(recording)
        except _Refused as refused:
            return refusal(refused.status, str(refused))
        self.received.append(recording)
        if isinstance(self.fault, int):
            return refusal(self.fault, "The server had an error while processing your request.")
        if self.fault == "html":
            return web.Response(text="<html>Welcome</html>", content_type="text/html")
        answer: dict[str, object] = (
            {"texts": []} if self.fault == "wrong_form" else {"text": self.text}
        )
        return web.json_response(answer)


async def _read_form(request: web.Request) -> Recording:
    if request.content_type != "multipart/form-data":
        raise _Refused(415, f"{request.content_type} is not multipart/form-data.")
    fields: dict[str, str] = {}
    file: tuple[str, str, bytes] | None = None
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise _Refused(400, "Nested parts are not accepted.")
        if part.name == "file":
            kind = part.headers.get("Content-Type", "")
            file = part.filename or "", kind, bytes(await part.read())
        elif part.name in _FIELDS and part.name not in fields:
            fields[part.name] = await part.text()
        else:
            raise _Refused(400, f"Unrecognized or repeated field {part.name}.")
    if file is None:
        raise _Refused(400, "file: Field required")
    return Recording(name=file[0], media_type=file[1], content=file[2], fields=fields)


def _check(recording: Recording) -> None:
    fields = recording.fields
    ending = recording.name.rpartition(".")[2]
    if fields.get("model") != MODEL:
        raise _Refused(404, f"The model `{fields.get('model')}` does not exist.")
    if not re.fullmatch("[a-z]{2}", fields.get("language", "en")):
        raise _Refused(400, "Invalid language: it must be in ISO-639-1.")
    if fields.get("response_format", "json") not in _FORMATS:
        raise _Refused(400, "Invalid response_format.")
    if len(recording.content) > _MOST_BYTES:
        raise _Refused(413, "Maximum content size limit exceeded.")
    if ending not in _ENDINGS:
        raise _Refused(400, f"Invalid file format. Supported formats: {list(_ENDINGS)}")
    if ending == "wav":
        try:
            with wave.open(io.BytesIO(recording.content)) as sound:
                short = sound.getnframes() < sound.getframerate() / 10
        except (wave.Error, EOFError):
            raise _Refused(400, "The audio file could not be decoded.") from None
        if short:
            raise _Refused(400, "Audio file is too short. Minimum audio length is 0.1 seconds.")


def sound(seconds: float = 0.2) -> bytes:
    """A WAV file of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(b"\0\0" * int(8000 * seconds))
    return file.getvalue()
