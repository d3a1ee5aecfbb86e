"""One motion without a file: two models debate it, both ways round, and a bench judges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from arena.config.load import parse_config
from arena.config.model_names import provided
from arena.config.resolve import ResolvedConfig, resolve
from arena.errors import ConfigError
from arena.plugins import debater_class
from arena.records import OFFLINE, digest
from motions import Brief, Category, Motion, Wording, derived_id, language_of, load, shipped

#: Where the motion comes from, as the database names it.
SOURCE = "command line"
_MARKS = "_.+@:/-"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMotion:
    """What is asked for on the command line.

    Attributes:
        motion: its text, or the id of a shipped motion.
        a, b: the models; each is Pro in one leg and Con in the other.
        debater: the framework that both use.
        judge_model: "" for a model that the participants suggest.
        language: "" for the one that the text is in.
        category: "" for policy, or for the shipped motion's own.
    """

    motion: str
    a: str
    b: str
    debater: str = "direct"
    judge_model: str = ""
    language: str = ""
    category: str = ""


def one_motion_config(asked: OneMotion) -> ResolvedConfig:
    """A tournament of one matchup: no search, and the Debatrix bench.

    Its name is made of motion, models and debater, so asking again goes on with what is stored,
    and another judge judges the same debates.

    Raises:
        ConfigError: a blank motion, an unknown debater or model, or a shipped motion that is not
            of this category or language.
    """
    if not debater_class(asked.debater, where="--debater").needs_model:
        raise ConfigError(
            f"--debater: {asked.debater!r} needs no model, but --a and --b name two. Choose "
            "another, or write its participants into a file (`arena init`)."
        )
    for option, model in (("--a", asked.a), ("--b", asked.b), ("--judge-model", _judge(asked))):
        provided(model, where=option)
    motion = _motion(asked)
    config = parse_config(_content(asked, motion), where="--motion")
    return resolve(config, where="--motion", motions=[motion])


def _motion(asked: OneMotion) -> Motion:
    text = " ".join(asked.motion.split())
    if not text:
        raise ConfigError('--motion: blank; write the motion, as in --motion "Cities should ban".')
    for source in shipped():
        if text.startswith(f"{source}-"):
            for motion in load(source).motions:
                if motion.motion_id == text:
                    return _shipped(motion, asked)
    language = asked.language or language_of(text)
    category: Category = asked.category or "policy"  # type: ignore[assignment]
    wording = Wording(text=text, info_slide="", brief=Brief(pro=(), con=()))
    return Motion(
        motion_id=derived_id(text, language, category, SOURCE),
        motion_set=SOURCE,
        category=category,
        topic="",
        wordings={language: wording},
    )


def _shipped(motion: Motion, asked: OneMotion) -> Motion:
    if asked.category not in ("", motion.category):
        raise ConfigError(
            f"--category: given {asked.category!r}, but {motion.motion_id} is shipped as a "
            f"{motion.category} motion. Leave the option out."
        )
    return motion


def _content(asked: OneMotion, motion: Motion) -> dict[str, Any]:
    """The configuration, as a file would hold it."""
    language = asked.language or next(iter(motion.wordings))
    judge = _judge(asked)
    return {
        "tournament": {
            "name": _name(asked, motion, language),
            "languages": [language],
            "motions": SOURCE,
            "categories": [motion.category],
        },
        "search": {"kind": "none"},
        "participants": [
            {"name": name, "debater": asked.debater, "model": model}
            for name, model in zip(_names(asked), (asked.a, asked.b), strict=True)
        ],
        "benches": [{"name": _plain(f"debatrix-{judge}", 80), "judge": "debatrix", "model": judge}],
    }


def _judge(asked: OneMotion) -> str:
    """The judge's model: where nobody names it, a real one rather than a simulated one."""
    real = [model for model in (asked.a, asked.b) if not model.startswith(OFFLINE)]
    return asked.judge_model or next(iter(real), f"{OFFLINE}strong")


def _names(asked: OneMotion) -> list[str]:
    """The participants' names: their models', told apart where a model debates with itself."""
    names = [_plain(model, 70) for model in (asked.a, asked.b)]
    if names[0] == names[1]:
        return [f"{names[0]}-a", f"{names[1]}-b"]
    return names


def _name(asked: OneMotion, motion: Motion, language: str) -> str:
    said = _plain(motion.wording(language).text.lower(), 32)
    a, b = (_plain(model.rpartition("/")[2], 16) for model in (asked.a, asked.b))
    identity = digest(motion.motion_id, language, asked.a, asked.b, asked.debater)[:6]
    return f"{said}.{a}-vs-{b}.{identity}"


def _plain(text: str, length: int) -> str:
    """A text as a part of a name: at most so long, and hyphens for what names may not hold."""
    kept = (c if c.isalpha() or c.isdecimal() or c in _MARKS else "-" for c in text)
    return re.sub("-+", "-", "".join(kept))[:length].strip(_MARKS) or "x"
