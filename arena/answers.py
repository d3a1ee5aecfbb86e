"""Whether two short answers are the same: by number where both are one, else by their words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
