"""Recordings become texts, by a strict stand-in for a Whisper-compatible service on loopback."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError, InfrastructureFault, MissingKey
from arena.languages import Language, language
from arena.people.transcription import (
    Recording,
    Transcript,
    find_format,
    read_recording,
    transcribe,
)
from tests.servers.threads import in_thread
from tests.servers.whisper_server import KEY, MODEL, WhisperServer, sound
from tests.support.tournaments import content, resolved_of


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WhisperServer]:
    monkeypatch.setenv("WHISPER_API_KEY", KEY)
    with in_thread(WhisperServer()) as running:
        yield running


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    file = tmp_path / "ann on trams.wav"
    file.write_bytes(sound())
    return file


def configured(server: WhisperServer, **changes: Any) -> ResolvedConfig:  # noqa: ANN401
    table = {
        "model": MODEL,
        "api_base": server.api_base,
        "api_key": "env:WHISPER_API_KEY",
        **changes,
    }
    return resolved_of(content() | {"transcription": table})


def transcribed(file: Path, resolved: ResolvedConfig, spoken: Language) -> Transcript:
    return transcribe(read_recording(file), resolved, spoken)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_recording_is_sent_as_documented_and_its_text_returned(
    server: WhisperServer, recording: Path, code: str
) -> None:
    server.text = "  We need trams. 我们需要电车。 \n"
    transcript = transcribed(recording, configured(server), language(code))
    assert transcript.text == "We need trams. 我们需要电车。"
    digest = hashlib.sha256(sound()).hexdigest()[:16]
    assert transcript.making == {
        "recording": "ann on trams.wav",
        "sha256": digest,
        "transcribed_by": MODEL,
    }
    (received,) = server.received
    assert (received.name, received.media_type) == ("speech.wav", "audio/wav"), "no name of a user"
    assert received.content == sound()
    assert received.fields == {"model": MODEL, "language": code, "response_format": "json"}


@pytest.mark.parametrize(
    ("start", "ending"),
    [
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "wav"),
        (b"fLaC\x00\x00\x00\x22", "flac"),
        (b"OggS\x00\x02", "ogg"),
        (b"ID3\x04\x00", "mp3"),
        (b"\xff\xfb\x90\x00", "mp3"),
        (b"\x00\x00\x00\x20ftypM4A \x00", "m4a"),
        (b"\x1a\x45\xdf\xa3\x9f", "webm"),
    ],
)
def test_the_format_is_read_from_the_first_bytes(start: bytes, ending: str) -> None:
    assert find_format(Recording(name="speech", content=start)) == ending


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (b"Trams run on time.", "is no audio file that can be transcribed: it begins with b'Trams"),
        (b"RIFF\x24\x00\x00\x00AVI LIST", "Accepted: FLAC, M4A or MP4, MP3, OGG, WAV and WebM"),
        (b"\xff", "is no audio file"),
        (b"", "speech.wav: is empty. Record the speech again."),
        (None, "speech.wav: cannot be read: No such file"),
    ],
)
def test_a_file_without_sound_is_refused_before_anything_is_sent(
    server: WhisperServer, tmp_path: Path, made: bytes | None, message: str
) -> None:
    file = tmp_path / "speech.wav"
    if made is not None:
        file.write_bytes(made)
    with pytest.raises(ConfigError, match=message[:20]) as refused:
        transcribed(file, configured(server), language("en"))
    assert message in str(refused.value)
    assert server.received == []


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_transcript_is_no_speech(
    server: WhisperServer, recording: Path, text: str
) -> None:
    server.text = text
    with pytest.raises(ConfigError, match="returned an empty transcript, so nothing was saved"):
        transcribed(recording, configured(server), language("en"))


def test_what_the_service_refuses_is_passed_on(server: WhisperServer, tmp_path: Path) -> None:
    broken = tmp_path / "broken.wav"
    broken.write_bytes(sound()[:20])
    with pytest.raises(InfrastructureFault, match="could not be decoded") as fault:
        transcribed(broken, configured(server), language("en"))
    assert f"transcription by {MODEL} at {server.api_base}" in str(fault.value)
    with pytest.raises(InfrastructureFault, match="`tiny` does not exist"):
        transcribed(tmp_path / "broken.wav", configured(server, model="tiny"), language("en"))


def test_a_wrong_key_is_refused_and_never_shown(
    server: WhisperServer, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHISPER_API_KEY", "sk-wrong-9876543210")
    with pytest.raises(InfrastructureFault, match="Incorrect API key") as fault:
        transcribed(recording, configured(server), language("en"))
    assert "sk-wrong" not in str(fault.value)
    monkeypatch.delenv("WHISPER_API_KEY")
    with pytest.raises(MissingKey, match="Export it as WHISPER_API_KEY, or write"):
        transcribed(recording, configured(server), language("en"))


def test_a_service_of_ones_own_needs_no_key(recording: Path) -> None:
    with in_thread(WhisperServer(key="")) as own:
        for key in ({"api_key": "env:UNSET_KEY|none"}, {}):
            config = configured(own, **key)
            if not key:
                table = {"model": MODEL, "api_base": own.api_base}
                config = resolved_of(content() | {"transcription": table})
            assert transcribed(recording, config, language("en")).text == own.text


@pytest.mark.parametrize("fault", ["html", "wrong_form"])
def test_an_answer_in_another_form_is_named(
    server: WhisperServer,
    recording: Path,
    fault: Any,  # noqa: ANN401
) -> None:
    server.fault = fault
    with pytest.raises(InfrastructureFault, match="the answer is no JSON with a `text`"):
        transcribed(recording, configured(server), language("en"))


def test_a_service_that_fails_or_is_not_there_is_named(
    server: WhisperServer, recording: Path
) -> None:
    server.fault = 503
    with pytest.raises(InfrastructureFault, match=r"had an error .* Nothing was saved"):
        transcribed(recording, configured(server), language("en"))
    nowhere = configured(server, api_base="http://127.0.0.1:9/v1")
    with pytest.raises(InfrastructureFault, match=r"127.0.0.1:9/v1: .*[^.]\. Nothing was saved"):
        transcribed(recording, nowhere, language("en"))
    with pytest.raises(InfrastructureFault, match="Nothing was saved"):
        transcribed(recording, configured(server, api_base="whisper"), language("en"))


def test_a_file_that_names_no_service_is_told_how_to(recording: Path) -> None:
    with pytest.raises(ConfigError, match=r"names no service .* \[transcription\] model = "):
        transcribed(recording, resolved_of(content()), language("en"))


def test_openais_own_client_sends_the_same(server: WhisperServer, recording: Path) -> None:
    with (
        openai.OpenAI(api_key=KEY, base_url=server.api_base, max_retries=0) as client,
        recording.open("rb") as file,
    ):
        answer = client.audio.transcriptions.create(
            model=MODEL, file=file, language="en", response_format="json"
        )
    assert answer.text == server.text
    assert transcribed(recording, configured(server), language("en")).text == server.text
    theirs, ours = server.received
    assert (theirs.fields, theirs.content) == (ours.fields, ours.content)
