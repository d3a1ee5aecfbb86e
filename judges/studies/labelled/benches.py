"""The benches that judge labelled pairs, from a file or from the options of a command."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.load import read_text
from arena.config.messages import format_validation_error
from arena.config.resolve import ResolvedConfig, resolve
from arena.config.sections import Config, ParticipantSection
from arena.config.shipped import find_example
from arena.errors import ConfigError
from arena.plugins import judge_class, judge_options

_EXAMPLES = files("judges") / "examples"
#: The place that error messages name for judges of no file.
_COMMAND_LINE = "--judge"
#: Tables of a tournament's file that do not concern its judges.
_IGNORED = ("tournament", "schedule", "search", "sampling", "participants")


class PairsConfig(Config):
    """A configuration without participants."""

    participants: list[ParticipantSection] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Judges as the options of a command name them, all on one model."""

    judges: tuple[str, ...]
    model: str = ""
    runs: int = 1
    swap: bool = False
    options: Mapping[str, Any]


def example_benches() -> list[str]:
    """Return the names of the shipped files; those of papers are `papers/NAME`."""
    folders = {"": _EXAMPLES, "papers/": _EXAMPLES / "papers"}
    return sorted(
        f"{prefix}{file.name.removesuffix('.toml')}"
        for prefix, folder in folders.items()
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    )


def read_benches(
    source: str, *, languages: Sequence[str], words: int, model: str = ""
) -> ResolvedConfig:
    """Read the benches of a TOML file, or of a shipped example by its name.

    Only its tables `benches`, `models` and `limits` are used, so a tournament's file will do.

    Args:
        source: the file.
        languages: of the pairs.
        words: the mean length of an answer, for the estimate.
        model: of all benches, in place of the file's; members of a jury that name one keep it.

    Raises:
        ConfigError: the file cannot be read, or names a judge that asks no model about pairs.
    """
    try:
        content = tomllib.loads(_read_source(source))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}.") from None
    used = {key: value for key, value in content.items() if key not in _IGNORED}
    benches = used.get("benches")
    if model and isinstance(benches, list):
        used["benches"] = [
            {**bench, "model": model} if isinstance(bench, dict) else bench for bench in benches
        ]
    return _resolve(used, where=source, languages=languages, words=words)


def make_benches(options: JudgeOptions, *, languages: Sequence[str], words: int) -> ResolvedConfig:
    """Make benches from a command's options, each named after its judge.

    Otherwise like `read_benches`.
    """
    if options.options and len(options.judges) > 1:
        raise ConfigError(
            "--option needs exactly one --judge. Name one, or describe the judges in a file "
            "(--benches FILE)."
        )
    methods = [judge_class(name, where=_COMMAND_LINE) for name in options.judges]
    if not options.model and any(method.needs_model for method in methods):
        raise ConfigError(
            "--model: missing. Write provider/name, for example openai/gpt-4o-mini or offline/good."
        )
    model = {"model": options.model} if options.model else {}
    benches = [
        {
            "name": judge,
            "judge": judge,
            "runs": options.runs,
            "swap": options.swap,
            "options": dict(options.options),
            **model,
        }
        for judge in dict.fromkeys(options.judges)
    ]
    return _resolve({"benches": benches}, where=_COMMAND_LINE, languages=languages, words=words)


def _resolve(
    content: Mapping[str, Any], *, where: str, languages: Sequence[str], words: int
) -> ResolvedConfig:
    """Validate and resolve tables of benches, models and limits."""
    limits = content.get("limits", {})
    tables = {
        **content,
        "limits": {**limits, "words": words} if isinstance(limits, dict) else limits,
        "tournament": {"name": "pairs", "contest": "essay", "languages": list(languages)},
    }
    try:
        config = PairsConfig.model_validate(tables)
    except ValidationError as error:
        raise ConfigError(format_validation_error(error, where)) from None
    _check_judges(config, where)
    return resolve(config, where=where, motions=())


def _check_judges(config: Config, where: str) -> None:
    """Check that every bench asks a model about pairs of answers.

    Raises:
        ConfigError: one does not.
    """
    for number, bench in enumerate(config.benches, start=1):
        place = where if where == _COMMAND_LINE else f"{where}: benches[{number}].judge"
        method = judge_class(bench.judge, where=place)
        try:
            contests = method.takes(judge_options(bench.judge, bench.options))
        except ValidationError:
            continue  # `resolve` reports what is wrong with the options
        if "essay" not in contests or not method.needs_model:
            raise ConfigError(
                f"{place}: {bench.judge!r} does not ask a model about pairs of answers. Choose "
                "debatrix, single, more, samre, or a jury of these."
            )


def _read_source(source: str) -> str:
    if name := find_example(source, example_benches()):
        return (_EXAMPLES / f"{name}.toml").read_text("utf-8")
    return read_text(Path(source))
