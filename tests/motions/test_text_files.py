from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motions.text_files import decode_text, parse_toml, read_file


def test_only_plain_files_of_a_usual_size_are_read(tmp_path: Path) -> None:
    plain, pipe, linked = (tmp_path / name for name in ("plain", "pipe", "linked"))
    plain.write_bytes(b"x" * 100)
    linked.symlink_to(plain)
    os.mkfifo(pipe)
    assert read_file(plain) == read_file(linked) == read_file(plain, largest=100)
    for file, reason in (
        (pipe, "a device, a pipe or a socket"),
        (Path("/dev/zero"), "a device, a pipe or a socket"),
        (tmp_path, "it is a directory"),
        (tmp_path / "missing", "No such file"),
    ):
        with pytest.raises(OSError, match=reason):
            read_file(file)
    with pytest.raises(OSError, match="more than"):
        read_file(plain, largest=99)


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_texts_are_read_as_python_reads_them(text: str) -> None:
    content = text.encode()
    assert decode_text(b"\xef\xbb\xbf" + content) == text
    assert decode_text(content.replace(b"\n", b"\r\n")) == text


@pytest.mark.parametrize("deep", [10_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_what_is_nested_too_deeply_is_named_with_its_line(deep: int, brackets: str) -> None:
    opening = "[" if brackets == "[]" else "{a="
    text = "x = 1\ny = " + opening * deep + brackets[1] * deep
    with pytest.raises(tomllib.TOMLDecodeError, match=r"nested too deeply \(at line 2, column"):
        parse_toml(text)


def test_a_number_of_too_many_digits_is_named_with_its_line() -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=r"too many digits \(at line 2, column 5\)"):
        parse_toml("x = 1\ny = " + "9" * 100_000)
    assert parse_toml("x = 1_000") == {"x": 1000}
