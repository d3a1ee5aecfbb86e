"""The journal: every finished call is on disk before its answer is used.

One file per unit of work (a debate, or one bench run on a debate), one JSON line per event:

    call    a finished call or search, under (path, attempt), with the hash of its request
    start   a call that counts towards a cap was sent; if no other line follows, it counts at its
            worst case
    lost    an answer never arrived, but was paid for, or may have been; `billed` where its cost
            is known, otherwise it counts at its worst case

A line is passed to the operating system at once (a killed process loses nothing) and synced to
the disk in groups. A call's answer is released only when its line is synced. A line is written
whole or not at all: what a full disk or a crash leaves of one is cut off.
"""

from __future__ import annotations

import errno
import json
import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from arena.errors import JournalMismatch, StoreError
from arena.llm.budget import Cost
from motions.text_files import open_descriptor, read_file

if TYPE_CHECKING:
    import asyncio

#: The largest journal that is read, in bytes.
_LARGEST = 2**30

#: Files that are synced at the same time: a file system makes one of their commits, so that 256
#: journals take 60 ms and not 500 (measured: ext4 on a virtual disk).
_AT_ONCE = 4

_sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class Journal:
    """The journals of one database, in a folder next to it.

    Its methods raise `StoreError` where the disk is full, a file cannot be used or too many files
    are open.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waiting: dict[int, list[asyncio.Future[None]]] = {}
        self._syncing: asyncio.Task[None] | None = None

    def open(self, unit: str) -> UnitJournal:
        """Open the journal of a unit, with the lines of earlier runs."""
        file = self.folder / f"{unit}.jsonl"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return UnitJournal(self, file)
        except OSError as error:
            raise _unopened(file, error) from None

    def forget(self, unit: str) -> None:
        """Delete the journal of a unit that is stored; journals that were set aside stay."""
        file = self.folder / f"{unit}.jsonl"
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise _unopened(file, error, "deleted") from None

    def units(self) -> set[str]:
        """Return the units with a journal here."""
        return {file.name.partition(".")[0] for file in self.folder.glob("*.jsonl")}

    def read_charges(self, unit: str) -> dict[CallKey, Charge]:
        """Return the charge of each call in a unit's journal, without those set aside."""
        return charge_calls(_read_lines(_read_file(self.folder / f"{unit}.jsonl")))

    def charges_by_call(self) -> dict[str, dict[CallKey, Charge]]:
        """Return the charge of each call by unit; journals that were set aside count, too."""
        units: dict[str, dict[CallKey, Charge]] = {}
        for file in sorted(self.folder.glob("*.jsonl*")):
            calls = units.setdefault(file.name.partition(".")[0], {})
            for key, charge in charge_calls(_read_lines(_read_file(file))).items():
                calls[key] = calls.get(key, Charge()).plus(charge)
        return units

    def charges_by_unit(self) -> dict[str, Charge]:
        """Return the charge of each unit with a journal here, those set aside included."""
        calls = self.charges_by_call()
        return {unit: sum_charges(charges.values()) for unit, charges in calls.items()}

    def find_damaged(self) -> dict[str, int]:
        """Return how many whole lines of each journal cannot be read, where there are any."""
        from arena.llm.journal_lines import is_readable, read_line  # noqa: PLC0415 - as `_read_lines`

        damaged = {
            file.name: sum(
                (fields := read_line(line)) is None or not is_readable(fields)
                for line in _read_file(file).split(b"\n")[:-1]
                if line
            )
            for file in sorted(self.folder.glob("*.jsonl*"))
        }
        return {name: count for name, count in damaged.items() if count}

    async def sync(self, descriptor: int) -> None:
        """Wait until everything written to the file so far is on the disk."""
        import asyncio  # noqa: PLC0415 - for its cost: what only reads journals starts no work

        synced = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(descriptor, []).append(synced)
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.create_task(self._sync_groups())
        await synced

    async def _sync_groups(self) -> None:
        import asyncio  # noqa: PLC0415

        # While one group is being synced, the next one gathers: the disk sets the pace.
        while self._waiting:
            group, self._waiting = self._waiting, {}
            files = list(group)
            parts = [files[start::_AT_ONCE] for start in range(min(_AT_ONCE, len(files)))]
            error: OSError | None = None
            try:
                await asyncio.gather(*(asyncio.to_thread(_sync_all, part) for part in parts))
            except OSError as caught:
                error = caught
            for future in chain.from_iterable(group.values()):
                if future.done():
                    continue
                if error is None:
                    future.set_result(None)
                else:
                    future.set_exception(error)


