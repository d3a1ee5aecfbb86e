"""Azure OpenAI.

Written in November 2026 from Microsoft's reference of the inference REST API, its pages on content
filtering, quotas and limits, and errors that users have reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.servers.providers.base import KEY, Call, Failure, Reply
from tests.servers.providers.openai import OpenAI, OpenAIThinking
from tests.servers.providers.streams import StreamStyle

_SAFE = {"filtered": False, "severity": "safe"}
_CATEGORIES = ("hate", "self_harm", "sexual", "violence")


class Azure(OpenAI):
    """A resource with one deployment, whose model does not think."""

    base = ""
    deployment = "my-deployment"
    model = "my-deployment"
    path = "/openai/deployments/my-deployment/chat/completions"
    style = StreamStyle(
        first={"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    )

    def has_key(self, call: Call) -> bool:
        """Whether a call carries the key in Azure's own header."""
        return call.headers.get("api-key") == KEY

    def check(self, call: Call) -> None:
        """Check the version of the interface, then as OpenAI does."""
        version = call.query.get("api-version", "")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d(-preview)?|preview|latest", version):
            call = Call(path="/", query={}, headers=call.headers, body=call.body)
        super().check(call)

    def no_path(self, call: Call) -> Failure:
        """Return the answer to an unknown deployment, or to another path."""
        if call.path.startswith("/openai/deployments/"):
            text = "The API deployment for this resource does not exist. If you created the"
            return Failure(
                status=404, body={"error": {"code": "DeploymentNotFound", "message": text}}
            )
        return Failure(status=404, body={"error": {"code": "404", "message": "Resource not found"}})

    def no_key(self, call: Call) -> Failure:
        text = (
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to "
            "provide a valid key for an active subscription."
        )
        return Failure(status=401, body={"error": {"code": "401", "message": text}})

    def limited(
        self, seconds: int, headers: Mapping[str, str] | None = None, *, named: bool = False
    ) -> Failure:
        """Return the answer to too many calls.

        Args:
            named: whether only the words say how long to wait.
            headers: in the place of `retry-after`.
        """
        text = (
            "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version "
            "2024-10-21 have exceeded token rate limit of your current AIServices S0 pricing "
            f"tier. Please retry after {seconds} seconds."
        )
        sent = {"x-ratelimit-remaining-tokens": "0"}
        if not named:
            text = text if not headers else text.partition(" Please")[0]
            sent |= headers or {"retry-after": str(seconds)}
        return Failure(status=429, body={"error": {"code": "429", "message": text}}, headers=sent)

    def filtered(self) -> Failure:
        """Return the answer to a prompt that the content filter blocks."""
        fault = {
            "message": "The response was filtered due to the prompt triggering Azure OpenAI's "
            "content management policy. Please modify your prompt and retry.",
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {
                "code": "ResponsibleAIPolicyViolation",
                "content_filter_result": {
                    name: {"filtered": name == "hate", "severity": "medium"} for name in _CATEGORIES
                },
            },
        }
        return Failure(status=400, body={"error": fault})

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the results of the content filters."""
        answered = super().answer(call, reply)
        results = dict.fromkeys(_CATEGORIES, _SAFE)
        if reply.end == "content_filter":
            results["violence"] = {"filtered": True, "severity": "high"}
        answered["model"] = "gpt-4o-mini-2024-07-18"
        answered["choices"][0]["content_filter_results"] = results
        answered["prompt_filter_results"] = [
            {"prompt_index": 0, "content_filter_results": dict.fromkeys(_CATEGORIES, _SAFE)}
        ]
        return answered


class AzureThinking(Azure):
    """A deployment whose model thinks, which nobody can tell from its name."""

    rules = OpenAIThinking.rules
    bad_field = OpenAIThinking.bad_field
