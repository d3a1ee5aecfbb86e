"""What simulated judges count in the defences of two advocates, checked against the speeches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena.languages import SIDES, Side, other_side
from arena.simulator.judging.counts import Count
from arena.simulator.judging.measures import geometric_sum, measure_style
from arena.simulator.judging.verdicts import mark_of
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import quotation_kind, side_of
from arena.simulator.words import content_words

_QUOTED = re.compile(r"“([^“”]{1,600})”")
#: Share of a quotation's words that a side's speeches must contain for it to be theirs.
_BORNE_OUT = 0.9


def count_defences(mind: Mind) -> dict[Side, Count]:
    """Count, for each side, what its defence quotes: its own points, and points of the other side.

    A quotation that neither side's speeches contain counts against its defence.
    """
    spoken = {
        side: frozenset[str]().union(
            *(content_words(speech.text) for speech in mind.situation.speeches_of(side))
        )
        for side in SIDES
    }
    return {side: _count(side, _defences_of(side, mind), spoken) for side in SIDES}


def _defences_of(side: Side, mind: Mind) -> list[str]:
    return [
        note.text
        for note in mind.situation.notes
        if quotation_kind(note) == "defence" and side in map(side_of, note.words)
    ]


def _count(side: Side, texts: Sequence[str], spoken: dict[Side, frozenset[str]]) -> Count:
    quotations = list(dict.fromkeys(words for text in texts for words in _QUOTED.findall(text)))
    own = [words for words in quotations if _is_borne_out(words, spoken[side])]
    others = [words for words in quotations if words not in own]
    opposing = [words for words in others if _is_borne_out(words, spoken[other_side(side)])]
    unfounded = len(others) - len(opposing)
    argued = geometric_sum(len(own), 0.85) + 0.8 * geometric_sum(len(opposing), 0.85)
    sourced = geometric_sum(len(quotations) - unfounded, 0.8) - 0.3 * min(5, unfounded)
    style = max((measure_style(text).strength for text in texts), default=0.0)
    return Count(
        points=len(own),
        answered=len(opposing),
        argument=mark_of("argument", [argued]),
        source=mark_of("source", [sourced]),
        language=mark_of("language", [style]),
        sourced=sourced,
        style=style,
    )


def _is_borne_out(quotation: str, spoken: frozenset[str]) -> bool:
    words = content_words(quotation)
    return bool(words) and len(words & spoken) >= _BORNE_OUT * len(words)
