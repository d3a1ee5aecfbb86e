"""A look at the addresses of self-hosted models before they are called."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.llm.catalogue import Look, look_at
from arena.records import LOCAL, OFFLINE
from arena.text import plain
from arena.tournament.models import Models

#: How long all addresses together may take, in seconds.
SECONDS = 2.5
#: The most names of a server's list that are repeated.
_MOST_NAMES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressProblem:
    """What a look at an address brought to light, in a line.

    Attributes:
        is_away: whether nothing answers there.
        is_refused: whether what answers accepts no call with the configured key.
    """

    text: str
    is_away: bool
    is_refused: bool = False

    @property
    def prevents_calls(self) -> bool:
        """Whether no call can succeed as long as this lasts."""
        return self.is_away or self.is_refused


async def look_at_addresses(models: Models, names: Iterable[str]) -> list[AddressProblem]:
    """Look at the addresses of models that have one of their own (`api_base`), all at once.

    Args:
        models: knows the addresses, and the keys that belong to them.
        names: of the models. Nothing is done for simulated models and for those at the address of
            their provider.

    Returns:
        The addresses that do not answer or refuse the key, and the models that their servers do
        not list.
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
        problem
        for present, look in zip(places.values(), looks, strict=True)
        for problem in _problems(present, models.address(present[0]), look)
    ]


def _problems(names: Sequence[str], address: str, look: Look) -> Iterator[AddressProblem]:
    if look.fault:
        text = f"{', '.join(names)} at {address}: {look.fault}"
        yield AddressProblem(
            text=plain(text), is_away=not look.is_refused, is_refused=look.is_refused
        )
        return
    for name in names if look.models else ():
        if not _is_listed(name.partition("/")[2], look.models):
            listed = ", ".join(look.models[:_MOST_NAMES])
            more = len(look.models) - _MOST_NAMES
            text = (
                f"{name} at {address}: the server does not list this model, but {listed}"
                f"{f' and {more} more' if more > 0 else ''}"
            )
            yield AddressProblem(text=plain(text), is_away=False)


def _is_listed(model: str, listed: Sequence[str]) -> bool:
    return model in listed or f"{model}:latest" in listed  # Ollama's name of what has no tag
