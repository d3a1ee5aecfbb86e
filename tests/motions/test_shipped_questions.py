"""The shipped questions: each answer computed a second time, each sentence with both readings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from arena.answers import is_accepted, is_correct
from motions import Motion, load_questions

PUZZLES = load_questions("puzzles50").motions
SENTENCES = load_questions("wordplay50").motions
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")


def _mix(before: int, dry_now: Fraction) -> Fraction:
    return Fraction(before) / dry_now


def _snail(wall: int, up: int, down: int) -> int:
    height = day = 0
    while True:
        day += 1
        height += up
        if height >= wall:
            return day
        height -= down


def _meetings(hours: int) -> int:
    """How often the hands meet after the start: the minute hand gains 11/12 of a turn an hour."""
    return math.floor(Fraction(11, 12) * hours)


def _switching_wins() -> int:
    """Of 300 games, with the prize and the first choice at every combination equally often."""
    wins = sum(prize != choice for prize, choice in product(range(3), repeat=2))
    return 300 * wins // 9


def _needed_socks(black: int, white: int, *, pair_of_black: bool) -> int:
    """The least number of socks of which every draw holds the pair."""
    for number in range(1, black + white + 1):
        draws = [(b, number - b) for b in range(number + 1) if b <= black and number - b <= white]
        if all(b >= 2 or (w >= 2 and not pair_of_black) for b, w in draws):
            return number
    raise AssertionError


#: Every answer, computed from the numbers of its question.
COMPUTED: Mapping[str, object] = {
    "puzzles10-price-up-down": 100 * Fraction(6, 5) * Fraction(4, 5),
    "puzzles10-hill-walk": 2 / (Fraction(1, 3) + Fraction(1, 6)),
    "puzzles10-notebook-pencil": (Fraction("2.20") - 2) / 2,
    "puzzles10-algae-quarter": next(n for n in range(21) if 4 * 2**n == 2**20),
    "puzzles10-machines-parts": Fraction(40) / 40 * 5,
    "puzzles10-snail-wall": _snail(10, 3, 2),
    "puzzles10-clock-strikes": Fraction(5, 5) * 11,
    "puzzles10-overtake-third": 3,
    "puzzles10-log-pieces": (5 - 1) * 4,
    "puzzles10-sheep-but": 9,
    "puzzles50-two-discounts": 100 - 100 * Fraction(7, 10) * Fraction(8, 10),
    "puzzles50-sugar-tea": Fraction(20, 20 + 80) * 100,
    "puzzles50-melons-dry": _mix(1, Fraction(2, 100)),
    "puzzles50-share-recovers": (1 / Fraction(1, 2) - 1) * 100,
    "puzzles50-debt-two-years": (Fraction(11, 10) ** 2 - 1) * 100,
    "puzzles50-tax-included": 120 - 120 / Fraction(12, 10),
    "puzzles50-men-leave": 200 - 2 / Fraction(2, 100),
    "puzzles50-fence-posts": len(range(0, 60 + 1, 5)),
    "puzzles50-pond-lamps": len({place % 60 for place in range(0, 60 + 1, 5)}),
    "puzzles50-floors-climbed": Fraction(30, 3 - 1) * (6 - 1),
    "puzzles50-pages-read": len(range(30, 50 + 1)),
    "puzzles50-queue-middle": 9 + 1 + 9,
    "puzzles50-pills-half-hour": (3 - 1) * 30,
    "puzzles50-temple-years": len([year for year in range(-20, 21) if year != 0]) - 1,
    "puzzles50-knockout-matches": 100 - 1,
    "puzzles50-dice-six": sum(6 in dice for dice in product(range(1, 7), repeat=2)),
    "puzzles50-hands-meet": _meetings(12),
    "puzzles50-hands-quarter": Fraction(360, 12) * (3 + Fraction(1, 4)) - 360 * Fraction(15, 60),
    "puzzles50-cats-mice": Fraction(60, 60) / (Fraction(3, 3) / 3),
    "puzzles50-hens-eggs": Fraction(3, 2) / Fraction(3, 2) / Fraction(3, 2) * 3,
    "puzzles50-painters-together": 1 / (Fraction(1, 3) + Fraction(1, 6)),
    "puzzles50-tap-drain": 1 / (Fraction(1, 20) - Fraction(1, 30)),
    "puzzles50-second-half-speed": Fraction(1, 2) / (Fraction(1, 40) - Fraction(1, 2) / 30),
    "puzzles50-boat-stream": Fraction(24, 10 + 2) + Fraction(24, 10 - 2),
    "puzzles50-bird-cyclists": Fraction(60, 15 + 15) * 40,
    "puzzles50-train-bridge": Fraction(200 + 400, 20),
    "puzzles50-race-handicap": 100 - Fraction(90, 100) * 110,
    "puzzles50-class-averages": Fraction(10 * 60 + 30 * 80, 10 + 30),
    "puzzles50-door-switch": _switching_wins(),
    "puzzles50-rare-disease": round(100 / (1 + Fraction(5, 100) * 999)),
    "puzzles50-sock-pair": _needed_socks(10, 10, pair_of_black=False),
    "puzzles50-black-socks": _needed_socks(10, 10, pair_of_black=True),
    "puzzles50-half-age": 60 - (8 - 4),
    "puzzles50-brick-half": 2 / (1 - Fraction(1, 2)),
    "puzzles50-horse-deals": -600 + 700 - 800 + 900,
    "puzzles50-brothers-sisters": 3 + 2,
    "puzzles50-chain-links": 3,
    "puzzles50-ladder-tide": 0,
    "puzzles50-pizza-area": Fraction(40, 20) ** 2,
    "puzzles50-cube-weight": 2**3,
}


def _by_id(motions: tuple[Motion, ...]) -> dict[str, Motion]:
    return {motion.motion_id: motion for motion in motions}


def test_every_answer_is_what_its_question_comes_to() -> None:
    puzzles = _by_id(PUZZLES)
    assert puzzles.keys() == COMPUTED.keys()
    faults = []
    for identity, value in COMPUTED.items():
        for wording in puzzles[identity].wordings.values():
            assert wording.answers is not None
            result = f"{float(value):g}" if isinstance(value, int | Fraction) else str(value)
            if not is_accepted(result, wording.answers.accepted):
                faults.append(f"{identity}: {result}, not {wording.answers.accepted}")
            if is_accepted(result, wording.answers.wrong):
                faults.append(f"{identity}: {result} counts as wrong")
    assert not faults


def test_both_languages_give_the_same_numbers_and_answers() -> None:
    faults = []
    for puzzle in PUZZLES:
        english, chinese = puzzle.wording("en"), puzzle.wording("zh")
        assert english.answers and chinese.answers
        if set(english.answers.accepted) != set(chinese.answers.accepted):
            faults.append(f"{puzzle.motion_id}: answers")
        if set(english.answers.wrong) != set(chinese.answers.wrong):
            faults.append(f"{puzzle.motion_id}: wrong answers")
    assert not faults


def test_every_sentence_is_chinese_and_its_readings_are_english() -> None:
    faults = []
    for sentence in SENTENCES:
        english, chinese = sentence.wording("en"), sentence.wording("zh")
        assert english.answers and chinese.answers
        if english.text.partition(": ")[2] != chinese.text.partition("：")[2]:
            faults.append(f"{sentence.motion_id}: two sentences")
        if (english.answers.accepted, english.answers.wrong) != (
            chinese.answers.accepted,
            chinese.answers.wrong,
        ):
            faults.append(f"{sentence.motion_id}: references")
        readings = (*english.answers.accepted, *english.answers.wrong)
        if any(IDEOGRAPH.search(reading) for reading in readings):
            faults.append(f"{sentence.motion_id}: a reading that is not English")
        if len(english.answers.accepted) < 2:
            faults.append(f"{sentence.motion_id}: one right reading")
    assert not faults


def test_every_reading_counts_as_what_it_is() -> None:
    faults = []
    for question in (*PUZZLES, *SENTENCES):
        answers = question.wording("en").answers
        assert answers is not None
        faults += [
            f"{question.motion_id}: {a}" for a in answers.accepted if not is_correct(a, answers)
        ]
        faults += [f"{question.motion_id}: {a}" for a in answers.wrong if is_correct(a, answers)]
    assert not faults


def test_questions_and_sentences_differ() -> None:
    for motions in (PUZZLES, SENTENCES):
        assert len(motions) == 50
        texts = Counter(motion.wording("zh").text for motion in motions)
        assert max(texts.values()) == 1


def test_the_short_sets_are_the_beginning_of_the_long_ones() -> None:
    for short, long in (("puzzles10", PUZZLES), ("wordplay10", SENTENCES)):
        read = load_questions(short)
        assert read.name == short
        ids = [motion.motion_id for motion in read.motions]
        assert ids == [motion.motion_id for motion in long[:10]]
        assert all(identity.startswith(f"{short}-") for identity in ids)
