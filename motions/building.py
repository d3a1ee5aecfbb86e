"""From entries to motions: the one place where a motion's content is checked."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from motions.entries import Entry, FieldPath
from motions.errors import Fault, MotionError
from motions.records import Language, Motion, Wording
from motions.schema import LANGUAGES, MotionFields, WordingFields, explain

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+")
_SLUG_LENGTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A motion with the entry that it was made from.

    Attributes:
        texts: By language, the field that its text stands in.
        own_id: Whether its id stands in the file, and is not derived from the text.
    """

    motion: Motion
    entry: Entry
    texts: Mapping[str, FieldPath]
    own_id: bool

    def missing(self, language: str) -> FieldPath:
        """The field that would hold the text in a language that the motion lacks."""
        tables = any(len(path) > 1 for path in self.texts.values())
        return (language, "text") if tables else (f"text_{language}",)


def build(entry: Entry, motion_set: str) -> Built:
    """Checks an entry and turns it into a motion of the set.

    Raises:
        MotionError: A field is missing, unknown or wrong; the motion has no text, or two in one
            language; a brief has points on one side only. All faults are listed.
    """
    fields = _parse(entry)
    given = list(_given(fields))
    if faults := list(_faults(fields, given, entry)):
        raise MotionError.of(faults)
    wordings: dict[str, Wording] = {one.language: one.form().record() for one in given}
    first = next(wordings[code].text for code in LANGUAGES if code in wordings)
    motion = Motion(
        motion_id=fields.id or derived_id(first),
        motion_set=motion_set,
        category=fields.category,
        topic=fields.topic,
        wordings=wordings,
    )
    texts: dict[str, FieldPath] = {one.language: one.path("text") for one in given}
    return Built(motion=motion, entry=entry, texts=texts, own_id=fields.id is not None)


def language_of(text: str) -> Language:
    """The language of a text that nobody named: Chinese where it has more ideographs than words.

    >>> language_of("AI应该受到监管"), language_of("The word 道 cannot be translated")
    ('zh', 'en')
    """
    return "zh" if len(_IDEOGRAPH.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def plain(text: str) -> str:
    """A text as it is compared: without regard to case and spacing."""
    return " ".join(text.casefold().split())


def derived_id(text: str, *more: str) -> str:
    """The id of a motion that has none: some of its words, and a hash of its text (and more).

    >>> derived_id("Cats are better than dogs")
    'cats-are-better-than-002facd2bc'
    """
    seen = "\0".join([plain(text), *more]).encode("utf-8", "replace")
    words = "-".join(re.findall(r"[a-z0-9]+", plain(text)))
    slug = words if len(words) <= _SLUG_LENGTH else words[: _SLUG_LENGTH + 1].rpartition("-")[0]
    return f"{slug or 'motion'}-{hashlib.sha256(seen).hexdigest()[:10]}"


def _parse(entry: Entry) -> MotionFields:
    try:
        return MotionFields.model_validate(entry.fields)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise MotionError.of(
            [entry.fault(one["loc"], explain(dict(one))) for one in found]
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """One wording as it is given, whole or not: a table, or fields with a suffix."""

    language: Language
    content: Mapping[str, Any]
    table: str = ""
    suffix: str = ""

    def path(self, name: str) -> FieldPath:
        return (self.table, name) if self.table else (f"{name}{self.suffix}",)

    def form(self) -> WordingFields:
        return WordingFields.model_construct(**self.content)


def _given(fields: MotionFields) -> Iterator[_Given]:
    for code in LANGUAGES:
        table: WordingFields | None = getattr(fields, code)
        if table is not None:
            yield _Given(language=code, content=dict(table), table=code)
    for suffix in ("", *(f"_{code}" for code in LANGUAGES)):
        found = {name: getattr(fields, f"{name}{suffix}") for name in WordingFields.model_fields}
        if any(found.values()):
            named = fields.language or language_of(fields.text or "")
            code = next((code for code in LANGUAGES if suffix == f"_{code}"), named)
            yield _Given(language=code, content=found, suffix=suffix)


def _faults(fields: MotionFields, given: list[_Given], entry: Entry) -> Iterator[Fault]:
    if not given:
        accepted = "text, text_en, text_zh, or a table en or zh with a text"
        yield entry.fault(("text",), f"missing; accepted: {accepted}. Add one.")
    elif fields.language and not fields.text:
        yield entry.fault(
            ("language",),
            f"given {fields.language!r} without the field 'text' that it speaks of; accepted is "
            "both or neither. Rename the text's field to 'text', or remove the language.",
        )
    seen: dict[str, _Given] = {}
    for one in given:
        if one.language in seen:
            yield _twice(one, seen[one.language], entry)
        seen[one.language] = one
        yield from _wording_faults(one, entry)


def _twice(one: _Given, other: _Given, entry: Entry) -> Fault:
    known = ".".join(map(str, other.path("text")))
    return entry.fault(
        one.path("text"),
        f"the text in {one.language!r} is given in {known} already; accepted is one text in each "
        "language. Remove one, or name its language.",
    )


def _wording_faults(one: _Given, entry: Entry) -> Iterator[Fault]:
    if not one.content["text"]:
        extra = next(name for name, value in one.content.items() if value)
        text = ".".join(map(str, one.path("text")))
        yield entry.fault(
            one.path(extra), f"given without a text; accepted is beside {text!r}. Add that field."
        )
    sides = [side for side in ("pro", "con") if not one.content[side]]
    if len(sides) == 1:
        yield entry.fault(
            one.path(sides[0]),
            "the brief has no points on this side; accepted is at least one on each, or no brief "
            "at all. Add a point with a claim and its evidence.",
        )
