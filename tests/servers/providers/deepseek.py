"""DeepSeek's Chat Completions.

Written in November 2026 from DeepSeek's API documentation (create chat completion; thinking mode;
JSON output; context caching; error codes; models and pricing) and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Refused, Reply, is_whole, one_of
from tests.servers.providers.chat import COMMON, ChatServer
from tests.servers.providers.streams import StreamStyle


class DeepSeek(ChatServer):
    """DeepSeek, with a model that thinks when it is asked to."""

    base = ""
    path = "/chat/completions"
    style = StreamStyle(counts="with the end", comments="keep-alive")
    model = "deepseek-chat"
    ignores_unknown = True
    roles = ("system", "user", "assistant", "tool")
    rules: ClassVar = {
        **COMMON,
        "seed": is_whole,
        "thinking": one_of({"type": "enabled"}, {"type": "disabled"}),
        "reasoning_effort": one_of("low", "medium", "high", "xhigh", "max"),
    }

    def fault(self, status: int, message: str, kind: str = "invalid_request_error") -> Failure:
        """Return an error in DeepSeek's form, whose code says little."""
        return self.error(status, message, kind=kind, code="invalid_request_error")

    def no_key(self, call: Call) -> Failure:
        """Return the answer to a wrong key, which shows its end."""
        key = call.headers.get("authorization", "")[-4:]
        text = f"Authentication Fails, Your api key: ****{key} is invalid"
        return self.fault(401, text, "authentication_error")

    def no_model(self, call: Call) -> Failure:
        return self.fault(400, "Model Not Exist")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        text = f"Failed to deserialize the JSON body into the target type: {name}: invalid value"
        return self.fault(422, text)

    def check(self, call: Call) -> None:
        """Check that an object is asked for in words as well."""
        super().check(call)
        form = call.body.get("response_format", {}).get("type")
        if form == "json_schema":
            raise Refused(self.fault(400, "This response_format type is unavailable now"))
        if form == "json_object" and "json" not in str(call.body["messages"]).lower():
            text = "Prompt must contain the word 'json' in some form to use 'response_format' of"
            raise Refused(self.fault(400, f"{text} type 'json_object'."))

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        return message | ({"reasoning_content": reply.thinking} if reply.thinking else {})

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens: those of the prompt as hits and misses of the cache besides."""
        usage = super().usage(reply)
        if not reply.thinking_tokens:
            del usage["completion_tokens_details"]
        return usage | {
            "prompt_cache_hit_tokens": reply.cached_tokens,
            "prompt_cache_miss_tokens": reply.prompt_tokens - reply.cached_tokens,
        }
