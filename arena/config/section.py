"""What all tables of a configuration share, and the tables of models and of people."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from math import inf
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from arena.records import Structured

#: The pattern of a name; `arena.config.load` puts it into words.
NAME_PATTERN = r"^[\w][\w .+@:/-]*$"
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=NAME_PATTERN)]


class Section(BaseModel):
    """A table of the file; unknown keys are errors.

    Class attributes:
        later_keys: keys that earlier versions did not have. Left unset, they are not stored: ids
            and hashes of configurations that do not use them stay the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    later_keys: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_later_keys(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = serialize(self)
        unset = {key for key in self.later_keys if getattr(self, key) is None}
        return {key: value for key, value in content.items() if key not in unset}


def _check_reference(value: object) -> object:
    """Check that a key is a reference to an environment variable, and return it unresolved.

    It is resolved when a run needs it: the key itself is never stored.
    """
    if isinstance(value, str):
        variable, _, default = value.partition("|")
        if not variable.startswith("env:") or default not in ("", "none"):
            raise ValueError(
                "a key must not be written in the file. Write env:NAME, where NAME is the "
                "environment variable that holds it (or env:NAME|none for a server that needs no "
                "key)"
            )
    return value


#: A reference to the environment variable that holds a key: `env:NAME`.
Secret = Annotated[str, BeforeValidator(_check_reference)]

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_duration(value: object) -> object:
    """Return the seconds of a duration such as "90s", "30m", "12h" or "2d"; or the value itself."""
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", value.strip())
        if match is None:
            raise ValueError(
                'a duration is a number and a unit, "90s", "30m", "12h" or "2d", or a number of '
                "seconds"
            )
        return float(match[1]) * _UNITS[match[2]]
    return value


#: A duration in seconds, written with a unit ("12h") or as a number.
Duration = Annotated[float, BeforeValidator(read_duration)]


class Price(Section):
    """A price in USD per million tokens; `cached` is for input found in the provider's cache."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _cached_is_cheaper(self) -> Price:
        if self.cached is not None and self.cached > self.input:
            raise ValueError(
                "`cached` must not be higher than `input`, the price of input that is not cached "
                f"({self.input:g})"
            )
        return self


#: Fields of a call's body that `extra_body` may not set: the program sets them for each call.
OWN_FIELDS = (
    "n",
    "stream",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "response_format",
    "messages",
    "model",
)


class ModelSection(Section):
    """A table of `[models]`: a model's address, key and price, and how it is called."""

    later_keys = frozenset(
        {
            "structured",
            "thinking_tokens",
            "context_tokens",
            "extra_body",
            "first_byte_seconds",
            "timeout_seconds",
            "call_seconds",
            "stream",
            "tokens_per_minute",
            "client",
        }
    )
    api_base: str | None = None
    api_key: Secret | None = None
    usd_per_million: Price | None = None
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, ge=1)
    structured: Structured | None = None
    thinking_tokens: int | None = Field(default=None, ge=0, le=1_000_000)
    context_tokens: int | None = Field(default=None, ge=1)
    extra_body: dict[str, Any] | None = None
    first_byte_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    timeout_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    call_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    stream: bool | None = None
    client: Literal["litellm"] | None = None

    @field_validator("extra_body")
    @classmethod
    def _leaves_own_fields(cls, body: dict[str, Any] | None) -> dict[str, Any] | None:
        if own := [name for name in OWN_FIELDS if name in (body or {})]:
            raise ValueError(
                f"it may not set {', '.join(own)}: the program sets "
                f"{'them' if len(own) > 1 else 'it'} for each call. Remove "
                f"{'them' if len(own) > 1 else 'it'}; any other field of the provider's is accepted"
            )
        return body


def _read_deadline(value: object) -> object:
    """Return the seconds of a duration, or a moment as ISO text in UTC.

    Raises:
        ValueError: it is neither, or a moment without an offset, or no time at all.
    """
    if isinstance(value, str):
        text = value
        try:
            value = read_duration(text)
        except ValueError:
            try:
                value = datetime.fromisoformat(text)
            except ValueError:
                raise ValueError(_ACCEPTED) from None
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(value, date):
        raise ValueError(f"a moment needs a time and an offset: {_ACCEPTED}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
        raise ValueError(_ACCEPTED)
    return float(value)


_ACCEPTED = (
    'write a duration for each speech ("12h"), or one moment for all of them '
    "(2026-12-01T18:00:00+01:00)"
)
#: Seconds for each speech, or the moment at which all are due, as ISO text in UTC.
Deadline = Annotated[float | str, BeforeValidator(_read_deadline)]


class SpeakingSection(Section):
    """The table `[speaking]`: how long people may take. A speech that is late is a forfeit.

    Attributes:
        preparation: seconds for the first speech of a debate, from when its speaker opens it.
        deadline: seconds for each speech (each further one, with `preparation`) from when its
            debate waits for it; or one moment for all speeches.
    """

    preparation: Duration | None = Field(default=None, gt=0, allow_inf_nan=False)
    deadline: Deadline | None = None

    @property
    def last_moment(self) -> datetime | None:
        """The moment at which all speeches are due, if there is one."""
        text = self.deadline
        return datetime.fromisoformat(text) if isinstance(text, str) else None


class TranscriptionSection(Section):
    """The table `[transcription]`: the service that makes texts of speeches in audio files.

    Attributes:
        model: as the service calls it, for example whisper-1.
        api_base: the address of a service with OpenAI's audio API, up to and including `/v1`.
    """

    model: str = Field(min_length=1)
    api_base: str = Field(min_length=1)
    api_key: Secret | None = None
