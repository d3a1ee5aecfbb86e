"""The configuration of a tournament: TOML, parsed strictly, once, at the edge."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from arena.errors import ConfigError
from arena.languages import LANGUAGES, Contest
from arena.scheduling.section import ScheduleSection
from arena.search.section import SearchSection
from arena.section import Secret, Section
from arena.shipped import example_named

_EXAMPLES = files("arena") / "examples"


Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w][\w .+@:/-]*$")]


class TournamentSection(Section):
    """What is played, under which name."""

    name: Name
    contest: Contest = "debate"
    languages: list[str] = Field(default=["en"], min_length=1)
    motions: str = "arena66"
    categories: list[Literal["fact", "policy", "value"]] = Field(
        default=["fact", "policy", "value"], min_length=1
    )
    most_motions: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    #: The tournament whose essays people rank in this one (`arena rank`): nothing is played in it.
    ranks: Name | None = None

    @model_validator(mode="after")
    def _known_languages(self) -> TournamentSection:
        for code in self.languages:
            if code not in LANGUAGES:
                raise ValueError(f"unknown language {code!r}; accepted: {', '.join(LANGUAGES)}")
        for key, chosen in (("languages", self.languages), ("categories", self.categories)):
            if len(set(chosen)) < len(chosen):
                raise ValueError(f"`{key}` names one twice")
        return self


class LimitsSection(Section):
    """Spending, length, time and patience."""

    usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    words: int = Field(default=600, ge=50, le=20_000)
    timeout_seconds: float = Field(default=120.0, gt=0)
    retries: int = Field(default=8, ge=0, le=100)


class Price(Section):
    """USD per million tokens; `cached` is for input that the provider had in its cache."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _cached_is_cheaper(self) -> Price:
        if self.cached is not None and self.cached > self.input:
            raise ValueError(
                f"`cached` must not be more than `input`, the price of what is not cached "
                f"({self.input:g})"
            )
        return self


class ModelSection(Section):
    """What LiteLLM does not know of a model, and how hard it may be called."""

    api_base: str | None = None
    api_key: Secret | None = None
    usd_per_million: Price | None = None
    requests_per_minute: float | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, ge=1)


class SamplingSection(Section):
    """Sampling; what is left out comes from the debater or the judge."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=16)


class ParticipantSection(Section):
    """A debater on a model; a person has none."""

    name: Name
    debater: str
    model: str = ""
    options: dict[str, Any] = {}
    sampling: SamplingSection = SamplingSection()


class BenchSection(Section):
    """A configured judge; one that asks no model has none."""

    name: Name
    judge: str
    model: str = ""
    runs: int = Field(default=3, ge=1, le=99)
    swap: bool = False
    sampling: SamplingSection = SamplingSection()
    family: str = ""
    options: dict[str, Any] = {}


class Config(Section):
    """A whole file."""

    tournament: TournamentSection
    schedule: ScheduleSection = ScheduleSection()
    limits: LimitsSection = LimitsSection()
    search: SearchSection = SearchSection()
    sampling: SamplingSection = SamplingSection()
    models: dict[str, ModelSection] = {}
    participants: list[ParticipantSection] = Field(min_length=2)
    benches: list[BenchSection] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> Config:
        for kind in ("participants", "benches"):
            names = [one.name for one in getattr(self, kind)]
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"two {kind} are named {name!r}; names must differ")
        self.schedule.check_names([one.name for one in self.participants])
        return self


def load(source: str | Path) -> Config:
    """A configuration from a file, or from a shipped example by its name.

    Raises:
        ConfigError: missing, unreadable, no TOML, or not a valid configuration.
    """
    text, where = _text(source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: no valid TOML: {error}.") from None
    return parse(content, where=where)


def parse(content: Mapping[str, Any], *, where: str) -> Config:
    """A configuration from parsed TOML (or from what the database stored).

    Raises:
        ConfigError: it has unknown, missing or unaccepted entries; all of them are listed.
    """
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        raise ConfigError(explained(error, where)) from None
    return _beside(config, where)


def examples() -> dict[str, str]:
    """The shipped examples: name and text."""
    found = [one for one in _EXAMPLES.iterdir() if one.name.endswith(".toml")]
    return {one.name.removesuffix(".toml"): one.read_text("utf-8") for one in found}


def from_environment(value: str | None) -> str | None:
    """The value of `env:NAME` or `env:NAME|default`; other values as they are, unset ones None."""
    if value is None or not value.startswith("env:"):
        return value
    name, _, default = value.removeprefix("env:").partition("|")
    return os.environ.get(name) or default or None


def _text(source: str | Path) -> tuple[str, str]:
    shipped = examples()
    advice = "`arena init` writes a file to start from."
    if name := example_named(source, shipped, advice=advice):
        return shipped[name], name
    return read_text(Path(source)), str(Path(source))


def read_text(path: Path) -> str:
    """A user's file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None


