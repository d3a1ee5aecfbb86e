"""How a model is called: the keys of its table, and what they become."""

from __future__ import annotations

import pytest

from arena.config.load import parse_config
from arena.config.model_names import settings_of
from arena.config.resolve import resolve
from arena.config.section import OWN_FIELDS
from arena.config.sections import Config
from tests.support.refused_configs import refusal
from tests.support.tournaments import content

MODEL = "openai/own"


def config(**keys: object) -> Config:
    return parse_config(content() | {"models": {MODEL: keys}}, where="own.toml")


def test_settings_of_a_model() -> None:
    body = {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}}
    sections = config(
        structured="object", thinking_tokens=512, context_tokens=8192, extra_body=body
    ).models
    settings = settings_of(MODEL, sections)
    assert settings.structured == "object"
    assert (settings.thinking_tokens, settings.context_tokens) == (512, 8192)
    assert settings.extra_body == body

    plain = settings_of(MODEL, config().models)
    assert (plain.structured, plain.thinking_tokens, plain.context_tokens) == (None,) * 3
    assert plain.extra_body == {}


def test_an_unknown_mode_or_effort_is_refused() -> None:
    assert refusal(content() | {"models": {MODEL: {"structured": "yes"}}}) == (
        f"models.{MODEL}.structured: Input should be 'schema', 'object' or 'prompt'. Given: 'yes'."
    )
    message = refusal(content() | {"sampling": {"reasoning_effort": "very"}})
    assert message.startswith("sampling.reasoning_effort: Input should be 'none', 'minimal', 'low'")
    assert message.endswith("Given: 'very'.")


@pytest.mark.parametrize("field", OWN_FIELDS)
def test_extra_body_may_not_set_what_the_program_sets(field: str) -> None:
    said = refusal(content() | {"models": {MODEL: {"extra_body": {"top_k": 1, field: 2}}}})
    assert said.startswith(f"models.{MODEL}.extra_body: it may not set {field}: the program sets")


def test_an_effort_is_part_of_the_identity_and_none_is_not() -> None:
    plain = resolve(parse_config(content(), where="own.toml"), where="own.toml")
    thinking = resolve(
        parse_config(content() | {"sampling": {"reasoning_effort": "low"}}, where="own.toml"),
        where="own.toml",
    )
    before, after = plain.participants[0], thinking.participants[0]
    assert before.participant_id != after.participant_id
    assert after.sampling.reasoning_effort == "low"
    assert before.sampling.fields().keys() == {"temperature", "top_p", "max_tokens"}


def test_keys_that_are_not_set_are_not_stored() -> None:
    stored = config(requests_per_minute=5.0).model_dump(mode="json")
    assert stored["models"][MODEL].keys() == {
        "api_base",
        "api_key",
        "usd_per_million",
        "requests_per_minute",
        "concurrency",
    }
    assert "reasoning_effort" not in stored["sampling"]
    again = config(structured="prompt").model_dump(mode="json")["models"][MODEL]
    assert again["structured"] == "prompt"
