"""Ollama's `/api/chat`.

Written in November 2026 from Ollama's API documentation (chat; structured outputs; thinking;
errors) and its server's source, where the documentation does not show the words of an error.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, ProviderServer, Refused, Reply, is_text

_EFFORTS = (True, False, "high", "medium", "low")


class Ollama(ProviderServer):
    """Ollama with one model; it ignores fields and options that it does not know.

    Attributes:
        thinks: whether the model can think.
        key: what a proxy before it asks for; empty for none.
    """

    model = "llama3.1"
    uncounted: ClassVar = {"prompt_eval_count": 0, "eval_count": 0}

    def __init__(self) -> None:
        super().__init__()
        self.thinks = True
        self.key = ""

    def error(self, status: int, message: str) -> Failure:
        return Failure(status=status, body={"error": message})

    def check(self, call: Call) -> None:
        """Check the path, the model, the roles, the form and whether thinking is possible."""
        body = call.body
        if call.path == "/api/show":  # LiteLLM's question for the abilities of the model
            raise Refused(self.error(404, f"model '{body.get('name')}' not found"))
        if call.path != "/api/chat":
            raise Refused(Failure(status=404, body="404 page not found"))
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            raise Refused(self.error(401, "unauthorized"))
        if not is_text(body.get("model")):
            raise Refused(self.error(400, "model is required"))
        if body["model"] != self.model:
            raise Refused(self.error(404, f"model '{body['model']}' not found"))
        for message in body.get("messages", []):
            if message.get("role") not in ("system", "user", "assistant", "tool"):
                raise Refused(self.error(400, f"invalid role: {message.get('role')!r}"))
            if not isinstance(message.get("content"), str):
                raise Refused(self.error(400, "json: cannot unmarshal array into Go struct field"))
        self._check_form(body.get("format"))
        if body.get("think") not in (None, *_EFFORTS):
            raise Refused(self.error(400, f"invalid think value: {body['think']!r}"))
        if body.get("think") and not self.thinks:
            raise Refused(self.error(400, f'"{self.model}" does not support thinking'))

    def _check_form(self, form: Any) -> None:  # noqa: ANN401 - JSON
        if form is None or form == "json":
            return
        if not isinstance(form, dict) or form.get("type") is None:
            text = f'invalid format: {form!r}; expected "json" or a valid JSON Schema object'
            raise Refused(self.error(400, text))

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return an answer that is not streamed; the thinking stands beside the text."""
        message = {"role": "assistant", "content": reply.text}
        if reply.thinking:
            message["thinking"] = reply.thinking
        return {
            "model": self.model,
            "created_at": "2026-11-22T12:00:00.000000Z",
            "message": message,
            "done": True,
            "done_reason": reply.end or "stop",
            "total_duration": 5191566416,
            "load_duration": 2154458,
            "prompt_eval_count": reply.prompt_tokens,
            "prompt_eval_duration": 383809000,
            "eval_count": reply.output_tokens,
            "eval_duration": 4799921000,
            **reply.extra,
        }
