"""The folder of a site: only what has changed is written, and nothing before all of it is made."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from arena.errors import ConfigError
from arena.report.overview.changes import State
from arena.store.whole_files import one_after_the_other, write_whole

#: What a folder is known by: the files that we have written, and what we have said in them.
MANIFEST: Final = "site.json"
_GENERATOR: Final = "debate-arena"
#: What a manifest has before the first publication.
_NOTHING: Final[dict[str, object]] = {"files": {}, "publications": ()}
#: What people keep in a folder that a web server publishes; it stays.
_OF_SERVERS: Final = frozenset({"CNAME", "robots.txt"})


class Publication(BaseModel):
    """What was new at a publication.

    Attributes:
        data_hash: identifies the comparisons of the main board.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    at: datetime
    data_hash: str
    sentences: tuple[str, ...]


class Manifest(BaseModel):
    """What a folder holds.

    Attributes:
        files: the SHA-256 of each file but this one, by address.
        publications: that changed something, the first one first.
        state: what the last of them said, for the next to compare with.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    generator: str = _GENERATOR
    tournament: str
    files: dict[str, str] = {}
    publications: tuple[Publication, ...] = ()
    state: State | None = None


class SiteFolder:
    """A folder that takes a new state of a site as a whole.

    Attributes:
        path: where it is.
        before: what it holds so far.
        written, removed: how many files the last update wrote and removed.
    """

    def __init__(self, path: Path, tournament: str) -> None:
        """Look at a folder, which need not exist.

        Raises:
            ConfigError: it is a file, holds what is not ours, or the site of another tournament.
        """
        self.path = path
        self.before = _read_manifest(path, tournament)
        self.written = self.removed = 0
        self._files: dict[str, str] = {}
        self._staged: list[str] = []
        self._staging = path / ".publishing"

    @property
    def files(self) -> int:
        """How many files the site has now, the manifest besides."""
        return len(self._files)

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum((self.path / name).stat().st_size for name in self._files)

    @contextmanager
    def update(self) -> Iterator[None]:
        """Take files (`add`) within the block; the folder stays as it was if that fails.

        Somebody else who updates it at this time is waited for.

        Raises:
            ConfigError: a file cannot be written.
        """
        existed = self.path.exists()
        self._files, self._staged = {}, []
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with one_after_the_other(self.path / MANIFEST):
                shutil.rmtree(self._staging, ignore_errors=True)  # of one that was killed
                self._staging.mkdir()
                yield
        except OSError as error:
            self._give_up(existed)
            where = error.filename or self.path
            raise ConfigError(
                f"{self.path}: the site cannot be written ({error.strerror}: {where}). The folder "
                "is as it was. Make room or name another folder."
            ) from None
        except BaseException:
            self._give_up(existed)
            raise

    def add(self, address: str, content: bytes) -> None:
        """Take a file; one that is there already, byte for byte, is not written."""
        if address in self._files:
            raise ValueError(f"two files have the address {address}")
        self._files[address] = hashlib.sha256(content).hexdigest()
        try:
            if (self.path / address).read_bytes() == content:
                return
        except OSError:
            pass  # not there, or no file
        staged = self._staging / address
        staged.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(content)
        self._staged.append(address)

    def finish(self, manifest: Manifest) -> None:
        """Put all files in their places, and remove those of ours that are no longer made."""
        target = self.path / MANIFEST
        if not target.exists():  # so that a folder is known as ours if the next lines are cut off
            write_whole(target, _format_manifest(manifest.model_copy(update=_NOTHING)))
        for address in self._staged:
            place = self.path / address
            place.parent.mkdir(parents=True, exist_ok=True)
            (self._staging / address).replace(place)
        gone = self.before.files.keys() - self._files.keys()
        for address in gone:
            (self.path / address).unlink(missing_ok=True)
        new = manifest.model_copy(update={"files": dict(sorted(self._files.items()))})
        if new != self.before:
            write_whole(target, _format_manifest(new))
        shutil.rmtree(self._staging)
        for folder in sorted({(self.path / address).parent for address in gone}, reverse=True):
            _remove_empty(folder, self.path)
        self.written, self.removed = len(self._staged), len(gone)

    def _give_up(self, existed: bool) -> None:  # noqa: FBT001
        shutil.rmtree(self._staging, ignore_errors=True)
        if not existed:
            shutil.rmtree(self.path, ignore_errors=True)


def _read_manifest(path: Path, tournament: str) -> Manifest:
    """Return what a folder holds; nothing where it is new or empty."""
    named = "Name a new folder, an empty one, or one that `arena publish` has written."
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path}: is a file; a site is a folder. {named}")
    try:
        manifest = Manifest.model_validate_json((path / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        manifest = None
    if manifest is not None and manifest.generator == _GENERATOR:
        if manifest.tournament != tournament:
            raise ConfigError(
                f"{path}: holds the site of tournament {manifest.tournament!r}, not of "
                f"{tournament!r}. {named}"
            )
        return manifest
    others = _find_others(path)
    if others:
        raise ConfigError(
            f"{path}: holds files that are not of a site ({others[0]}"
            f"{', …' if len(others) > 1 else ''}). {named}"
        )
    return Manifest(tournament=tournament)


def _find_others(path: Path) -> list[str]:
    """Return what a folder holds but for what servers and version control keep there."""
    if not path.exists():
        return []
    names = sorted(entry.name for entry in path.iterdir())
    return [name for name in names if not name.startswith(".") and name not in _OF_SERVERS]


def _format_manifest(manifest: Manifest) -> str:
    return manifest.model_dump_json(indent=1) + "\n"


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove a folder and those above it, up to the site's, that hold nothing any more."""
    while folder != root and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
