"""The tables of a configuration: the keys of each, and the values that they accept."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, field_validator, model_validator

from arena.config.schedule_section import ScheduleSection, TargetSection
from arena.config.section import (
    Duration,
    ModelSection,
    Name,
    Secret,
    Section,
    SpeakingSection,
    TranscriptionSection,
)
from arena.errors import ConfigError
from arena.languages import LANGUAGES, Contest
from arena.records import ReasoningEffort

#: Names of the parameters of an address that carry keys: key, api_key, access-token, sig, code.
_SECRET: Final = re.compile(
    r"(?i:(^|[-_])(key|apikey|token|secret|password|passwd|sig|signature|code|auth|bearer)$)"
    r"|[a-z](Key|Token|Secret|Password|Signature)$"  # accessToken, but not monkey
)


class TournamentSection(Section):
    """The table `[tournament]`: its name, and what is played in which languages."""

    name: Name
    contest: Contest = "debate"
    languages: list[str] = Field(default=["en"], min_length=1)
    motions: str = "arena66"
    categories: list[Literal["fact", "policy", "value"]] = Field(
        default=["fact", "policy", "value"], min_length=1
    )
    most_motions: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    #: The tournament whose essays people rank in this one (`arena rank`). This one then only holds
    #: their rankings, and nothing is played in it.
    ranks: Name | None = None

    @model_validator(mode="after")
    def _known_languages(self) -> TournamentSection:
        for code in self.languages:
            if code not in LANGUAGES:
                raise ValueError(f"unknown language {code!r}; accepted: {', '.join(LANGUAGES)}")
        for key, values in (("languages", self.languages), ("categories", self.categories)):
            if len(set(values)) < len(values):
                raise ValueError(f"`{key}` lists a value twice")
        return self


ExecutorKind = Literal["local", "processes", "ray"]

_EXECUTOR = re.compile(
    r"(?P<kind>local|processes|ray)(:(?P<number>[0-9]{1,6}))?(://(?P<address>\S+))?"
)
_EXECUTORS = (
    "local (this process alone), processes (one worker for each core), processes:N, ray (a Ray "
    "cluster that this machine belongs to, or else this machine), ray:N, ray://HOST:PORT or "
    "ray:N://HOST:PORT"
)
#: The port of Ray Client, where an address names none.
_CLIENT_PORT = 10001


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorName:
    """Who plays the debates of a run, as the file or an option names it.

    Attributes:
        workers: how many there are at most; `None` for one for each core.
        address: `HOST:PORT` of a Ray cluster; '' for the one that this machine belongs to.
    """

    kind: ExecutorKind = "local"
    workers: int | None = None
    address: str = ""

    @property
    def most(self) -> int:
        """How many workers there are at most; a cluster may have any number of machines."""
        return self.workers or (sys.maxsize if self.kind == "ray" else _count_cores())

    @property
    def text(self) -> str:
        """How it is written."""
        number = "" if self.workers is None else f":{self.workers}"
        return f"{self.kind}{number}" + (f"://{self.address}" if self.address else "")


def read_executor(text: str) -> ExecutorName:
    """Read the name of an executor.

    >>> read_executor("processes:4")
    ExecutorName(kind='processes', workers=4, address='')
    >>> read_executor("ray://head").address
    'head:10001'

    Raises:
        ValueError: it is none; says what is accepted.
    """
    match = _EXECUTOR.fullmatch(text)
    workers = int(match["number"]) if match and match["number"] else None
    address = _read_address(match["address"]) if match and match["address"] else ""
    if (
        match is None
        or workers == 0
        or address is None
        or (match["kind"] == "local" and workers)
        or (match["kind"] != "ray" and address)
    ):
        raise ValueError(f"{text!r} is no executor; accepted: {_EXECUTORS}, with N at least 1")
    return ExecutorName(kind=cast(ExecutorKind, match["kind"]), workers=workers, address=address)


def _read_address(text: str) -> str | None:
    """Return an address with its port; `None` where it is none."""
    try:
        url = urlsplit(f"//{text}")
        host, port = url.hostname, url.port or _CLIENT_PORT
    except ValueError:
        return None
    if not host or url.netloc != text or url.username is not None:
        return None
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class RunSection(Section):
    """The table `[run]`: who plays the debates of a run."""

    later_keys = frozenset({"executor"})
    executor: str | None = None

    @field_validator("executor")
    @classmethod
    def _is_executor(cls, text: str | None) -> str | None:
        if text is not None:
            read_executor(text)
        return text


class LimitsSection(Section):
    """The table `[limits]`: USD, tokens, words per speech, seconds and retries per call."""

    later_keys = frozenset(
        {"first_byte_seconds", "call_seconds", "give_up_after"}
        | {"usd_per_day", "tokens", "tokens_per_day", "pause_after_forfeits"}
    )
    usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    usd_per_day: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    #: Of prompts and answers, by all models.
    tokens: int | None = Field(default=None, ge=1)
    tokens_per_day: int | None = Field(default=None, ge=1)
    words: int = Field(default=600, ge=50, le=20_000)
    #: Silence within an answer that is streamed.
    timeout_seconds: float = Field(default=120.0, gt=0)
    #: Until the first byte of an answer, and of the whole call; `None` for the defaults.
    first_byte_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    call_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    retries: int = Field(default=8, ge=0, le=100)
    give_up_after: Duration | None = Field(default=None, gt=0, allow_inf_nan=False)
    #: The first debates after which a participant that forfeits all of them for one reason
    #: plays no more; 0 for never, `None` for the default.
    pause_after_forfeits: int | None = Field(default=None, ge=0)


class SamplingSection(Section):
    """A table of sampling parameters; the debater or the judge gives those that are left out."""

    later_keys = frozenset({"reasoning_effort"})
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=16)
    reasoning_effort: ReasoningEffort | None = None


class ParticipantSection(Section):
    """A table of `[[participants]]`: a debater, and its model unless it is a person.

    Attributes:
        speakers: the people who speak for it, where several are rated as one participant. They
            are no part of its identity, so that another person can join.
        usd, tokens: the most that its own calls may cost; no part of its identity either.
    """

    later_keys = frozenset({"speakers", "usd", "tokens"})
    name: Name
    debater: str
    model: str = ""
    options: dict[str, Any] = {}
    sampling: SamplingSection = SamplingSection()
    speakers: list[Name] | None = Field(default=None, min_length=1)
    usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    tokens: int | None = Field(default=None, ge=1)

    @field_validator("speakers")
    @classmethod
    def _differ(cls, names: list[str] | None) -> list[str] | None:
        if len(set(names or ())) < len(names or ()):
            raise ValueError("`speakers` lists a name twice")
        return names


class BenchSection(Section):
    """A table of `[[benches]]`: a configured judge, and its model if the judge asks one.

    Attributes:
        count: what ratings count: debates, each decided by the sum of its ballots (where it is left
            out), or ballots, each by itself.
    """

    later_keys = frozenset({"count"})
    name: Name
    judge: str
    model: str = ""
    runs: int = Field(default=3, ge=1, le=99)
    count: Literal["debates", "ballots"] | None = None
    swap: bool = False
    sampling: SamplingSection = SamplingSection()
    family: str = ""
    options: dict[str, Any] = {}


#: The keys of `[search]` that only one kind takes.
_SEARCH_KEYS: Mapping[str, tuple[str, ...]] = {
    "folder": ("path",),
    "tavily": ("api_base", "api_key", "requests_per_minute"),
}


class SearchSection(Section):
    """The table `[search]`: debaters search a motion's brief, a folder, the web, or nothing."""

    kind: Literal["brief", "folder", "tavily", "none"] = "brief"
    path: str | None = Field(default=None, min_length=1)
    api_base: str | None = None
    api_key: Secret | None = None
    requests_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> SearchSection:
        for kind, keys in _SEARCH_KEYS.items():
            for key in keys:
                if getattr(self, key) is not None and kind != self.kind:
                    raise ValueError(
                        f"`{key}` has no effect with kind {self.kind!r}; it belongs to kind "
                        f"{kind!r}"
                    )
        if self.kind == "folder" and self.path is None:
            raise ValueError(
                "kind 'folder' needs `path`, a folder: for example path = \"documents\""
            )
        return self


