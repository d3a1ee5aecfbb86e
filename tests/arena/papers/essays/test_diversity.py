"""The three figures against slow twins that follow their definitions word by word."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arena.errors import UnparseableReply
from arena.languages import language, leading_sentences
from arena.papers.essays.diversity import (
    MOST,
    Array,
    extract_points,
    mean_interval,
    perspective_diversity,
    self_bleu,
    self_similarity,
)
from arena.simulator import OfflineBackend
from tests.support.debate_seats import language_model, texts
from tests.support.hostile_texts import HOSTILE
from tests.support.scripted_backend import ScriptedBackend

ENGLISH = language("en")


def cosine(one: Array, other: Array) -> float:
    lengths = math.sqrt(sum(x * x for x in one)) * math.sqrt(sum(x * x for x in other))
    return float(sum(x * y for x, y in zip(one, other, strict=True)) / lengths)


def bleu_by_hand(words: list[str], references: list[list[str]]) -> float:
    """BLEU: n-grams clipped at the most that one reference has, and the brevity penalty."""
    logarithms = []
    for n in range(1, 5):
        grams = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        most: Counter[tuple[str, ...]] = Counter()
        for one in references:
            most |= Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
        clipped = sum(min(count, most[gram]) for gram, count in grams.items())
        logarithms.append(math.log(clipped / grams.total()))
    closest = min(references, key=lambda one: (abs(len(one) - len(words)), len(one)))
    penalty = min(1.0, math.exp(1 - len(closest) / len(words)))
    return 100 * penalty * math.exp(sum(logarithms) / 4)


def self_bleu_by_hand(texts: Sequence[str]) -> float:
    split = [one.split() for one in texts]
    return sum(
        bleu_by_hand(one, split[:place] + split[place + 1 :]) for place, one in enumerate(split)
    ) / len(split)


#: All texts share four words in a row, so that no precision is 0 and nothing is smoothed.
sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8).map(
    lambda words: " ".join(["we", "all", "said", "this", *words])
)
vectors = arrays(np.float64, (4, 3), elements=st.floats(0.1, 1.0))


@given(st.lists(sentences, min_size=2, max_size=5))
@settings(max_examples=40, deadline=None)
def test_self_bleu_is_the_mean_bleu_against_all_others(texts: list[str]) -> None:
    result = self_bleu(texts, ENGLISH)
    assert result == pytest.approx(self_bleu_by_hand(texts), abs=1e-6)
    assert self_bleu(texts[::-1], ENGLISH) == pytest.approx(result)


def test_equal_texts_are_as_alike_as_can_be() -> None:
    for code, text in (("en", "The same words again and again."), ("zh", "完全相同的一段文字。")):
        assert self_bleu([text] * 3, language(code)) == pytest.approx(100)
    assert self_similarity(np.ones((3, 2))) == pytest.approx(100)
    assert perspective_diversity([np.ones((2, 2))] * 3) == pytest.approx(100)


def test_chinese_is_compared_by_characters() -> None:
    texts = ["四天工作制提高效率", "四天工作制提高士气"]
    assert self_bleu(texts, language("zh")) > 50 > self_bleu(texts, ENGLISH)


@given(vectors)
def test_self_emb_is_the_mean_cosine_of_all_pairs(found: Array) -> None:
    pairs = [(i, j) for i in range(len(found)) for j in range(i)]
    by_hand = 100 * sum(cosine(found[i], found[j]) for i, j in pairs) / len(pairs)
    assert self_similarity(found) == pytest.approx(by_hand)
    assert self_similarity(found[::-1] * 7) == pytest.approx(by_hand)


def perspective_by_hand(points: Sequence[Array]) -> float:
    of_essays = []
    for place, own in enumerate(points):
        others = [one for k, each in enumerate(points) if k != place for one in each]
        most = [max(cosine(one, other) for other in others) for one in own]
        of_essays.append(sum(most) / len(most))
    return 100 * sum(of_essays) / len(of_essays)


@given(vectors, vectors, vectors)
def test_perspective_diversity_is_the_mean_of_the_closest_points(
    one: Array, two: Array, three: Array
) -> None:
    points = [one, two[:1], three[:3]]
    result = perspective_diversity(points)
    assert result == pytest.approx(perspective_by_hand(points))
    assert perspective_diversity([points[2], np.zeros((0, 3)), *points[:2]]) == pytest.approx(
        result
    )


def test_an_essays_own_points_do_not_count() -> None:
    same, apart = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert perspective_diversity([same, apart]) == pytest.approx(0)


def test_one_text_is_like_nothing() -> None:
    with pytest.raises(ValueError, match="at least two texts"):
        self_bleu(["one"], ENGLISH)
    with pytest.raises(ValueError, match="at least two texts"):
        self_similarity(np.ones((1, 2)))
    with pytest.raises(ValueError, match="at least two texts"):
        perspective_diversity([np.ones((1, 2)), np.zeros((0, 2))])


def test_an_interval_is_students_over_propositions() -> None:
    result = mean_interval([20.0, 25.0, 30.0, math.nan])
    # t of 2 degrees of freedom at 97.5 % is 4.303; the standard error 5 / sqrt(3).
    assert result.mean == 25.0
    assert result.upper == pytest.approx(25 + 4.303 * 5 / 3**0.5, abs=0.01)
    assert result.mean - result.lower == pytest.approx(result.upper - result.mean)
    assert math.isnan(mean_interval([20.0]).lower) and mean_interval([20.0]).mean == 20.0
    assert math.isnan(mean_interval([math.nan]).mean)


ESSAY = """Shorter weeks keep people healthy and awake. They also sleep more, as studies show again.

