"""One short call of a model, to see that it answers."""

from __future__ import annotations

from importlib.resources import files

from arena.llm.request import Request
from arena.prompts import Prompts
from arena.records import Sampling
from arena.tournament.models import Models

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: As most debaters have it, so that a model that refuses a parameter says so now.
_SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=256)


async def call_once(models: Models, model: str) -> str:
    """What a short call took, in words.

    Raises:
        InfrastructureFault: no answer.
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
    refused = f", takes no {dropped}" if dropped else ""
    tokens = f"{usage.input_tokens} + {usage.output_tokens} tokens"
    return f"{tokens}, {completion.cost_usd:.6f} USD{refused}"


def price_of(models: Models, model: str) -> str:
    """A model and its price, in words."""
    given, said = (1e6 * price for price in models.price(model))
    return f"{model}: {given:g} USD in, {said:g} USD out per million tokens"
