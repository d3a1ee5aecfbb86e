"""The settings of one model, merged from the `[models]` tables of a configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.config.load import from_environment
from arena.config.model_section import ModelSection, Price
from arena.llm.settings import ModelSettings


def unset_references(model: str, sections: Mapping[str, ModelSection]) -> Iterator[tuple[str, str]]:
    """Yield each key of a model's tables that names an unset environment variable, and its name.

    Args:
        model: written `provider/name`.
        sections: the `[models]` tables by name.
    """
    for key in ("api_key", "api_base"):
        own = (sections[name] for name in (model, _provider_table(model)) if name in sections)
        value = next((value for section in own if (value := getattr(section, key))), None)
        if value and from_environment(value) is None:
            yield key, value.removeprefix("env:").rstrip("|")


def _provider_table(model: str) -> str:
    return f"{model.partition('/')[0]}/*"


def settings_of(model: str, sections: Mapping[str, ModelSection]) -> ModelSettings:
    """Merge the table of a model over the table of its provider (`openai/*`).

    Args:
        model: written `provider/name`.
        sections: the `[models]` tables by name.
    """
    merged: dict[str, object] = {}
    price: Price | None = None
    for name in (_provider_table(model), model):
        if name in sections:
            merged |= sections[name].model_dump(exclude_none=True, exclude={"usd_per_million"})
            price = sections[name].usd_per_million or price
    section = ModelSection.model_construct(**merged)  # type: ignore[arg-type]
    return ModelSettings(
        api_base=from_environment(section.api_base),
        api_key=from_environment(section.api_key),
        usd_per_million=(price.input, price.output) if price else None,
        cached_usd_per_million=price.cached if price else None,
        requests_per_minute=section.requests_per_minute,
        tokens_per_minute=section.tokens_per_minute,
        concurrency=section.concurrency,
        structured=section.structured,
        thinking_tokens=section.thinking_tokens,
        context_tokens=section.context_tokens,
        extra_body=section.extra_body or {},
        first_byte_seconds=section.first_byte_seconds,
        timeout_seconds=section.timeout_seconds,
        call_seconds=section.call_seconds,
        stream=section.stream,
    )
