"""Whether answers are the same: by number or words; and how close a translation is to others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import sacrebleu

from motions import Answers

#: A number, with at most a sign of currency before it and a short unit behind it.
_NUMBER = re.compile(r"[$€£¥]?\s*([-+−]?\d[\d,]*(?:\.\d+)?)\s*[%°]?\s*[^\W\d]{0,12}", re.UNICODE)


def normal(answer: str) -> str:
    """An answer as it is compared: a number as a number, words without case, spacing and marks.

    >>> normal(" $1,200.50 "), normal("96 euros"), normal("The Third."), normal("第三名。")
    ('1200.5', '96', 'the third', '第三名')
    """
    text = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    text = text.strip(" .。!！?？\"'“”‘’")
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return f"{float(number[1].replace(',', '').replace('−', '-')):.10g}"


def accepted(answer: str, right: Iterable[str]) -> bool:
    """Whether an answer is one of those that are right.

    >>> accepted("96.0", ["96"]), accepted("about 96", ["96"])
    (True, False)
    """
    return normal(answer) in {normal(one) for one in right}


def chrf(text: str, references: Iterable[str]) -> float:
    """How close a translation is to the closest of some references: chrF2, 0 to 100.

    The F-score, recall twice as heavy as precision, of character n-grams, both averaged over the
    lengths 1 to 6 (Popović 2015, doi 10.18653/v1/W15-3049), by sacrebleu.

    >>> chrf("He took a taxi.", ["He hit a car.", "He took a taxi."])
    100.0
    """
    scores = (sacrebleu.sentence_chrf(text, [one]).score for one in references)
    return max(scores, default=0.0)


def correct(answer: str, expected: Answers) -> bool:
    """Whether an answer is right; of a translation, whether a right reference is the closest.

    As close to a wrong one as to a right one is not right.
    """
    if not expected.translation:
        return accepted(answer, expected.accepted)
    return chrf(answer, expected.accepted) > chrf(answer, expected.wrong)
