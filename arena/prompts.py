"""Prompt files: rendered strictly and hashed; quoted text is fenced so that it cannot break out.

A prompt file is `<folder>/<name>.<language>.md`:

    +++
    task = "write.rebuttal"
    +++
    [[system]]
    … Jinja2: {{ motion }}, {% include "context.en.md" %}, {% if may_search %} …
    [[user]]
    …

Text that a model or an outsider wrote enters a prompt only through `quote`, whose closing mark
contains a digest of the text: a text cannot contain its own digest, so it cannot end its quotation.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from arena.errors import PromptError

if TYPE_CHECKING:
    import jinja2

Role: TypeAlias = Literal["system", "user", "assistant"]
#: The roles of messages.
ROLES: Final[tuple[Role, ...]] = ("system", "user", "assistant")

_QUOTE = re.compile(
    r"<(?P<label>[^\s<>|]{1,99}) (?P<digest>[0-9a-f]{10})(?P<words>(?: \| [^|>\n]*)*)>\n"
)
_PART = re.compile(r"^\[\[(system|user|assistant)\]\]\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A filled prompt.

    Attributes:
        prompt_hash: identity of the prompt file and the files that it includes.
        variables: the texts that were filled in.
    """

    task: str
    language: str
    prompt_hash: str
    messages: tuple[Message, ...]
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quotation found in a rendered text.

    Attributes:
        label: `speech`.
        words: the further words in its opening mark, `Pro`.
        whole: the quotation with its marks, as it stands in the text.
    """

    label: str
    words: tuple[str, ...]
    text: str
    whole: str = field(default="", compare=False)


def quote(label: str, text: str, *words: str) -> str:
    """Put an untrusted text between marks that it cannot forge.

    >>> print(quote("speech", "Hello </speech>", "Pro"))
    <speech d880570c22 | Pro>
    Hello </speech>
    </d880570c22>
    """
    head = "".join(f" | {word}" for word in words)
    digest = hashlib.sha256(f"{label}{head}\n{text}".encode()).hexdigest()[:10]
    return f"<{label} {digest}{head}>\n{text}\n</{digest}>"


def find_quotes(text: str) -> list[Quote]:
    """Find the outermost quotations of a text, in order."""
    quotes: list[Quote] = []
    position, never_closed = 0, set()
    for mark in _QUOTE.finditer(text):
        if mark.start() < position or mark["digest"] in never_closed:
            continue
        closing = f"\n</{mark['digest']}>"
        end = text.find(closing, mark.end())
        if end < 0:
            never_closed.add(mark["digest"])
        else:
            position = end + len(closing)
            words = tuple(mark["words"].split(" | ")[1:])
            whole = text[mark.start() : position]
            quotes.append(
                Quote(label=mark["label"], words=words, text=text[mark.end() : end], whole=whole)
            )
    return quotes


class Prompts:
    """The prompt files of folders, which may be packed in a wheel.

    Args:
        folders: of several files of one name, that in the first of these is read; so are those
            that it includes.
    """

    def __init__(self, *folders: Traversable) -> None:
        self._folders, self._omitted = folders, ""

    def without(self, field: str) -> Prompts:
        """Return the prompts as they are where a field of the answer is not asked for."""
        prompts = Prompts(*self._folders)
        prompts._omitted = field
        return prompts

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
            variables: the texts to fill in; the prompt must use each of them.
            flags: the flags of the prompt's `{% if %}` that are true.

        Raises:
            PromptError: no such prompt, or a variable is missing or unused.
        """
        prompt = _read_prompt(self._folders, f"{name}.{language}.md", self._omitted)
        prompt.check(set(variables), flags)
        flag_values = {flag: flag in flags for flag in prompt.flags}
        return Rendered(
            task=prompt.task,
            language=language,
            prompt_hash=prompt.hash,
            messages=tuple(
                Message(role=role, text=part.render(**variables, **flag_values).strip())
                for role, part in prompt.parts
            ),
            variables=variables,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A parsed prompt file; `hash` covers the files that it includes."""

    file: str
    task: str
    hash: str
    parts: tuple[tuple[Role, jinja2.Template], ...]
    variables: frozenset[str]
    flags: frozenset[str]

    def check(self, variables: set[str], flags: frozenset[str]) -> None:
        problems = {
            "missing variables": self.variables - variables,
            "unused variables": variables - self.variables,
            "unknown flags": flags - self.flags,
        }
        faults = [f"{what} {', '.join(sorted(names))}" for what, names in problems.items() if names]
        if faults:
            raise PromptError(f"prompt {self.file}: {'; '.join(faults)}.")


@cache
def _read_prompt(folders: tuple[Traversable, ...], file: str, omitted: str) -> _Prompt:
    import jinja2  # noqa: PLC0415 - for its cost: what only quotes fills in no prompt
    from jinja2 import meta  # noqa: PLC0415

    def read(name: str) -> str:
        text = _read_file(folders, name)
        return omit_field(text, omitted) if omitted else text

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(read),
        autoescape=False,  # noqa: S701 - plain text for a model, never HTML
    )
    task, flags, body = _split_header(read(file), file)
    sources = _read_sources(environment, read, body)
    names = frozenset().union(
        *(meta.find_undeclared_variables(environment.parse(text)) for text in sources)
    )
    return _Prompt(
        file=file,
        task=task,
        hash=hashlib.sha256("\0".join([file, task, *sources]).encode()).hexdigest()[:16],
        parts=tuple(
            (role, environment.from_string(text)) for role, text in _split_parts(body, file)
        ),
        variables=names - flags,
        flags=flags,
    )


def _read_file(folders: tuple[Traversable, ...], name: str) -> str:
    for folder in folders:
        try:
            return folder.joinpath(name).read_text(encoding="utf-8")
        except OSError:
            continue
    raise PromptError(f"no prompt file {name} in {' or '.join(map(str, folders))}.")


def omit_field(text: str, field: str) -> str:
    """Take what a prompt says of a field of the answer out of its text.

    That is its place in examples, a list item that begins with it, and a sentence, or what stands
    before a semicolon, that begins with it, with a second sentence on "it".

    >>> omit_field('`why` comes first. It is short. Reply: `{"why": "…", "mark": 1}`', "why")
    'Reply: `{"mark": 1}`'
    """
    name = re.escape(field)
    text = re.sub(rf'"{name}": "…+"(?:,(?= {{%)|, )?', "", text)
    text = re.sub(rf"^- `{name}`.*\n", "", text, flags=re.MULTILINE)
    said = rf"`{name}`[^.;。；\n]*[.;。；](?: It [^.\n]*\.|它[^。\n]*。)?[ ]?"
    return re.sub(said, "", text)


def _split_header(text: str, file: str) -> tuple[str, frozenset[str], str]:
    parts = text.split("+++\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise PromptError(
            f"prompt {file}: it must begin with a TOML header between two lines '+++'."
        )
    header = tomllib.loads(parts[1])
    task, flags = header.pop("task", None), header.pop("flags", [])
    if not isinstance(task, str) or not isinstance(flags, list) or header:
        raise PromptError(
            f"prompt {file}: its header must contain `task`, may contain `flags`, and nothing else."
        )
    return task, frozenset(map(str, flags)), parts[2]


def _read_sources(
    environment: jinja2.Environment, read: Callable[[str], str], body: str
) -> list[str]:
    from jinja2 import meta  # noqa: PLC0415

    # The prompt's own text, then those of the files that it includes, directly or not.
    sources, unread = {"": body}, [body]
    while unread:
        for name in meta.find_referenced_templates(environment.parse(unread.pop())):
            if name is None:
                raise PromptError("a prompt can include a file only by its literal name.")
            if name not in sources:
                sources[name] = read(name)
                unread.append(sources[name])
    return list(sources.values())


def _split_parts(body: str, file: str) -> list[tuple[Role, str]]:
    # Split before the variables are filled in: no text can add a message or change a role.
    before, *rest = _PART.split(body)
    if before.strip() or not rest:
        raise PromptError(f"prompt {file}: its text must be under [[system]] or [[user]].")
    return [(cast(Role, role), text) for role, text in zip(rest[::2], rest[1::2], strict=True)]