class CallJournal(ABC):
    """The calls of one unit of work: those that earlier runs have finished, and new ones.

    Args:
        name: what it is called in messages.
        lines: of earlier runs, of all events.
    """

    def __init__(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        self._name = name
        calls = (line for line in lines if line["event"] == "call")
        self._calls = {(line["path"], line["attempt"]): line for line in calls}

    @property
    def finished(self) -> Collection[Mapping[str, Any]]:
        """The lines of the calls that earlier runs have finished."""
        return self._calls.values()

    def find(self, path: str, attempt: int, request_hash: str) -> Mapping[str, Any] | None:
        """Find the line that an earlier run wrote for a call; `None` if none can be read.

        Raises:
            JournalMismatch: the line is of another request.
        """
        from arena.llm.journal_lines import is_readable  # noqa: PLC0415 - as `_read_lines`

        line = self._calls.get((path, attempt))
        if line is not None and not is_readable(line):
            return None
        if line is not None and line["request_hash"] != request_hash:
            raise JournalMismatch(
                f"{self._name}: the journal holds another request at {path} (attempt {attempt})."
            )
        return line

    @abstractmethod
    async def append(self, path: str, attempt: int, **fields: Any) -> None:  # noqa: ANN401
        """Write a finished call and wait until it is on the disk.

        Raises:
            StoreError: the disk is full or fails, or the unit has ended.
        """

    @abstractmethod
    def set_aside(self) -> None:
        """Put the journal aside so that a new one can begin; its charges still count."""

    @abstractmethod
    def close(self) -> None:
        """End it; its lines stay for the next run."""


class JournalSource(Protocol):
    """Opens the journals of units of work."""

    def open(self, unit: str) -> CallJournal:
        """Open the journal of a unit, with the lines of earlier runs."""
        ...


class UnitJournal(CallJournal):
    """The journal of one unit of work, in its file."""

    def __init__(self, journal: Journal, file: Path) -> None:
        self._journal = journal
        self.file = file
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        os.close(open_descriptor(file))  # a pipe or a device would take lines and keep none
        lines = list(_read_lines(_read_whole(self._descriptor)))
        super().__init__(file.name, lines)
        self._charges = charge_calls(lines)

    def charge(self, path: str, attempt: int) -> Charge:
        """Return what a call has cost so far, lost answers included."""
        return self._charges.get((path, attempt), Charge())

    def note(self, event: str, path: str, attempt: int, **fields: Any) -> None:  # noqa: ANN401
        """Write a line without waiting: it survives the process, but maybe not a power cut."""
        line = {"event": event, "path": path, "attempt": attempt, **fields}
        try:
            _write_whole(self._descriptor, json.dumps(line, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise self._unwritable(error) from None

    async def append(self, path: str, attempt: int, **fields: Any) -> None:  # noqa: ANN401
        """Write a finished call and wait until it is on the disk; raise like every journal."""
        self.note("call", path, attempt, **fields)
        try:
            await self._journal.sync(self._descriptor)
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Close the file, where it is open; its lines stay for the next run."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1  # its number may soon be another file's

    def _unwritable(self, error: OSError) -> StoreError:
        reason = "its debate or ballot has ended" if self._descriptor < 0 else error.strerror
        return StoreError(f"{self.file}: cannot be written: {reason}.")

    def set_aside(self) -> None:
        """Rename the file so that a new journal can begin; its charges still count."""
        names = (Path(f"{self.file}.aside{number}") for number in range(1, 10_000))
        free = next(name for name in names if not name.exists())
        try:
            self.file.rename(free)
        except OSError as error:
            raise _unopened(self.file, error, "renamed") from None


def _unopened(file: Path, error: OSError, verb: str = "opened") -> StoreError:
    """Return what to raise for a file that cannot be opened or deleted: what to do about it."""
    if error.errno != errno.EMFILE:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Free some space" if is_full else "Make it and its folder writable"
        return StoreError(
            f"{file}: cannot be {verb}: {error.strerror}. {remedy}, then run the same command "
            f"again. What was finished is safe: results in the database, calls in {file.parent}."
        )
    return StoreError(
        f"{file}: too many files are open. Lower `concurrency` under [schedule] (or give "
        "--concurrency), or raise the limit of the system (`ulimit -n 8192`)."
    )


def _read_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal; what checks them is loaded where there is a journal."""
    from arena.llm.journal_lines import read_lines  # noqa: PLC0415

    return read_lines(content)


def _read_file(file: Path) -> bytes:
    """Read a journal; one that is gone by now, because its unit was stored, is empty."""
    try:
        return read_file(file, largest=_LARGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unopened(file, error) from None


def _read_whole(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    content = os.pread(descriptor, size, 0)
    whole = content.rfind(b"\n") + 1
    if whole < len(content):  # what a crash left of a line: its answer was never used
        os.ftruncate(descriptor, whole)
    return content[:whole]


def _write_whole(descriptor: int, content: bytes) -> None:
    """Write all bytes, which the system may take in parts; where it stops, take them back."""
    written = 0
    try:
        while written < len(content):
            written += os.write(descriptor, content[written:])
    except OSError:
        if written:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise


def _sync_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        try:
            _sync(descriptor)
        except OSError as error:
            if error.errno != errno.EBADF:  # closed meanwhile: its unit was cancelled
                raise


#: The path and the attempt of a call.
CallKey: TypeAlias = tuple[str, int]


class Charge(NamedTuple):
    """What a call counts towards the caps; `reserved` is the part whose bill is not known.

    That part is the worst case of answers that never arrived. In USD, then in tokens.
    """

    usd: float = 0.0
    reserved: float = 0.0
    tokens: float = 0.0
    reserved_tokens: float = 0.0

    @property
    def cost(self) -> Cost:
        """All that counts."""
        return Cost(self.usd, self.tokens)

    @property
    def known(self) -> Cost:
        """The part of it that was paid for answers."""
        return self.cost.less(Cost(self.reserved, self.reserved_tokens))

    def add(self, cost: Cost, *, is_known: bool) -> Charge:
        """Return the charge with a further answer."""
        reserved = Cost() if is_known else cost
        return self.plus(Charge(cost.usd, reserved.usd, cost.tokens, reserved.tokens))

    def plus(self, other: Charge) -> Charge:
        """Return the sum of two charges."""
        return Charge(*(mine + its for mine, its in zip(self, other, strict=True)))


def sum_charges(charges: Iterable[Charge]) -> Charge:
    """Add up the charges of several calls."""
    return reduce(Charge.plus, charges, Charge())


def charge_calls(lines: Iterable[Mapping[str, Any]]) -> dict[CallKey, Charge]:
    """Sum up what each call costs; a `start` that nothing follows counts at its worst case."""
    charges: dict[CallKey, Charge] = defaultdict(Charge)
    pending: dict[CallKey, Cost] = {}
    for line in lines:
        key = line["path"], line["attempt"]
        if line["event"] == "start":
            charges[key] = charges[key].add(pending.pop(key, Cost()), is_known=False)
            pending[key] = _read_cost(line)
        else:
            pending.pop(key, None)
            is_known = line["event"] == "call" or line.get("billed", False)
            charges[key] = charges[key].add(_read_cost(line), is_known=is_known)
    for key, cost in pending.items():
        charges[key] = charges[key].add(cost, is_known=False)
    return dict(charges)


def _read_cost(line: Mapping[str, Any]) -> Cost:
    """Read what a line counts; journals of earlier versions hold the tokens of answers only."""
    usage = line.get("completion", line).get("usage", {})
    answered = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    return Cost(line.get("usd", 0.0), line.get("tokens", answered))
