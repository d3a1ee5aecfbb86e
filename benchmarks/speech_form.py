"""Where a speech stands best in the answer of a small model: in a JSON field, after one, alone.

    python benchmarks/speech_form.py [--json] [--short] [--only TEXT]

SmolLM2-135M, served on this machine, writes constructives of 60 words to two prompts: that of the
Writer of `agent4debate`, with the discussion of its team before it, and a short one. Each is asked
for in three forms: every field in one JSON object whose schema the server enforces; a small object
first and the speech after it as plain text, nothing enforced; the speech alone; and with several
settings against repetitions. Needs the packages of `arena run tiny`, and says
so where they are missing.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import click
import httpx

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.errors import ConfigError  # noqa: E402 - the project, when run as a script
from arena.llm.local_backend import SMOLLM2, LocalServer, check_packages, server_count  # noqa: E402
from benchmarks.debaters import record_requests, some_motions  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from motions import Motion  # noqa: E402

#: Messages as (role, text); the form of the answer is added to the last one.
Prompt: TypeAlias = Sequence[tuple[str, str]]

WORDS = 60
_MAX_TOKENS = 250
#: The sampling of the Writer.
_SAMPLING = {"temperature": 0.2, "top_p": 0.75, "max_tokens": _MAX_TOKENS}
_FIELDS = ("reasoning", "marker", "claim", "speech")
_SCHEMA = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "marker": {"enum": ["finished", "needs_material"]},
        "claim": {"type": "string"},
        "speech": {"type": "string"},
    },
    "required": list(_FIELDS),
    "additionalProperties": False,
}
_SHORT_PROMPT = """You speak for Pro in a debate.
Motion: {motion}

