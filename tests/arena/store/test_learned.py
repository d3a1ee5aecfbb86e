"""What runs have found out about models: kept, replaced, and sealed each time."""

from __future__ import annotations

from pathlib import Path

from arena.llm.request import LearnedMode
from arena.llm.traffic.traffic import SettledLimit
from arena.store.consistency import find_faults
from arena.store.database import Store
from arena.store.learned import read_limits, read_modes, write_limits, write_modes
from tests.played import copied


def test_what_is_found_out_again_replaces_the_earlier_row_and_its_hash(
    small_database: Path, tmp_path: Path
) -> None:
    store = Store(copied(small_database, tmp_path))
    for calls, structured in ((8, "schema"), (3, "prompt"), (3, "prompt")):
        limit = SettledLimit(model="openai/x", address="", calls=calls)
        mode = LearnedMode(model="openai/x", address="", structured=structured)
        store.write(lambda link, limit=limit: write_limits(link, "small", [limit]))
        store.write(lambda link, mode=mode: write_modes(link, "small", [mode]))
        assert read_limits(store, "small") == [limit]
        assert mode in read_modes(store, "small")
        assert list(map(str, find_faults(store))) == []
