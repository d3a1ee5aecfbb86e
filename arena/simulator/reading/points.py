"""The simulated reader of an essay: the sentences that stand out, as far as it notices them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.languages import leading_sentences
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import kind


def points(mind: Mind) -> Mapping[str, Any]:
    """The first quoted essay's leading sentences, each if the model notices it."""
    essays = [one.text for one in mind.situation.notes if kind(one) == "essay"]
    found = leading_sentences(essays[0], mind.situation.language) if essays else []
    return {"points": [one for one in found if mind.succeeds(mind.skill.reading)]}
