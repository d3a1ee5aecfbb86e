"""What servers of each provider refuse of a request's shape: roles, limits, parameters.

A server that refuses a call answers it in another shape.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from tests.servers.providers.anthropic import Anthropic
from tests.servers.providers.azure import Azure
from tests.servers.providers.base import Call, Failure
from tests.servers.providers.dashscope import DashScope
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.providers.gemini import Gemini
from tests.servers.providers.llamacpp import LlamaCpp
from tests.servers.providers.lmstudio import LMStudio
from tests.servers.providers.mistral import Mistral
from tests.servers.providers.openai import OpenAI
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.providers.sglang import SGLang
from tests.servers.providers.tgi import TGI
from tests.servers.providers.vllm import VLLM

#: Failures by what they refuse: a system message, too long an answer, a prompt with its answer
#: that is larger than the window, a parameter.
Shapes: TypeAlias = Mapping[str, Failure]

#: The most tokens of an answer, and of a prompt with its answer.
_OUTPUT, _WINDOW = 600, 5000
_LIMITS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", "max_output_tokens")
_ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."


def openai_shapes(server: OpenAI) -> Shapes:
    text = f"max_tokens is too large: 736. This model supports at most {_OUTPUT} completion tokens"
    window = (
        f"This model's maximum context length is {_WINDOW} tokens. However, you requested "
        "{total} tokens ({prompt} in the messages, {answer} in the completion). Please reduce"
    )
    return {
        "output": _too_long(server.error(400, text, code="invalid_value", param="max_tokens")),
        "window": _too_wide(server.error(400, window, code="context_length_exceeded")),
        "parameter": _asking("seed", server.bad_field("seed", 7, known=False)),
    }


def azure_shapes(server: Azure) -> Shapes:
    text = "'system' is not supported with this model. Unsupported value: 'messages[0].role' does"
    return {**openai_shapes(server), "system": _system(server.error(400, text, param="messages"))}


def anthropic_shapes(server: Anthropic) -> Shapes:
    text = f"max_tokens: 736 > {_OUTPUT}, which is the maximum allowed number of output tokens for"
    window = "input length and `max_tokens` exceed context limit: {prompt} + {answer} > "
    return {
        "output": _too_long(server.invalid(text)),
        "window": _too_wide(server.invalid(f"{window}{_WINDOW}, decrease input length")),
    }


def gemini_shapes(server: Gemini) -> Shapes:
    text = (
        "Unable to submit request because it has a maxOutputTokens value of 736 but the supported "
        f"range is from 1 (inclusive) to {_OUTPUT + 1} (exclusive). Update the value and try again."
    )
    system = "Developer instruction is not enabled for models/gemma-3-27b-it"
    field = "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot"
    return {
        "output": _too_long(server.invalid(text)),
        "system": _system(server.invalid(system)),
        "parameter": _asking("seed", server.invalid(field)),
    }


def openrouter_shapes(server: OpenRouter) -> Shapes:
    window = (
        f"This endpoint's maximum context length is {_WINDOW} tokens. However, you requested about "
        "{total} tokens ({prompt} of text input, {answer} in the output). Please reduce the length."
    )
    raw = json.dumps({"error": {"message": "Developer instruction is not enabled for gemma-3"}})
    return {
        "window": _too_wide(server.fault(400, window)),
        "system": _system(server.fault(400, "Provider returned error", raw=raw)),
    }


def mistral_shapes(server: Mistral) -> Shapes:
    window = "Prompt contains {prompt} tokens and {answer} draft tokens, too large for model "
    window += f"with {_WINDOW} maximum context length"
    return {
        "window": _too_wide(server.fault(400, window, "invalid_request_prompt_too_long", "3051")),
        "parameter": _asking("random_seed", server.bad_field("random_seed", 7, known=False)),
    }


def deepseek_shapes(server: DeepSeek) -> Shapes:
    text = f"Invalid max_tokens value, the valid range of max_tokens is [1, {_OUTPUT}]"
    return {"output": _too_long(server.fault(400, text))}


def vllm_shapes(server: VLLM) -> Shapes:
    window = (
        "'max_tokens' or 'max_completion_tokens' is too large: {answer}. This model's maximum "
        f"context length is {_WINDOW} tokens and your request has {{prompt}} input tokens "
        f"({{answer}} > {_WINDOW} - {{prompt}})."
    )
    return {
        "window": _too_wide(server.invalid(window)),
        "system": _system(server.invalid("System role not supported")),
        "alternation": _system(server.invalid(_ALTERNATE)),
    }


def sglang_shapes(server: SGLang) -> Shapes:
    window = (
        f"Requested token count exceeds the model's maximum context length of {_WINDOW} tokens. "
        "You requested a total of {total} tokens: {prompt} tokens from the input messages and "
        "{answer} tokens for the completion. Please reduce the number of tokens in the input."
    )
    return {
        "window": _too_wide(server.fault(400, window)),
        "system": _system(server.fault(400, "System role not supported")),
        "alternation": _system(server.fault(400, _ALTERNATE)),
    }


def tgi_shapes(server: TGI) -> Shapes:
    window = (
        f"`inputs` tokens + `max_new_tokens` must be <= {_WINDOW}. Given: {{prompt}} `inputs` "
        "tokens and {answer} `max_new_tokens`"
    )
    template = "Template error: invalid operation: {}"
    return {
        "window": _too_wide(server.invalid(window)),
        "system": _system(
            server.fault(422, template.format("System role not supported"), "template_error")
        ),
        "alternation": _system(server.fault(422, template.format(_ALTERNATE), "template_error")),
    }


def llamacpp_shapes(server: LlamaCpp) -> Shapes:
    kind = "server_error"
    return {
        "system": _system(server.fault(500, "System role not supported", kind)),
        "alternation": _system(server.fault(500, _ALTERNATE, kind)),
    }


def lmstudio_shapes(server: LMStudio) -> Shapes:
    text = (
        "Error rendering prompt with jinja template: Only user and assistant roles are supported!"
    )
    return {"system": _system(server.plain(text))}


def dashscope_shapes(server: DashScope) -> Shapes:
    text = f"Range of max_tokens should be [1, {_OUTPUT}]"
    return {"output": _too_long(server.invalid(text))}


def ollama_shapes(_server: object) -> Shapes:
    """Return nothing: Ollama cuts what is too long, and renders any role."""
    return {}


def _system(failure: Failure) -> Failure:
    """Return a failure of calls with a system message, in a field of its own or not."""
    return replace(failure, applies=_has_system)


def _has_system(call: Call) -> bool:
    roles = [message.get("role") for message in call.body.get("messages", ())]
    return "system" in roles or "system_instruction" in call.body


def _too_long(failure: Failure) -> Failure:
    """Return a failure of calls that ask for too long an answer."""
    return replace(failure, applies=lambda call: _asked(call) > _OUTPUT)


def _too_wide(failure: Failure) -> Failure:
    """Return a failure of calls whose prompt and answer are too long, in the server's numbers."""
    return replace(
        failure,
        applies=lambda call: _prompt(call) + _asked(call) > _WINDOW,
        body=lambda call: _with_numbers(failure.body, call),
    )


def _with_numbers(body: Any, call: Call) -> Any:  # noqa: ANN401 - JSON
    text, prompt, answer = json.dumps(body), _prompt(call), _asked(call)
    numbers = {"prompt": prompt, "answer": answer, "total": prompt + answer}
    for name, number in numbers.items():
        text = text.replace(f"{{{name}}}", str(number))
    return json.loads(text)


def _asking(name: str, failure: Failure) -> Failure:
    """Return a failure of calls with a parameter."""
    return replace(failure, applies=lambda call: name in _fields(call))


def _fields(call: Call) -> Mapping[str, Any]:
    return {**call.body, **call.body.get("generationConfig", {})}


def _asked(call: Call) -> int:
    return next((_fields(call)[name] for name in _LIMITS if name in _fields(call)), 0)


def _prompt(call: Call) -> int:
    """Return the tokens of a prompt, a tenth more than by four characters each."""
    texts = [
        part for name in ("messages", "contents", "system") for part in call.body.get(name, ())
    ]
    return len(json.dumps(texts, ensure_ascii=False)) * 11 // 40
