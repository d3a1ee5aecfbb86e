"""The points of people who debate: all of them pooled against each framework, and each speaker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from arena.records import Participant
from arena.report.head_to_head import HeadToHead, head_to_head
from arena.report.paper_source import PERSON

#: The name under which all people are pooled, as in the Agent4Debate paper.
POOL = "Human"
#: The name of whoever debates against a speaker.
OPPONENTS = "all opponents"


def pooled_points(
    scores: pd.DataFrame, participants: Iterable[Participant], dimensions: Sequence[str]
) -> list[HeadToHead]:
    """Average the points of all people together against all participants of each framework.

    Debates among people or among models do not count (Table 5 of the paper).

    Args:
        scores: a row per debate and dimension, of one bench, as `head_to_head` takes it.
        participants: of the tournament.
        dimensions: to report.
    """
    pools = {
        participant.name: POOL if participant.debater == PERSON else participant.debater
        for participant in participants
    }
    pooled = scores.assign(pro=scores["pro"].map(pools), con=scores["con"].map(pools))
    of_people = (pooled["pro"] == POOL) != (pooled["con"] == POOL)
    return head_to_head(pooled[of_people], dimensions)


def speaker_points(
    scores: pd.DataFrame, speakers: pd.DataFrame, dimensions: Sequence[str]
) -> list[HeadToHead]:
    """Average the points of each person, where several are rated as one participant.

    Args:
        scores: as for `pooled_points`.
        speakers: a row per debate and side of such a participant: debate_id, side, speaker.
        dimensions: to report.
    """
    rows = []
    for side, other in (("pro", "con"), ("con", "pro")):
        own = speakers.loc[speakers["side"] == side, ["debate_id", "speaker"]]
        spoken = scores.merge(own, on="debate_id").assign(**{other: OPPONENTS})
        rows.append(spoken.assign(**{side: spoken["speaker"]}))
    pairs = head_to_head(pd.concat(rows), dimensions)
    return [_speaker_first(pair) for pair in pairs]


def _speaker_first(pair: HeadToHead) -> HeadToHead:
    if pair.first != OPPONENTS:
        return pair
    return HeadToHead(
        first=pair.second,
        second=pair.first,
        debates=pair.debates,
        points={name: 3 - points for name, points in pair.points.items()},
    )
