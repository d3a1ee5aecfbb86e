"""Prompts that do not fit a model's context window: what is left out of them, in which order.

Texts by models and searches stand in quotations (see `arena.prompts`), whose labels say what they
are. Of a debater's prompt, these are left out one after the other until the rest fits, the oldest
of each kind first:

1. findings that earlier stages kept;
2. the excerpts under earlier speeches, whose marks and origins stay;
3. findings of the present stage;
4. turns of the agents' dialogue but the last four.

Of a judge's prompt, only the excerpts under speeches are left out, all of them at once: no side may
keep what the other loses. Then the room for the answer shrinks. Speeches, drafts and plans are
never cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from arena.errors import PromptTooLong
from arena.languages import Language, language
from arena.languages.marks import SHOWN_MARKS
from arena.llm.request import Backend, Request
from arena.llm.usage import estimate_tokens
from arena.prompts import Quote, find_quotes, quote
from arena.records import LEAVE_OUT, Step

Kind: TypeAlias = Literal["findings", "excerpts", "turns"]

#: The estimate of tokens errs on the high side by this factor, and by this much per message.
_MARGIN, _TOKENS_PER_MESSAGE = 1.05, 4
#: The last turns of a dialogue: the draft and what was said about it since.
_LAST_TURNS = 4
#: An answer keeps this share of its room, or this share of the window if that is less.
_LEAST_OF_ANSWER, _LEAST_OF_WINDOW = 0.5, 0.125
#: The share of a window that is kept free for thinking, at most.
_THINKING = 0.25
#: Between the origin and the excerpt in the line of a reference.
_DASH = " — "


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A request that fits, and what was left out of it: a step for a trace, or `None`."""

    request: Request
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """What can be left out of a quotation: a line, the excerpt in a line, or all of its text."""

    kind: Kind
    quotation: Quote
    line: int = 0


def find_window(backend: Backend, model: str) -> int | None:
    """Return the context window of a model in tokens; `None` where it is not known."""
    find = getattr(backend, "context_tokens", None)
    return find(model) if find is not None else None


def count_prompt(request: Request) -> int:
    """Estimate the tokens of a request's prompt, rather too many than too few."""
    return _pad_prompt(request, estimate_tokens(_sent_text(request)))


def _sent_text(request: Request) -> str:
    schema = request.sent_schema
    return request.text() + (schema.text() if schema else "")


def _pad_prompt(request: Request, tokens: int) -> int:
    return pad_estimate(tokens) + _TOKENS_PER_MESSAGE * len(request.messages)


def pad_estimate(tokens: int) -> int:
    """Return an estimated number of tokens with the margin for tokenizers that make more."""
    return round(_MARGIN * tokens)


def least_answer(limit: int, window: int) -> int:
    """Return the smallest room for an answer with which a request is still made, in tokens.

    >>> least_answer(1000, 32768), least_answer(4096, 8192)
    (500, 1024)
    """
    return round(min(_LEAST_OF_ANSWER * limit, _LEAST_OF_WINDOW * window))


def fit_request(request: Request, window: int | None, *, even_handed: bool = False) -> Fit:
    """Return a request whose prompt and answer fit a context window.

    Args:
        request: with room for thinking, where its model thinks.
        window: in tokens; `None` where it is not known, which is taken to be large enough.
        even_handed: whether the prompt is a judge's.

    Raises:
        PromptTooLong: nothing more can be left out, and it does not fit.
    """
    if window is None:
        return Fit(request=request)
    free = window - request.output_limit
    # Every character a token: an upper bound, which is quick to tell.
    if _pad_prompt(request, len(_sent_text(request))) <= free or count_prompt(request) <= free:
        return Fit(request=request)
    room = window - request.sampling.max_tokens
    room -= min(request.thinking_tokens, round(_THINKING * window))
    parts = list(_list_parts(request, even_handed=even_handed))
    ends = [0, len(parts)] if even_handed else range(len(parts) + 1)

    def fits(end: int) -> bool:
        return count_prompt(_leave_out(request, parts[:end])) <= room

    place = bisect_left(ends, True, key=fits)  # noqa: FBT003 - what is searched for
    end = ends[place] if place < len(ends) else len(parts)
    shorter = _shrink_answer(_leave_out(request, parts[:end]), window)
    counts: dict[str, int] = dict(Counter(part.kind for part in parts[:end]))
    if shorter.sampling.max_tokens < request.sampling.max_tokens:
        counts["answer_tokens"] = shorter.sampling.max_tokens
    step = {"agent": "protocol", "action": LEAVE_OUT, "path": request.path, **counts}
    return Fit(request=shorter, step=step)


