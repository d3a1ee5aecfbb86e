"""The models of a configuration: their names filled in and checked, their settings merged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from arena.config.load import from_environment, read_key
from arena.config.section import ModelSection, Price
from arena.config.sections import Config
from arena.config.trust import check_trust
from arena.errors import ConfigError, UnknownName
from arena.llm.catalogue import list_models
from arena.llm.local_backend import SMOLLM2
from arena.llm.settings import ModelSettings
from arena.plugins import debater_models, judge_models
from arena.records import LOCAL, OFFLINE
from arena.simulator import SKILLS


def fill_in_model_names(config: Config, *, where: str) -> Config:
    """Fill in model names that come from the environment, or from what a server lists.

    `openai/env:NAME|default` takes the variable's value; `openai/*` the first listed model.

    Raises:
        Untrusted: a variable or a key would go where it may not; a stored configuration may be a
            stranger's, too.
    """
    names: dict[str, str] = {}
    models = [section.model for section in config.participants]
    if any(map(is_placeholder, [*models, *(section.model for section in config.benches)])):
        check_trust(config, where=where)

    def fill_in(section: Any) -> Any:  # noqa: ANN401 - a participant's or a bench's section
        if not section.model:
            return section
        if section.model not in names:
            names[section.model] = _fill_in_name(section.model, config, where)
        return section.model_copy(update={"model": names[section.model]})

    return config.model_copy(
        update={
            "participants": [fill_in(section) for section in config.participants],
            "benches": [fill_in(section) for section in config.benches],
        }
    )


def _fill_in_name(model: str, config: Config, where: str) -> str:
    provider, slash, name = model.partition("/")
    if name.startswith("env:"):
        value = from_environment(name)
        if value is None:
            variable = name.removeprefix("env:")
            raise ConfigError(
                f"{where}: model {model!r}: the environment variable {variable} is not set. Set it "
                "to the name of the model."
            )
        name = value
    if name != "*" or model.startswith(LOCAL):
        return f"{provider}{slash}{name}"
    settings = settings_of(f"{provider}/*", config.models)
    address = settings.api_base
    if address is None:
        raise ConfigError(
            f'{where}: model {model!r}: "*" needs a server that lists its models. Give its '
            f'address: [models."{provider}/*"] api_base = "http://…/v1".'
        )
    models = asyncio.run(list_models(address, api_key=settings.api_key))
    if not models:
        raise ConfigError(
            f"{where}: model {model!r}: the server at {address} lists no models. Load a model "
            "there, or write the name of one."
        )
    return f"{provider}/{models[0]}"


def is_placeholder(model: str) -> bool:
    """Return whether a model's name is to be filled in: `openai/*` or `openai/env:NAME`."""
    name = model.partition("/")[2]
    return name == "*" or name.startswith("env:")


def configured_models(config: Config) -> set[str]:
    """Return the names of all models that participants and benches call."""
    names: set[str] = set()
    for participant in config.participants:
        names |= {participant.model, *debater_models(participant.debater, participant.options)}
    for bench in config.benches:
        names |= {bench.model, *judge_models(bench.judge, bench.options)}
    return names - {""}


def check_model_tables(config: Config, *, where: str) -> None:
    """Check that no `[models]` table is meant for a model whose name is written otherwise.

    Such a table would have no effect, so the calls would go to the provider's own address, and be
    paid. A table of a model that a command names, as `arena rejudge` does, is no fault.

    Raises:
        ConfigError: a table fits no model, and one without a table has nearly the same name.
    """
    models = configured_models(config)
    providers = {f"{model.partition('/')[0]}/*" for model in models}
    without_table = (models | providers) - config.models.keys()
    for table in sorted(config.models.keys() - models - providers):
        if near := get_close_matches(table, sorted(without_table), n=3, cutoff=0.8):
            raise ConfigError(
                f'{where}: [models."{table}"]: no participant and no bench has this model, so the '
                f"table has no effect on them. Did you mean {' or '.join(map(repr, near))}? "
                "Correct the name, or remove the table."
            )


def check_model_name(model: str, *, where: str) -> str:
    """Check that a model's name has a provider, and return it.

    Raises:
        ConfigError: it names no provider, or a simulated or local model that does not exist.
    """
    if not model:
        raise ConfigError(f"{where}: missing. Write provider/name, e.g. openai/gpt-4o.")
    if "/" not in model.strip("/"):
        raise ConfigError(
            f"{where}: {model!r} has no provider. Write provider/name, for example openai/gpt-4o "
            "or offline/good."
        )
    if model.startswith(OFFLINE) and model not in SKILLS:
        raise UnknownName(kind="simulated model", given=model, known=list(SKILLS), where=where)
    if model.startswith(LOCAL) and model != SMOLLM2:
        raise UnknownName(kind="local model", given=model, known=[SMOLLM2], where=where)
    return model


def check_further_model(model: str, own: str, where: str) -> None:
    """Check a model that the options of a participant name.

    Args:
        own: the participant's own model; both are simulated, or neither is.

    Raises:
        ConfigError: the name has no provider or a placeholder, or one of the two is simulated.
    """
    check_model_name(model, where=f"{where}.model")
    if is_placeholder(model):
        raise ConfigError(
            f'{where}: model {model!r}: "*" and env: are not accepted in options. Write the full '
            "name of the model."
        )
    if model.startswith(OFFLINE) != own.startswith(OFFLINE):
        raise ConfigError(
            f"{where}: {model!r} beside {own!r}: a participant cannot mix simulated and real "
            "models. Choose all of its models from offline/, or none."
        )


def unset_references(model: str, sections: Mapping[str, ModelSection]) -> Iterator[tuple[str, str]]:
    """Yield each key of a model's tables that names an unset environment variable, and its name."""
    for key, value in references_of(model, sections).items():
        if from_environment(value) is None:
            yield key, value.removeprefix("env:").rstrip("|")


def references_of(model: str, sections: Mapping[str, ModelSection]) -> dict[str, str]:
    """Return what a model's tables say of `api_key` and `api_base`, as far as they do."""
    own = [sections[name] for name in (model, _provider_table(model)) if name in sections]
    return {
        key: value
        for key in ("api_key", "api_base")
        if (value := next((value for section in own if (value := getattr(section, key))), None))
    }


def _provider_table(model: str) -> str:
    return f"{model.partition('/')[0]}/*"


#: Limits of calls that the models with a provider's table keep together.
_LIMITS: Final = ("concurrency", "requests_per_minute", "tokens_per_minute")


def shared_limits(model: str, sections: Mapping[str, ModelSection]) -> frozenset[str]:
    """Return the limits that a model has from the table of its provider, and not its own."""
    table, own = sections.get(_provider_table(model)), sections.get(model)
    return frozenset(
        name
        for name in _LIMITS
        if getattr(table, name, None) is not None and getattr(own, name, None) is None
    )


def settings_of(model: str, sections: Mapping[str, ModelSection]) -> ModelSettings:
    """Merge the table of a model over the table of its provider (`openai/*`)."""
    merged: dict[str, Any] = {}
    price: Price | None = None
    for name in (_provider_table(model), model):
        if name in sections:
            merged |= sections[name].model_dump(exclude_none=True, exclude={"usd_per_million"})
            price = sections[name].usd_per_million or price
    merged["api_base"] = from_environment(merged.get("api_base"))
    merged["api_key"] = read_key(merged.get("api_key"))
    if price is not None:
        merged["usd_per_million"] = price.input, price.output
        merged["cached_usd_per_million"] = price.cached
    return ModelSettings(**merged)
