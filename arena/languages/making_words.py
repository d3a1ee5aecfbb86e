"""The words in which readers are shown how a speech was made."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from arena.languages.language import FILES, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingWords:
    """The words of one language.

    Attributes:
        phrases: what agents do, by key; with `{}` where something is filled in.
        agents: their names, by the names in traces.
        fallbacks: what was done without an answer, by the English words in traces.
        caps: what a limit counts, by the option that sets it.
        faults: what was wrong with an answer, by the names in traces.
    """

    phrases: Mapping[str, str]
    agents: Mapping[str, str]
    fallbacks: Mapping[str, str]
    caps: Mapping[str, str]
    faults: Mapping[str, str]

    def phrase(self, key: str, *values: object) -> str:
        """Return a phrase with its values filled in."""
        return self.phrases[key].format(*values)

    def agent(self, name: str) -> str:
        """Return the name of an agent; one that is unknown keeps the name in the trace."""
        return self.agents.get(name, name)

    def fallback(self, name: str) -> str:
        """Return what was done without an answer; one that is unknown stays as in the trace."""
        return self.fallbacks.get(name, name)

    def cap(self, option: str) -> str:
        """Say which limit is reached; of an option that is unknown, it names the option."""
        return self.phrase("cap", self.caps.get(option, option))

    def fault(self, name: str) -> str:
        """Return what was wrong with an answer; what is unknown keeps the name in the trace."""
        return self.faults.get(name, name)


def _read(name: str) -> MakingWords:
    table = tomllib.loads((files("arena.languages") / name).read_text("utf-8"))["making"]
    return MakingWords(
        phrases={key: value for key, value in table.items() if isinstance(value, str)},
        agents=table["agents"],
        fallbacks=table["fallbacks"],
        caps=table["caps"],
        faults=table["faults"],
    )


_WORDS = {code: _read(name) for code, name in FILES.items()}


def making_words(language: Language) -> MakingWords:
    """Return the words of a language."""
    return _WORDS[language.code]
