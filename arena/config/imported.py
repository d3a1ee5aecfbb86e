"""An imported tournament as an entry: rated and shown like others, and never played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.config.resolve import ResolvedConfig
from arena.config.sections import BenchSection, Config, ParticipantSection, Section
from arena.records import IMPORTED, OFFLINE, Bench
from arena.store.database import Store
from arena.store.rows import read_participants

_GIVEN = """
    SELECT DISTINCT category, language FROM battles WHERE tournament = $tournament ORDER BY ALL
"""


class SourceSection(Section):
    """Where imported battles came from."""

    file: str
    rows: int


class ImportedConfig(Config):
    """What is stored of an imported tournament: nobody in it can be asked to play."""

    participants: list[ParticipantSection] = []
    source: SourceSection

    def stored(self) -> dict[str, Any]:
        """What of it means anything."""
        return {
            "tournament": self.tournament.model_dump(mode="json", include={"name", "seed"}),
            "benches": [one.model_dump(mode="json") for one in self.benches],
            "source": self.source.model_dump(mode="json"),
        }


def imported_model(*, simulated: bool) -> str:
    """What stands for the models of imported battles; a simulated one is known as such."""
    return f"{OFFLINE}{IMPORTED}" if simulated else IMPORTED


def imported_bench(*, simulated: bool) -> BenchSection:
    """The bench of all imported verdicts."""
    model = imported_model(simulated=simulated)
    return BenchSection(name=IMPORTED, judge=IMPORTED, model=model, runs=1)


def imported_config(store: Store, content: Mapping[str, Any]) -> ResolvedConfig:
    """The entry of stored battles."""
    config = ImportedConfig.model_validate(content)
    name = config.tournament.name
    given = store.read(_GIVEN, {"tournament": name})
    return ResolvedConfig(
        config=config,
        participants=read_participants(store, name),
        benches=tuple(
            Bench(name=one.name, judge=one.judge, model=one.model, runs=one.runs)
            for one in config.benches
        ),
        motions=(),
        categories=tuple(sorted(set(given["category"]) - {""})),
        languages=tuple(sorted(set(given["language"]))),
        imported=True,
    )
