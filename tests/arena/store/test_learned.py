"""What runs have found out about models: kept, replaced, and sealed each time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from arena.llm.request import LearnedMode
from arena.llm.traffic.traffic import SettledLimit
from arena.store.consistency import find_faults
from arena.store.database import Store
from arena.store.learned import read_limits, read_modes, write_limits, write_modes
from tests.played import copied

Structured: TypeAlias = Literal["schema", "object", "prompt"]


def test_what_is_found_out_again_replaces_the_earlier_row_and_its_hash(
    small_database: Path, tmp_path: Path
) -> None:
    store = Store(copied(small_database, tmp_path))
    forms: tuple[Structured, ...] = ("schema", "prompt", "prompt")
    for calls, structured in zip((8, 3, 3), forms, strict=True):
        limit = SettledLimit(model="openai/x", address="", calls=calls)
        mode = LearnedMode(model="openai/x", address="", structured=structured)
        store.write(partial(write_limits, tournament="small", limits=[limit]))
        store.write(partial(write_modes, tournament="small", modes=[mode]))
        assert read_limits(store, "small") == [limit]
        assert mode in read_modes(store, "small")
        assert list(map(str, find_faults(store))) == []
