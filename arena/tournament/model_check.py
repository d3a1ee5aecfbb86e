"""Check that a model answers, by one short call."""

from __future__ import annotations

import time
from importlib.resources import files

from pydantic import BaseModel

from arena.llm.calls import retry
from arena.llm.model import schema_of
from arena.llm.request import Request, with_thinking_room
from arena.prompts import Prompts
from arena.records import OFFLINE, Sampling
from arena.text import counted, plain
from arena.tournament.models import Models

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: The sampling of most debaters, so that a model that refuses a parameter of it refuses it here.
_SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=256)
#: How often the call is repeated after a fault that may pass; a run is more patient.
_RETRIES = 2


class Greeting(BaseModel):
    """A structured answer of the smallest kind."""

    greeting: str


async def call_once(models: Models, model: str) -> str:
    """Call a model once for a structured answer, and format what the call took and showed.

    Simulated models are asked for plain text. What passes by itself, such as a busy server, is
    tried again briefly.

    Raises:
        InfrastructureFault: the model does not answer.
        ContentFault: the model cannot read the prompt.
    """
    started = time.monotonic()
    backend, request = models.backend(model), _request(models, model)
    retries = min(_RETRIES, models.retries)
    completion, _ = await retry(lambda: backend.complete(request), retries=retries)
    seconds = time.monotonic() - started
    usage, dropped = completion.usage, ", ".join(completion.dropped)
    parts = [
        f"{usage.input_tokens} + {counted(usage.output_tokens, 'token')}",
        f"{completion.cost_usd:.6f} USD",
        f"{seconds:.1f} s",
    ]
    if mode := models.structured_mode(model):
        parts.append(f"structured answers by {mode}")
    if completion.served_model:
        parts.append(f"served as {plain(completion.served_model)}")
    if dropped:
        parts.append(f"does not accept {dropped}")
    return ", ".join(parts)


def _request(models: Models, model: str) -> Request:
    schema = None if model.startswith(OFFLINE) else schema_of(Greeting)
    variables = {"schema": schema.text()} if schema else {}
    prompt = _PROMPTS.render("greeting" if schema else "smoke", "en", variables)
    request = Request(
        model=model,
        messages=prompt.messages,
        task=prompt.task,
        schema=schema,
        sampling=_SAMPLING,
        path="check",
        seed=1,
        extra_body=models.extra_body(model),
    )
    return with_thinking_room(request, models.backend(model))


def format_price(models: Models, model: str) -> str:
    """Format a model's name and its price in USD per million tokens."""
    input_price, output_price = (1e6 * price for price in models.price(model))
    return f"{model}: {input_price:g} USD in, {output_price:g} USD out per million tokens"
