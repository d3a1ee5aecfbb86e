"""Prompts are files: rendered strictly, hashed, and fenced so that quoted text cannot escape.

A prompt file is `<folder>/<name>.<language>.md`:

    +++
    task = "write.rebuttal"
    +++
    [[system]]
    … Jinja2: {{ motion }}, {% include "context.en.md" %}, {% if may_search %} …
    [[user]]
    …

Text that a model or a stranger wrote enters a prompt only through `quote`, whose closing mark
carries a digest of the text: a text cannot contain its own digest, so it cannot end its quotation.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from typing import Literal, TypeAlias, cast

import jinja2
from jinja2 import meta

from arena.errors import PromptError

Role: TypeAlias = Literal["system", "user", "assistant"]

_QUOTE = re.compile(
    r"<(?P<label>[^\s<>|]+) (?P<digest>[0-9a-f]{10})(?P<words>(?: \| [^|>\n]*)*)>\n"
    r"(?P<text>.*?)\n</(?P=digest)>",
    re.DOTALL,
)
_PART = re.compile(r"^\[\[(system|user|assistant)\]\]\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A filled prompt: the messages, the task they set, and where they came from."""

    task: str
    language: str
    prompt_hash: str
    messages: tuple[Message, ...]
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quotation found in a rendered text: its label, the words in its head, its text."""

    label: str
    words: tuple[str, ...]
    text: str


def quote(label: str, text: str, *words: str) -> str:
    """A text between marks that it cannot forge.

    >>> print(quote("speech", "Hello </speech>", "Pro"))
    <speech d880570c22 | Pro>
    Hello </speech>
    </d880570c22>
    """
    head = "".join(f" | {word}" for word in words)
    digest = hashlib.sha256(f"{label}{head}\n{text}".encode()).hexdigest()[:10]
    return f"<{label} {digest}{head}>\n{text}\n</{digest}>"


def quotes(text: str) -> list[Quote]:
    """The outermost quotations of a text, in order."""
    return [
        Quote(
            label=found["label"],
            words=tuple(found["words"].split(" | ")[1:]),
            text=found["text"],
        )
        for found in _QUOTE.finditer(text)
    ]


class Prompts:
    """The prompt files of one folder, which may be inside a wheel."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder

    def render(
        self,
        name: str,
        language: str,
        variables: Mapping[str, str],
        *,
        flags: frozenset[str] = frozenset(),
    ) -> Rendered:
        """Fill a prompt.

        Args:
            name: the prompt's name in its folder.
            language: code of the language, part of the file's name.
            variables: the texts to fill in; each of them must be used.
            flags: the switches of the prompt's `{% if %}` that are on.

        Raises:
            PromptError: no such prompt, or a variable is missing or unused.
        """
        prompt = _load(cast(Hashable, self._folder), f"{name}.{language}.md")
        prompt.check(set(variables), flags)
        switches = {flag: flag in flags for flag in prompt.flags}
        return Rendered(
            task=prompt.task,
            language=language,
            prompt_hash=prompt.hash,
            messages=tuple(
                Message(role=role, text=part.render(**variables, **switches).strip())
                for role, part in prompt.parts
            ),
            variables=variables,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    file: str
    task: str
    hash: str
    parts: tuple[tuple[Role, jinja2.Template], ...]
    variables: frozenset[str]
    flags: frozenset[str]

    def check(self, given: set[str], flags: frozenset[str]) -> None:
        problems = {
            "missing variables": self.variables - given,
            "unused variables": given - self.variables,
            "unknown flags": flags - self.flags,
        }
        found = [f"{what} {', '.join(sorted(names))}" for what, names in problems.items() if names]
        if found:
            raise PromptError(f"prompt {self.file}: {'; '.join(found)}.")


@cache
def _load(folder: Hashable, file: str) -> _Prompt:
    return _read_prompt(cast(Traversable, folder), file)


def _read_prompt(folder: Traversable, file: str) -> _Prompt:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(lambda name: _read(folder, name)),
        autoescape=False,  # noqa: S701 - plain text for a model, never HTML
    )
    task, switches, body = _header(_read(folder, file), file)
    sources = _sources(environment, folder, body)
    names = frozenset().union(
        *(meta.find_undeclared_variables(environment.parse(text)) for text in sources)
    )
    return _Prompt(
        file=file,
        task=task,
        hash=hashlib.sha256("\0".join([file, task, *sources]).encode()).hexdigest()[:16],
        parts=tuple((role, environment.from_string(text)) for role, text in _parts(body, file)),
        variables=names - switches,
        flags=switches,
    )


def _read(folder: Traversable, name: str) -> str:
    try:
        return folder.joinpath(name).read_text(encoding="utf-8")
    except OSError:
        raise PromptError(f"no prompt file {name} in {folder}.") from None


def _header(text: str, file: str) -> tuple[str, frozenset[str], str]:
    parts = text.split("+++\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise PromptError(f"prompt {file}: it must begin with a TOML header between two '+++'.")
    header = tomllib.loads(parts[1])
    task, flags = header.pop("task", None), header.pop("flags", [])
    if not isinstance(task, str) or not isinstance(flags, list) or header:
        raise PromptError(f"prompt {file}: its header needs `task`, may have `flags`, no more.")
    return task, frozenset(map(str, flags)), parts[2]


def _sources(environment: jinja2.Environment, folder: Traversable, body: str) -> list[str]:
    found, waiting = {"": body}, [body]
    while waiting:
        for name in meta.find_referenced_templates(environment.parse(waiting.pop())):
            if name is None:
                raise PromptError("a prompt may include files by a fixed name only.")
            if name not in found:
                found[name] = _read(folder, name)
                waiting.append(found[name])
    return list(found.values())


def _parts(body: str, file: str) -> list[tuple[Role, str]]:
    # Cut before anything is filled in: no text can add a message or change a role.
    before, *rest = _PART.split(body)
    if before.strip() or not rest:
        raise PromptError(f"prompt {file}: its text must stand under [[system]] or [[user]].")
    return [(cast(Role, role), text) for role, text in zip(rest[::2], rest[1::2], strict=True)]
