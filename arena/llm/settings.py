"""The settings of one model, with references to the environment already resolved."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A `[models."provider/name"]` table of the configuration; every key is optional.

    Attributes:
        api_base: address of an OpenAI-compatible server, `http://127.0.0.1:8000/v1`.
        api_key: the key itself; left out of the representation.
        usd_per_million: price of a million tokens of input and of output.
        cached_usd_per_million: price of a million tokens of input that the provider had in its
            cache; the price of input where it is `None`.
        requests_per_minute: how many calls may start in a minute.
        concurrency: how many calls may be in flight.
    """

    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    usd_per_million: tuple[float, float] | None = None
    cached_usd_per_million: float | None = None
    requests_per_minute: float | None = None
    concurrency: int | None = None
