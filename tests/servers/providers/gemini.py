"""Gemini's generateContent.

Written in November 2026 from Google's API reference (generateContent; GenerationConfig; Candidate;
UsageMetadata), its guides (structured output, thinking, context caching, troubleshooting) and
errors that users have reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from tests.servers.providers.base import (
    KEY,
    Call,
    Failure,
    ProviderServer,
    Refused,
    Reply,
    Rule,
    between,
    find_fault,
    is_object,
    is_text,
    is_whole,
    one_of,
)

_INFO = "type.googleapis.com/google.rpc."


def _whole(value: object) -> bool:
    return is_whole(value, -(2**31))


class Gemini(ProviderServer):
    """Gemini, with a model that thinks."""

    base = "/v1beta"
    model = "gemini-2.5-flash"
    uncounted: ClassVar = {"usageMetadata": None}
    rules: ClassVar[Mapping[str, Rule]] = {
        "contents": lambda value: isinstance(value, list) and bool(value),
        "system_instruction": is_object,
        "generation_config": is_object,
        "safety_settings": lambda value: isinstance(value, list),
        "cached_content": is_text,
        "tools": lambda value: isinstance(value, list),
        "tool_config": is_object,
    }
    config_rules: ClassVar[Mapping[str, Rule]] = {
        "temperature": between(0, 2),
        "top_p": between(0, 1),
        "top_k": is_whole,
        "seed": _whole,
        "max_output_tokens": is_whole,
        "candidate_count": one_of(1),
        "stop_sequences": lambda value: isinstance(value, list),
        "response_mime_type": one_of("text/plain", "application/json"),
        "response_schema": is_object,
        "response_json_schema": is_object,
        "thinking_config": is_object,
    }

    def error(
        self,
        code: int,
        status: str,
        message: str,
        *details: Mapping[str, Any],
    ) -> Failure:
        fault: dict[str, Any] = {"code": code, "message": message, "status": status}
        if details:
            fault["details"] = list(details)
        return Failure(status=code, body={"error": fault})

    def invalid(self, message: str, *details: Mapping[str, Any]) -> Failure:
        return self.error(400, "INVALID_ARGUMENT", message, *details)

    def limited(self, *quotas: str, delay: str = "", words: str = "") -> Failure:
        """Return the answer to too many calls, with the quotas that were exceeded."""
        violations = [
            {"quotaMetric": "generate_content_requests", "quotaId": id_} for id_ in quotas
        ]
        details: list[dict[str, Any]] = [
            {"@type": f"{_INFO}QuotaFailure", "violations": violations},
            {"@type": f"{_INFO}Help", "links": [{"description": "Learn more"}]},
        ]
        if delay:
            details.append({"@type": f"{_INFO}RetryInfo", "retryDelay": delay})
        text = "You exceeded your current quota, please check your plan and billing details."
        text = f"{text} {words}".rstrip()
        return self.error(429, "RESOURCE_EXHAUSTED", text, *details)

    def check(self, call: Call) -> None:
        """Check the key, the model in the path, and the fields, in either spelling."""
        if (call.headers.get("x-goog-api-key") or call.query.get("key")) != KEY:
            reason = {"@type": f"{_INFO}ErrorInfo", "reason": "API_KEY_INVALID"}
            text = "API key not valid. Please pass a valid API key."
            raise Refused(self.invalid(text, reason))
        name = re.fullmatch(r"/v1beta/models/(.+):generateContent", call.path)
        if name is None or name[1] != self.model:
            model = name[1] if name else call.path
            text = f"models/{model} is not found for API version v1beta, or is not supported for"
            raise Refused(self.error(404, "NOT_FOUND", text))
        body = _snake(call.body)
        self._check_names(body, self.rules, "")
        self._check_names(body.get("generation_config", {}), self.config_rules, "generation_config")
        self._check_content(body)
        self._check_form(body.get("generation_config", {}))

    def _check_names(self, body: Mapping[str, Any], rules: Mapping[str, Rule], place: str) -> None:
        if fault := find_fault(body, rules):
            name, known = fault
            at = f" at '{place}'" if place else ""
            if known:
                raise Refused(self.invalid(f"Invalid value{at} ({name})"))
            text = f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'
            raise Refused(self.invalid(text))

    def _check_content(self, body: Mapping[str, Any]) -> None:
        contents = body.get("contents") or []
        if not contents:
            raise Refused(self.invalid("* GenerateContentRequest.contents: contents is not"))
        for content in contents:
            if content.get("role") not in ("user", "model"):
                raise Refused(self.invalid("Please use a valid role: user, model."))
            if not content.get("parts") or any(not part.get("text") for part in content["parts"]):
                raise Refused(self.invalid("* contents.parts must not be empty."))

    def _check_form(self, config: Mapping[str, Any]) -> None:
        shapes = [key for key in ("response_schema", "response_json_schema") if key in config]
        if shapes and config.get("response_mime_type") != "application/json":
            raise Refused(self.invalid("response_schema requires application/json"))
        if len(shapes) > 1:
            raise Refused(self.invalid("only one of response_schema, response_json_schema"))
        if "additionalProperties" in config.get("response_schema", {}):
            text = "Unknown name \"additionalProperties\" at 'generation_config.response_schema'"
            raise Refused(self.invalid(text))
        budget = config.get("thinking_config", {}).get("thinking_budget", -1)
        if not -1 <= budget <= 24576:
            raise Refused(self.invalid("The thinking budget is invalid"))

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return the only candidate; thoughts are parts of their own."""
        parts: list[dict[str, Any]] = []
        if reply.thinking:
            parts.append({"text": reply.thinking, "thought": True})
        if reply.text:
            parts.append({"text": reply.text, "thoughtSignature": "CpIBA"})
        content: dict[str, Any] = {"role": "model"} | ({"parts": parts} if parts else {})
        candidate = {"content": content, "finishReason": reply.end or "STOP", "index": 0}
        sent = {
            "candidates": [candidate],
            "usageMetadata": self.usage(reply),
            "modelVersion": self.model,
            "responseId": "sXf4aIyAD5",
            **reply.extra,
        }
        return {name: value for name, value in sent.items() if value is not None}

    def blocked(self, reason: str) -> Reply:
        """Return the answer to a prompt that is blocked: it has no candidates."""
        usage = {"promptTokenCount": 2000, "totalTokenCount": 2000}
        feedback = {"blockReason": reason}
        extra = {"candidates": None, "promptFeedback": feedback, "usageMetadata": usage}
        return Reply(answer_tokens=0, extra=extra)

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens in Google's form: thoughts are counted on top of the candidates."""
        counts = {
            "promptTokenCount": reply.prompt_tokens,
            "candidatesTokenCount": reply.answer_tokens,
            "thoughtsTokenCount": reply.thinking_tokens,
            "cachedContentTokenCount": reply.cached_tokens,
        }
        details = [{"modality": "TEXT", "tokenCount": reply.prompt_tokens}]
        total = reply.prompt_tokens + reply.output_tokens
        sent: dict[str, Any] = {name: count for name, count in counts.items() if count}
        sent |= {"totalTokenCount": total, "promptTokensDetails": details}
        if reply.cached_tokens:
            sent["cacheTokensDetails"] = [{"modality": "TEXT", "tokenCount": reply.cached_tokens}]
        return sent


def _snake(body: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a body with the names of its two upper levels in snake case, as Google reads them."""

    def name(key: str) -> str:
        return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", key)

    named = {name(key): value for key, value in body.items()}
    config = {name(key): value for key, value in named.get("generation_config", {}).items()}
    if "thinking_config" in config:
        thinking = config["thinking_config"]
        config["thinking_config"] = {name(key): value for key, value in thinking.items()}
    return named | ({"generation_config": config} if config else {})
