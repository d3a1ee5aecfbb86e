"""How far advocates and jurors agree: measured on what they really wrote and voted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.llm.request import Request
from arena.simulator.embedding import embed_texts
from judges.studies.labelled.concordance import Defences, measure_advocates, read_votes
from tests.support.evaluations import bench, evaluated, write_pairs
from tests.support.paired_answers import comparing
from tests.support.probes import ask

ROWS = [("Why?", "One.", "Two.", "a"), ("为什么城市要种树？", "树荫。", "好看。", "b")]
MEMBERS = [{"judge": "single"}, {"judge": "single"}, {"judge": "single", "model": "offline/good"}]
BENCHES = (
    bench("three", "more", runs=2, swap=True),
    bench("alone", "more", options={"advocates": 1}),
    bench("jurors", "samre", options={"jurors": 3}),
    bench("members", "jury", options={"members": MEMBERS}),
)


def measured(place: Path, monkeypatch: pytest.MonkeyPatch, script: Any) -> dict[str, Any]:  # noqa: ANN401 - a script
    """What an evaluation of the benches reports, every model a script."""
    ask(monkeypatch, script)
    return evaluated(write_pairs(place, ROWS, *BENCHES))


def pleading(request: Request) -> str:
    """Advocates of Answer A all plead alike, those of B each in words of their own."""
    if request.task == "advocate.defend":
        own = {"1": "Shade cools streets.", "2": "Roots hold soil.", "3": "Birds need branches."}
        pro = "pro/advocate" in request.path
        return "The first is thorough." if pro else own[request.path[-1]]
    if request.task == "judge.vote":
        winner = "B" if request.path.endswith("juror/3") else "A"
        return json.dumps({"judgement": "So.", "winner": winner})
    return str(comparing(9, 10 if request.model == "offline/good" else 8)(request))


def test_advocates_and_jurors_are_compared_as_they_pleaded_and_voted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = measured(tmp_path, monkeypatch, pleading)
    (advocates,) = result["advocates"]
    assert (advocates["bench"], advocates["advocates"]) == ("three", 3)
    assert advocates["hearings"] == 2 * 2 * 2, "pairs, runs and orders"
    vectors = embed_texts(["Shade cools streets.", "Roots hold soil.", "Birds need branches."])
    apart = np.mean([vectors[0] @ vectors[1], vectors[0] @ vectors[2], vectors[1] @ vectors[2]])
    assert advocates["same"]["value"] == pytest.approx((1 + apart) / 2)
    across = (embed_texts(["The first is thorough."]) @ vectors.T).mean()
    assert advocates["other"]["value"] == pytest.approx(across)
    assert advocates["beyond"]["value"] == pytest.approx((1 + apart) / 2 - across)
    jurors, members = result["jurors"]
    assert (jurors["bench"], jurors["seats"], jurors["hearings"]) == ("jurors", 3, 2)
    assert jurors["unanimous"]["value"] == 0
    assert jurors["equal"]["value"] == pytest.approx(1 / 3)
    assert (members["bench"], members["equal"]["value"]) == ("members", pytest.approx(1 / 3))


def test_what_is_too_long_is_compared_as_the_judge_cuts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wordy(request: Request) -> str:
        if request.task == "advocate.defend":
            return "It is sound. " + "Word after word without an end " * 40 + request.path[-1]
        return pleading(request)

    (advocates,) = measured(tmp_path, monkeypatch, wordy)["advocates"]
    assert advocates["same"]["value"] == pytest.approx(1), "what differs comes after the limit"


def test_votes_of_an_exchanged_pair_are_turned_back() -> None:
    steps: list[dict[str, object]] = [
        {"agent": "judge", "round": 1, "pro": 60.0, "con": 63.0},
        {"agent": "juror", "winner": "Pro"},
        {"agent": "juror", "pro_score": 60, "con_score": 70},
        {"agent": "member", "outcome": 0.5},
        {"agent": "member", "absent": "not asked"},
    ]
    assert list(read_votes(steps)) == [[1.0, 0.0, 0.5]]
    both: list[dict[str, object]] = [
        {"agent": "order", "order": "given", "verdicts": [], "steps": steps},
        {"agent": "order", "order": "exchanged", "verdicts": [], "steps": steps},
    ]
    assert list(read_votes(both)) == [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]
    assert list(read_votes([])) == [[]]


def test_the_interval_takes_whole_questions() -> None:
    alike = {"pro": ("Yes it is.",) * 3, "con": ("No, never.",) * 3}
    apart = {"pro": ("Trees.", "Streets.", "Cars."), "con": ("Rain.", "Wind.", "Snow.")}
    heard = [
        *(Defences(bench="b", question="one", **alike) for _ in range(20)),
        *(Defences(bench="b", question="two", **apart) for _ in range(20)),
    ]
    result = measure_advocates("b", heard, np.random.default_rng(0))
    assert result is not None and result.hearings == 40
    low = measure_advocates("b", heard[20:], np.random.default_rng(0))
    assert low is not None and np.isnan(low.same.lower), "one question tells no interval"
    assert (result.same.lower, result.same.upper) == pytest.approx((low.same.value, 1.0))
    assert measure_advocates("c", heard, np.random.default_rng(0)) is None
