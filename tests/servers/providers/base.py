"""What the stand-ins of providers share: what a call is, what an answer is, and strict checks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

from aiohttp import web

from tests.servers.threads import LoopbackServer

#: The key that every stand-in accepts.
KEY = "sk-of-a-stand-in-0123456789"
#: The only model that is served, by its provider's own name.
WRONG_MODEL = "no-such-model"

#: Whether a value of a field is accepted.
Rule: TypeAlias = Callable[[Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as it arrived.

    Attributes:
        headers: by lower-case name.
    """

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer that is an error, in the provider's own form.

    Attributes:
        status: 0 for a connection that is cut before an answer.
        body: a text or JSON, or what makes it of a call.
        seconds: that it takes to come.
        applies: whether a call meets it; others are answered.
    """

    status: int
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    applies: Callable[[Call], bool] = lambda call: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model of a stand-in does, before its provider puts it into its own form.

    Attributes:
        text: of the answer.
        thinking: the text that was thought before it.
        end: why it ended, in the provider's words; empty where it was finished.
        refusal: the words of a refusal, where the provider keeps them apart.
        prompt_tokens: of the prompt, cached ones included.
        cached_tokens: of the prompt, those that were read from the cache.
        written_tokens: of the prompt, those that were written to the cache.
        answer_tokens: of the text.
        thinking_tokens: of the thinking, on top of those of the text.
        extra: fields of the answer that this reply sets or replaces.
    """

    text: str = "Understood."
    thinking: str = ""
    end: str = ""
    refusal: str = ""
    prompt_tokens: int = 2000
    cached_tokens: int = 0
    written_tokens: int = 0
    answer_tokens: int = 300
    thinking_tokens: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def output_tokens(self) -> int:
        """The tokens of the text and of the thinking."""
        return self.answer_tokens + self.thinking_tokens


class Refused(Exception):
    """A request that the provider would refuse, with its answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure.body))
        self.failure = failure


class ProviderServer(LoopbackServer):
    """A stand-in for a provider, to be run by `tests.servers.threads.in_thread`.

    Attributes:
        first: what the model does with the first calls, or how they fail, one after another.
        next: what it does with all others.
        usual: what it answers to calls that do not meet a failure.
        calls: what arrived, refused calls included.
        answered: the replies that were sent.
    """

    #: What stands between `url` and the provider's own paths in an `api_base`.
    base = ""
    #: Fields of an answer without a count of tokens.
    uncounted: ClassVar[Mapping[str, Any]] = {"usage": None}

    def __init__(self) -> None:
        self.first: list[Reply | Failure] = []
        self.next: Reply | Failure = Reply()
        self.usual = Reply()
        self.calls: list[Call] = []
        self.answered: list[Reply] = []

    @property
    def address(self) -> str:
        """What a configuration gives as `api_base`."""
        return self.url + self.base

    @property
    def body(self) -> dict[str, Any]:
        """The body of the last call."""
        return self.calls[-1].body

    def check(self, call: Call) -> None:
        """Raise `Refused` where the original would refuse a call."""
        raise NotImplementedError

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return the body of an answer in the provider's form."""
        raise NotImplementedError

    def stream(self, call: Call, reply: Reply) -> Iterator[bytes] | None:  # noqa: ARG002
        """Return a streamed answer in the provider's form; `None` where none is asked for."""
        return None

    def application(self) -> web.Application:
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        call = Call(
            path=request.path,
            query=dict(request.query),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=json.loads(await request.text() or "{}"),
        )
        self.calls.append(call)
        try:
            self.check(call)
        except Refused as refused:
            return _respond(refused.failure)
        does = self.first.pop(0) if self.first else self.next
        if isinstance(does, Failure) and does.applies(call):
            await asyncio.sleep(does.seconds)
            if not does.status and request.transport is not None:
                request.transport.abort()
            body = does.body(call) if callable(does.body) else does.body
            return _respond(replace(does, body=body))
        reply = self.usual if isinstance(does, Failure) else does
        self.answered.append(reply)
        if (pieces := self.stream(call, reply)) is None:
            return web.json_response(self.answer(call, reply))
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await answer.prepare(request)
        for piece in pieces:
            await answer.write(piece)
        return answer


def find_fault(body: Mapping[str, Any], rules: Mapping[str, Rule]) -> tuple[str, bool] | None:
    """Return the name of the first field that is wrong, and whether it is known; else `None`."""
    for name, value in body.items():
        if name not in rules or not rules[name](value):
            return name, name in rules
    return None


def is_text(value: object) -> bool:
    """Whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value)


def is_object(value: object) -> bool:
    return isinstance(value, dict)


def is_seed(value: object) -> bool:
    """Whether a value is a whole number of 64 bits."""
    return is_whole(value, -(2**63))


def is_whole(value: object, lowest: int = 1) -> bool:
    """Whether a value is a whole number of at least `lowest`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= lowest


def between(low: float, high: float) -> Rule:
    """A rule for numbers within limits."""
    return lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    )


def one_of(*values: object) -> Rule:
    """A rule for a choice."""
    return lambda value: value in values


def _respond(failure: Failure) -> web.Response:
    status = failure.status or 500  # of a connection that was cut: nobody reads it
    if isinstance(failure.body, str):
        return web.Response(text=failure.body, status=status, headers=failure.headers)
    return web.json_response(failure.body, status=status, headers=failure.headers)
