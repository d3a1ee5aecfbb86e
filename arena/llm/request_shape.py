"""What a server says of the shape of requests, learned once per model: roles, limits, thinking."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any

from arena.errors import PromptTooLong
from arena.llm.context_window import least_answer, room_for_answer
from arena.llm.faults import blamed_fields, error_body, http_response, message_of, status_of
from arena.llm.request import Request
from arena.llm.sayings import OUTPUT, find_number, find_saying, says
from arena.llm.usage import estimate_tokens

#: Statuses with which servers refuse the shape of a request; a template that fails is a 424 or 500.
_STATUSES = frozenset({400, 413, 422, 424, 500})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShape:
    """What a model's server was found to need; later runs begin with it.

    Attributes:
        merged_system: whether the system message is put before the first message of the user.
        left_out: the parameters that the server refuses, joined by ", " as they are stored.
        output_tokens: the most tokens that an answer may have; `None` where no limit was met.
        context_tokens: of prompt and answer together, by our own estimate of tokens; likewise.
        thinks: whether answers had thinking that LiteLLM's tables do not tell of.
    """

    merged_system: bool = False
    left_out: str = ""
    output_tokens: int | None = None
    context_tokens: int | None = None
    thinks: bool = False

    @property
    def refused(self) -> frozenset[str]:
        """The parameters that the server refuses."""
        return frozenset(filter(None, self.left_out.split(", ")))

    @property
    def limits(self) -> RequestShape:
        """The limits alone: they hold as soon as they are stated, whatever the next call brings."""
        return RequestShape(output_tokens=self.output_tokens, context_tokens=self.context_tokens)

    def merge(self, other: RequestShape) -> RequestShape:
        """Return the shape that follows from this one and what another call has learned."""
        return RequestShape(
            merged_system=self.merged_system or other.merged_system,
            left_out=", ".join(sorted(self.refused | other.refused)),
            output_tokens=_least(self.output_tokens, other.output_tokens),
            context_tokens=_least(self.context_tokens, other.context_tokens),
            thinks=self.thinks or other.thinks,
        )

    def without(self, name: str) -> RequestShape:
        """Return the shape that leaves out one more parameter."""
        return replace(self, left_out=", ".join(sorted({*self.refused, name})))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedShape(RequestShape):
    """The shape of a model's requests at an address, the configured one; '' for the provider's."""

    model: str
    address: str

    @property
    def shape(self) -> RequestShape:
        """The shape alone."""
        names = (part.name for part in fields(RequestShape))
        return RequestShape(**{name: getattr(self, name) for name in names})


def shape_messages(
    messages: Sequence[Mapping[str, Any]], shape: RequestShape
) -> list[dict[str, Any]]:
    r"""Return messages as a server takes them: no two in a row of one role.

    >>> both = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Speak."}]
    >>> shape_messages(both, RequestShape(merged_system=True))
    [{'role': 'user', 'content': 'Be brief.\n\nSpeak.'}]
    """

    def role(message: Mapping[str, Any]) -> str:
        return "user" if shape.merged_system and message["role"] == "system" else message["role"]

    return [
        {"role": name, "content": "\n\n".join(message["content"] for message in group)}
        for name, group in groupby(messages, key=role)
    ]


def learn_shape(
    error: BaseException, request: Request, arguments: Mapping[str, Any], shape: RequestShape
) -> RequestShape | None:
    """Return the shape that an error's response asks for; `None` where it is no other.

    Args:
        arguments: those of the call that failed.
    """
    if http_response(error) is None or status_of(error) not in _STATUSES:
        return None
    message, learned = message_of(error), shape
    has_system = any(part["role"] == "system" for part in arguments["messages"])
    if has_system and says("no_system", message):
        learned = replace(shape, merged_system=True)
    elif window := find_stated_window(error, request):
        learned = replace(shape, context_tokens=_least(window, shape.context_tokens))
    elif limit := _output_limit(error, message):
        learned = replace(shape, output_tokens=_least(limit, shape.output_tokens))
    return None if learned == shape else learned


def most_output(request: Request, shape: RequestShape) -> int:
    """Return the most tokens that an answer may be given: those asked for, or what limits leave.

    Raises:
        PromptTooLong: the window that the server has stated leaves no room for an answer.
    """
    limit = _least(request.output_limit, shape.output_tokens) or request.output_limit
    window = shape.context_tokens
    room = room_for_answer(request, window, limit)
    if window is not None and room < least_answer(limit, window):
        raise PromptTooLong(
            f"{request.model}: the prompt is too long. Its server states a context of about "
            f"{window:,} tokens."
        )
    return room


def changes_request(request: Request, shape: RequestShape, learned: RequestShape) -> bool:
    """Tell whether a request is another one, and can be sent, in the shape that was learned."""
    if learned.merged_system != shape.merged_system:
        return True
    try:
        return most_output(request, learned) != most_output(request, shape)
    except PromptTooLong:
        return False


def find_stated_window(error: BaseException, request: Request) -> int | None:
    """Return the context window that a response states, by our own estimate of tokens.

    Where the server's count of the prompt is larger than ours, its window holds as many fewer of
    our tokens. `None` where it states none.
    """
    message = _plain(message_of(error))
    estimated = estimate_tokens(request.text())
    if (below := find_number("below_zero", message)) is not None:
        return max(1, estimated + min(0, below))
    body = error_body(error)
    window = _whole(body.get("n_ctx")) or find_number("window", message)
    if window is None:
        return None
    counted = _whole(body.get("n_prompt_tokens")) or find_number("prompt", message)
    return int(window * min(1.0, estimated / counted)) if counted else window


def _output_limit(error: BaseException, message: str) -> int | None:
    """Return the most tokens of an answer that a response states."""
    message = _plain(message)
    found = find_saying("most_output", message)
    if found is None and any(re.fullmatch(OUTPUT, field, re.I) for field in blamed_fields(error)):
        found = find_saying("most_of_blamed", message)
    if found is None:
        return None
    inclusive, exclusive = (*found.groups(), None)[:2]
    return int(inclusive) if inclusive else int(exclusive or 0) - 1


def _least(first: int | None, second: int | None) -> int | None:
    return min(filter(None, (first, second)), default=None)


def _plain(message: str) -> str:
    """Return a message without separators of thousands and quotation marks around names."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)|[`']", "", message)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
