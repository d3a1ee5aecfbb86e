"""The list of models of an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from arena.errors import ConfigError
from arena.llm.proxies import check_network, format_proxy

#: Bytes of a list of models that are read.
_LONGEST_LIST = 4 * 2**20


async def list_models(
    api_base: str, *, api_key: str | None = None, timeout_seconds: float = 10.0
) -> list[str]:
    """Return the names of the models that an OpenAI-compatible server offers, sorted.

    Raises:
        ConfigError: nothing listens at the address, it refuses the key, or it is no
            OpenAI-compatible server.
    """
    check_network()
    address = f"{api_base.rstrip('/')}/models"
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        async with httpx.AsyncClient(timeout=timeout_seconds) as client:
            response = await client.get(address, headers=headers)
        if response.status_code in (401, 403):
            raise ConfigError(
                f"the server at {api_base} refuses the key (status {response.status_code}). Set "
                "`api_key` of its models to the name of a variable that holds a valid one, such "
                'as "env:ARENA_LOCAL_API_KEY".'
            )
        response.raise_for_status()
        return sorted(str(model["id"]) for model in response.json()["data"])
    except (httpx.TransportError, httpx.InvalidURL):
        raise ConfigError(
            f"no server answers at {api_base}{format_proxy(api_base)}. Start one there, or "
            "set `api_base` to the address of an OpenAI-compatible server; it usually ends in /v1."
        ) from None
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f'the server at {address} is not OpenAI-compatible: GET must return {{"data": [{{"id": '
            '"<model>"}, ...]}. Check `api_base`; it usually ends in /v1.'
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a look at an address shows.

    Attributes:
        fault: why no call can succeed; empty where nothing speaks against it.
        is_refused: whether it answers, but accepts no call with this key.
        models: the names that it lists, sorted; empty where it answers without such a list.
    """

    fault: str = ""
    is_refused: bool = False
    models: tuple[str, ...] = ()


async def look_at(api_base: str, *, api_key: str | None, seconds: float) -> Look:
    """Look whether a server answers, and which models it lists. Nothing is paid for.

    Redirects are not followed, so the key goes to this address only.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        async with asyncio.timeout(seconds), httpx.AsyncClient(timeout=seconds) as client:
            url = httpx.URL(api_base)
            url = url.copy_with(path=f"{url.path.rstrip('/')}/models")
            async with client.stream("GET", url, headers=headers) as response:
                if response.status_code >= 500:
                    return Look(fault=f"it answers with status {response.status_code}")
                # Without a key of this address, calls may have one that is not sent here.
                if response.status_code == 401 and api_key:
                    return Look(fault="it refuses the key (status 401)", is_refused=True)
                is_list = response.status_code == 200
                return Look(models=await _read_names(response) if is_list else ())
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
        return Look(fault=f"{_reason(error, seconds)}{format_proxy(api_base)}")


async def _read_names(response: httpx.Response) -> tuple[str, ...]:
    """Read the names in a list of models; none where it is something else."""
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LONGEST_LIST:
            return ()
    try:
        return tuple(sorted(str(model["id"]) for model in json.loads(body)["data"]))
    except (ValueError, KeyError, TypeError):
        return ()


def _reason(error: BaseException, seconds: float) -> str:
    causes = list(_causes(error))
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "connection refused"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "no such host"
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return "its certificate is not accepted"
    if any(isinstance(cause, TimeoutError | httpx.TimeoutException) for cause in causes):
        return f"no answer within {seconds:g} s"
    return " ".join(str(error).split()) or type(error).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for part in error.exceptions:
                yield from _causes(part)
        error = error.__cause__ or error.__context__
