"""A stranger's package with a debater and a judge that have a bug, and the same package mended."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.llm.request import Completion, Request
from arena.registered import read_all
from arena.simulator import OfflineBackend

#: The debater calls its model, then fails in some stages; the judge fails after its call, too.
_CODE = '''\
"""Somebody's debater and judge."""

import asyncio

from arena.debaters.direct import Direct
from judges.methods.single import Single

STAGES = {stages!r}


def look_up(table, key):
    return table[key]


def in_a_ballot():
    try:
        return asyncio.get_running_loop() is not None
    except RuntimeError:
        return False


class Debater(Direct):
    def __init__(self, seat, options):
        super().__init__(seat, options)
        if "making" in STAGES:
            look_up({{}}, "option")

    async def speak(self, turn):
        draft = await super().speak(turn)
        if turn.stage in STAGES:
            look_up({{}}, {key})
        return draft


class Judge(Single):
    def __init__(self, options):
        super().__init__(options)
        if "making a judge" in STAGES and in_a_ballot():
            look_up({{}}, "option")
        if "always" in STAGES:
            look_up({{}}, "option")

    async def judge(self, hearing):
        judgement = await super().judge(hearing)
        if "judging" in STAGES:
            look_up({{}}, "winner")
        return judgement
'''
_POINTS = """\
[arena.debaters]
somebodys = stranger.code:Debater
[arena.judges]
somebodys = stranger.code:Judge
"""


class Stranger:
    """The package; its debater fails in `stages`, which may hold `making`, its judge in `judging`.

    Attributes:
        place: of the line that raises.
    """

    place = f"stranger/code.py:{_CODE.splitlines().index('    return table[key]') + 1}"

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "stranger"
        self._folder.mkdir()
        self.write()
        described = folder / "stranger-1.dist-info"
        described.mkdir()
        (described / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
        (described / "entry_points.txt").write_text(_POINTS)

    def write(self, *stages: str, key: str = "'missing'") -> None:
        """Write the code anew, and forget what was loaded of it."""
        (self._folder / "__init__.py").write_text("")
        (self._folder / "code.py").write_text(_CODE.format(stages=stages, key=key))
        for name in ("stranger", "stranger.code"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        read_all.cache_clear()


@contextmanager
def stranger_installed(folder: Path) -> Iterator[Stranger]:
    """Put the package on Python's search path for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(sys, "dont_write_bytecode", True)
        stranger = Stranger(folder)
        yield stranger
        stranger.write()
    read_all.cache_clear()
    importlib.invalidate_caches()


@contextmanager
def recorded_calls() -> Iterator[list[str]]:
    """Record each call of simulated models: path, attempt and seed, unique in a tournament."""
    calls: list[str] = []
    complete = OfflineBackend.complete

    async def record(self: OfflineBackend, request: Request) -> Completion:
        calls.append(f"{request.path} {request.attempt} {request.seed}")
        return await complete(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OfflineBackend, "complete", record)
        yield calls
