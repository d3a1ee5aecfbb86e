"""Answers that are cut off: token limits from words, loops, the longest complete part."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from arena.languages import sentences
from arena.llm.lenient_json import find_objects
from arena.llm.request import Completion, Request
from arena.llm.thinking import strip_thinking
from arena.records import Sampling
from arena.text import bound_blanks

#: Tokens per word asked for, twice what English and Chinese need, and room for a short reasoning.
_TOKENS_PER_WORD, _EXTRA_TOKENS = 2.8, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCompletion:
    """The last completion of a request.

    Attributes:
        bent: `cut` or `loop`, where it was cut off or repeats itself, `blanks`, where runs of
            blanks were shortened, and its place.
        thought: the tokens of hidden thinking, as the provider counted them.
    """

    request: Request
    text: str
    thought: int = 0
    bent: tuple[str, ...] = ()


def limit_tokens(sampling: Sampling, words: int | None) -> Sampling:
    """Return the sampling with the token limit of an answer of a length, in words."""
    if words is None:
        return sampling
    tokens = math.ceil(_TOKENS_PER_WORD * words) + _EXTRA_TOKENS
    return replace(sampling, max_tokens=min(sampling.max_tokens, tokens))


def has_room_to_gain(completion: Completion, request: Request) -> bool:
    """Tell whether an answer was cut off that a larger limit could complete."""
    if completion.finish_reason != "length" or without_loop(completion.text) is not None:
        return False
    if request.sent_schema is None:
        return True
    body, _ = strip_thinking(completion.text)
    return not find_objects(body)  # complete but for what follows: blanks, a second object


def read_end(completion: Completion, request: Request) -> LastCompletion:
    """Return a completion as an answer: of a text that was cut off, the longest complete part."""
    text, thought = bound_blanks(completion.text), completion.usage.reasoning_tokens
    blanks = ("blanks",) if text != completion.text else ()
    place = (*blanks, completion.place) if completion.place else blanks
    if completion.finish_reason != "length":
        return LastCompletion(request=request, text=text, thought=thought, bent=place)
    if (once := without_loop(text)) is not None:
        return LastCompletion(request=request, text=once, bent=("cut", "loop", *place))
    part = complete_part(text) if request.sent_schema is None else text
    return LastCompletion(request=request, text=part, thought=thought, bent=("cut", *place))


#: Repeats of one sentence, or of one run of characters, from which a text is a loop: of a run that
#: is longer than a sentence or two, fewer tell, and an answer has room for no more.
_REPEATS, _REPEATS_OF_LONG_RUNS = 4, 3
_LONG_RUN, _LONGEST_RUN = 200, 5_000
#: The shortest stretch that repeats fill, in characters.
_SHORTEST_STRETCH = 60


def without_loop(text: str) -> str | None:
    """Return a text up to where it begins to repeat itself at its end; `None` where it does not.

    The first of the repeats is kept.

    >>> without_loop("Work is good. " + "It pays. " * 9 + "It p")
    'Work is good. It pays.'
    >>> without_loop("Work is good. It pays. It lasts.") is None
    True
    """
    stripped = text.rstrip()
    if len(text) - len(stripped) >= _SHORTEST_STRETCH:  # blanks without end
        return stripped
    return _without_repeated_run(stripped) or _without_repeated_sentences(stripped)


def complete_part(text: str) -> str:
    """Return a text up to the end of its last complete sentence; all of it where there is none.

    >>> complete_part("Work pays. It also")
    'Work pays.'
    """
    text = text.strip()
    whole = [sentence for sentence in sentences(text) if sentence.rstrip()[-1:] in _ENDS]
    if not whole:
        return text
    return text[: text.rindex(whole[-1]) + len(whole[-1])].rstrip()


_ENDS = frozenset(".!?。！？…\"”'’）)]】")


def _without_repeated_run(text: str) -> str | None:
    """Cut a text that ends in repeats of the same characters."""
    for length in range(1, min(len(text) // _REPEATS_OF_LONG_RUNS, _LONGEST_RUN) + 1):
        repeats = _REPEATS if length <= _LONG_RUN else _REPEATS_OF_LONG_RUNS
        start = len(text)
        while (
            start >= 2 * length
            and text[start - length : start] == text[start - 2 * length : start - length]
        ):
            start -= length
        if len(text) - start >= max(_SHORTEST_STRETCH, (repeats - 1) * length):
            return complete_part(text[:start])
    return None


def _without_repeated_sentences(text: str) -> str | None:
    """Cut a text in whose second half hardly any sentence is new."""
    parts = [sentence.strip() for sentence in sentences(text)]
    first = {part: number for number, part in reversed(list(enumerate(parts)))}
    new = [first[part] == number for number, part in enumerate(parts)]
    half = len(parts) // 2
    if len(parts) < 2 * _REPEATS or sum(new[half:]) > len(new[half:]) // _REPEATS:
        return None
    kept = next(number for number, is_new in enumerate(new) if not is_new)
    end = 0
    for part in parts[:kept]:
        end = text.index(part, end) + len(part)
    return text[:end]
