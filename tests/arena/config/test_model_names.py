"""Models' names: filled in from the environment or a server, refused without a provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.model_names import fill_in_model_names
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from tests.support.tournaments import changed, content, resolved_of


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        resolve(parse_config(config, where="own.toml"), where="own.toml")
    assert str(caught.value).startswith("own.toml: ")
    return str(caught.value).removeprefix("own.toml: ")


def models_of(resolved: ResolvedConfig) -> set[str]:
    return {one.model for one in resolved.participants}


def test_a_models_name_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_MODEL", "tiny")
    config = changed(content(), ["participants", 0, "model"], "openai/env:OWN_MODEL|large")
    assert models_of(resolved_of(config)) == {"openai/tiny", "offline/fair"}
    monkeypatch.delenv("OWN_MODEL")
    assert models_of(resolved_of(config)) == {"openai/large", "offline/fair"}


def test_an_unset_name_of_a_model_is_told_with_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OWN_MODEL", raising=False)
    message = refusal(changed(content(), ["participants", 0, "model"], "openai/env:OWN_MODEL"))
    assert message.startswith(
        "model 'openai/env:OWN_MODEL': the environment variable OWN_MODEL is not set."
    )


def listed(monkeypatch: pytest.MonkeyPatch, names: Sequence[str]) -> list[str]:
    """Make every server list these models; the addresses that were asked."""
    asked: list[str] = []

    async def answer(address: str, *, api_key: str | None) -> list[str]:
        asked.append(address)
        return list(names)

    monkeypatch.setattr("arena.config.model_names.list_models", answer)
    return asked


def starred(**settings: object) -> dict[str, Any]:
    config = changed(content(), ["participants", 0, "model"], "openai/*")
    config = changed(config, ["participants", 1, "model"], "openai/*")
    return changed(config, ["models", "openai/*"], settings) if settings else config


def test_a_star_is_the_first_model_that_the_server_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = listed(monkeypatch, ["llama", "qwen"])
    config = parse_config(starred(api_base="env:NO_SUCH|http://h/v1"), where="own.toml")
    result = fill_in_model_names(config, where="own.toml")
    assert [one.model for one in result.participants] == ["openai/llama"] * 2 + ["offline/fair"]
    assert asked == ["http://h/v1"], "asked once for all who are meant"


def test_a_star_without_an_address_is_refused() -> None:
    message = refusal(starred())
    assert message.startswith("model 'openai/*': \"*\" needs a server that lists its models.")
    assert '[models."openai/*"] api_base = "http://' in message


def test_a_server_without_models_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, [])
    assert "the server at http://h/v1 lists no models" in refusal(starred(api_base="http://h/v1"))


def with_roles(model: str, **roles: str) -> dict[str, Any]:
    config = changed(content(), ["participants", 0, "debater"], "mad")
    config = changed(config, ["participants", 0, "model"], model)
    return changed(config, ["participants", 0, "options"], {"models": roles})


def test_models_of_roles_are_models_of_the_tournament() -> None:
    resolved = resolved_of(
        with_roles("offline/fair", judge="offline/strong", negative="offline/weak")
    )
    assert resolved.models == ["offline/fair", "offline/strong", "offline/weak"]


@pytest.mark.parametrize(
    ("own", "role", "message"),
    [
        ("offline/fair", "offline/wise", "unknown simulated model 'offline/wise'"),
        ("offline/fair", "gpt-4o", "'gpt-4o' has no provider"),
        ("openai/gpt-4o", "openai/*", "Write the full name of the model"),
        ("openai/gpt-4o", "openai/env:MODEL", "Write the full name of the model"),
        ("openai/gpt-4o", "offline/fair", "a participant cannot mix simulated and real models"),
        ("offline/fair", "openai/gpt-4o", "a participant cannot mix simulated and real models"),
    ],
)
def test_a_roles_model_is_known_in_full_and_of_its_participants_kind(
    own: str, role: str, message: str
) -> None:
    refused = refusal(with_roles(own, judge=role))
    assert refused.startswith("participants[1].options")
    assert message in refused
