"""The configuration of an imported tournament, which is rated like others and never played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.config.resolve import ResolvedConfig
from arena.config.section import Section
from arena.config.sections import BenchSection, Config, ParticipantSection
from arena.records import IMPORTED, OFFLINE, Bench
from arena.store.database import Store
from arena.store.rows import read_participants

_CATEGORIES_AND_LANGUAGES = """
    SELECT DISTINCT category, language FROM battles WHERE tournament = $tournament ORDER BY ALL
"""


class SourceSection(Section):
    """The file that imported battles came from, and its number of rows."""

    file: str
    rows: int


class ImportedConfig(Config):
    """The configuration of an imported tournament: it has no participants to play."""

    participants: list[ParticipantSection] = []
    source: SourceSection

    def stored(self) -> dict[str, Any]:
        """Return the part that is stored; all else has no meaning without debates to play."""
        return {
            "tournament": self.tournament.model_dump(mode="json", include={"name", "seed"}),
            "benches": [bench.model_dump(mode="json") for bench in self.benches],
            "source": self.source.model_dump(mode="json"),
        }


def imported_model(*, simulated: bool) -> str:
    """Return the name that stands for all models of imported battles.

    The name for simulated models begins like theirs, so that boards say that they are simulated.
    """
    return f"{OFFLINE}{IMPORTED}" if simulated else IMPORTED


def imported_bench(*, simulated: bool) -> BenchSection:
    """Return the bench that all imported verdicts belong to."""
    model = imported_model(simulated=simulated)
    return BenchSection(name=IMPORTED, judge=IMPORTED, model=model, runs=1)


def imported_config(store: Store, content: Mapping[str, Any]) -> ResolvedConfig:
    """Resolve the stored configuration of an imported tournament.

    Args:
        store: holds the battles.
        content: the configuration, as `ImportedConfig.stored` made it.
    """
    config = ImportedConfig.model_validate(content)
    name = config.tournament.name
    present = store.read(_CATEGORIES_AND_LANGUAGES, {"tournament": name})
    return ResolvedConfig(
        config=config,
        participants=read_participants(store, name),
        benches=tuple(
            Bench(name=bench.name, judge=bench.judge, model=bench.model, runs=bench.runs)
            for bench in config.benches
        ),
        motions=(),
        categories=tuple(sorted(set(present["category"]) - {""})),
        languages=tuple(sorted(set(present["language"]))),
        imported=True,
    )
