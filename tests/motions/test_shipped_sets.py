"""The shipped motions keep the promises that debaters and readers rely on."""

import re
from collections import Counter
from itertools import combinations

from motions import BriefPoint, Motion, load, shipped
from tests.support.case_lists import for_every

ARENA66 = load("arena66").motions
REFUTATION64 = load("refutation64").motions
LATIN = re.compile(r"[A-Za-z]")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
YEAR = re.compile(r", (1[6-9]|20)\d\d$")
SHORT_WORDS = 4
MOTIONS = (*ARENA66, *REFUTATION64)
CODES = ("en", "zh")


def points(motion: Motion, language: str) -> tuple[BriefPoint, ...]:
    brief = motion.wording(language).brief
    return brief.pro + brief.con


def sentences(text: str) -> int:
    return len(re.findall(r"[.?!](?=\s|$)|[。？！]", text))


def vocabulary(claim: str, language: str) -> set[str]:
    if language == "zh":
        characters = "".join(CHINESE.findall(claim))
        return {a + b for a, b in zip(characters, characters[1:], strict=False)}
    return {word for word in re.findall(r"[a-z]+", claim.lower()) if len(word) > SHORT_WORDS}


def test_every_shipped_set_loads() -> None:
    assert "arena66" in shipped()
    assert all(load(name).name == name for name in shipped())


def test_ids_are_stable_and_categories_balanced() -> None:
    ids = [f"arena66-{kind}-{n:02}" for kind in ("fact", "policy", "value") for n in range(1, 23)]
    assert [motion.motion_id for motion in ARENA66] == ids
    assert all(motion.motion_id.split("-")[1] == motion.category for motion in ARENA66)


def test_propositions_are_numbered_within_their_twelve_domains() -> None:
    domains = Counter(motion.topic for motion in REFUTATION64)
    assert len(domains) == 12
    expected = {
        f"refutation64-{d}-{n:02}" for d, count in domains.items() for n in range(1, count + 1)
    }
    assert {motion.motion_id for motion in REFUTATION64} == expected
    assert len(expected) == 64
    assert min(Counter(motion.category for motion in REFUTATION64).values()) >= 16


def test_topics_are_spread() -> None:
    assert len(Counter(motion.topic for motion in ARENA66)) >= 10


@for_every(MOTIONS, CODES)
def test_wording_has_the_promised_shape(motion: Motion, language: str) -> None:
    wording = motion.wording(language)
    assert 2 <= sentences(wording.info_slide) <= 4
    assert not wording.text.endswith((".", "。"))
    assert len(wording.brief.pro) == len(wording.brief.con) == 3
    for point in points(motion, language):
        assert sentences(point.claim) == 1
        assert 1 <= sentences(point.evidence) <= 3


@for_every(MOTIONS, CODES)
def test_claims_of_a_side_are_distinct(motion: Motion, language: str) -> None:
    brief = motion.wording(language).brief
    for side in (brief.pro, brief.con):
        for one, other in combinations(side, 2):
            first, second = vocabulary(one.claim, language), vocabulary(other.claim, language)
            assert len(first & second) / min(len(first), len(second)) <= 0.2, first & second


@for_every(MOTIONS)
def test_sources_are_named_alike_in_both_languages(motion: Motion) -> None:
    english, chinese = ([p.source for p in points(motion, code)] for code in ("en", "zh"))
    assert english == chinese
    named = [source for source in english if source]
    assert len(named) >= 4
    assert all(YEAR.search(source) and "http" not in source for source in named)


@for_every(MOTIONS)
def test_chinese_is_chinese_and_english_is_not(motion: Motion) -> None:
    for language, foreign in (("zh", LATIN), ("en", CHINESE)):
        wording = motion.wording(language)
        texts = [wording.text, wording.info_slide]
        texts += [part for p in points(motion, language) for part in (p.claim, p.evidence)]
        assert not [text for text in texts if foreign.search(text)]
