"""The errors of each provider: failures of its stand-in, by what becomes of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tests.servers.providers.anthropic import Anthropic
from tests.servers.providers.azure import Azure
from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import Outcome
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.providers.gemini import Gemini
from tests.servers.providers.mistral import Mistral
from tests.servers.providers.ollama import Ollama
from tests.servers.providers.openai import OpenAI
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.providers.vllm import VLLM

#: Failures by what becomes of the call, and the seconds that it says to wait, if it says any.
Errors: TypeAlias = Mapping[str | Outcome, Sequence[Failure | Reply]]


def openai_errors(server: OpenAI) -> Errors:
    def error(status: int, message: str, code: str | None = None, after: str = "") -> Failure:
        headers = {"retry-after": after} if after else {}
        return server.error(status, message, code=code, headers=headers)

    quota = "You exceeded your current quota, please check your plan and billing details."
    long = "This model's maximum context length is 128000 tokens. However, your messages resulted"
    return {
        "key": [
            error(401, "Incorrect API key provided.", "invalid_api_key"),
            error(403, "Country, region, or territory not supported", "unsupported_country"),
        ],
        "model": [
            error(403, "Project `p` does not have access to model `m`", "model_not_found"),
            error(404, "The model `m` does not exist", "model_not_found"),
        ],
        ("rate_limit", 7.0): [
            error(429, "Rate limit reached for m on tokens per min (TPM).", None, "7")
        ],
        "quota": [
            error(429, quota, "insufficient_quota"),
            error(429, "Billing hard limit has been reached", "billing_hard_limit_reached"),
        ],
        "failed": [error(500, "The server had an error.")],
        "unavailable": [error(503, "The engine is currently overloaded.")],
        "PromptTooLong": [error(400, long, "context_length_exceeded")],
    }


def azure_errors(server: Azure) -> Errors:
    quota = "You exceeded your current quota, please check your plan and billing details."
    blocked = Failure(
        status=403,
        body={"error": {"code": "403", "message": "Access denied due to Virtual Network rules."}},
    )
    long = "This model's maximum context length is 128000 tokens. However, your messages"
    return {
        ("rate_limit", 7.0): [server.limited(7)],
        "quota": [server.error(429, quota, code="insufficient_quota")],
        "key": [blocked],
        "failed": [server.error(500, "The server had an error processing your request.")],
        "unavailable": [
            Failure(status=503, body={"error": {"code": "503", "message": "busy"}}),
            Failure(status=502, body="<html>Bad Gateway</html>"),
        ],
        "PromptTooLong": [server.error(400, long, code="context_length_exceeded")],
    }


def anthropic_errors(server: Anthropic) -> Errors:
    error = server.error
    invalid, limited = "invalid_request_error", "rate_limit_error"
    credit = "Your credit balance is too low to access the Anthropic API. Please go to Plans"
    spent = "You have reached your specified API usage limits. You will regain access on"
    return {
        "key": [
            error(401, "authentication_error", "invalid x-api-key"),
            error(403, "permission_error", "Your API key has no"),
        ],
        "model": [error(404, "not_found_error", "model: claude-9")],
        ("rate_limit", 7.0): [error(429, limited, "This request would exceed", after="7")],
        "quota": [
            error(429, limited, "x", details={"error_code": "enforced_spend_limit_reached"}),
            error(400, invalid, credit),
            error(400, invalid, spent),
            error(402, "billing_error", "Check your payment"),
        ],
        "failed": [error(500, "api_error", "Internal server error")],
        "unavailable": [error(529, "overloaded_error", "Overloaded")],
        "PromptTooLong": [
            error(400, invalid, "prompt is too long: 208310 tokens > 200000 maximum"),
            error(400, invalid, "input length and `max_tokens` exceed context limit: 198214 + 8"),
            error(413, "request_too_large", "Request exceeds"),
        ],
    }


def gemini_errors(server: Gemini) -> Errors:
    error = server.error
    day = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    minute = "GenerateRequestsPerMinutePerProjectPerModel"
    long = "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576)."
    return {
        "key": [error(403, "PERMISSION_DENIED", "Your API key")],
        "model": [error(404, "NOT_FOUND", "models/g is not found for API version v1beta")],
        ("rate_limit", 34.074824224): [server.limited(minute, delay="34.074824224s")],
        "rate_limit": [server.limited(minute)],
        "quota": [
            server.limited(minute, day, delay="40s"),
            error(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        ],
        "failed": [error(500, "INTERNAL", "An internal error has occurred.")],
        "unavailable": [
            error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            error(504, "DEADLINE_EXCEEDED", "Deadline"),
        ],
        "PromptTooLong": [error(400, "INVALID_ARGUMENT", long)],
    }


def ollama_errors(server: Ollama) -> Errors:
    error = server.error
    busy = "server busy, please try again.  maximum pending requests exceeded"
    return {
        "model": [error(404, "model 'llama9' not found")],
        "key": [error(401, "unauthorized")],
        "rate_limit": [error(429, "you've reached your hourly usage limit")],
        "request": [
            error(500, "model requires more system memory (12.0 GiB) than is available (7.7 GiB)"),
        ],
        "failed": [error(500, "llama runner process has terminated: exit 2")],
        "unavailable": [error(503, busy)],
        "PromptTooLong": [error(400, "the input length exceeds the context length")],
    }


def vllm_errors(server: VLLM) -> Errors:
    old = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
    new = (
        "You passed 1015 input tokens and requested 10 output tokens. However, the model's "
        "context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens. "
        "Please reduce the length of the input prompt. (parameter=input_tokens, value=1015)"
    )
    ended = server.error(500, "EngineCore encountered an issue.", kind="InternalServerError")
    return {
        "key": [Failure(status=401, body={"error": "Unauthorized"})],
        "failed": [ended, Reply(end="abort")],
        "unavailable": [Failure(status=503, body="")],
        "PromptTooLong": [server.invalid(old), server.invalid(new, "input_tokens")],
    }


def openrouter_errors(server: OpenRouter) -> Errors:
    more = "This request requires more credits, or fewer max_tokens. You requested up to 4096"
    long = "This endpoint's maximum context length is 163840 tokens. However, you requested about"
    raw = "z-ai/glm-5 is temporarily rate-limited upstream. Please retry shortly."
    return {
        "key": [
            server.fault(401, "No auth credentials found"),
            server.fault(403, "Key limit exceeded"),
        ],
        "quota": [server.fault(402, more)],
        ("rate_limit", 5.0): [server.fault(402, "In-flight budget", after="5")],
        "model": [server.fault(404, "No endpoints found for a/b.")],
        ("rate_limit", 7.0): [
            server.fault(429, "Provider returned error", after="7", raw=raw, provider_name="Z")
        ],
        "timeout": [server.fault(408, "Request timed out")],
        "unavailable": [
            server.fault(502, "Provider returned error"),
            server.fault(503, "No available model provider"),
            server.inside(502, "Provider returned error"),
        ],
        "rate_limit": [server.inside(429, "Rate limited upstream")],
        "failed": [Reply(text="Cities sh", end="error")],
        "PromptTooLong": [server.fault(400, long)],
    }


def mistral_errors(server: Mistral) -> Errors:
    long = "Prompt contains 45112 tokens, too large for model with 40960 maximum context length"
    tier = "Service tier capacity exceeded for this model."
    return {
        "key": [
            Failure(status=401, body={"detail": "Unauthorized"}),
            server.fault(403, "Access denied", "forbidden"),
        ],
        "quota": [server.fault(402, "Payment required", "billing")],
        "model": [server.fault(400, "Invalid model: m", "invalid_model", "1500")],
        ("rate_limit", 7.0): [
            server.fault(429, "Rate limit exceeded", "rate_limited", "1300", after="7")
        ],
        "rate_limit": [server.fault(429, tier, "service_tier_capacity_exceeded", "3505")],
        "failed": [
            server.fault(500, "Internal server error", "internal_server_error", "1000"),
            Reply(text="Cities sh", end="error"),
        ],
        "unavailable": [server.fault(503, "Overloaded", "unreachable_backend")],
        "PromptTooLong": [server.fault(400, long, "invalid_request_prompt_too_long", "3051")],
    }


def deepseek_errors(server: DeepSeek) -> Errors:
    long = "This model's maximum context length is 131072 tokens. However, you requested 140000"
    return {
        "quota": [server.fault(402, "Insufficient Balance", "unknown_error")],
        "model": [server.fault(400, "Model Not Exist")],
        "rate_limit": [server.fault(429, "Rate limit reached", "rate_limit_error")],
        "failed": [
            server.fault(500, "Internal error", "server_error"),
            Reply(end="insufficient_system_resource"),
        ],
        "unavailable": [server.fault(503, "Service is too busy.", "service_unavailable_error")],
        "PromptTooLong": [server.fault(400, long)],
    }
