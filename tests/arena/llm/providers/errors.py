"""The errors of each provider: a failure of its stand-in, and what becomes of the call."""

from __future__ import annotations

from collections.abc import Mapping
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

Errors: TypeAlias = Mapping[str, tuple[Failure | Reply, Outcome]]


def openai_errors(server: OpenAI) -> Errors:
    def error(status: int, message: str, code: str | None = None, after: str = "") -> Failure:
        headers = {"retry-after": after} if after else {}
        return server.error(status, message, code=code, headers=headers)

    quota = "You exceeded your current quota, please check your plan and billing details."
    long = "This model's maximum context length is 128000 tokens. However, your messages resulted"
    return {
        "key": (error(401, "Incorrect API key provided.", "invalid_api_key"), ("key", None)),
        "country": (
            error(403, "Country, region, or territory not supported", "unsupported_country"),
            ("key", None),
        ),
        "no access": (
            error(403, "Project `p` does not have access to model `m`", "model_not_found"),
            ("model", None),
        ),
        "model": (error(404, "The model `m` does not exist", "model_not_found"), ("model", None)),
        "rate": (
            error(429, "Rate limit reached for m on tokens per min (TPM).", None, "7"),
            ("rate_limit", 7.0),
        ),
        "quota": (error(429, quota, "insufficient_quota"), ("quota", None)),
        "billing": (
            error(429, "Billing hard limit has been reached", "billing_hard_limit_reached"),
            ("quota", None),
        ),
        "server": (error(500, "The server had an error."), ("failed", None)),
        "overloaded": (error(503, "The engine is currently overloaded."), ("unavailable", None)),
        "long": (error(400, long, "context_length_exceeded"), ("PromptTooLong", None)),
    }


def azure_errors(server: Azure) -> Errors:
    quota = "You exceeded your current quota, please check your plan and billing details."
    blocked = Failure(
        status=403,
        body={"error": {"code": "403", "message": "Access denied due to Virtual Network rules."}},
    )
    long = "This model's maximum context length is 128000 tokens. However, your messages"
    return {
        "rate": (server.limited(7), ("rate_limit", 7.0)),
        "quota": (server.error(429, quota, code="insufficient_quota"), ("quota", None)),
        "network rules": (blocked, ("key", None)),
        "server": (
            server.error(500, "The server had an error processing your request."),
            ("failed", None),
        ),
        "overloaded": (
            Failure(status=503, body={"error": {"code": "503", "message": "busy"}}),
            ("unavailable", None),
        ),
        "gateway": (Failure(status=502, body="<html>Bad Gateway</html>"), ("unavailable", None)),
        "long": (
            server.error(400, long, code="context_length_exceeded"),
            ("PromptTooLong", None),
        ),
    }


def anthropic_errors(server: Anthropic) -> Errors:
    error = server.error
    invalid, limited = "invalid_request_error", "rate_limit_error"
    credit = "Your credit balance is too low to access the Anthropic API. Please go to Plans"
    spent = "You have reached your specified API usage limits. You will regain access on"
    return {
        "key": (error(401, "authentication_error", "invalid x-api-key"), ("key", None)),
        "permission": (error(403, "permission_error", "Your API key has no"), ("key", None)),
        "model": (error(404, "not_found_error", "model: claude-9"), ("model", None)),
        "rate": (error(429, limited, "This request would exceed", after="7"), ("rate_limit", 7.0)),
        "month": (
            error(429, limited, "x", details={"error_code": "enforced_spend_limit_reached"}),
            ("quota", None),
        ),
        "credit": (error(400, invalid, credit), ("quota", None)),
        "spent": (error(400, invalid, spent), ("quota", None)),
        "billing": (error(402, "billing_error", "Check your payment"), ("quota", None)),
        "server": (error(500, "api_error", "Internal server error"), ("failed", None)),
        "overloaded": (error(529, "overloaded_error", "Overloaded"), ("unavailable", None)),
        "long": (
            error(400, invalid, "prompt is too long: 208310 tokens > 200000 maximum"),
            ("PromptTooLong", None),
        ),
        "longer": (
            error(400, invalid, "input length and `max_tokens` exceed context limit: 198214 + 8"),
            ("PromptTooLong", None),
        ),
        "bytes": (error(413, "request_too_large", "Request exceeds"), ("PromptTooLong", None)),
    }


