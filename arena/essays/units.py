"""The units of work in which models measure essays: their ids, and by what they measure."""

from __future__ import annotations

from dataclasses import dataclass

from arena.essays.sets import Essays
from arena.records import digest
from arena.tournament.spending import unit_prefix

#: In the place of an embedding model: hashed words, which need no network.
EMBEDDED = "embedded"
#: In the place of a model that finds points: sentences by a rule.
SENTENCES = "sentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """By what texts are compared: two models, or what stands in their place."""

    embedding: str = EMBEDDED
    points: str = SENTENCES

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are called."""
        found = ((self.embedding, EMBEDDED), (self.points, SENTENCES))
        return tuple(dict.fromkeys(model for model, without in found if model != without))


def unit_of(tournament: str, essays: Essays, means: Means) -> str:
    """The id of a set's unit of work; those of one tournament begin alike."""
    parts = [essays.participant, essays.motion_id, essays.language, list(essays.texts)]
    return unit_prefix(tournament) + digest(*parts, means.embedding, means.points)
