"""Servers that treat `response_format` as real providers do: enforce, refuse, or ignore it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias

from aiohttp import web

from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings
from arena.llm.wire.route import CallLimits
from arena.records import Structured
from tests.servers.chat_bodies import completion, error, usage
from tests.servers.connected import KEY
from tests.servers.threads import LoopbackServer, in_thread

Body: TypeAlias = Mapping[str, Any]
#: A refusal, its status and body, or `None` where the request is accepted.
Rules: TypeAlias = Callable[[Body], tuple[int, dict[str, Any]] | None]

ANSWER = '{"winner": "pro"}'
PROSE = "Pro wins, I should say."
MODEL = "openai/x"


def kind(body: Body) -> str:
    """How a form is asked for: `json_schema`, `json_object`, `tool`, or nothing."""
    if body.get("tools"):
        return "tool"
    asked = body.get("format")  # Ollama's
    if asked is not None:
        return "json_object" if asked == "json" else "json_schema"
    return str((body.get("response_format") or {}).get("type", ""))


def _refusing(status: int, body: dict[str, Any], *, objects: bool = False) -> Rules:
    """Refuse schemas, and any other form as well where `objects` are refused."""
    return lambda asked: (
        (status, body) if kind(asked) == "json_schema" or (objects and kind(asked)) else None
    )


def accepts_all(body: Body) -> None:
    """A server of today."""
    return


def refuses_all(body: Body) -> tuple[int, dict[str, Any]] | None:
    """A server that refuses everything in words that nobody knows."""
    return 400, error(f"No {len(kind(body))}.")


#: OpenAI's answer for a model older than schemas.
openai_older = _refusing(
    400,
    error(
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this "
        "model. Learn more about supported models at the Structured Outputs guide.",
        param="response_format",
    ),
)
#: OpenAI's answer for a model that takes no form at all.
openai_without_forms = _refusing(
    400,
    error(
        "Unsupported parameter: 'response_format' is not supported with this model.",
        param="response_format",
        code="unsupported_parameter",
    ),
    objects=True,
)
#: DeepSeek's: any object, but no schema.
deepseek = _refusing(400, error("This response_format type is unavailable now"))
#: One of vLLM's, whose grammar cannot be made.
vllm = _refusing(
    400,
    {
        "object": "error",
        "message": "The provided JSON schema contains features not supported by xgrammar.",
        "type": "BadRequestError",
        "code": 400,
    },
)
_UNPARSED = (
    "Unable to generate parser for this template. Automatic parser generation failed: JSON schema "
    "error at #: unrecognized type nonsense"
)
#: llama.cpp's, as it was recorded; it never names `response_format`.
llama_cpp = _refusing(
    400, {"error": {"code": 400, "message": _UNPARSED, "type": "invalid_request_error"}}
)
#: An older llama.cpp's, which reports it as an error of its own.
old_llama_cpp = _refusing(
    500, {"error": {"code": 500, "message": "failed to parse grammar", "type": "server"}}
)
_EXTRA = {"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Not permitted"}
#: A server on FastAPI that forbids fields which it does not know.
fastapi = _refusing(422, {"detail": [_EXTRA]}, objects=True)
#: A server that refuses schemas in words that nobody knows.
unknown_words = _refusing(400, error("Computer says no."))
#: OpenRouter's, where no provider of the model takes schemas.
openrouter = _refusing(
    404,
    {
        "error": {
            "message": "No endpoints found that can handle the requested parameters.",
            "code": 404,
        }
    },
)


class FormServer(LoopbackServer):
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

    @property
    def kinds(self) -> list[str]:
        """How the form was asked for in each call."""
        return [kind(body) for body in self.bodies]

    def application(self) -> web.Application:
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

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


@asynccontextmanager
async def serving(
    rules: Rules = accepts_all,
    *,
    model: str = MODEL,
    enforces: bool = True,
    learned: Mapping[str, Structured] | None = None,
    **settings: Any,  # noqa: ANN401
) -> AsyncIterator[tuple[FormServer, ProviderBackend]]:
    """A server with rules, and a backend whose model is there."""
    with serving_forms(rules, enforces=enforces) as server:
        versioned = not model.startswith(("ollama", "azure"))
        own = ModelSettings(
            api_base=f"{server.url}/v1" if versioned else server.url,
            api_key=KEY,
            usd_per_million=(0.0, 0.0),
            **settings,
        )
        limits = CallLimits(call_seconds=20.0)
        backend = ProviderBackend({model: own}, limits=limits, learned=learned)
        try:
            yield server, backend
        finally:
            await backend.aclose()


def _completion(body: Body, text: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if kind(body) == "tool":
        name = body["tools"][0]["function"]["name"]
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    more: dict[str, Any] = {
        "system_fingerprint": "fp_44",
        "service_tier": "on_demand",
        "usage": usage(20, 5),
    }
    return completion(f"{body['model']}-2024-08-06", message, **more)


def _ollama(body: Body, text: str) -> dict[str, Any]:
    return {
        "model": body["model"],
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 20,
        "eval_count": 5,
    }
