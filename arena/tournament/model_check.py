"""Check that a model answers, by one short call."""

from __future__ import annotations

from importlib.resources import files

from arena.llm.request import Request
from arena.prompts import Prompts
from arena.records import Sampling
from arena.tournament.models import Models

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: The sampling of most debaters, so that a model that refuses a parameter of it refuses it here.
_SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=256)


async def call_once(models: Models, model: str) -> str:
    """Call a model once, and format what the call took: tokens, USD and refused parameters.

    Raises:
        InfrastructureFault: the model does not answer.
        ContentFault: the model cannot read the prompt.
    """
    prompt = _PROMPTS.render("smoke", "en", {})
    request = Request(
        model=model,
        messages=prompt.messages,
        task=prompt.task,
        sampling=_SAMPLING,
        path="check",
        seed=1,
    )
    completion = await models.backend(model).complete(request)
    usage, dropped = completion.usage, ", ".join(completion.dropped)
    refused = f", does not accept {dropped}" if dropped else ""
    tokens = f"{usage.input_tokens} + {usage.output_tokens} tokens"
    return f"{tokens}, {completion.cost_usd:.6f} USD{refused}"


def format_price(models: Models, model: str) -> str:
    """Format a model's name and its price in USD per million tokens."""
    input_price, output_price = (1e6 * price for price in models.price(model))
    return f"{model}: {input_price:g} USD in, {output_price:g} USD out per million tokens"