Firms win too, because tired workers make costly mistakes. Yes.

Nobody has to earn less for it, since output stays the same in most trials."""
CHINESE = """缩短工作周让员工更健康、更清醒。睡眠也会增加，多项研究都证实了这一点。

企业同样受益，因为疲惫的员工容易犯代价高昂的错误。是的。"""


def test_paragraphs_open_with_their_points() -> None:
    result = leading_sentences(ESSAY, language("en"))
    assert [one.split()[0] for one in result] == ["Shorter", "They", "Firms", "Nobody"]
    assert len(leading_sentences(CHINESE, language("zh"))) == 3


def test_there_are_five_at_most_and_none_in_nothing() -> None:
    many = "\n".join(f"Paragraph number {n} says something of its own here." for n in range(9))
    assert leading_sentences(many, language("en")) == many.split("\n")[:MOST]
    assert leading_sentences("Yes. No.", language("en")) == []


@pytest.mark.parametrize(("code", "label"), [("en", "essay"), ("zh", "文章")])
async def test_a_model_is_shown_one_essay_as_a_quotation(
    code: str, label: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: json.dumps({"points": ["One.", "Two."]}))
    model = language_model(backend, tmp_path)
    points = await extract_points(f"{ESSAY}\n{HOSTILE}", language(code), model, path="points/1")
    assert points == ["One.", "Two."]
    (request,) = backend.requests
    assert (request.task, request.path) == ("extract.points", "points/1")
    assert texts(request, label) == [f"{ESSAY}\n{HOSTILE}"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_papers_way_asks_for_as_few_points_as_cover_the_essay(
    code: str, tmp_path: Path
) -> None:
    asked = []
    for fewest in (False, True):
        backend = ScriptedBackend(lambda request: json.dumps({"points": ["One."]}))
        model = language_model(backend, tmp_path / str(fewest))
        await extract_points(ESSAY, language(code), model, path="points/1", fewest=fewest)
        asked += backend.requests
    ours, papers = asked
    few = {"en": "as few points as", "zh": "尽可能少"}[code]
    assert few in papers.text() and few not in ours.text()
    assert papers.variables == ours.variables and papers.variables["most"] == "5"
    assert papers.schema == ours.schema


async def test_more_than_five_are_asked_for_again(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: json.dumps({"points": ["One."] * 6}))
    with pytest.raises(UnparseableReply):
        await extract_points(
            ESSAY, language("en"), language_model(backend, tmp_path), path="points/1"
        )
    assert [one.attempt for one in backend.requests] == [0, 1]


@pytest.mark.parametrize(("code", "essay"), [("en", ESSAY), ("zh", CHINESE)])
async def test_a_simulated_model_notices_leading_sentences(
    code: str, essay: str, tmp_path: Path
) -> None:
    model = language_model(OfflineBackend(), tmp_path, name="offline/strong")
    points = await extract_points(essay, language(code), model, path="points/1")
    assert points and set(points) <= set(leading_sentences(essay, language(code)))
