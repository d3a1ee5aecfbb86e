"""The configurations of stored tournaments, played and imported, read back from the database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from arena.config.load import parse_config
from arena.config.resolved import Place, ResolvedConfig, bench_of, participant_of
from arena.config.section import Section
from arena.config.sections import BenchSection, Config, ParticipantSection
from arena.errors import ConfigError, suggest
from arena.records import IMPORTED, OFFLINE, Bench, Participant, family_of
from arena.store.database import Store
from arena.store.motions import read_motions
from arena.store.rows import read_configs, read_kinds, read_participants

#: The bench of judges who are too many for a bench each.
JUDGES: Final = "judges"


def stored_config(store: Store, tournament: str | None) -> ResolvedConfig:
    """Read the configuration of a stored tournament, and what its names stand for.

    Args:
        tournament: its name; None for the newest one. Tournaments that only hold people's
            rankings of another tournament's essays are found by name alone.

    Raises:
        ConfigError: the database has no such tournament.
    """
    configs = read_configs(store)
    if not configs or (tournament is not None and tournament not in configs):
        listed = ", ".join(configs) or "none yet (play one: arena run)"
        near = suggest(tournament or "", configs)
        raise ConfigError(f"{store.path}: no tournament {tournament!r}. Stored: {listed}.{near}")
    name = tournament or next(iter(configs))
    return resolve_stored(store, name, json.loads(configs[name]))


def resolve_stored(store: Store, name: str, content: Mapping[str, Any]) -> ResolvedConfig:
    """Return a stored configuration with its participants, benches and motions.

    Participants are read as they were stored, so that no debater is loaded.

    Raises:
        ConfigError: this version of the program does not know something in it.
    """
    if "source" in content:
        return imported_config(store, content)
    where = f"tournament {name!r}"
    config = parse_stored(content, where=where)
    return ResolvedConfig(
        config=config,
        participants=tuple(_participants(store, config, where)),
        benches=tuple(
            bench_of(bench, config.tournament.contest, Place(where) / "benches" / number)
            for number, bench in enumerate(config.benches)
        ),
        motions=read_motions(store, name),
        languages=tuple(config.tournament.languages),
        where=where,
    )


def parse_stored(content: Mapping[str, Any], *, where: str) -> Config:
    """Return the stored configuration of a played tournament as a record; raises likewise."""
    return parse_config(_without_none(content), where=where)


def _participants(store: Store, config: Config, where: str) -> Iterator[Participant]:
    """Yield the participants of a configuration; one whose system was changed, as it is now."""
    stored: dict[str, list[Participant]] = {}
    for participant in read_participants(store, config.tournament.name):
        stored.setdefault(participant.name, []).append(participant)
    essay = config.tournament.contest == "essay"
    for number, section in enumerate(config.participants):
        match stored.get(section.name, []):
            case [only]:
                yield only
            case _:
                place = Place(where) / "participants" / number
                yield participant_of(section, config.sampling, place, essay=essay)


def _without_none(content: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(content, dict):
        return {key: _without_none(value) for key, value in content.items() if value is not None}
    if isinstance(content, list):
        return [_without_none(item) for item in content]
    return content


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
    """
    model = imported_model(simulated=simulated)
    if not judges:
        return [ImportedBench(name=IMPORTED, judge=IMPORTED, model=model, runs=1)]
    if shared:
        return [ImportedBench(name=JUDGES, judge=IMPORTED, model=model, count="ballots")]
    return [ImportedBench(name=judge, judge=IMPORTED, model=model) for judge in judges]


def imported_config(store: Store, content: Mapping[str, Any]) -> ResolvedConfig:
    """Resolve the stored configuration of an imported tournament."""
    config = ImportedConfig.model_validate(content)
    name = config.tournament.name
    is_log = config.benches[0].name == IMPORTED
    present = read_kinds(store, name, battles=is_log)
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
        categories=tuple(sorted({category for category, _ in present} - {""})),
        languages=tuple(sorted({language for _, language in present})),
        imported=True,
    )
