"""What a model can do, as far as a table knows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """A model's provider, and the parameters that can be sent to it.

    Attributes:
        context_tokens: the longest prompt and answer together; `None` where it is not known.
        output_tokens: the longest answer; `None` where it is not known.
        write_usd: USD per token of input that is written to a cache; `None` where the provider
            need not be asked for that, or the price is not known.
    """

    provider: str
    accepts: frozenset[str]
    thinks: bool = False
    context_tokens: int | None = None
    output_tokens: int | None = None
    write_usd: float | None = None
