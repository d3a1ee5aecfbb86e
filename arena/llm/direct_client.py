"""Calls to OpenAI-compatible servers without LiteLLM: the same requests, a fifth of the work.

What LiteLLM knows of models is in a table that is made from it: prices, limits, parameters, and
which parameters it would translate; a call with one of those is left to LiteLLM.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import httpx

from arena.llm.model_table import find_address, load_table
from arena.llm.settings import Provider
from arena.llm.wire.connections import Connections
from arena.llm.wire.faults import WrongAddress
from arena.llm.wire.route import Route
from arena.llm.wire.transport import WireTransport, running_call

#: Arguments of a call that are no fields of its body.
_NO_FIELDS: Final = frozenset(
    {
        "model",
        "api_base",
        "api_key",
        "timeout",
        "num_retries",
        "max_retries",
        "extra_body",
        "allowed_openai_params",
    }
)


class DirectClient:
    """Calls the models of the table."""

    def __init__(self) -> None:
        self._transport = WireTransport(Connections())

    def find_provider(self, model: str) -> Provider:
        """Return the provider of a model of the table."""
        name = model.partition("/")[0]
        known = load_table()[name]
        key = os.environ.get(known.key)
        missing = [known.key] if known.needs_key and not key else []
        return Provider(name=name, address=find_address(name), key=key, missing=missing)

    async def complete(self, arguments: Mapping[str, Any], route: Route) -> Answer:
        """Ask for a chat completion.

        Raises:
            httpx.HTTPStatusError: the server refuses.
            WireFault: there is no answer that can be used.
        """
        return await self._post("/chat/completions", make_body(arguments), arguments, route)

    async def embed(self, arguments: Mapping[str, Any], route: Route) -> Answer:
        """Ask for embeddings; it raises like `complete`."""
        name = arguments["model"].partition("/")[2]
        body = {"model": name, "input": arguments["input"]}
        return await self._post("/embeddings", body, arguments, route)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _post(
        self, path: str, body: Mapping[str, Any], arguments: Mapping[str, Any], route: Route
    ) -> Answer:
        provider = self.find_provider(arguments["model"])
        address = (arguments["api_base"] or provider.address or "").rstrip("/")
        address = address.removesuffix("/chat/completions").rstrip("/")
        if provider.name == "mistral" and not address.endswith("/v1"):
            address += "/v1"
        headers = {b"content-type": b"application/json"}
        if provider.name == "openrouter":
            headers |= _name_sender()
        if key := arguments["api_key"] or provider.key:
            headers[b"authorization"] = f"Bearer {key}".encode()
        async with running_call(route):
            request = httpx.Request(
                "POST",
                _read_address(f"{address}{path}"),
                headers=headers,
                content=json.dumps(body, ensure_ascii=False).encode(errors="replace"),
            )
            response = await self._transport.handle_async_request(request)
        if not response.is_success:
            words = f"status {response.status_code}: {response.text.strip()}".removesuffix(": ")
            raise httpx.HTTPStatusError(words, request=request, response=response)
        return Answer(json.loads(response.content))


def _name_sender() -> dict[bytes, bytes]:
    """Return the headers by which OpenRouter knows a program, as the environment names it."""
    names = {b"http-referer": "OR_SITE_URL", b"x-title": "OR_APP_NAME"}
    given = {header: " ".join(os.environ.get(name, "").split()) for header, name in names.items()}
    return {header: value.encode() for header, value in given.items() if value}


@lru_cache(maxsize=256)
def _read_address(text: str) -> httpx.URL:
    """Read an address; each is read once.

    Raises:
        WrongAddress: it is none.
    """
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise WrongAddress(f"`api_base` is no address: {error}. Correct it.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise WrongAddress("`api_base` is no address that begins with http:// or https://.")
    return url


def make_body(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a chat completion's request."""
    provider, _, name = arguments["model"].partition("/")
    body: dict[str, Any] = {"model": name}
    body |= {key: value for key, value in arguments.items() if key not in _NO_FIELDS}
    if provider == "mistral" and "seed" in body:
        body["random_seed"] = body.pop("seed")
    if provider == "openrouter":
        body["usage"] = {"include": True}
    known = load_table()[provider].models.get(name)
    if known is not None and known.completion_limit and "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")
    body.update(arguments.get("extra_body", {}))
    return body


class Answer:
    """A JSON object whose fields are read as attributes, as those of LiteLLM's answers are.

    A field that is missing is `None`.
    """

    __slots__ = ("provider_specific_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.provider_specific_fields = fields

    def __str__(self) -> str:
        """Return the object as its server sent it."""
        return str(self.provider_specific_fields)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - whatever the server sends
        return self.provider_specific_fields[name]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the server sends
        if name.startswith("__"):  # Python's own questions
            raise AttributeError(name)
        return _wrap(self.provider_specific_fields.get(name))


def _wrap(value: Any) -> Any:  # noqa: ANN401 - whatever the server sends
    if isinstance(value, Mapping):
        return Answer(value)
    return [_wrap(item) for item in value] if isinstance(value, list) else value
