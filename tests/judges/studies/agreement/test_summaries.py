"""The sentence on each judge."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path

import pytest

from arena.boards.selection import Selection
from judges.studies.agreement.page import measure
from judges.studies.agreement.summaries import JudgeSummary, agreement_frame, format_summaries
from judges.studies.statistics.estimates import Estimate
from tests.support.tournaments import changed, commit, content, judged, planned, played, unit

_UNKNOWN = Estimate(value=nan, lower=nan, upper=nan, count=0)
_SUMMARY = JudgeSummary(
    bench="strict",
    agreement=Estimate(value=0.71, lower=0.66, upper=0.75, count=40),
    chance=0.5,
    side_elo=40.0,
    side_lower=12.0,
    side_upper=70.0,
    failure_rate=1 / 9,
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {},
            "strict agrees with the others 0.71 [0.66 to 0.75], favours Pro by 40 Elo [12 to 70], "
            "one ballot in 9 unreadable.",
        ),
        (
            {"agreement": _UNKNOWN, "side_elo": -40.0, "side_lower": -70.0, "side_upper": -12.0},
            "strict has no other bench to agree with, favours Con by 40 Elo [12 to 70], one "
            "ballot in 9 unreadable.",
        ),
        (
            {"side_lower": -5.0, "failure_rate": 0.0},
            "strict agrees with the others 0.71 [0.66 to 0.75], favours neither side for certain "
            "(Pro +40 Elo [-5 to 70]), no ballot unreadable.",
        ),
        (
            {"agreement": _UNKNOWN, "side_elo": nan, "failure_rate": 0.75},
            "strict has no other bench to agree with, 75 % of ballots unreadable.",
        ),
    ],
)
def test_a_summary_is_one_sentence(changes: dict[str, object], words: str) -> None:
    assert replace(_SUMMARY, **changes).sentence == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "lower", "upper", "words"),
    [
        (0.28, 0.20, 0.38, "28 % of debates [20 to 38], not surely more than chance (25 %)"),
        (0.35, 0.30, 0.40, "35 % of debates [30 to 40], little more than chance (25 %)"),
        (0.80, 0.70, 0.90, "80 % of debates [70 to 90], more than chance (25 %)"),
        (0.80, nan, nan, "80 % of debates, not surely more than chance (25 %)"),
    ],
)
def test_how_far_two_benches_agree_is_one_sentence(
    value: float, lower: float, upper: float, words: str
) -> None:
    share = Estimate(value=value, lower=lower, upper=upper, count=90)
    two = [replace(_SUMMARY, bench=name, agreement=share, chance=0.25) for name in ("a", "b")]
    together, *each = format_summaries(two)
    assert together == f"a and b agree on {words}."
    assert [line.partition(" favours")[0] for line in each] == ["a", "b"]
    assert agreement_frame(two).empty, "two need no chart"
    assert format_summaries([*two, two[0]]) == [summary.sentence for summary in (*two, two[0])]


def test_agreement_is_the_share_of_equal_verdicts_over_all_other_benches(tmp_path: Path) -> None:
    config = content("ann", "bob", "cyd")
    benches = [{**config["benches"][0], "name": name} for name in ("bench", "twin", "other")]
    store, plan = planned(tmp_path / "own.duckdb", changed(config, ["benches"], benches))
    for place, debate in enumerate(plan.debates):
        outcomes = {"bench": place % 2, "twin": place % 2, "other": 1.0 if place else 0.5}
        commit(store, played(debate))
        for name, outcome in outcomes.items():
            one = judged(debate, float(outcome))
            ballot = replace(one.ballot, bench=name)
            commit(store, replace(one, ballot=ballot, unit=unit(ballot.ballot_id)))
    page = measure(store, plan.resolved, Selection(tournament="small", bench="all"))
    debates = len(plan.debates)
    same = sum(place % 2 for place in range(debates))
    share = {each.bench: each.agreement.value for each in page.summaries}
    assert share["bench"] == share["twin"] == pytest.approx((debates + same) / (2 * debates))
    assert share["other"] == pytest.approx(same / debates)
    chance = {each.bench: each.chance for each in page.summaries}
    assert all(0 < each < 1 for each in chance.values())
    frame = agreement_frame(page.summaries)
    assert list(frame["participant"]) == ["bench", "twin", "other"], "who agrees most comes first"
    assert page.content()["summaries"][0]["bench"] == "bench"
