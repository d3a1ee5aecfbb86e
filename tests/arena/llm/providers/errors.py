"""The errors of each provider: failures of its stand-in, by what becomes of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tests.servers.providers.anthropic import Anthropic
from tests.servers.providers.azure import Azure
from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import Outcome
from tests.servers.providers.dashscope import DashScope
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.providers.gemini import Gemini
from tests.servers.providers.llamacpp import LlamaCpp
from tests.servers.providers.lmstudio import LMStudio
from tests.servers.providers.mistral import Mistral
from tests.servers.providers.ollama import Ollama
from tests.servers.providers.openai import OpenAI
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.providers.sglang import SGLang
from tests.servers.providers.tgi import TGI
from tests.servers.providers.vllm import VLLM

#: Failures by what becomes of the call, and the seconds that it says to wait, if it says any.
Errors: TypeAlias = Mapping[str | Outcome, Sequence[Failure | Reply]]

#: Seconds after which a late answer comes.
LATE_SECONDS = 1.0
#: What can happen to a call of every provider, by its kind; it passes.
GENERAL: Mapping[str, Failure] = {
    "cut": Failure(status=0),
    "late": Failure(status=503, seconds=LATE_SECONDS),
    "empty": Failure(status=200),
    "page": Failure(status=200, body="<html><title>502 Bad Gateway</title></html>"),
    "error in a 200": Failure(status=200, body={"error": "upstream connect error"}),
    "gateway": Failure(status=502, body="<html><title>502 Bad Gateway</title></html>"),
}


def openai_errors(server: OpenAI) -> Errors:
    def error(status: int, message: str, code: str | None = None, **headers: str) -> Failure:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return server.error(status, message, kind=None, code=code, headers=named)

    quota = "You exceeded your current quota, please check your plan and billing details."
    limited = "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000."
    spent = [
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ]
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
            error(429, limited, "rate_limit_exceeded", retry_after="7"),
            error(429, limited, retry_after_ms="7000", retry_after="8"),
            error(429, limited, x_ratelimit_remaining_tokens="0", x_ratelimit_reset_tokens="7s"),
            error(429, f"{limited} Please try again in 7s. Visit https://platform.openai.com/"),
        ],
        ("rate_limit", 432.0): [error(429, f"{limited} Please try again in 7m12s.")],
        "quota": [
            error(429, quota, "insufficient_quota"),
            error(429, "Billing hard limit has been reached", "billing_hard_limit_reached"),
            *(error(429, "No API access.", code) for code in spent),
        ],
        "failed": [error(500, "The server had an error.")],
        "unavailable": [
            error(503, "The engine is currently overloaded."),
            error(503, "Slow down.", "slow_down"),
        ],
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
        ("rate_limit", 7.0): [
            server.limited(7),
            server.limited(7, {"retry-after-ms": "7000"}),
            server.limited(7, {"x-rate-limit-reset-tokens": "7"}),
            server.limited(7, named=True),
        ],
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
    both = "input length and `max_tokens` exceed context limit"
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
            error(400, invalid, f"{both}: 198214 + 8192 > 200000, decrease input length"),
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
        ("rate_limit", 34.074824224): [
            server.limited(minute, delay="34.074824224s"),
            server.limited(minute, words="Please retry in 34.074824224s."),
        ],
        "rate_limit": [server.limited(minute)],
        "quota": [
            server.limited(minute, day, delay="40s"),
            error(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        ],
        "failed": [error(500, "INTERNAL", "An internal error has occurred.")],
        "unavailable": [
            error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            error(503, "UNAVAILABLE", "This model is currently experiencing high demand."),
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
            error(500, "model failed to load, this may be due to resource limitations or an"),
            error(500, "llama runner process has terminated: cudaMalloc failed: out of memory"),
            error(500, "unable to load model: /root/.ollama/models/blobs/sha256-1"),
        ],
        "failed": [
            error(500, "llama runner process has terminated: exit 2"),
            error(500, "timed out waiting for llama runner to start - progress 0.50 - "),
        ],
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
        "quota": [
            server.fault(402, more),
            server.fault(
                429,
                "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free",
                headers={"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0"},
            ),
        ],
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


def dashscope_errors(server: DashScope) -> Errors:
    error = server.fault
    details = "For details, see: https://help.aliyun.com/zh/model-studio/error-code"
    quota = f"You exceeded your current quota, please check your plan. {details}#token-limit"
    allocated = f"Allocated quota exceeded, please increase your quota limit. {details}#token-limit"
    free = "The free tier of the model has been exhausted. If you wish to continue access the model"
    owed = "Access denied, please make sure your account is in good standing."
    return {
        "key": [error(403, "Access denied.", "access_denied")],
        "model": [error(404, "The model `q` does not exist or you do not", "model_not_found")],
        "rate_limit": [
            error(429, "You exceeded your current requests list.", "limit_requests"),
            error(429, "Requests rate limit exceeded", "Throttling.RateQuota"),
            error(429, quota, "insufficient_quota", "insufficient_quota"),
            error(429, allocated, "insufficient_quota", "insufficient_quota"),
            error(429, allocated, "Throttling.AllocationQuota"),
        ],
        "quota": [
            error(400, owed, "Arrearage", "Arrearage"),
            error(403, free, "AllocationQuota.FreeTierOnly", "AllocationQuota.FreeTierOnly"),
            error(429, "Free allocated quota exceeded.", "Throttling.AllocationQuota"),
        ],
        "failed": [error(500, "An internal error has occured", "internal_error")],
        "unavailable": [error(503, "Too many requests. Your requests are", "ModelUnavailable")],
        "PromptTooLong": [server.invalid("Range of input length should be [1, 30720]")],
    }


def sglang_errors(server: SGLang) -> Errors:
    error = server.fault
    return {
        "key": [Failure(status=401, body={"error": "Unauthorized"})],
        "failed": [error(500, "Internal server error", "InternalServerError"), Reply(end="abort")],
        "unavailable": [error(503, "The request queue is full.", "ServiceUnavailable")],
        "PromptTooLong": [
            error(400, "The input (61709 tokens) is longer than the model's context length (40960"),
            error(400, "Requested token count exceeds the model's maximum context length of 4096"),
            error(400, "Input length (160062 tokens) exceeds the maximum allowed length (59862"),
        ],
    }


def tgi_errors(server: TGI) -> Errors:
    error = server.fault
    return {
        "key": [Failure(status=401, body="")],
        "rate_limit": [error(429, "Model is overloaded", "overloaded")],
        "failed": [
            error(424, "Request failed during generation: CANCELLED", "generation"),
            error(500, "Incomplete generation", "incomplete_generation"),
        ],
        "unavailable": [error(503, "unhealthy", "healthcheck")],
        "PromptTooLong": [server.invalid("`inputs` must have less than 1024 tokens. Given: 2222")],
    }


def llamacpp_errors(server: LlamaCpp) -> Errors:
    error = server.fault
    long = "the request exceeds the available context size, try increasing it"
    kind = "exceed_context_size_error"
    return {
        "failed": [error(500, "Compute error.", "server_error")],
        "unavailable": [error(503, "Loading model", "unavailable_error")],
        "request": [error(500, "failed to load model 'qwen3.gguf'", "server_error")],
        "PromptTooLong": [error(400, long, kind, n_prompt_tokens=14429, n_ctx=8192)],
    }


def lmstudio_errors(server: LMStudio) -> Errors:
    def unloadable(reason: str, status: int) -> Failure:
        text = f'Failed to load model "qwen3-8b". Error: {reason}'
        return server.error(status, text, code="model_not_found", param="model")

    plain = server.plain
    kept = "The number of tokens to keep from the initial prompt is greater than the context length"
    more = "Try to load the model with a larger context length, or provide a shorter input"
    first = "Trying to keep the first 10136 tokens when context the overflows. However, the model"
    return {
        "request": [
            unloadable("Error loading model.", 400),
            unloadable("Model loading was stopped due to insufficient system resources.", 404),
        ],
        "failed": [
            plain("The model has crashed without additional information. (Exit code: 6)"),
            plain("Model is unloaded."),
            plain("Channel Error", 500),
        ],
        "PromptTooLong": [
            plain(f"{kept} (n_keep: 13055>= n_ctx: 4096). {more}."),
            plain(f"{first} is loaded with context length of only 7866 tokens. {more}."),
            plain(f"{kept}. {more}.", 200),
        ],
    }