def _beside(config: Config, where: str) -> Config:
    # Motion files and folders to search are named relative to the configuration's own folder.
    if not Path(where).is_file():
        return config
    folder = Path(where).parent
    motions, search = config.tournament.motions, config.search
    changed: dict[str, Section] = {}
    if Path(motions).suffix or "/" in motions:
        beside = str((folder / motions).resolve())
        changed["tournament"] = config.tournament.model_copy(update={"motions": beside})
    if search.path is not None:
        beside = str((folder / Path(search.path).expanduser()).resolve())
        changed["search"] = search.model_copy(update={"path": beside})
    return config.model_copy(update=changed)


#: What to do about a section that is not there.
_REMEDIES = {
    "benches": " Write a [[benches]] table: its name, its judge, its model.",
    "participants": " Write two [[participants]] tables or more: name, debater, model.",
}


def explained(error: ValidationError, where: str) -> str:
    """What is wrong with a configuration, entry by entry."""
    found = [_one(dict(one)) for one in error.errors(include_url=False)]
    return f"{where}: {found[0]}" if len(found) == 1 else "\n  - ".join([f"{where}:", *found])


def _one(error: Mapping[str, Any]) -> str:
    place = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in error["loc"])
    place = place.lstrip(".") or "the file"
    if error["type"] == "value_error" and not error["loc"]:
        return f"{fault(error)}."  # names its place itself
    if error["type"] == "extra_forbidden":
        parent = place.rpartition(".")[0]
        accepted = ", ".join(_accepted(error["loc"][:-1])) or "no keys"
        return f"{place}: unknown key. Accepted in {parent or 'the file'}: {accepted}."
    if error["type"] == "missing":
        return f"{place}: missing.{_REMEDIES.get(place, '')}"
    given = error.get("input")
    # A value under `models` may be a key that somebody put in the wrong place.
    secret = error["loc"][:1] == ("models",) or error["loc"][-1:] == ("api_key",)
    hidden = secret or isinstance(given, dict)
    shown = "" if hidden else f" Given: {given!r}."
    return f"{place}: {fault(error)}.{shown}{_REMEDIES.get(place, '')}"


def fault(error: Mapping[str, Any]) -> str:
    """What is wrong with one entry, of pydantic's errors, in a file's words."""
    if error["type"] == "too_short":
        bounds = error["ctx"]
        return f"at least {bounds['min_length']} needed, {bounds['actual_length']} given"
    return str(error["msg"]).removeprefix("Value error, ")


def _accepted(place: tuple[Any, ...]) -> list[str]:
    section: Any = Config
    for part in place:
        if isinstance(part, int):
            continue
        if section is Config and part == "models":
            section = {"models": ModelSection}
            continue
        if isinstance(section, dict):
            section = section["models"]
            continue
        section = _inner(section.model_fields[part].annotation)
    return list(getattr(section, "model_fields", {}))


def _inner(annotation: Any) -> Any:  # noqa: ANN401 - a type expression
    if isinstance(annotation, type):
        return annotation
    inner = [one for one in getattr(annotation, "__args__", ()) if one is not type(None)]
    return _inner(inner[0]) if inner else annotation
