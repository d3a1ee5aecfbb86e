"""Makes `arena/llm/models.json` from the LiteLLM that is installed: `make model-table`.

A model is in the table where LiteLLM sends what we would send, but for the arguments that are named
there, and where its prices are those of tokens alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.llm.litellm_client import call, find_abilities, listed_price, load_litellm
from arena.llm.parameters import FORM
from arena.llm.wire.route import Route
from tests.servers.providers.connect import OPENAI_FORMAT

_FILE = Path(__file__).parents[2] / "arena" / "llm" / "models.json"
#: Providers whose own interface is OpenAI's, those without an address of their own among them.
PROVIDERS = (
    "openai",
    "openrouter",
    "deepseek",
    "mistral",
    "together_ai",
    "dashscope",
    "hosted_vllm",
    "lm_studio",
    "llamafile",
)
_KEYS = {"together_ai": "TOGETHERAI_API_KEY"}
_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
}
#: Those whose models that are not listed are called directly at their own address, too.
_USUAL = "some-model"
_MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Speak."},
    {"role": "assistant", "content": "Well."},
    {"role": "user", "content": "More."},
]
#: Arguments that are tried, each alone.
_ARGUMENTS: Mapping[str, tuple[Any, ...]] = {
    "temperature": (0.7,),
    "top_p": (0.9,),
    "seed": (5,),
    FORM: (OPENAI_FORMAT, {"type": "json_object"}),
    "reasoning_effort": ("none", "minimal", "low", "medium", "high"),
    "extra_body": ({"top_k": 3, "chat_template_kwargs": {"thinking": True}},),
    "max_completion_tokens": (64,),
}
_HELD = (FORM, "reasoning_effort")
_REPLY = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Yes."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }
).encode()


class _Recorder(BaseHTTPRequestHandler):
    """Keeps the last body that was sent; connections are not kept, so that threads end."""

    disable_nagle_algorithm = True
    last: tuple[str, dict[str, Any]] | None = None

    def do_POST(self) -> None:
        """Answer as a model does."""
        length = int(self.headers["content-length"])
        type(self).last = self.path, json.loads(self.rfile.read(length))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(_REPLY)))
        self.end_headers()
        self.wfile.write(_REPLY)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
        """Say nothing."""


def models_of(provider: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a provider's models in LiteLLM's table, without its own, and their use."""
    for name, entry in sorted(load_litellm().model_cost.items()):
        if entry.get("litellm_provider") == provider or name.startswith(f"{provider}/"):
            yield name.removeprefix(f"{provider}/"), str(entry.get("mode"))


