"""The configuration of an imported tournament, which is rated like others and never played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.config.resolve import ResolvedConfig
from arena.config.section import Section
from arena.config.sections import BenchSection, Config, ParticipantSection
from arena.records import IMPORTED, OFFLINE, Bench, family_of
from arena.store.database import Store
from arena.store.rows import read_participants

_OF_BATTLES: Final = """
    SELECT DISTINCT category, language FROM battles WHERE tournament = $tournament ORDER BY ALL
"""
_OF_DEBATES: Final = """
    SELECT DISTINCT m.category, m.language FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $tournament ORDER BY ALL
"""
#: The bench of judges who are too many for a bench each.
JUDGES: Final = "judges"


class SourceSection(Section):
    """The file that verdicts were imported from, and their number."""

    file: str
    rows: int


class ImportedBench(BenchSection):
    """A bench of imported verdicts: nobody is asked for ballots, and a judge may have any name."""

    name: str
    runs: int = 0


class ImportedConfig(Config):
    """The configuration of an imported tournament: it has no participants to play."""

    participants: list[ParticipantSection] = []
    benches: list[ImportedBench]  # type: ignore[assignment]
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


def imported_benches(
    judges: Sequence[str], *, shared: bool, simulated: bool
) -> list[ImportedBench]:
    """Return the benches that imported verdicts belong to.

    Args:
        judges: of debates that several of them have judged; none of battles, whose only bench is
            `imported`.
        shared: whether the judges share a bench, on which every verdict counts by itself.
        simulated: whether simulated models took part.
    """
    model = imported_model(simulated=simulated)
    if not judges:
        return [ImportedBench(name=IMPORTED, judge=IMPORTED, model=model, runs=1)]
    if shared:
        return [ImportedBench(name=JUDGES, judge=IMPORTED, model=model, count="ballots")]
    return [ImportedBench(name=judge, judge=IMPORTED, model=model) for judge in judges]


def imported_config(store: Store, content: Mapping[str, Any]) -> ResolvedConfig:
    """Resolve the stored configuration of an imported tournament.

    Args:
        store: holds the battles.
        content: the configuration, as `ImportedConfig.stored` made it.
    """
    config = ImportedConfig.model_validate(content)
    name = config.tournament.name
    is_log = config.benches[0].name == IMPORTED
    present = store.read(_OF_BATTLES if is_log else _OF_DEBATES, {"tournament": name})
    return ResolvedConfig(
        config=config,
        participants=read_participants(store, name),
        benches=tuple(
            Bench(
                name=bench.name,
                judge=bench.judge,
                model=bench.model,
                runs=bench.runs,
                family="" if is_log else family_of(bench.name),
                count=bench.count or "debates",
            )
            for bench in config.benches
        ),
        motions=(),
        categories=tuple(sorted(set(present["category"]) - {""})),
        languages=tuple(sorted(set(present["language"]))),
        imported=True,
    )
