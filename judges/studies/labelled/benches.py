"""The benches that judge labelled pairs: those of a file, or those that the command line names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.load import read_text
from arena.config.messages import explained
from arena.config.resolve import ResolvedConfig, resolve
from arena.config.sections import Config, ParticipantSection
from arena.config.shipped import example_named
from arena.errors import ConfigError
from arena.plugins import judge_class, judge_options

_EXAMPLES = files("judges") / "examples"
#: Where judges stand that no file names.
_NAMED = "--judge"
#: Tables of a tournament's file that say nothing of its judges.
_ASIDE = ("tournament", "schedule", "search", "sampling", "participants")


class PairsConfig(Config):
    """A configuration in which nobody debates."""

    participants: list[ParticipantSection] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Judges as the command line names them, all on one model."""

    judges: tuple[str, ...]
    model: str = ""
    runs: int = 1
    swap: bool = False
    options: Mapping[str, Any]


def example_benches() -> list[str]:
    """The names of the shipped files."""
    return sorted(
        one.name.removesuffix(".toml") for one in _EXAMPLES.iterdir() if one.name.endswith(".toml")
    )


def benches_of(source: str, *, languages: Sequence[str], words: int) -> ResolvedConfig:
    """The benches of a TOML file, or of a shipped example by its name.

    Its tables `benches`, `models` and `limits` count; the rest of a tournament's file may stand
    there too.

    Args:
        source: the file.
        languages: of the pairs.
        words: the mean length of an answer, for the estimate.

    Raises:
        ConfigError: it cannot be read, or names a judge that asks no model about pairs.
    """
    try:
        content = tomllib.loads(_text(source))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: no valid TOML: {error}.") from None
    kept = {key: value for key, value in content.items() if key not in _ASIDE}
    return _entry(kept, where=source, languages=languages, words=words)


def benches_named(named: Named, *, languages: Sequence[str], words: int) -> ResolvedConfig:
    """Benches from the command line, each named after its judge; otherwise like `benches_of`."""
    if named.options and len(named.judges) > 1:
        raise ConfigError(
            "--option belongs to one --judge: name one, or write all of them to a file "
            "(--benches FILE)."
        )
    methods = [judge_class(one, where=_NAMED) for one in named.judges]
    if not named.model and any(one.needs_model for one in methods):
        raise ConfigError(
            "--model: missing. Write provider/name, for example openai/gpt-4o-mini or offline/good."
        )
    model = {"model": named.model} if named.model else {}
    benches = [
        {
            "name": judge,
            "judge": judge,
            "runs": named.runs,
            "swap": named.swap,
            "options": dict(named.options),
            **model,
        }
        for judge in dict.fromkeys(named.judges)
    ]
    return _entry({"benches": benches}, where=_NAMED, languages=languages, words=words)


def _entry(
    content: Mapping[str, Any], *, where: str, languages: Sequence[str], words: int
) -> ResolvedConfig:
    limits = content.get("limits", {})
    given = {
        **content,
        "limits": {**limits, "words": words} if isinstance(limits, dict) else limits,
        "tournament": {"name": "pairs", "contest": "essay", "languages": list(languages)},
    }
    try:
        config = PairsConfig.model_validate(given)
    except ValidationError as error:
        raise ConfigError(explained(error, where)) from None
    _check_hearing(config, where)
    return resolve(config, where=where, motions=())


def _check_hearing(config: Config, where: str) -> None:
    for number, bench in enumerate(config.benches, start=1):
        place = where if where == _NAMED else f"{where}: benches[{number}].judge"
        method = judge_class(bench.judge, where=place)
        try:
            takes = method.takes(judge_options(bench.judge, bench.options))
        except ValidationError:
            continue  # `resolve` says what is wrong with the options
        if "essay" not in takes or not method.needs_model:
            raise ConfigError(
                f"{place}: {bench.judge!r} asks no model about pairs of answers. Choose "
                "debatrix, single, more, samre, or a jury of these."
            )


def _text(source: str) -> str:
    if name := example_named(source, example_benches()):
        return (_EXAMPLES / f"{name}.toml").read_text("utf-8")
    return read_text(Path(source))
