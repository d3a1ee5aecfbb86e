"""A look at the addresses of self-hosted models before they are called."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit, urlunsplit

from arena.llm.catalogue import Look, look_at
from arena.records import LOCAL, OFFLINE
from arena.text import plain
from arena.tournament.models import Models

#: How long all addresses together may take, in seconds.
SECONDS = 2.5
#: The most names of a server's list that are repeated.
_MOST_NAMES = 8


async def address_lines(models: Models, names: Iterable[str]) -> list[str]:
    """Look at the addresses of models that have one of their own (`api_base`), all at once.

    Args:
        models: knows the addresses, and the keys that belong to them.
        names: of the models. Nothing is done for simulated models and for those at the address of
            their provider.

    Returns:
        A line for each address that does not answer, and for each model that its server does not
        list.
    """
    places: defaultdict[tuple[str, str | None], list[str]] = defaultdict(list)
    for name in sorted(names):
        if not name.startswith((OFFLINE, LOCAL)):
            settings = models.settings(name)
            if settings.api_base:
                places[settings.api_base, settings.api_key].append(name)
    looks = await asyncio.gather(
        *(look_at(address, api_key=key, seconds=SECONDS) for address, key in places)
    )
    return [
        plain(line)
        for ((address, _), present), look in zip(places.items(), looks, strict=True)
        for line in _lines(present, _without_user(address), look)
    ]


def _lines(names: Sequence[str], address: str, look: Look) -> Iterator[str]:
    if look.fault:
        yield f"{', '.join(names)} at {address}: {look.fault}"
        return
    for name in names if look.models else ():
        if not _is_listed(name.partition("/")[2], look.models):
            listed = ", ".join(look.models[:_MOST_NAMES])
            more = len(look.models) - _MOST_NAMES
            yield (
                f"{name} at {address}: the server does not list this model, but {listed}"
                f"{f' and {more} more' if more > 0 else ''}"
            )


def _is_listed(model: str, listed: Sequence[str]) -> bool:
    return model in listed or f"{model}:latest" in listed  # Ollama's name of what has no tag


def _without_user(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))
