"""The lines of a journal, taken as untrusted: other programs and people may change the files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from arena.llm.request import Completion, Usage

_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Vectors(BaseModel):
    shape: tuple[NonNegativeInt, NonNegativeInt]
    f4: Base64Bytes

    @model_validator(mode="after")
    def _fits(self) -> _Vectors:
        if len(self.f4) != 4 * self.shape[0] * self.shape[1]:
            raise ValueError("vectors of another shape")
        return self


class _Usage(BaseModel):
    usage: dict[str, NonNegativeInt | bool] = {}


class _Line(_Usage):
    """The fields of a line that are counted; others may touch the files, so each is checked."""

    model_config = ConfigDict(strict=True)

    event: str
    path: str
    attempt: NonNegativeInt
    request_hash: str = ""
    usd: _Amount = 0
    tokens: _Amount = 0
    cost_usd: _Amount = 0
    reserved_usd: _Amount = 0
    reserved_tokens: NonNegativeInt = 0
    seconds: _Amount = 0
    retries: NonNegativeInt = 0
    billed: bool = False
    completion: _Usage = _Usage()
    failure: str = ""


#: The answers that a line may have, by field.
_ANSWERS: Mapping[str, TypeAdapter[Any]] = {
    "completion": TypeAdapter(Completion),
    "vectors": TypeAdapter(_Vectors),
    "usage": TypeAdapter(Usage),
    "found": TypeAdapter(list[dict[str, str]]),
}


def is_readable(line: Mapping[str, Any]) -> bool:
    """Return whether the answer in a line is whole, and names its request.

    What it cost counts in any case.
    """
    if line["event"] == "call" and not line.get("request_hash"):
        return False
    try:
        for name, kind in _ANSWERS.items():
            if name in line:
                kind.validate_python(line[name])
    except ValidationError:
        return False
    return True


def read_line(line: bytes) -> dict[str, Any] | None:
    """Return the fields of a line; `None` for one that was damaged: that call is made again."""
    try:
        _Line.model_validate_json(line)
        fields: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields


def read_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the fields of the lines of a journal that can be read."""
    return filter(None, map(read_line, filter(None, content.split(b"\n"))))
