"""Speeches in audio files: a Whisper-compatible service writes down what was said.

The request is that of OpenAI's audio API, which other servers offer as well: a form with `file`,
`model`, `language` and `response_format` to `POST /audio/transcriptions` below the configured
address, answered by JSON with a `text`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
from pydantic import BaseModel, ValidationError

from arena.config.load import from_environment, read_key
from arena.config.resolved import ResolvedConfig
from arena.config.section import TranscriptionSection
from arena.config.trust import check_trust
from arena.errors import ConfigError, InfrastructureFault, MissingKey
from arena.languages import Language
from arena.llm.faults import fault_of
from arena.llm.keys import check_key
from arena.records import Step
from arena.text import format_unreadable
from motions.text_files import read_file

#: Seconds for sending a recording and hearing it: ten minutes of speech on a slow machine.
_SECONDS: Final = 900.0
_CONNECT_SECONDS: Final = 10.0
#: Media types by format; services read the format from the ending of the file's name.
_MEDIA_TYPES: Final[Mapping[str, str]] = {
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "webm": "audio/webm",
}
#: How the contents of these formats begin.
_STARTS: Final[Mapping[str, bytes]] = {
    "wav": b"RIFF....WAVE",
    "m4a": b"....ftyp",
    "flac": b"fLaC",
    "ogg": b"OggS",
    "mp3": b"ID3|\xff[\xe0-\xff]",
    "webm": b"\x1a\x45\xdf\xa3",
}
#: The endings of the names of files that are accepted.
FORMATS: Final = (*_MEDIA_TYPES, "mp4")
_ACCEPTED: Final = "FLAC, M4A or MP4, MP3, OGG, WAV and WebM"
_EXAMPLE: Final = (
    '[transcription] model = "whisper-1", api_base = "https://api.openai.com/v1", '
    'api_key = "env:OPENAI_API_KEY"'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A speech as a person has recorded it.

    Attributes:
        name: of its file, for messages and for the trace of the speech.
    """

    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A speech as the service has written it down.

    Attributes:
        making: the recording's name and hash, and the model, for the trace of the speech.
    """

    text: str
    making: Step


class _Answer(BaseModel):
    text: str


def read_recording(file: Path) -> Recording:
    """Read a recording from its file.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return Recording(name=file.name, content=read_file(file))
    except OSError as error:
        raise ConfigError(format_unreadable(file, error)) from None


def transcribe(recording: Recording, resolved: ResolvedConfig, spoken: Language) -> Transcript:
    """Have a recording transcribed by the service that a tournament's file names.

    Raises:
        ConfigError: the file names no service, the recording is none, or its transcript is empty.
        Untrusted: its key is one that the file may not take without being asked about.
        InfrastructureFault: the service does not answer, refuses, or answers in another form.
    """
    section = resolved.config.transcription
    if section is None:
        raise ConfigError(
            f"{resolved.name!r} names no service that transcribes recordings. Add one to its "
            f"file, then run the file: {_EXAMPLE}."
        )
    check_trust(resolved.config, where=resolved.where)
    text = _ask(section, recording, spoken.code).strip()
    if not text:
        raise ConfigError(
            f"{recording.name}: {section.model} at {section.api_base} returned an empty "
            "transcript, so nothing was saved. Check that the recording is not silent, or submit "
            "the speech as text: --file speech.txt"
        )
    digest = hashlib.sha256(recording.content).hexdigest()[:16]
    making = {"recording": recording.name, "sha256": digest, "transcribed_by": section.model}
    return Transcript(text=text, making=making)


def find_format(recording: Recording) -> str:
    """Return the format of a recording by its first bytes, as the ending of a file's name.

    Raises:
        ConfigError: it is empty, or in no format that the services accept.
    """
    content = recording.content
    if not content:
        raise ConfigError(f"{recording.name}: is empty. Record the speech again.")
    for ending, start in _STARTS.items():
        if re.match(start, content, re.DOTALL):
            return ending
    raise ConfigError(
        f"{recording.name}: is no audio file that can be transcribed: it begins with "
        f"{content[:12]!r}. Accepted: {_ACCEPTED}. For a text, use --file."
    )


def _ask(section: TranscriptionSection, recording: Recording, code: str) -> str:
    """Return the text that the service answers with; `code` is that of the language."""
    ending = find_format(recording)
    key, base = _read_key(section), from_environment(section.api_base) or section.api_base
    service = f"transcription by {section.model} at {base}"
    try:
        response = httpx.post(
            f"{base.rstrip('/')}/audio/transcriptions",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            # A name of the user's choice might name the speaker.
            files={"file": (f"speech.{ending}", recording.content, _MEDIA_TYPES[ending])},
            data={"model": section.model, "language": code, "response_format": "json"},
            timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
        )
        response.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        fault = fault_of(error, service, keys=[key] if key else [])
        words = str(fault).rstrip(".")
        raise type(fault)(
            f"{words}. Nothing was saved; check [transcription] and try again."
        ) from None
    try:
        return _Answer.model_validate_json(response.content).text
    except ValidationError:
        raise InfrastructureFault(
            f"{service}: the answer is no JSON with a `text`. Nothing was saved; check that "
            "api_base is the address of a Whisper-compatible service, up to and including /v1."
        ) from None


def _read_key(section: TranscriptionSection) -> str | None:
    """Return the key of the service; `None` where it needs none."""
    key = read_key(section.api_key)
    if section.api_key is None or key == "none":
        return None
    if key is None:
        variable = section.api_key.removeprefix("env:")
        raise MissingKey(
            f"the key of [transcription] is not set. Export it as {variable}, or write api_key = "
            f'"env:{variable}|none" for a service that needs none.'
        )
    check_key(key, "the key of [transcription]")
    return key
