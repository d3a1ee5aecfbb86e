"""When two short answers are the same."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.answers import chrf, is_accepted, is_correct, normalise
from motions import Answers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("96", "96.0"), ("96", "$96"), ("96", "96 euros."), ("1,200", "1200"), ("0.10", "0.1 "),
        ("-3", "−3"), ("９６", "96"), ("Third", "third."), ("第三名", "第三名。"), ("a  b", "A b"),
    ],
)  # fmt: skip
def test_the_same_answer_in_other_forms(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("given_answer", "right"),
    [("69", "96"), ("96 or 100", "96"), ("about 96", "96"), ("", "96"), ("-96", "96"), ("9", "96")],
)
def test_what_is_another_answer(given_answer: str, right: str) -> None:
    assert not is_accepted(given_answer, [right])


@given(st.floats(min_value=-1e6, max_value=1e6).map(lambda x: round(x, 3)))
def test_a_number_is_the_same_however_it_is_written(value: float) -> None:
    assert normalise(f"{value:,.3f}") == normalise(str(value)) == normalise(f" {value:.3f} euros. ")


@given(st.text())
def test_a_normal_form_is_its_own(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


READ = Answers(
    accepted=("He gets jealous easily.", "He is a very jealous person."),
    wrong=("He likes to drink vinegar.",),
    translation=True,
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("He is easily jealous.", True),
        ("He is such a jealous person!", True),
        ("He loves to drink vinegar.", False),
        ("He likes vinegar very much.", False),
        ("好", False),
        ("", False),
    ],
)
def test_a_translation_is_right_if_a_right_reference_is_the_closest(text: str, right: bool) -> None:
    assert is_correct(text, READ) is right


def test_as_close_to_a_wrong_reference_as_to_a_right_one_is_not_right() -> None:
    both = Answers(accepted=("the same",), wrong=("the same",), translation=True)
    assert not is_correct("the same", both)
    assert not is_correct("He gets jealous easily.", Answers(accepted=READ.accepted[1:]))


def by_hand(text: str, reference: str) -> float:
    """chrF2 as its definition says: mean precision and recall of n-grams of 1 to 6 characters."""
    one, other = ("".join(each.split()) for each in (text, reference))
    shares = []
    for n in range(1, 7):
        ours = Counter(one[i : i + n] for i in range(len(one) - n + 1))
        theirs = Counter(other[i : i + n] for i in range(len(other) - n + 1))
        common = (ours & theirs).total()
        shares.append((common / ours.total(), common / theirs.total()))
    precision, recall = (sum(column) / len(shares) for column in zip(*shares, strict=True))
    below = 4 * precision + recall
    return 100 * 5 * precision * recall / below if below else 0.0


sentences = st.text(alphabet="abc de", min_size=8, max_size=30).filter(
    lambda text: len("".join(text.split())) >= 6
)


@given(sentences, sentences)
def test_chrf_is_the_f_score_of_character_n_grams(text: str, reference: str) -> None:
    assert chrf(text, [reference]) == pytest.approx(by_hand(text, reference), abs=0.01)
    assert chrf(text, [reference, text]) == pytest.approx(100.0)
