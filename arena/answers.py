"""Comparison of answers to questions: by number or words, or by closeness to translations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import sacrebleu

from motions import Answers

#: A number with an optional currency sign before it and an optional short unit after it.
_NUMBER = re.compile(r"[$€£¥]?\s*([-+−]?\d[\d,]*(?:\.\d+)?)\s*[%°]?\s*[^\W\d]{0,12}", re.UNICODE)


def normalise(answer: str) -> str:
    """Normalise an answer for comparison: numbers by value, words without case and punctuation.

    >>> [normalise(text) for text in (" $1,200.50 ", "96 euros", "The Third.", "第三名。")]
    ['1200.5', '96', 'the third', '第三名']
    """
    text = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    text = text.strip(" .。!！?？\"'“”‘’")
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return f"{float(number[1].replace(',', '').replace('−', '-')):.10g}"


def is_accepted(answer: str, right: Iterable[str]) -> bool:
    """Return whether an answer equals one of the right answers, both normalised.

    >>> is_accepted("96.0", ["96"]), is_accepted("about 96", ["96"])
    (True, False)
    """
    return normalise(answer) in {normalise(candidate) for candidate in right}


def chrf(text: str, references: Iterable[str]) -> float:
    """Return the chrF2 score of a translation against its closest reference: 0 to 100.

    The F-score of character n-grams with recall weighted twice as much as precision, both averaged
    over the lengths 1 to 6 (Popović 2015, doi 10.18653/v1/W15-3049), computed by sacrebleu.

    >>> chrf("He took a taxi.", ["He hit a car.", "He took a taxi."])
    100.0
    """
    scores = (sacrebleu.sentence_chrf(text, [reference]).score for reference in references)
    return max(scores, default=0.0)


def is_correct(answer: str, expected: Answers) -> bool:
    """Return whether an answer is correct.

    A translation is correct if it is closer to a right reference than to every wrong one.
    """
    if not expected.translation:
        return is_accepted(answer, expected.accepted)
    return chrf(answer, expected.accepted) > chrf(answer, expected.wrong)