Write Pro's opening speech: one reason for the motion, an example, and what follows. It is to be \
spoken, in plain prose. At most {words} words."""
#: The forms of an answer, by name, as a prompt asks for them.
FORMS: Mapping[str, str] = {
    "field": (
        "Answer with one JSON object: `reasoning` (one sentence on how you will argue), `marker` "
        '("finished"), `claim` (empty), and `speech`, the whole speech.'
    ),
    "after an object": (
        "First a JSON object on one line: `reasoning` (one sentence on how you will argue), "
        '`marker` ("finished") and `claim` (empty). Then a blank line, and after it the speech as '
        "plain text."
    ),
    "alone": "Answer with the text of the speech and nothing else.",
}
#: What the server is asked to do against repetitions, by name.
PENALTIES: Mapping[str, Mapping[str, float]] = {
    "none": {"repeat_penalty": 1.0},
    "repeat_penalty 1.1": {"repeat_penalty": 1.1},
    "repeat_penalty 1.2": {"repeat_penalty": 1.2},
    "frequency_penalty 0.5": {"repeat_penalty": 1.0, "frequency_penalty": 0.5},
    "DRY 0.8": {"repeat_penalty": 1.0, "dry_multiplier": 0.8},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one answer was worth.

    Attributes:
        has_object: the object that was asked for stands in the answer and parses.
        read: there is a speech.
        cut: the answer reached the limit of tokens.
        repeats: the answer goes round in circles.
        scaffolded: the speech still contains JSON, a heading, or words of the prompt's format.
        words: of the speech.
    """

    has_object: bool
    read: bool
    cut: bool
    repeats: bool
    scaffolded: bool
    words: int

    @property
    def usable(self) -> bool:
        """Whether a debate could go on with it: a complete speech of 20 to 150 words."""
        faults = self.cut, self.repeats, self.scaffolded
        return self.read and not any(faults) and 20 <= self.words <= 150


def assess(answer: str, finish_reason: str, form: str) -> Outcome:
    """Read an answer of a form, and say what it is worth."""
    before, fields, after = split_object(answer)
    if form == "field":
        speech = str(fields.get("speech", "")) if fields else ""
    elif form == "after an object":
        speech = after if fields else before
    else:
        speech = answer
    marks = ("{", "}", "```", "# ", "Motion:", "JSON", *(f'"{name}"' for name in _FIELDS))
    return Outcome(
        has_object=fields is not None,
        read=bool(speech.strip()),
        cut=finish_reason == "length",
        repeats=goes_round(answer),
        scaffolded=any(mark in speech for mark in marks),
        words=len(speech.split()),
    )


def split_object(answer: str) -> tuple[str, dict[str, Any] | None, str]:
    """Split an answer at its first JSON object: the text before, the object, the text after.

    >>> split_object('Here: {"marker": "finished"} We begin.')
    ('Here:', {'marker': 'finished'}, 'We begin.')
    """
    decoder = json.JSONDecoder(strict=False)
    for start in (place for place, sign in enumerate(answer) if sign == "{"):
        try:
            fields, end = decoder.raw_decode(answer, start)
        except ValueError:
            continue
        after = answer[end:].strip().removeprefix("```").strip()
        return answer[:start].strip(), fields, after
    return answer.strip(), None, ""


def goes_round(text: str) -> bool:
    """Tell whether fewer than half of the sequences of four words are different ones.

    >>> goes_round("It is good. " * 20), goes_round("It is good.")
    (True, False)
    """
    words = text.split()
    sequences = [tuple(words[place : place + 4]) for place in range(len(words) - 3)]
    return len(sequences) >= 20 and len(set(sequences)) < len(sequences) / 2


def long_prompt(motion: Motion) -> Prompt:
    """Return the prompt of the Writer's first constructive, without its output format."""
    with tempfile.TemporaryDirectory() as folder:
        requests = asyncio.run(
            record_requests("agent4debate", motion, "en", Path(folder), words=WORDS)
        )
    (request,) = (
        request
        for request in requests
        if (request.path, request.attempt) == ("pro/constructive/writer/1", 0)
    )
    *context, task = [(message.role, message.text) for message in request.messages]
    return [*context, ("user", task[1].partition("# Output format")[0].strip())]


def short_prompt(motion: Motion) -> Prompt:
    """Return a prompt of a few sentences."""
    return [("user", _SHORT_PROMPT.format(motion=motion.wording("en").text, words=WORDS))]


async def ask(client: httpx.AsyncClient, prompt: Prompt, form: str, seed: int, penalty: str) -> str:
    """Ask for a speech, and return the server's answer as it is."""
    messages = [{"role": role, "content": text} for role, text in prompt]
    messages[-1]["content"] += f"\n\n# Output format\n{FORMS[form]}"
    body: dict[str, Any] = {
        "model": SMOLLM2,
        "messages": messages,
        "seed": seed,
        **_SAMPLING,
        **PENALTIES[penalty],
    }
    if form == "field":
        described = {"name": "Written", "schema": _SCHEMA, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    response = await client.post("/chat/completions", json=body)
    response.raise_for_status()
    return response.text


async def collect(
    addresses: Sequence[str], prompts: Sequence[Prompt], form: str, penalty: str, trials: int
) -> list[Outcome]:
    """Return the outcomes of some trials, spread evenly over the prompts and the servers."""
    waiting = iter(range(trials))
    outcomes: list[Outcome] = []

    async def work(address: str) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=1200) as client:
            for trial in waiting:
                prompt = prompts[trial % len(prompts)]
                answer = json.loads(await ask(client, prompt, form, trial, penalty))["choices"][0]
                content = answer["message"]["content"]
                outcomes.append(assess(content, answer["finish_reason"], form))

    await asyncio.gather(*map(work, addresses))
    return outcomes


def measure(
    trials: int, motions: Sequence[Motion], *, only: str = ""
) -> Iterator[Mapping[str, object]]:
    """Yield a row for each prompt, form and setting against repetitions, or only for some."""
    prompts = {
        "Writer's prompt": [long_prompt(motion) for motion in motions],
        "short prompt": [short_prompt(motion) for motion in motions],
    }
    cases = [*product(["short prompt"], FORMS, PENALTIES)]
    cases += product(["Writer's prompt"], FORMS, ["none", "repeat_penalty 1.1"])
    cases = [case for case in cases if only in ", ".join(case)]
    servers = [LocalServer() for _ in range(server_count())]
    addresses = [server.address for server in servers]
    try:
        for prompt, form, penalty in cases:
            outcomes = asyncio.run(collect(addresses, prompts[prompt], form, penalty, trials))
            yield {"case": f"{prompt}, {form}", "penalty": penalty, **_shares(outcomes)}
    finally:
        for server in servers:
            server.stop()


def _shares(outcomes: Sequence[Outcome]) -> dict[str, object]:
    def share(values: Iterator[bool]) -> str:
        return f"{sum(values) / len(outcomes):.0%}"

    words = sorted(outcome.words for outcome in outcomes)
    return {
        "object": share(outcome.has_object for outcome in outcomes),
        "speech": share(outcome.read for outcome in outcomes),
        "cut": share(outcome.cut for outcome in outcomes),
        "repeats": share(outcome.repeats for outcome in outcomes),
        "scaffolded": share(outcome.scaffolded for outcome in outcomes),
        "words": words[len(words) // 2],
        "usable": share(outcome.usable for outcome in outcomes),
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="Six trials of each case instead of thirty.")
@click.option("--only", default="", help="Only the cases in whose names this text stands.")
def main(as_json: bool, short: bool, only: str) -> None:  # noqa: FBT001
    """Measure every form."""
    try:
        check_packages()
    except ConfigError as missing:
        click.echo(f"Skipped: {missing}")
        return
    trials, each = (6, 1) if short else (30, 2)
    report(measure(trials, some_motions(each), only=only), as_json=as_json)


if __name__ == "__main__":
    main()
