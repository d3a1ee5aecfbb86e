"""The list of models of an OpenAI-compatible server."""

from __future__ import annotations

import httpx

from arena.errors import ConfigError


async def list_models(api_base: str, *, timeout_seconds: float = 10.0) -> list[str]:
    """Return the names of the models that an OpenAI-compatible server offers, sorted.

    Raises:
        ConfigError: nothing listens at the address, or not an OpenAI-compatible server.
    """
    address = f"{api_base.rstrip('/')}/models"
    try:
        async with httpx.AsyncClient(timeout=timeout_seconds) as client:
            response = await client.get(address)
        response.raise_for_status()
        return sorted(str(model["id"]) for model in response.json()["data"])
    except (httpx.TransportError, httpx.InvalidURL):
        raise ConfigError(
            f"no server answers at {api_base}. Start one there, or set `api_base` to the address "
            "of an OpenAI-compatible server; it usually ends in /v1."
        ) from None
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f'the server at {address} is not OpenAI-compatible: GET must return {{"data": [{{"id": '
            '"<model>"}, ...]}. Check `api_base`; it usually ends in /v1.'
        ) from None
