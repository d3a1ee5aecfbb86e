"""Every error of the project that a caller may want to tell apart.

ArenaError                      one message for the user, exit code 2
├── ConfigError                 the TOML, an option or a name in it
│   ├── UnknownName             not in a registry; lists the known names
│   ├── UnknownModel            the provider does not know the model
│   ├── MissingKey              a provider's key is not in the environment
│   ├── MissingPrice            neither the file nor LiteLLM knows what a model costs
│   └── VotesRefused            votes of people that cannot be counted; lists every fault
├── StoreError                  the database: not one of ours, another version, read-only
│   └── Locked                  another runner works on it
├── PromptError                 a prompt file, or what it was filled with
├── JournalMismatch             a journalled call is not the one that is asked for now
├── BudgetReached               the next call could exceed `[limits] usd`
├── SpeechAwaited               a person has not handed in the speech yet: the debate waits
├── InfrastructureFault         the provider's or the network's fault: retried, then void
│   └── ProviderRejected        not worth a retry (key refused, no such model)
└── ContentFault                the model's fault: a forfeit, or a failed ballot
    ├── Refusal                 it declined to answer
    ├── EmptyReply              it said nothing
    ├── TruncatedReply          cut off by its limit, and again with a larger one
    ├── UnparseableReply        no valid structured output, repair included
    ├── WrongLanguage           a speech in another language than the debate's
    └── BothSides               a speech that speaks for both sides
"""

from __future__ import annotations

from collections.abc import Sequence


class ArenaError(Exception):
    """Base of all errors of the project; its text is shown to the user as it stands."""


class ConfigError(ArenaError):
    """A configuration that cannot be used; says where, what was given and what is accepted."""


class UnknownName(ConfigError):
    """A name that no entry point registers."""

    def __init__(self, *, kind: str, given: str, known: list[str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        accepted = ", ".join(sorted(known)) or "none is installed"
        super().__init__(f"{place}unknown {kind} {given!r}. Known: {accepted}.")


class UnknownModel(ConfigError):
    """A model that no provider is known for."""


class MissingKey(ConfigError):
    """The environment lacks a provider's key."""


class MissingPrice(ConfigError):
    """Nobody knows what a model costs; a price is asked for instead of counting 0."""


class VotesRefused(ConfigError):
    """Votes that cannot be counted: none of them was stored.

    Attributes:
        faults: what is wrong, one sentence for each place.
    """

    def __init__(self, faults: Sequence[str], *, shown: int = 10) -> None:
        self.faults = tuple(dict.fromkeys(faults))
        listed = "\n".join(f"  {one}" for one in self.faults[:shown])
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        more = "\n  …" if len(self.faults) > shown else ""
        super().__init__(f"no vote was stored: {count}:\n{listed}{more}")


class StoreError(ArenaError):
    """The database cannot be used as it is."""


class Locked(StoreError):
    """Another runner works on the database."""


class PromptError(ArenaError):
    """A prompt file is broken, or was filled with a missing or an unused variable."""


class JournalMismatch(ArenaError):
    """A journalled call differs from the call that is asked for now."""


class BudgetReached(ArenaError):
    """The worst case of the next call does not fit under the spending cap."""


class SpeechAwaited(ArenaError):
    """A person speaks here, and has not handed the speech in yet: the debate waits."""


class InfrastructureFault(ArenaError):
    """The provider or the network failed; worth another try.

    Attributes:
        retry_after: seconds that the provider asks to wait, if it said so.
        billed_usd: what the lost answer may have cost; `None` means its worst case.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, billed_usd: float | None = 0.0
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.billed_usd = billed_usd


class ProviderRejected(InfrastructureFault):
    """The provider refuses every such call: trying again would not change that."""


class ContentFault(ArenaError):
    """What the model answered, or did not, is the participant's (or the judge's) own fault."""


class Refusal(ContentFault):
    """The model declined, by finish reason or by its refusal field."""


class EmptyReply(ContentFault):
    """The model's answer has no text."""


class TruncatedReply(ContentFault):
    """The answer was cut off by the token limit, and again by a larger one."""


class UnparseableReply(ContentFault):
    """The answer is no valid structured output, and neither was the repair."""


class WrongLanguage(ContentFault):
    """The speech is not in the debate's language, and neither was the second one."""


class BothSides(ContentFault):
    """The speech holds speeches of both sides, and so did the second one."""


#: Faults that are nobody's speech and nobody's ballot: they pass through debates and judges.
PASSING = (InfrastructureFault, BudgetReached, JournalMismatch, ConfigError, StoreError)
