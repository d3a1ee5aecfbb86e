"""Text files in any encoding, which everything behind reads as UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from arena.config.load import check_encoding
from arena.errors import ConfigError
from motions.text_files import find_encoding, open_descriptor

#: How often a file may be compressed over and over.
_MOST_LAYERS: Final = 3
_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 1 << 20


def open_text(path: Path, encoding: str = "") -> io.TextIOBase:
    """Open a text file, compressed or not, without the mark that some programs put in front.

    Args:
        path: the file.
        encoding: its name; empty for that of the mark, or UTF-8.
    """
    return io.TextIOWrapper(_open_bytes(path), encoding=encoding or _find_encoding(path))


def as_utf8(path: Path, *, folder: Path, encoding: str = "", remedy: str = "") -> Path:
    """Return a file in a folder with the text of `path` in UTF-8: a link to it, or a copy.

    Args:
        path: the file. A link has a name in which DuckDB sees no pattern of names of files.
        folder: takes the link or copy.
        encoding: its name; empty for that of the mark, or UTF-8.
        remedy: what else than saving the file as UTF-8 helps, for the message.

    Raises:
        ConfigError: the text is in another encoding, or cannot be read.
    """
    name = encoding or _find_encoding(path)
    check_encoding(name)
    copy = folder / "text"
    copy.unlink(missing_ok=True)
    try:
        is_plain = name == "utf-8" and _layers(path) == (path.suffix == ".gz")
        with _open_bytes(path) as file, copy.open("w", encoding="utf-8") as target:
            for text in _decode(file, name, path, remedy):
                if not is_plain:
                    target.write(text)
    except OSError as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None
    if not is_plain:
        return copy
    copy.unlink()
    return link_to(path, folder / f"text{'.gz' if path.suffix == '.gz' else ''}")


def link_to(path: Path, link: Path) -> Path:
    """Return a link to a file, made anew."""
    link.unlink(missing_ok=True)
    link.symlink_to(path.absolute())
    return link


def read_start(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked; none where it cannot be read."""
    try:
        with _open_bytes(path) as file:
            return file.read(512)
    except OSError:
        return b""  # whoever reads on says so


def is_cut_off(path: Path) -> bool:
    """Return whether the last line of a plain CSV file lacks its end."""
    if path.suffix.lower() not in (".csv", ".tsv") or not read_start(path).isascii():
        return False
    with path.open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) not in (b"\n", b"\r", b"\0")


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise gzip.BadGzipFile(str(error)) from None


class _Unpacked(gzip.GzipFile):
    """A packed file that is closed with what it is read from."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed = packed

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes; a file that is cut off or damaged is an `OSError` like others."""
        with _damage_told():
            return super().read(size)

    def read1(self, size: int = -1) -> bytes:
        """Read what is there, likewise."""
        with _damage_told():
            return super().read1(size)

    def close(self) -> None:
        """Close both."""
        super().close()
        self.packed.close()


def _open_bytes(path: Path) -> BinaryIO:
    """Open a file, unpacked as often as it is packed, whatever its name says."""
    file: BinaryIO = os.fdopen(open_descriptor(path), "rb")
    try:
        for _ in range(_MOST_LAYERS):
            start = file.read(len(_GZIP))
            file.seek(0)
            if start != _GZIP:
                break
            file = cast(BinaryIO, _Unpacked(file))
    except OSError:
        file.close()
        raise
    return file


def _layers(path: Path) -> int:
    """Return how often a file is packed."""
    with _open_bytes(path) as file:
        layers, inner = 0, cast(object, file)
        while isinstance(inner, _Unpacked):
            layers, inner = layers + 1, inner.packed
    return layers


def _find_encoding(path: Path) -> str:
    return find_encoding(read_start(path)[:4])


def _decode(file: BinaryIO, encoding: str, path: Path, remedy: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line, block = 1, b"-"
    while block:
        block = file.read(_BLOCK)
        if line == 1 and encoding == "utf-8" and b"\0" in block.partition(b"\n")[0]:
            raise ConfigError(
                f"{path}: cannot be read: it is UTF-16 text without its mark, or no text. Save it "
                f"as UTF-8{remedy}."
            )
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeError as error:
            before = error.object[: error.start] if isinstance(error, UnicodeDecodeError) else b""
            place = line + before.count(b"\n")
            what = "UTF-8" if encoding.startswith("utf-8") else encoding
            raise ConfigError(
                f"{path}: cannot be read: it is not {what} text (line {place}). Save it as UTF-8"
                f"{remedy}."
            ) from None
        line += text.count("\n")
        yield text
