"""Servers that treat `response_format` as real providers do: enforce, refuse, or ignore it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from aiohttp import web

from tests.servers.threads import in_thread

Body: TypeAlias = Mapping[str, Any]
#: A refusal, its status and body, or `None` where the request is accepted.
Rules: TypeAlias = Callable[[Body], tuple[int, dict[str, Any]] | None]

ANSWER = '{"winner": "pro"}'
PROSE = "Pro wins, I should say."


def kind(body: Body) -> str:
    """How a form is asked for: `json_schema`, `json_object`, `tool`, or nothing."""
    if body.get("tools"):
        return "tool"
    asked = body.get("format")  # Ollama's
    if asked is not None:
        return "json_object" if asked == "json" else "json_schema"
    return str((body.get("response_format") or {}).get("type", ""))


def accepts_all(body: Body) -> None:
    """A server of today."""
    return


def openai_older(body: Body) -> tuple[int, dict[str, Any]] | None:
    """OpenAI's answer for a model older than schemas."""
    if kind(body) != "json_schema":
        return None
    text = (
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this "
        "model. Learn more about supported models at the Structured Outputs guide."
    )
    return 400, _openai(text, param="response_format")


def openai_without_forms(body: Body) -> tuple[int, dict[str, Any]] | None:
    """OpenAI's answer for a model that takes no form at all."""
    if not kind(body):
        return None
    text = "Unsupported parameter: 'response_format' is not supported with this model."
    return 400, _openai(text, param="response_format", code="unsupported_parameter")


def deepseek(body: Body) -> tuple[int, dict[str, Any]] | None:
    """DeepSeek's: any object, but no schema."""
    if kind(body) != "json_schema":
        return None
    return 400, _openai("This response_format type is unavailable now")


def vllm(body: Body) -> tuple[int, dict[str, Any]] | None:
    """One of vLLM's, whose grammar cannot be made."""
    if kind(body) != "json_schema":
        return None
    text = "The provided JSON schema contains features not supported by xgrammar."
    return 400, {"object": "error", "message": text, "type": "BadRequestError", "code": 400}


def llama_cpp(body: Body) -> tuple[int, dict[str, Any]] | None:
    """llama.cpp's, as it was recorded; it never names `response_format`."""
    if kind(body) != "json_schema":
        return None
    text = (
        "Unable to generate parser for this template. Automatic parser generation failed: JSON "
        "schema error at #: unrecognized type nonsense"
    )
    return 400, {"error": {"code": 400, "message": text, "type": "invalid_request_error"}}


def old_llama_cpp(body: Body) -> tuple[int, dict[str, Any]] | None:
    """An older llama.cpp, which reports it as an error of its own."""
    if kind(body) != "json_schema":
        return None
    return 500, {"error": {"code": 500, "message": "failed to parse grammar", "type": "server"}}


def fastapi(body: Body) -> tuple[int, dict[str, Any]] | None:
    """A server on FastAPI that forbids fields which it does not know."""
    if not kind(body):
        return None
    fault = {"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Not permitted"}
    return 422, {"detail": [fault]}


def unknown_words(body: Body) -> tuple[int, dict[str, Any]] | None:
    """A server that refuses schemas in words that nobody knows."""
    if kind(body) != "json_schema":
        return None
    return 400, _openai("Computer says no.")


def refuses_all(body: Body) -> tuple[int, dict[str, Any]] | None:
    """A server that refuses everything in words that nobody knows."""
    return 400, _openai(f"No {len(kind(body))}.")


def openrouter(body: Body) -> tuple[int, dict[str, Any]] | None:
    """OpenRouter's, where no provider of the model takes schemas."""
    if kind(body) != "json_schema":
        return None
    text = "No endpoints found that can handle the requested parameters."
    return 404, {"error": {"message": text, "code": 404}}


class FormServer:
    """A server for the interfaces of OpenAI, Azure and Ollama; it keeps every body.

    Attributes:
        bodies: of all calls, refused ones included.
        refused: how many were refused.
        answer: what it answers to what it accepts.
        enforces: whether it keeps to the form that is asked for; else the answer is prose.
    """

    def __init__(self, rules: Rules = accepts_all, *, enforces: bool = True) -> None:
        self.rules, self.enforces = rules, enforces
        self.answer: Callable[[Body], str] = self._text
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.refused = 0
        self.url = ""
        self._runner: web.AppRunner | None = None

    @property
    def kinds(self) -> list[str]:
        """How the form was asked for in each call."""
        return [kind(body) for body in self.bodies]

    async def start(self, port: int = 0) -> None:
        """Listen on loopback."""
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Close it."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        if request.path.endswith("/api/show"):
            return web.json_response({"error": "no such model"}, status=404)
        body = await request.json()
        self.bodies.append(body)
        self.paths.append(request.path)
        if refusal := self.rules(body):
            self.refused += 1
            return web.json_response(refusal[1], status=refusal[0])
        text = self.answer(body)
        if request.path.endswith("/api/chat"):
            return web.json_response(_ollama(body, text))
        return web.json_response(_completion(body, text))

    def _text(self, body: Body) -> str:
        return ANSWER if kind(body) and self.enforces else PROSE


@contextmanager
def serving_forms(rules: Rules = accepts_all, *, enforces: bool = True) -> Iterator[FormServer]:
    """A server in a thread: LiteLLM asks Ollama some things without giving up the loop."""
    with in_thread(FormServer(rules, enforces=enforces)) as server:
        yield server


def _openai(message: str, *, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    fault = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return {"error": fault}


def _completion(body: Body, text: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if kind(body) == "tool":
        name = body["tools"][0]["function"]["name"]
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": f"{body['model']}-2024-08-06",
        "system_fingerprint": "fp_44",
        "service_tier": "on_demand",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    }


def _ollama(body: Body, text: str) -> dict[str, Any]:
    return {
        "model": body["model"],
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 20,
        "eval_count": 5,
    }
