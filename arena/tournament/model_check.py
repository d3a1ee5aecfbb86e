"""Checks of models before a run: their addresses, one short call, and their context windows."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel

from arena.config.resolve import ResolvedConfig, bench_models
from arena.languages import SPEECHES, Language, language
from arena.llm.calls import retry
from arena.llm.catalogue import Look, look_at
from arena.llm.context_window import least_answer, pad_estimate
from arena.llm.request import Request, with_thinking_room
from arena.llm.schemas import schema_of
from arena.llm.truncation import limit_tokens
from arena.llm.usage import estimate_tokens
from arena.plugins import participant_models
from arena.prompts import Prompts
from arena.records import LOCAL, OFFLINE, Sampling
from arena.text import counted, plain
from arena.tournament.models import Models

#: How long all addresses together may take, in seconds.
SECONDS = 2.5
#: The most names of a server's list that are repeated.
_MOST_NAMES = 8
_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: The sampling of most debaters, so that a model that refuses a parameter of it refuses it here.
_SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=256)
#: How often the call is repeated after a fault that may pass; a run is more patient.
_RETRIES = 2
#: Tokens of an English word with the blank after it, by the rule of `estimate_tokens`.
_TOKENS_PER_WORD = 1.5
#: The plainest of the prompts in which a speaker reads the whole debate.
_RULES = ("context", "summary", "duties_summary")
#: The number of full-length speeches in a contest; an answer to a question is short.
_SPEECHES = {"debate": SPEECHES, "essay": 2, "question": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressProblem:
    """What a look at an address brought to light, in a line.

    Attributes:
        is_away: whether nothing answers there.
        is_refused: whether what answers accepts no call with the configured key.
    """

    text: str
    is_away: bool
    is_refused: bool = False

    @property
    def prevents_calls(self) -> bool:
        """Whether no call can succeed as long as this lasts."""
        return self.is_away or self.is_refused


async def look_at_addresses(models: Models, names: Iterable[str]) -> list[AddressProblem]:
    """Look at the addresses of models that have one of their own (`api_base`), all at once.

    Args:
        names: of the models. Nothing is done for simulated models and for those at the address of
            their provider.

    Returns:
        The addresses that do not answer or refuse the key, and the models that their servers do
        not list.
    """
    places: defaultdict[tuple[str, str | None], list[str]] = defaultdict(list)
    for name in sorted(names):
        if not name.startswith((OFFLINE, LOCAL)):
            settings = models.settings(name)
            if settings.api_base:
                places[settings.api_base, settings.api_key].append(name)
    looks = await asyncio.gather(
        *(look_at(address, api_key=key, seconds=SECONDS) for address, key in places)
    )
    return [
        problem
        for present, look in zip(places.values(), looks, strict=True)
        for problem in _problems(present, models.address(present[0]), look)
    ]


def _problems(names: Sequence[str], address: str, look: Look) -> Iterator[AddressProblem]:
    if look.fault:
        text = f"{', '.join(names)} at {address}: {look.fault}"
        yield AddressProblem(
            text=plain(text), is_away=not look.is_refused, is_refused=look.is_refused
        )
        return
    for name in names if look.models else ():
        model = name.partition("/")[2]
        # Ollama's name of what has no tag ends in `:latest`.
        if not {model, f"{model}:latest"} & {*look.models}:
            listed = ", ".join(look.models[:_MOST_NAMES])
            more = len(look.models) - _MOST_NAMES
            text = (
                f"{name} at {address}: the server does not list this model, but {listed}"
                f"{f' and {more} more' if more > 0 else ''}"
            )
            yield AddressProblem(text=plain(text), is_away=False)


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
    completion = await retry(lambda: backend.complete(request), retries=retries)
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


def find_misfits(resolved: ResolvedConfig, models: Models) -> list[str]:
    """Name the participants and benches with a model whose context window is too small.

    A window that nobody knows is taken to be large enough, and so are those of simulated models.

    Returns:
        A line for each, with the numbers and what to do.
    """
    if resolved.imported:
        return []
    codes = resolved.languages or resolved.config.tournament.languages
    needed = max(_needed_tokens(resolved, language(code)) for code in codes)
    words = max(language(code).limit(resolved.config.limits.words) for code in codes)
    limit = limit_tokens(Sampling(), words).max_tokens
    lines = []
    for who, model in dict.fromkeys(_callers(resolved)):
        window = None if model.startswith(OFFLINE) else models.context_tokens(model)
        if window is not None and window < needed + least_answer(limit, window):
            lines.append(
                f"{who}: {model} reads {window:,} tokens at most, but the rules and speeches of "
                f"{resolved.config.limits.words} words take about {needed:,}, and an answer needs "
                "room, too. Choose another model, or lower `words` under [limits]; if the number "
                f'is wrong, set `context_tokens` under [models."{model}"].'
            )
    return lines


def _callers(resolved: ResolvedConfig) -> Iterator[tuple[str, str]]:
    """Yield every participant and bench with each of its models; people have none."""
    for participant in resolved.participants:
        for model in filter(None, participant_models(participant)):
            yield f"participant {participant.name!r}", model
    for bench in resolved.benches:
        for model in bench_models(bench):
            yield f"bench {bench.name!r}", model


def _needed_tokens(resolved: ResolvedConfig, spoken: Language) -> int:
    """Estimate the tokens of the rules, the longest motion, and a contest's speeches."""
    folder = files("arena.debaters") / "prompts" / "direct"
    rules = "".join((folder / f"{name}.{spoken.code}.md").read_text("utf-8") for name in _RULES)
    wordings = (motion.wordings.get(spoken.code) for motion in resolved.motions)
    motions = (f"{wording.text} {wording.info_slide}" for wording in wordings if wording)
    longest = max(map(estimate_tokens, motions), default=0)
    speech = spoken.limit(resolved.config.limits.words)
    if spoken.code != "zh":  # a Chinese character is a token, and a unit of length
        speech = round(speech * _TOKENS_PER_WORD)
    count = _SPEECHES[resolved.config.tournament.contest]
    return pad_estimate(estimate_tokens(rules) + longest + count * speech)