def gemini_errors(server: Gemini) -> Errors:
    error = server.error
    day = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    minute = "GenerateRequestsPerMinutePerProjectPerModel"
    long = "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576)."
    return {
        "permission": (error(403, "PERMISSION_DENIED", "Your API key"), ("key", None)),
        "model": (
            error(404, "NOT_FOUND", "models/g is not found for API version v1beta"),
            ("model", None),
        ),
        "minute": (server.limited(minute, delay="34.074824224s"), ("rate_limit", 34.074824224)),
        "no hint": (server.limited(minute), ("rate_limit", None)),
        "day": (server.limited(minute, day, delay="40s"), ("quota", None)),
        "credit": (
            error(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
            ("quota", None),
        ),
        "server": (error(500, "INTERNAL", "An internal error has occurred."), ("failed", None)),
        "overloaded": (
            error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            ("unavailable", None),
        ),
        "deadline": (error(504, "DEADLINE_EXCEEDED", "Deadline"), ("unavailable", None)),
        "long": (error(400, "INVALID_ARGUMENT", long), ("PromptTooLong", None)),
    }


def ollama_errors(server: Ollama) -> Errors:
    error = server.error
    busy = "server busy, please try again.  maximum pending requests exceeded"
    return {
        "model": (error(404, "model 'llama9' not found"), ("model", None)),
        "cloud": (error(401, "unauthorized"), ("key", None)),
        "limit of the cloud": (
            error(429, "you've reached your hourly usage limit"),
            ("rate_limit", None),
        ),
        "memory": (
            error(500, "model requires more system memory (12.0 GiB) than is available (7.7 GiB)"),
            ("failed", None),
        ),
        "crash": (error(500, "llama runner process has terminated: exit 2"), ("failed", None)),
        "busy": (error(503, busy), ("unavailable", None)),
        "long": (
            error(400, "the input length exceeds the context length"),
            ("PromptTooLong", None),
        ),
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
        "key": (Failure(status=401, body={"error": "Unauthorized"}), ("key", None)),
        "server": (ended, ("failed", None)),
        "starting": (Failure(status=503, body=""), ("unavailable", None)),
        "aborted": (Reply(end="abort"), ("failed", None)),
        "long": (server.invalid(old), ("PromptTooLong", None)),
        "longer": (server.invalid(new, "input_tokens"), ("PromptTooLong", None)),
    }


def openrouter_errors(server: OpenRouter) -> Errors:
    more = "This request requires more credits, or fewer max_tokens. You requested up to 4096"
    long = "This endpoint's maximum context length is 163840 tokens. However, you requested about"
    raw = "z-ai/glm-5 is temporarily rate-limited upstream. Please retry shortly."
    return {
        "key": (server.fault(401, "No auth credentials found"), ("key", None)),
        "limit of the key": (server.fault(403, "Key limit exceeded"), ("key", None)),
        "credit": (server.fault(402, more), ("quota", None)),
        "credit in flight": (
            server.fault(402, "In-flight budget", after="5"),
            ("rate_limit", 5.0),
        ),
        "model": (server.fault(404, "No endpoints found for a/b."), ("model", None)),
        "rate": (
            server.fault(429, "Provider returned error", after="7", raw=raw, provider_name="Z"),
            ("rate_limit", 7.0),
        ),
        "slow": (server.fault(408, "Request timed out"), ("timeout", None)),
        "down": (server.fault(502, "Provider returned error"), ("unavailable", None)),
        "nobody": (server.fault(503, "No available model provider"), ("unavailable", None)),
        "inside": (server.inside(502, "Provider returned error"), ("unavailable", None)),
        "inside, rate": (server.inside(429, "Rate limited upstream"), ("rate_limit", None)),
        "broken off": (Reply(text="Cities sh", end="error"), ("failed", None)),
        "long": (server.fault(400, long), ("PromptTooLong", None)),
    }


def mistral_errors(server: Mistral) -> Errors:
    long = "Prompt contains 45112 tokens, too large for model with 40960 maximum context length"
    tier = "Service tier capacity exceeded for this model."
    return {
        "key": (Failure(status=401, body={"detail": "Unauthorized"}), ("key", None)),
        "plan": (server.fault(402, "Payment required", "billing"), ("quota", None)),
        "forbidden": (server.fault(403, "Access denied", "forbidden"), ("key", None)),
        "model": (server.fault(400, "Invalid model: m", "invalid_model", "1500"), ("model", None)),
        "rate": (
            server.fault(429, "Rate limit exceeded", "rate_limited", "1300", after="7"),
            ("rate_limit", 7.0),
        ),
        "tier": (
            server.fault(429, tier, "service_tier_capacity_exceeded", "3505"),
            ("rate_limit", None),
        ),
        "server": (
            server.fault(500, "Internal server error", "internal_server_error", "1000"),
            ("failed", None),
        ),
        "overloaded": (
            server.fault(503, "Overloaded", "unreachable_backend"),
            ("unavailable", None),
        ),
        "broken off": (Reply(text="Cities sh", end="error"), ("failed", None)),
        "long": (
            server.fault(400, long, "invalid_request_prompt_too_long", "3051"),
            ("PromptTooLong", None),
        ),
    }


def deepseek_errors(server: DeepSeek) -> Errors:
    long = "This model's maximum context length is 131072 tokens. However, you requested 140000"
    return {
        "balance": (server.fault(402, "Insufficient Balance", "unknown_error"), ("quota", None)),
        "model": (server.fault(400, "Model Not Exist"), ("model", None)),
        "rate": (server.fault(429, "Rate limit reached", "rate_limit_error"), ("rate_limit", None)),
        "server": (server.fault(500, "Internal error", "server_error"), ("failed", None)),
        "overloaded": (
            server.fault(503, "Service is too busy.", "service_unavailable_error"),
            ("unavailable", None),
        ),
        "broken off": (Reply(end="insufficient_system_resource"), ("failed", None)),
        "long": (server.fault(400, long), ("PromptTooLong", None)),
    }
