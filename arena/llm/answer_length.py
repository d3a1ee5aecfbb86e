"""The length of answers: token limits from words, and answers that were cut off."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from arena.llm.json_objects import find_objects
from arena.llm.loops import complete_part, without_loop
from arena.llm.reading import strip_thinking
from arena.llm.request import Completion, Request
from arena.records import Sampling

#: Tokens per word asked for, twice what English and Chinese need, and room for a short reasoning.
_TOKENS_PER_WORD, _EXTRA_TOKENS = 2.8, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The last completion of a request; `bent` says whether it was cut off or repeats itself."""

    request: Request
    text: str
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


def read_end(completion: Completion, request: Request) -> Answer:
    """Return a completion as an answer: of a text that was cut off, the longest complete part."""
    if completion.finish_reason != "length":
        return Answer(request=request, text=completion.text)
    text = without_loop(completion.text)
    bent = ("cut",) if text is None else ("cut", "loop")
    if request.sent_schema is None:
        text = complete_part(completion.text) if text is None else text
    return Answer(request=request, text=completion.text if text is None else text, bent=bent)
