"""Translated debates, read from JSON lines like those that `arena export --what debates` writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import ConfigError
from arena.languages import LANGUAGES, Side, Stage
from arena.report.debate_documents import Document


class _Reference(BaseModel):
    model_config = ConfigDict(extra="ignore")

    number: int
    origin: str = ""
    excerpt: str = ""
    given: bool = True
    side: Side | None = None


class _Speech(BaseModel):
    model_config = ConfigDict(extra="ignore")

    side: Side
    stage: Stage
    text: str = Field(min_length=1)
    references: list[_Reference] = []


class _Motion(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1)
    info_slide: str = ""


class _Translation(BaseModel):
    model_config = ConfigDict(extra="ignore")

    debate_id: str
    language: str
    motion: _Motion
    speeches: list[_Speech] = Field(min_length=1)


def read_translations(path: Path, debates: Mapping[str, str]) -> list[Document]:
    """Read the translations of some debates; those of other debates are skipped.

    Args:
        path: JSON lines with `debate_id`, `language`, `motion` (text) and `speeches` (side, stage,
            text); other fields are ignored.
        debates: the language of each debate, by id.

    Raises:
        ConfigError: the file cannot be read, a line is no translation, or it is in the language
            of the debate itself.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None
    parsed = [
        _parse(line, where=f"{path}, line {number}", debates=debates)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    return [document for document in parsed if document["debate_id"] in debates]


def _parse(line: str, *, where: str, debates: Mapping[str, str]) -> Document:
    try:
        translation = _Translation.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(
            f"{where}: {place}: {first['msg']}. A translation is a line that `arena export --what "
            "debates` wrote, with `language`, `motion.text` and each `speeches.text` translated."
        ) from None
    if translation.language not in LANGUAGES:
        raise ConfigError(
            f"{where}: language is {translation.language!r}; accepted: {', '.join(LANGUAGES)}."
        )
    if debates.get(translation.debate_id) == translation.language:
        raise ConfigError(
            f"{where}: the debate itself is in {translation.language!r}; set `language` to that of "
            "the translation."
        )
    return translation.model_dump()
