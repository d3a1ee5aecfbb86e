"""The units of work in which models measure essays: their models and their ids."""

from __future__ import annotations

from dataclasses import dataclass

from arena.essays.sets import EssaySet
from arena.records import digest
from arena.tournament.spending import unit_prefix

#: Instead of an embedding model: hashed words, which need no network.
EMBEDDED = "embedded"
#: Instead of a model that finds points: leading sentences, by a rule.
SENTENCES = "sentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringModels:
    """How essays are measured: by an embedding model and one that finds points, or without."""

    embedding: str = EMBEDDED
    points: str = SENTENCES

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that are called."""
        settings = ((self.embedding, EMBEDDED), (self.points, SENTENCES))
        return tuple(dict.fromkeys(model for model, without in settings if model != without))


def measuring_unit_id(tournament: str, essays: EssaySet, means: MeasuringModels) -> str:
    """Return the id of a set's unit of work; all ids of a tournament have one prefix."""
    parts = [essays.participant, essays.motion_id, essays.language, list(essays.texts)]
    return unit_prefix(tournament) + digest(*parts, means.embedding, means.points)
