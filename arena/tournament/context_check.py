"""Check that models can read a whole debate: the rules and all speeches at their full length."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from arena.config.resolve import ResolvedConfig
from arena.languages import SPEECHES, Language, language
from arena.llm.answer_length import limit_tokens
from arena.llm.context_window import least_answer, pad_estimate
from arena.llm.usage import estimate_tokens
from arena.plugins import judge_models, participant_models
from arena.records import OFFLINE, Sampling
from arena.tournament.models import Models

#: Tokens of an English word with the blank after it, by the rule of `estimate_tokens`.
_TOKENS_PER_WORD = 1.5
#: The plainest of the prompts in which a speaker reads the whole debate.
_RULES = ("context", "summary", "duties_summary")
#: The number of full-length speeches in a contest; an answer to a question is short.
_SPEECHES = {"debate": SPEECHES, "essay": 2, "question": 0}


def find_misfits(resolved: ResolvedConfig, models: Models) -> list[str]:
    """Name the participants and benches with a model whose context window is too small.

    A window that nobody knows is taken to be large enough, and so are those of simulated models.

    Returns:
        A line for each, with the numbers and what to do.

    Raises:
        UnknownModel: a model's name contains no known provider.
    """
    if resolved.imported:
        return []
    codes = resolved.languages or resolved.config.tournament.languages
    needed = max(_needed_tokens(resolved, language(code)) for code in codes)
    words = max(language(code).limit(resolved.config.limits.words) for code in codes)
    limit = limit_tokens(Sampling(), words).max_tokens
    lines = []
    for who, model in dict.fromkeys(_callers(resolved)):
        window = None if not model or model.startswith(OFFLINE) else models.context_tokens(model)
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
        for model in filter(None, participant_models(participant)):  # people have none
            yield f"participant {participant.name!r}", model
    for bench in resolved.benches:
        for model in (bench.model, *judge_models(bench.judge, bench.options)):
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