class Config(Section):
    """A whole configuration file."""

    later_keys = frozenset({"speaking", "transcription", "target", "run"})
    tournament: TournamentSection
    run: RunSection | None = None
    schedule: ScheduleSection = ScheduleSection()
    target: TargetSection | None = None
    limits: LimitsSection = LimitsSection()
    search: SearchSection = SearchSection()
    speaking: SpeakingSection | None = None
    transcription: TranscriptionSection | None = None
    sampling: SamplingSection = SamplingSection()
    models: dict[str, ModelSection] = {}
    participants: list[ParticipantSection] = Field(min_length=2)
    benches: list[BenchSection] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _schedule_of_a_target(cls, content: Any) -> Any:  # noqa: ANN401 - whatever the file says
        if not isinstance(content, dict) or "target" not in content:
            return content
        schedule = content.get("schedule", {})
        if not isinstance(schedule, dict) or "kind" in schedule:
            return content
        return {**content, "schedule": {**schedule, "kind": "adaptive"}}

    @model_validator(mode="after")
    def _target_fits(self) -> Config:
        target = self.target
        if target is None:
            return self
        benches = [bench.name for bench in self.benches]
        if target.bench is not None and target.bench not in benches:
            raise ValueError(
                f"target.bench: no bench is named {target.bench!r}. Benches: {', '.join(benches)}"
            )
        if target.objective == "newcomer" and not self.schedule.newcomers:
            raise ValueError(
                "target.objective 'newcomer' needs `newcomers` in [schedule]: the names of the "
                "participants whose places are to be settled"
            )
        if target.objective == "top-k" and target.amount >= len(self.participants):
            raise ValueError(
                f"target.first is {target.amount:.0f}, but there are {len(self.participants)} "
                "participants. Write a smaller number"
            )
        return self

    @model_validator(mode="after")
    def _distinct(self) -> Config:
        for kind in ("participants", "benches"):
            names = [section.name for section in getattr(self, kind)]
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"two {kind} are named {name!r}; names must differ")
        self.schedule.check_names([participant.name for participant in self.participants])
        return self