def limit_thinking(request: Request, window: int | None) -> Request:
    """Return a request with no more room for thinking than the window leaves."""
    if window is None or not request.thinking_tokens:
        return request
    left = max(0, window - count_prompt(request) - request.sampling.max_tokens)
    return replace(request, thinking_tokens=min(request.thinking_tokens, left))


def room_for_answer(request: Request, window: int | None, wanted: int) -> int:
    """Return the room for an answer in tokens: what is wanted, or what the window leaves."""
    return wanted if window is None else min(wanted, window - count_prompt(request))


def _shrink_answer(request: Request, window: int) -> Request:
    """Return a request with as much room for its answer, and then for thinking, as there is."""
    limit, left = request.sampling.max_tokens, window - count_prompt(request)
    if left < least_answer(limit, window):
        raise PromptTooLong(
            f"{request.model} reads {window:,} tokens, too few for {request.path}: its prompt "
            f"takes about {count_prompt(request):,} without all that may be left out, and an "
            "answer needs room. Choose a model that reads more, lower `words` under [limits], "
            "or correct `context_tokens` of the model."
        )
    shorter = replace(request, sampling=replace(request.sampling, max_tokens=min(limit, left)))
    return limit_thinking(shorter, window)


def _list_parts(request: Request, *, even_handed: bool) -> Iterator[_Part]:
    """Yield what can be left out of a prompt, first things first."""
    terms = language(request.language).terms
    quotations = [  # those whose digest is right: nobody has forged them
        found
        for message in request.messages
        for found in find_quotes(message.text)
        if quote(found.label, found.text, *found.words) == found.whole
    ]

    def labelled(term: str) -> list[Quote]:
        return [quotation for quotation in quotations if quotation.label == terms[term]]

    excerpts = _find_lines(labelled("references"), "excerpts")
    if even_handed:
        yield from excerpts
        return
    turns = labelled("turn")
    searched = [turn for turn in turns if turn.words[:1] == (terms["Searcher"],)]
    yield from _find_lines(labelled("material"), "findings")
    yield from excerpts
    yield from _find_lines([*searched, *labelled("results")], "findings")
    yield from (_Part("turns", turn) for turn in turns[:-_LAST_TURNS])


def _find_lines(quotations: Sequence[Quote], kind: Kind) -> Iterator[_Part]:
    """Yield the lines of findings in quotations."""
    for quotation in quotations:
        for number, line in enumerate(quotation.text.split("\n")):
            is_finding = any(mark.start == 0 for mark in SHOWN_MARKS.find(line[:40]))
            if is_finding and (kind == "findings" or _DASH in line):
                yield _Part(kind, quotation, number)


def _leave_out(request: Request, parts: Sequence[_Part]) -> Request:
    """Return a request without parts of its quotations, wherever these were filled in."""
    spoken = language(request.language)
    by_quotation: dict[Quote, list[_Part]] = {}
    for part in parts:
        by_quotation.setdefault(part.quotation, []).append(part)
    new_texts = {
        quotation.whole: quote(
            quotation.label, _shorten(quotation.text, left_out, spoken), *quotation.words
        )
        for quotation, left_out in by_quotation.items()
    }
    if not new_texts:
        return request
    pattern = re.compile("|".join(map(re.escape, new_texts)))

    def shorten(text: str) -> str:
        return pattern.sub(lambda match: new_texts[match[0]], text)

    return replace(
        request,
        messages=tuple(
            replace(message, text=shorten(message.text)) for message in request.messages
        ),
        variables={name: shorten(text) for name, text in request.variables.items()},
    )


def _shorten(text: str, parts: Sequence[_Part], spoken: Language) -> str:
    """Return the text of a quotation without parts of it, and with a note in their place."""
    if any(part.kind == "turns" for part in parts):
        return spoken.terms["turn_left_out"]
    lines: list[str | None] = list(text.split("\n"))
    for part in parts:
        line = str(lines[part.line])
        lines[part.line] = line.partition(_DASH)[0] if part.kind == "excerpts" else None
    if dropped := lines.count(None):
        lines.insert(lines.index(None), spoken.terms["left_out"].format(dropped))
    return "\n".join(line for line in lines if line is not None)
