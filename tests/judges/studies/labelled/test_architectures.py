"""Which benches stand for the paper's architectures, by what their judges score."""

from __future__ import annotations

from collections.abc import Sequence

from arena.records import Bench
from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.architectures import compare_more_with_samre, find_architectures
from tests.judges.studies.labelled.test_score_gaps import judged

MODEL = "offline/good"
SAMRE = {"early_stop": True, "jurors": 0}
PAPERS = {"scores": "defences"}


def bench(name: str, judge: str, **options: object) -> Bench:
    return Bench(name=name, judge=judge, model=MODEL, options=options)


OURS = [bench("more", "more", advocates=3), bench("samre", "samre", **SAMRE)]
THEIRS = [
    bench("more-d", "more", advocates=3, **PAPERS),
    bench("samre-d", "samre", **SAMRE, **PAPERS),
]


def test_benches_that_score_defences_come_first() -> None:
    for benches in (OURS + THEIRS, THEIRS + OURS):
        names = find_architectures([bench("once", "single"), *benches], MODEL)
        assert names == {"baseline": "once", "more": "more-d", "samre_alone": "samre-d"}
    preset = bench("more-p", "more", advocates=3, preset="paper", **PAPERS)
    assert find_architectures([*THEIRS, preset], MODEL)["more"] == "more-p"
    assert find_architectures(OURS, MODEL) == {"more": "more", "samre_alone": "samre"}
    assert find_architectures(OURS, "offline/weak") == {}


def compared(benches: Sequence[Bench]) -> list[tuple[str, str, str]]:
    names = ("more", "samre", "more-d", "samre-d")
    verdicts: list[PairVerdict] = [judged(name, str(n), 3.0 * n) for name in names for n in (1, 2)]
    found = compare_more_with_samre(benches, MODEL, verdicts)
    return [(one.first, one.second, one.scored) for one in found]


def test_distances_are_compared_between_scores_of_the_same_kind() -> None:
    assert compared(OURS + THEIRS) == [
        ("more-d", "samre-d", "defences"),
        ("more", "samre", "answers"),
    ]
    assert compared([OURS[0], THEIRS[1]]) == []
