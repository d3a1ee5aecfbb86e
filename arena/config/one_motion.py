"""A tournament of one motion, made without a file: two models debate it on both sides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from arena.config.load import parse_config
from arena.config.model_names import check_model_name
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import debater_class
from arena.records import OFFLINE, digest
from motions import Brief, Category, Motion, Wording, derived_id, language_of, load, shipped

#: The motion set under which the database stores the motion.
SOURCE = "command line"
#: The schedule of a motion that is debated until it is settled who is better.
_UNTIL_DECIDED = {
    "target": {"objective": "ranking"},
    "schedule": {"kind": "adaptive", "wave": 2, "matchups": 60},
}
#: The characters besides letters and digits that names keep.
_MARKS = "_.+@:/-"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMotion:
    """The options of the command line that describe a tournament of one motion.

    Attributes:
        motion: its text, or the id of a shipped motion.
        a, b: the models; each is Pro in one leg and Con in the other.
        judge_model: '' for the first real model of the two, else the strongest simulated one.
        language: '' for the language that the text is in.
        category: '' for policy, or for the category of a shipped motion.
        until_decided: whether it is debated until it is settled who is better.
    """

    motion: str
    a: str
    b: str
    debater: str = "direct"
    judge_model: str = ""
    language: str = ""
    category: str = ""
    until_decided: bool = False


def one_motion_config(options: OneMotion) -> ResolvedConfig:
    """Make the configuration of one matchup without search, judged by a Debatrix bench.

    The tournament's name is made of motion, models and debater. So the same command again resumes
    the stored tournament, and one with another judge judges the same debates.

    Raises:
        ConfigError: a blank motion, an unknown debater or model, or a shipped motion that is not
            of this category or language.
    """
    if not debater_class(options.debater, where="--debater").needs_model:
        raise ConfigError(
            f"--debater: {options.debater!r} uses no model, but --a and --b name two. Choose "
            "another debater, or write a file with its participants (`arena init`)."
        )
    check_model_name(options.a, where="--a")
    check_model_name(options.b, where="--b")
    check_model_name(_judge_model(options), where="--judge-model")
    motion = _motion(options)
    config = parse_config(_config_content(options, motion), where="--motion")
    return resolve(config, where="--motion", motions=[motion])


def _motion(options: OneMotion) -> Motion:
    text = " ".join(options.motion.split())
    if not text:
        raise ConfigError(
            '--motion is blank. Write the motion, for example --motion "Cities should ban cars".'
        )
    for source in shipped():
        if text.startswith(f"{source}-"):
            for motion in load(source).motions:
                if motion.motion_id != text:
                    continue
                if options.category not in ("", motion.category):
                    raise ConfigError(
                        f"--category {options.category!r} does not fit: the shipped motion {text} "
                        f"is in the category {motion.category}. Leave the option out."
                    )
                return motion
    language = options.language or language_of(text)
    category: Category = options.category or "policy"  # type: ignore[assignment]
    wording = Wording(text=text, info_slide="", brief=Brief(pro=(), con=()))
    return Motion(
        motion_id=derived_id(text, language, category, SOURCE),
        motion_set=SOURCE,
        category=category,
        topic="",
        wordings={language: wording},
    )


def _config_content(options: OneMotion, motion: Motion) -> dict[str, Any]:
    """Return the configuration as the tables of a file."""
    language = options.language or next(iter(motion.wordings))
    judge = _judge_model(options)
    names = [_name_part(model, 70) for model in (options.a, options.b)]
    if names[0] == names[1]:
        names = [f"{names[0]}-a", f"{names[1]}-b"]
    return {
        "tournament": {
            "name": _tournament_name(options, motion, language),
            "languages": [language],
            "motions": SOURCE,
            "categories": [motion.category],
        },
        **(_UNTIL_DECIDED if options.until_decided else {}),
        "search": {"kind": "none"},
        "participants": [
            {"name": name, "debater": options.debater, "model": model}
            for name, model in zip(names, (options.a, options.b), strict=True)
        ],
        "benches": [
            {"name": _name_part(f"debatrix-{judge}", 80), "judge": "debatrix", "model": judge}
        ],
    }


def _judge_model(options: OneMotion) -> str:
    """Return the judge's model; by default, a real model rather than a simulated one."""
    real = [model for model in (options.a, options.b) if not model.startswith(OFFLINE)]
    return options.judge_model or next(iter(real), f"{OFFLINE}strong")


def _tournament_name(options: OneMotion, motion: Motion, language: str) -> str:
    text = _name_part(motion.wording(language).text.lower(), 32)
    a, b = (_name_part(model.rpartition("/")[2], 16) for model in (options.a, options.b))
    identity = digest(motion.motion_id, language, options.a, options.b, options.debater)[:6]
    return f"{text}.{a}-vs-{b}.{identity}"


def _name_part(text: str, length: int) -> str:
    """Turn a text into a part of a name: other characters become hyphens, the end is cut off.

    Args:
        length: characters at most.
    """
    kept = (char if char.isalpha() or char.isdecimal() or char in _MARKS else "-" for char in text)
    return re.sub("-+", "-", "".join(kept))[:length].strip(_MARKS) or "x"