def check_addresses(config: Config, *, where: str) -> None:
    """Check that no address in a file has a user, a password or a key in it.

    Configurations that are stored already are not checked: they must stay readable.

    Raises:
        ConfigError: an address has; the message names its place without repeating it.
    """
    addresses = {f'models."{name}"': table.api_base for name, table in config.models.items()}
    addresses["search"] = config.search.api_base
    if config.transcription is not None:
        addresses["transcription"] = config.transcription.api_base
    for place, address in addresses.items():
        if address and (secret := find_secret(address)):
            raise ConfigError(
                f"{where}: {place}.api_base: {secret} must not be written in the file. Write "
                'only the address, and api_key = "env:NAME" for the key; or write env:NAME for the '
                "whole address, where NAME is the environment variable that holds it."
            )


def find_secret(address: str) -> str:
    """Return what of an address is secret: a user, a password or a key; '' for nothing.

    >>> find_secret("https://me:word@host/v1"), find_secret("https://host/v1?api_key=1")
    ('a user or a password', 'a key')
    >>> find_secret("https://host/v1?version=2"), find_secret("env:BASE")
    ('', '')
    """
    if address.startswith("env:"):
        address = address.partition("|")[2]  # the address where the variable is not set
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""  # no address: refused where it is needed
    if "@" in parts.netloc:
        return "a user or a password"
    names = [name for text in (parts.query, parts.fragment) for name, _ in parse_qsl(text)]
    return "a key" if any(map(_SECRET.search, names)) else ""
