"""The points of people, pooled and by speaker, worked out by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.papers.agent4debate import pooled_points, speaker_points
from arena.records import Participant
from arena.report.head_to_head import HeadToHead

DIMENSIONS = ("source", "overall")
PARTICIPANTS = [
    Participant(name="ann", debater="human", model=""),
    Participant(name="Human", debater="human", model=""),
    Participant(name="whole", debater="agent4debate", model="offline/good"),
    Participant(name="other", debater="agent4debate", model="offline/fair"),
    Participant(name="plain", debater="baseline", model="offline/fair"),
]
#: Debate, Pro, Con, and Pro's score of three by dimension.
DEBATES = (
    ("d1", "ann", "whole", {"source": 0.0, "overall": 1.0}),
    ("d2", "other", "ann", {"source": 3.0, "overall": 1.0}),
    ("d3", "Human", "other", {"source": 0.0, "overall": 0.0}),
    ("d4", "plain", "Human", {"source": 1.5, "overall": 0.0}),
    ("d5", "ann", "Human", {"source": 3.0, "overall": 3.0}),
    ("d6", "whole", "other", {"source": 3.0, "overall": 3.0}),
)
SCORES = pd.DataFrame(
    [
        {
            "debate_id": debate,
            "dimension": dimension,
            "pro": pro,
            "con": con,
            "pro_score": score,
            "con_score": 3 - score,
        }
        for debate, pro, con, scores in DEBATES
        for dimension, score in scores.items()
    ]
)


def test_all_people_are_one_against_each_framework() -> None:
    found = pooled_points(SCORES, PARTICIPANTS, DIMENSIONS)
    assert found == [
        HeadToHead(
            first="Human", second="baseline", debates=1, points={"source": 1.5, "overall": 3.0}
        ),
        HeadToHead(
            first="agent4debate", second="Human", debates=3, points={"source": 3.0, "overall": 2.0}
        ),
    ], "(1 + 2 + 0) / 3 of the people's points overall leave 2 to the others"


def test_debates_without_people_give_nothing() -> None:
    machines = SCORES[SCORES["debate_id"] == "d6"]
    assert pooled_points(machines, PARTICIPANTS, DIMENSIONS) == []
    assert pooled_points(machines.iloc[:0], PARTICIPANTS, DIMENSIONS) == []


def test_each_speaker_stands_first_with_all_of_their_debates() -> None:
    speakers = pd.DataFrame(
        [("d3", "pro", "bob"), ("d4", "con", "cyd"), ("d5", "con", "cyd")],
        columns=["debate_id", "side", "speaker"],
    )
    by_name = {pair.first: pair for pair in speaker_points(SCORES, speakers, DIMENSIONS)}
    assert set(by_name) == {"bob", "cyd"}
    assert by_name["bob"].points == pytest.approx({"source": 0.0, "overall": 0.0})
    assert (by_name["cyd"].debates, by_name["cyd"].second) == (2, "all opponents")
    assert by_name["cyd"].points == pytest.approx({"source": 0.75, "overall": 1.5})
