"""What a configuration may send and read without being asked about: it may be a stranger's.

A key goes to the provider that it belongs to, and a variable `*_API_KEY` of the user's own naming
wherever the file says. Anything else that a file takes from this machine, another variable, a
provider's key for another host or a folder outside of its own, is asked for once and remembered.
A stored configuration is treated alike: a database may be a stranger's, too.
"""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from arena.config.sections import Config
from arena.errors import ConfigError, Untrusted

#: The domains of providers by the beginning of the names of their variables.
_DOMAINS: Final = {
    "ANTHROPIC": ("anthropic.com",),
    "AZURE": ("azure.com",),
    "AZURE_AI": ("azure.com",),
    "CEREBRAS": ("cerebras.ai",),
    "COHERE": ("cohere.com", "cohere.ai"),
    "DASHSCOPE": ("aliyuncs.com",),
    "DEEPINFRA": ("deepinfra.com",),
    "DEEPSEEK": ("deepseek.com",),
    "FIREWORKS_AI": ("fireworks.ai",),
    "FIREWORKS": ("fireworks.ai",),
    "GEMINI": ("googleapis.com",),
    "GOOGLE": ("googleapis.com",),
    "GROQ": ("groq.com",),
    "HUGGINGFACE": ("huggingface.co",),
    "MISTRAL": ("mistral.ai",),
    "MOONSHOT": ("moonshot.ai", "moonshot.cn"),
    "NVIDIA_NIM": ("nvidia.com",),
    "OPENAI": ("openai.com",),
    "OPENROUTER": ("openrouter.ai",),
    "PERPLEXITYAI": ("perplexity.ai",),
    "REPLICATE": ("replicate.com",),
    "SAMBANOVA": ("sambanova.ai",),
    "TAVILY": ("tavily.com",),
    "TOGETHERAI": ("together.xyz", "together.ai"),
    "TOGETHER_AI": ("together.xyz", "together.ai"),
    "VOLCENGINE": ("volces.com",),
    "XAI": ("x.ai",),
    "ZAI": ("z.ai",),
}
_KEY: Final = "_API_KEY"


def key_routes(config: Config) -> list[tuple[str, str]]:
    """Return which environment variables go to which hosts, as pairs, each once, in order.

    A host is an address's host and port; of a provider's own address, its name.
    """
    return list(dict.fromkeys(_routes(config)))


def check_trust(config: Config, *, where: str) -> None:
    """Check that a configuration takes from this machine what it may, or what it was granted.

    Args:
        where: the file, or the words for a stored tournament.

    Raises:
        Untrusted: it takes more; the error remembers the user's consent.
    """
    wanted = [
        f"the environment variable {variable} go to {host}"
        for variable, host in key_routes(config)
        if os.environ.get(variable) and not _is_usual(variable, host)
    ]
    folder = Path(where).absolute().parent
    path = config.search.path
    if path and Path(where).is_file() and not Path(path).is_relative_to(folder.resolve()):
        wanted.append(f"what is found in {path} go to its models")
    owners = _owners(config, where)
    granted = {grant for owner in owners for grant in _read_grants().get(owner, ())}
    if new := [text for text in dict.fromkeys(wanted) if text not in granted]:
        raise Untrusted(
            f"{where} lets {'; and '.join(new)}. If you trust it, repeat the command with --trust "
            "(once; the answer is kept for this file). A key of your own needs no question where "
            "its variable is named *_API_KEY.",
            remember=lambda: _remember(owners, new),
            question=f"{where} lets {'; and '.join(new)}. Allow it?",
        )


def host_of(address: str) -> str:
    """Return the host and port of an address, without a user's name or a password.

    >>> host_of("https://me@host:8000/v1?key=1")
    'host:8000'
    """
    try:
        return urlsplit(address).netloc.rpartition("@")[2] or address
    except ValueError:
        return address


def is_loopback(host: str) -> bool:
    """Tell whether a host, with or without its port, is this machine.

    >>> is_loopback("127.0.0.1:8000"), is_loopback("[::1]"), is_loopback("localhost.evil.org")
    (True, True, False)
    """
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


#: Further variables that hold a provider's key.
_OTHER_NAMES: Final = {
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_TOKEN"),
    "openrouter": ("OR_API_KEY",),
}


def _routes(config: Config) -> Iterator[tuple[str, str]]:
    tables = config.models
    for name in tables:
        provider = name.partition("/")[0]
        whole = tables.get(f"{provider}/*")
        base = tables[name].api_base or (whole.api_base if whole else None)
        key = tables[name].api_key or (whole.api_key if whole else None)
        host = _host(base) or provider
        if key is not None:
            yield _variable(key), host
        elif base is not None and provider != "openai":  # whose key LiteLLM would send
            for own in (f"{provider.upper()}{_KEY}", *_OTHER_NAMES.get(provider, ())):
                yield from [(own, host)] if os.environ.get(own) else []
    named = [section.model or "" for section in config.participants]
    for full in (*named, *(section.model or "" for section in config.benches)):
        provider, _, model = full.partition("/")
        if model.startswith("env:"):
            whole = tables.get(full) or tables.get(f"{provider}/*")
            yield _variable(model), _host(whole.api_base if whole else None) or provider
    search, transcription = config.search, config.transcription
    if search.kind == "tavily":
        yield _variable(search.api_key or f"TAVILY{_KEY}"), _host(search.api_base) or "tavily"
    if transcription is not None and transcription.api_key:
        yield _variable(transcription.api_key), _host(transcription.api_base)


def _host(address: str | None) -> str:
    if address and address.startswith("env:"):
        name, _, default = address.removeprefix("env:").partition("|")
        address = os.environ.get(name) or default
    return host_of(address) if address else ""


def _variable(reference: str) -> str:
    return reference.removeprefix("env:").partition("|")[0]


def _is_usual(variable: str, host: str) -> bool:
    if variable.endswith("MODEL"):  # the name of a model, which is no secret
        return True
    if not variable.endswith(_KEY):
        return False
    owner = variable.removesuffix(_KEY)
    domains = _DOMAINS.get(owner)
    name = urlsplit(f"//{host}").hostname or ""
    return (
        domains is None
        or is_loopback(host)
        or host.upper().replace("-", "_") == owner
        or any(name == domain or name.endswith(f".{domain}") for domain in domains)
    )


def _owners(config: Config, where: str) -> tuple[str, ...]:
    """Return under what names grants are kept: a file's also for its tournament, once stored."""
    tournament = f"tournament {config.tournament.name!r}"
    return (str(Path(where).resolve()), tournament) if Path(where).is_file() else (tournament,)


def _file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "debate-arena" / "trusted.json"


def _read_grants() -> dict[str, list[str]]:
    try:
        content: Any = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _remember(owners: Iterable[str], new: Iterable[str]) -> None:
    grants, file = _read_grants(), _file()
    for owner in owners:
        grants[owner] = sorted({*grants.get(owner, ()), *new})
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(grants, indent=1), "utf-8")
    except OSError as error:
        raise ConfigError(
            f"what is trusted cannot be kept in {file}: {error.strerror}. Make that folder "
            "writable, or name another in XDG_CONFIG_HOME."
        ) from None
