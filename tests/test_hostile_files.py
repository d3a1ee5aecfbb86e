"""Files that people can touch: whatever they hold or are, each reader says what is wrong."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.config.load import load_config
from arena.errors import ArenaError
from arena.people.sheet_files import read_table
from arena.people.transcription import read_recording
from arena.report.debate_documents import read_translations
from arena.search.documents import UnreadableDocument, read_document
from arena.tournament.run_record import read_state, state_file
from judges.studies.labelled.evaluation_plan import read_benches
from judges.studies.labelled.pairs import read_pairs
from motions import MotionError, load
from motions.published_questions import read_published_questions
from motions.question_sets import load_questions
from tests.support.command_line import refused

#: What is read, and what its file is named.
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "tournament": ("x.toml", load_config),
    "benches": ("x.toml", lambda file: read_benches(str(file), languages=["en"], words=100)),
    "motions, TOML": ("x.toml", load),
    "motions, CSV": ("x.csv", load),
    "motions, JSONL": ("x.jsonl", load),
    "questions": ("x.jsonl", load_questions),
    "published questions, CSV": ("x.csv", lambda file: read_published_questions([file])),
    "published questions, JSON": ("x.json", lambda file: read_published_questions([file])),
    "sheet": ("x.csv", lambda file: read_table(file, ["debate"])),
    "translations": ("x.jsonl", lambda file: read_translations(file, {})),
    "pairs, CSV": ("x.csv", lambda file: read_pairs(file, {})),
    "pairs, JSON": ("x.json", lambda file: read_pairs(file, {})),
    "pairs, JSONL": ("x.jsonl", lambda file: read_pairs(file, {})),
    "document, text": ("x.txt", read_document),
    "document, HTML": ("x.html", read_document),
    "document, PDF": ("x.pdf", read_document),
}
_REFUSED = (ArenaError, MotionError, UnreadableDocument)
#: Long values by what is repeated; the rest stands for itself.
_LONG = {
    **{"nested": "[" * 50_000, "closed": "[" * 300 + "]" * 300, "tables": '{"a":' * 50_000},
    **{"digits": "9" * 100_000, "long": "x" * 200_000},
}
_SHORT = (
    *("[tournament]", "[[participants]]", "[[benches]]", "[[motion]]", "[models.x]", "name"),
    *("-1e999", "NaN", '"\\ud800"', "\0", "\u202e", "\ufeff", "null", "[]", "{}", '""', '"', "'"),
    *('"""', ",", ";", "\x1b[2J", "env:", "1979-05-27T07:32:00Z", "0x_", "%PDF-1.7", "<!--"),
)
_parts = st.lists(
    st.sampled_from([*_LONG, *_SHORT]) | st.text(max_size=20) | st.binary(max_size=50), max_size=6
)


def _encode(part: str | bytes) -> bytes:
    if isinstance(part, bytes):
        return part
    return _LONG.get(part, part).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name", READERS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(parts=_parts, between=st.sampled_from([b"\n", b" = ", b",", b": "]))
def test_hostile_content_is_read_or_refused(
    name: str, parts: list[str | bytes], between: bytes, tmp_path: Path
) -> None:
    ending, read = READERS[name]
    file = tmp_path / ending
    file.write_bytes(between.join(map(_encode, parts)))
    try:
        read(file)
    except _REFUSED as error:
        assert str(error)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kept", [2, 12, -4])
def test_a_packed_file_that_is_cut_off_or_damaged_is_refused(
    name: str, kept: int, tmp_path: Path
) -> None:
    ending, read = READERS[name]
    file = tmp_path / ending
    packed = gzip.compress(b'{"id": 1}\n' * 50)
    for content in (packed[:kept], packed[:12] + b"\xff" * 20 + packed[32:]):
        file.write_bytes(content)
        with pytest.raises(_REFUSED) as refused:
            read(file)
        assert str(refused.value)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device", "directory", "huge"])
def test_what_is_no_plain_file_is_refused_at_once(name: str, kind: str, tmp_path: Path) -> None:
    ending, read = READERS[name]
    file = tmp_path / ending
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "directory":
        file.mkdir()
    else:
        with file.open("wb") as stream:
            stream.truncate(2**32)
    if kind == "huge" and name.startswith("pairs"):
        pytest.skip("a log of battles may be large")
    with pytest.raises(_REFUSED) as refusal:
        read(file)
    assert len(str(refusal.value)) < 1_000


def test_a_recording_is_no_device() -> None:
    with pytest.raises(ArenaError, match="a device"):
        read_recording(Path("/dev/zero"))


@pytest.mark.parametrize("name", ["-", "/dev/null", "/dev/zero"])
@pytest.mark.parametrize("command", ["status", "leaderboard", "verify", "resume"])
def test_what_can_be_no_database_is_refused(name: str, command: str) -> None:
    assert "holds no database" in refused(command, "--db", name)


@pytest.mark.parametrize("name", ["import", "run"])
def test_a_pipe_is_no_file_of_a_command(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    message = refused(name, tmp_path / "x.csv", "--db", tmp_path / "x.duckdb")
    assert "a device, a pipe or a socket" in message


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["version", "tournament", "figures", "failures", "models"]), inner
            )
        ),
    )
)
def test_the_state_of_a_run_is_read_or_counts_as_none(content: object, tmp_path: Path) -> None:
    database = tmp_path / "x.duckdb"
    state_file(database).write_text(json.dumps(content))
    assert read_state(database) is None
