"""The simulated reader of an essay: the sentences that stand out, as far as it notices them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.languages import leading_sentences
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import quotation_kind


def points(mind: Mind) -> Mapping[str, Any]:
    """List the leading sentences of the first quoted essay, as far as the model notices them."""
    essays = [note.text for note in mind.situation.notes if quotation_kind(note) == "essay"]
    sentences = leading_sentences(essays[0], mind.situation.language) if essays else []
    return {"points": [text for text in sentences if mind.succeeds(mind.skill.reading)]}
