"""Checks of models before a run: their addresses, short calls, and their context windows."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from arena.config.resolved import ResolvedConfig, bench_models
from arena.debates.speech_checks import speech_fault
from arena.errors import NoSpeech, UnparseableReply
from arena.languages import ENGLISH, SPEECHES, Language, language
from arena.llm.calls import retry
from arena.llm.catalogue import Look, look_at
from arena.llm.context_window import least_answer, pad_estimate
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.request import Completion, Request, with_thinking_room
from arena.llm.schemas import schema_of
from arena.llm.session import CallSession
from arena.llm.truncation import limit_tokens
from arena.llm.usage import estimate_tokens
from arena.plugins import participant_models
from arena.prompts import Prompts, quote
from arena.records import LOCAL, OFFLINE, Sampling
from arena.text import counted, plain

if TYPE_CHECKING:
    from arena.tournament.models import Models

#: What a model does in a tournament.
Role = Literal["debater", "judge"]

#: How long all addresses together may take, in seconds.
SECONDS = 2.5
#: The most names of a server's list that are repeated.
_MOST_NAMES = 8
_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: The sampling of most debaters, so that a model that refuses a parameter of it refuses it here.
_SAMPLING = Sampling(temperature=0.2, top_p=0.75, max_tokens=256)
#: How often the call is repeated after a fault that may pass; a run is more patient.
_RETRIES = 2
#: The length that a speech on trial is asked for, in words.
_TRIAL_WORDS = 80
#: Who writes less when asked for so many has hardly more to say when asked for a whole speech.
_LEAST_TRIAL_WORDS = 20
#: The speech that a judge's model judges on trial.
_SPEECH = "Cars take the room of people. Streets without them are quieter, safer and cleaner."
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


class TrialPlan(BaseModel):
    """The structured part of the answer to a trial, as debaters ask for one before a speech."""

    plan: str


class TrialVerdict(BaseModel):
    """The answer to the other trial, as judges ask for one."""

    reason: str
    winner: Literal["pro", "con"]


@dataclass(slots=True, kw_only=True)
class _Trial(CallSession):
    """Calls that no run keeps: what passes by itself is tried again only briefly.

    Attributes:
        read: what was read as meant in the answers.
    """

    completions: list[Completion] = field(default_factory=list)
    read: set[str] = field(default_factory=set)

    async def call(self, request: Request) -> Completion:
        """Return the completion of a request."""
        backend = self.access.backend(request.model)
        request = replace(request, extra_body=self.access.extra_body(request.model))
        request = with_thinking_room(request, backend)
        retries = min(_RETRIES, self.access.retries)
        completion = await retry(lambda: backend.complete(request), retries=retries)
        self.completions.append(completion)
        return completion

    def note_reading(self, path: str, attempt: int, bent: Iterable[str]) -> None:
        """Keep how an answer was read."""
        self.read.update(bent)


async def try_model(
    models: Models,
    model: str,
    role: Role,
    forms: Mapping[type[BaseModel], Sequence[str]] | None = None,
) -> str:
    """Call a model as debates do, and format what the calls took and showed.

    A debater's writes a short speech after a small object, a judge's gives a verdict in
    a judge's form; both are read like those of a run. Simulated models are asked for plain text.

    Args:
        forms: the objects that debaters need before a text, with the names of the participants
            (see `arena.tournament.rehearsal.two_part_forms`); a small one where nobody needs any.

    Raises:
        InfrastructureFault: the model does not answer.
        ContentFault: its answer is no speech, or no verdict, even when it was asked once more; or
            it lacks the object that participants need before a speech.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder)).open("trial")
        trial = _Trial(unit_id="trial", entropy="trial", access=models, journal=journal)
        try:
            await _try_role(LanguageModel(unit=trial, model=model, sampling=_SAMPLING), role, forms)
        finally:
            journal.close()
    return _format_trial(models, model, trial, time.monotonic() - started)


async def _try_role(
    model: LanguageModel, role: Role, forms: Mapping[type[BaseModel], Sequence[str]] | None
) -> None:
    if model.model.startswith(OFFLINE):
        await model.write(_PROMPTS.render("smoke", "en", {}), path="speech")
    elif role == "debater":
        for form, names in (forms or {TrialPlan: ()}).items():
            await _speak(model, form, names)
    else:
        variables = {"schema": schema_of(TrialVerdict).text(), "speech": quote("Pro", _SPEECH)}
        prompt = _PROMPTS.render("trial_verdict", "en", variables)
        await model.ask(prompt, TrialVerdict, path="verdict")


async def _speak(model: LanguageModel, form: type[BaseModel], names: Sequence[str]) -> None:
    """Ask for a speech after an object, once more where the object is missing.

    Raises:
        ContentFault: the answer is no speech, or lacks the object that somebody needs.
    """
    prompt = _PROMPTS.render("trial_speech", "en", {"schema": schema_of(form).text()})
    for attempt in range(2):
        path = f"speech/{form.__name__}/{attempt}"
        composed = await model.compose(prompt, form, path=path, words=2 * _TRIAL_WORDS)
        text = composed.text
        if fault := speech_fault(text, "pro", ENGLISH, words=_TRIAL_WORDS):
            raise fault
        if (length := ENGLISH.count(text)) < _LEAST_TRIAL_WORDS:
            raise NoSpeech(
                f"{counted(round(length), 'word')} are no speech where about {_TRIAL_WORDS} were "
                f"asked for: {plain(text)}"
            )
        if composed.form is not None or not names:
            return
    raise UnparseableReply(
        f"{model.model} wrote a speech, but twice without the JSON object before it "
        f"({', '.join(form.model_fields)}) that the debater of {', '.join(names)} needs. Choose "
        "another model, or a debater that asks for a text alone, such as direct."
    )


def list_roles(resolved: ResolvedConfig) -> dict[str, list[Role]]:
    """Return the roles of each model of a tournament, by its name."""
    debating = {model for each in resolved.participants for model in participant_models(each)}
    judging = {model for bench in resolved.benches for model in bench_models(bench)}
    players: tuple[tuple[Role, set[str]], ...] = (("debater", debating), ("judge", judging))
    return {
        model: [role for role, called in players if model in called] for model in resolved.models
    }


def _format_trial(models: Models, model: str, trial: _Trial, seconds: float) -> str:
    completions = trial.completions
    tokens = [
        sum(getattr(completion.usage, name) for completion in completions)
        for name in ("input_tokens", "output_tokens")
    ]
    parts = [
        f"{tokens[0]} + {counted(tokens[1], 'token')}",
        f"{sum(completion.cost_usd for completion in completions):.6f} USD",
        f"{seconds:.1f} s",
    ]
    if mode := models.structured_mode(model):
        parts.append(f"structured answers by {mode}")
    if served := completions[-1].served_model:
        parts.append(f"served as {plain(served)}")
    if dropped := sorted({name for completion in completions for name in completion.dropped}):
        parts.append(f"does not accept {', '.join(dropped)}")
    if trial.read:
        parts.append(f"read as meant: {', '.join(sorted(trial.read))}")
    return ", ".join(parts)


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
