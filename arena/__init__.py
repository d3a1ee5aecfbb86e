"""A tournament and leaderboard service for debate systems, and what Python opens of it.

    import arena

    db = arena.open("results.duckdb")
    db.tournament().leaderboard()

`docs/python.md` shows the rest. What is named here is loaded when it is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.errors import ArenaError, ConfigError, StoreError
    from arena.notebook.database import Database
    from arena.notebook.database import open_database as open
    from arena.notebook.registration import register
    from arena.notebook.running import run, run_async
    from arena.notebook.tournament import Tournament
else:
    from importlib import import_module

    _PLACES = {
        "ArenaError": ("arena.errors", "ArenaError"),
        "ConfigError": ("arena.errors", "ConfigError"),
        "StoreError": ("arena.errors", "StoreError"),
        "Database": ("arena.notebook.database", "Database"),
        "Tournament": ("arena.notebook.tournament", "Tournament"),
        "open": ("arena.notebook.database", "open_database"),
        "register": ("arena.notebook.registration", "register"),
        "run": ("arena.notebook.running", "run"),
        "run_async": ("arena.notebook.running", "run_async"),
    }

    def __getattr__(name: str) -> object:
        """Load what is asked for."""
        if name not in _PLACES:
            raise AttributeError(f"module 'arena' has no attribute {name!r}")
        module, attribute = _PLACES[name]
        return getattr(import_module(module), attribute)

    def __dir__() -> list[str]:
        """Name what can be loaded, beside the modules that are."""
        return sorted({*globals(), *_PLACES})


__all__ = [
    "ArenaError",
    "ConfigError",
    "Database",
    "StoreError",
    "Tournament",
    "open",
    "register",
    "run",
    "run_async",
]