def call_with(model: str, given: Mapping[str, Any], accepts: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of a call with some further ones, as the backend makes them."""
    held = [name for name in _HELD if name in given and name not in accepts]
    return {
        "model": model,
        "messages": [dict(message) for message in _MESSAGES],
        "max_tokens": 64,
        **given,
        **({"allowed_openai_params": held} if held else {}),
    }


async def sent_by_litellm(arguments: Mapping[str, Any], address: str) -> dict[str, Any] | None:
    """Return the body that LiteLLM sends; `None` where it sends none, or elsewhere."""
    _Recorder.last = None
    own = {"api_base": f"{address}/v1", "api_key": "sk-1", "num_retries": 0, "max_retries": 0}
    try:
        await call("acompletion", {**arguments, **own}, Route())
    except Exception:  # what it refuses by itself
        return None
    sent = _Recorder.last
    return sent[1] if sent is not None and sent[0] == "/v1/chat/completions" else None


async def describe(model: str, address: str) -> dict[str, Any] | None:
    """Return a model's entry; `None` where LiteLLM sends something else, or charges otherwise."""
    from arena.llm.direct_client import make_body  # noqa: PLC0415 - reads the table

    abilities = find_abilities(model)
    limited = False
    plain = call_with(model, {}, abilities.accepts)
    sent = await sent_by_litellm(plain, address)
    if sent is None:
        return None
    ours = make_body(plain)
    for renamed in (False, True):
        mine = dict(ours)
        limit = mine.pop("max_tokens", None) or mine.pop("max_completion_tokens")
        mine["max_completion_tokens" if renamed else "max_tokens"] = limit
        if sent == mine:
            limited = renamed
            break
    else:
        return None
    differing = await _find_differing(model, abilities.accepts, address, limited=limited)
    entry: dict[str, Any] = {"accepts": sorted(abilities.accepts & _ARGUMENTS.keys())}
    if differing:
        entry["translated"] = differing
    if limited:
        entry["completion_limit"] = True
    if abilities.thinks:
        entry["thinks"] = True
    for name in ("context_tokens", "output_tokens"):
        if (tokens := getattr(abilities, name)) is not None:
            entry[name] = tokens
    return entry


async def _find_differing(
    model: str, accepts: frozenset[str], address: str, *, limited: bool
) -> list[str]:
    """Return the arguments that LiteLLM sends otherwise, or refuses."""
    from arena.llm.direct_client import make_body  # noqa: PLC0415 - reads the table

    differing: list[str] = []
    both: dict[str, Any] = {
        name: _ARGUMENTS[name][0] for name in ("temperature", "top_p") if name in accepts
    }
    for name, values in _ARGUMENTS.items():
        if name not in accepts and name not in (*_HELD, "extra_body"):
            continue
        wrong = []
        for value in values:
            further: dict[str, Any] = both if name == "reasoning_effort" else {}
            arguments = call_with(model, {name: value, **further}, accepts)
            if name == "max_completion_tokens":
                del arguments["max_tokens"]
            mine = make_body(arguments)
            if limited and "max_tokens" in mine:
                mine["max_completion_tokens"] = mine.pop("max_tokens")
            if not limited and name != "max_completion_tokens":
                mine["max_tokens"] = mine.pop("max_completion_tokens", mine.get("max_tokens"))
            if await sent_by_litellm(arguments, address) != mine:
                wrong.append(value)
        words = [f"{name}={value}" for value in wrong if isinstance(value, str)]
        differing += words if words and len(wrong) < len(values) else [name] * bool(wrong)
    return differing


def find_prices(model: str) -> dict[str, Any] | None:
    """Return a model's prices; `None` where tokens alone do not tell its cost."""
    litellm = load_litellm()
    name = model.partition("/")[2]
    costs = litellm.model_cost.get(model) or litellm.model_cost[name]
    suffixes = {key.partition("_above_")[2] for key in costs if key.startswith("input_cost")}
    lengths = {end for end in suffixes if end.endswith("k_tokens") and end[:-8].isdecimal()}
    if len(lengths) > 1:
        return None
    read, answer = costs.get("input_cost_per_token"), costs.get("output_cost_per_token")
    if not read and not answer:
        return None
    prices: dict[str, Any] = {"usd": [read, answer, costs.get("cache_read_input_token_cost", read)]}
    for end in lengths:
        above = [f"{kind}_cost_per_token_above_{end}" for kind in ("input", "output")]
        cached = costs.get(f"cache_read_input_token_cost_above_{end}")
        own = [*(costs[key] for key in above)]
        prices["above"] = [int(end[:-8]) * 1000, *own, cached if cached is not None else own[0]]
    return prices


def is_cost(model: str, prices: Mapping[str, Any]) -> bool:
    """Return whether prices give LiteLLM's costs of prompts and answers of many lengths."""
    litellm = load_litellm()
    for prompt in (1, 900, 130_000, 250_000, 300_000):
        for cached in (0, prompt // 3):
            for thinking in (0, 40):
                usage = litellm.Usage(
                    prompt_tokens=prompt,
                    completion_tokens=100,
                    total_tokens=prompt + 100,
                    prompt_tokens_details={"cached_tokens": cached},
                    completion_tokens_details={"reasoning_tokens": thinking},
                )
                theirs = sum(litellm.cost_per_token(model=model, usage_object=usage))
                above = prices.get("above")
                use = above[1:] if above and prompt > above[0] else prices["usd"]
                ours = (prompt - cached) * use[0] + cached * use[2] + 100 * use[1]
                if abs(ours - theirs) > 1e-9 * max(ours, theirs):
                    return False
        use = (
            prices["above"][1:]
            if prices.get("above") and prompt > prices["above"][0]
            else (prices["usd"])
        )
        read, answer = listed_price(model, prompt)
        if abs(read - use[0]) > 1e-15 or abs(answer - use[1]) > 1e-15:
            return False
    return True


async def make_table(address: str) -> dict[str, Any]:
    """Return the content of the table."""
    parameters: list[list[str]] = []

    def shared(entry: dict[str, Any]) -> dict[str, Any]:
        if entry["accepts"] not in parameters:
            parameters.append(entry["accepts"])
        return entry | {"accepts": parameters.index(entry["accepts"])}

    providers: dict[str, Any] = defaultdict(dict)
    for provider in PROVIDERS:
        usual = await describe(f"{provider}/{_USUAL}", address)
        assert usual is not None, provider
        models, others = {}, []
        for name, mode in models_of(provider):
            model = f"{provider}/{name}"
            prices = find_prices(model) if mode == "chat" and "audio" not in name else None
            entry = await describe(model, address) if prices and is_cost(model, prices) else None
            if prices and entry:
                models[name] = shared({**prices, **entry})
            else:
                others.append(name)
        facts = _provider(provider) | {"usual": shared(usual), "others": others}
        providers[provider] = facts | {"models": models}
    return {
        "made": datetime.now(UTC).date().isoformat(),
        "litellm": version("litellm"),
        "parameters": parameters,
        "providers": providers,
    }


def _provider(name: str) -> dict[str, Any]:
    litellm = load_litellm()
    _, _, _, address = litellm.get_llm_provider(f"{name}/{_USUAL}")
    missing = litellm.validate_environment(f"{name}/{_USUAL}")["missing_keys"]
    key = _KEYS.get(name, f"{name.upper()}_API_KEY")
    own = name in ("hosted_vllm", "lm_studio", "llamafile")
    return {
        "address": None if own else _ADDRESSES.get(name, address),
        "key": key,
        "needs_key": key in missing,
    }


def format_table(table: Mapping[str, Any]) -> str:
    """Write the table as JSON with a line for each model."""
    head = {name: value for name, value in table.items() if name != "providers"}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    providers = []
    for name, provider in table["providers"].items():
        facts = {key: value for key, value in provider.items() if key != "models"}
        models = [
            f"   {json.dumps(key)}: {json.dumps(one)}" for key, one in provider["models"].items()
        ]
        listed = "{\n" + ",\n".join(models) + "}" if models else "{}"
        providers.append(f'  {json.dumps(name)}: {json.dumps(facts)[:-1]}, "models": {listed}}}')
    lines.append(' "providers": {\n' + ",\n".join(providers) + "}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


@contextmanager
def recording() -> Iterator[str]:
    """Listen on loopback, at the address that is given."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Recorder)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main() -> None:
    """Write the table."""
    os.environ["NO_PROXY"] = "*"
    with recording() as address:
        table = asyncio.run(make_table(address))
    _FILE.write_text(format_table(table), "utf-8")
    for name, provider in table["providers"].items():
        print(f"{name}: {len(provider['models'])} models")


if __name__ == "__main__":
    main()
