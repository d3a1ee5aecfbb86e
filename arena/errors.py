"""The tree of the project's errors.

ArenaError                      one message for the user, exit code 2
├── ConfigError                 a fault in the TOML, an option or a name
│   ├── Untrusted               it sends or reads what it was not granted; asked for once
│   ├── UnknownName             not in a registry; lists the known names
│   ├── UnknownModel            the provider does not know the model
│   ├── MissingKey              a provider's key is not in the environment
│   ├── MissingPrice            neither the file nor LiteLLM knows what a model costs
│   └── VotesRefused            people's votes that cannot be counted; lists every fault
├── StoreError                  the database: another program's, another version, read-only
│   ├── Locked                  another process runs a tournament on it
│   └── DatabaseGone            moved, removed or replaced while a run works on it; exit code 4
├── PromptError                 a broken prompt file, or a missing or unused variable
├── JournalMismatch             the journal holds another call than the one made now
├── BudgetReached               the next call could exceed a cap in `[limits]`, or a participant's
├── PutOff                      a unit of work has to wait for others
├── ParticipantPaused           one of a debate's participants has only forfeited so far
├── WorkStopped                 nothing further begins
│   └── CallAbandoned           a call that waited for its provider is left for a later run
├── SpeechAwaited               a person has not submitted the speech yet: the debate waits
├── InfrastructureFault         the provider's or the network's fault: retried, then void
│   ├── ProviderRejected        a retry cannot help (key refused, no such model)
│   └── GivenUp                 the provider has been away for longer than `give_up_after`
└── ContentFault                the model's fault: a forfeit, or a failed ballot
    ├── Refusal                 it declined to answer
    ├── NoSpeech                a placeholder, a question, a remark, or far too short for a speech
    ├── EmptyReply              its answer has no text
    ├── TruncatedReply          cut off by its limit, and again with a larger one
    ├── UnparseableReply        no valid structured output, even after a repair request
    ├── SpeechMissed            a person has not submitted the speech in time
    ├── PromptTooLong           more than the model can read: no forfeit, the debate is void
    ├── WrongLanguage           a speech in another language than the debate's
    └── BothSides               a speech that contains both sides' speeches

Any other exception in the code of a debater or a judge is a bug: its debate or ballot gets the
status `error` (see `arena.debates.code_errors`) and is played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

#: Why a call brought no answer: the address cannot be reached (nothing was sent), one of the
#: limits of time has passed, the provider asks for fewer calls, it is overloaded or away for a
#: while, or this call failed in any other way.
FaultKind = Literal["unreachable", "timeout", "rate_limit", "unavailable", "failed"]
#: Exit codes of processes that a signal ended begin here.
SIGNALLED = 128
#: What only a person can mend: the key, the model's name or address, the credit, or what is asked
#: of a model whose server refuses each request for the same reason.
Remedy = Literal["key", "model", "quota", "request"]


class ArenaError(Exception):
    """Base of all errors of the project; its text is shown to the user unchanged."""


class ConfigError(ArenaError):
    """A configuration that cannot be used; says where, what it contains and what is accepted."""


class Untrusted(ConfigError):
    """A configuration that takes from this machine what it was not granted.

    Attributes:
        remember: keeps the user's consent.
        question: what the user is asked for it.
    """

    def __init__(self, message: str, *, remember: Callable[[], None], question: str) -> None:
        super().__init__(message)
        self.remember, self.question = remember, question


def suggest(given: str, known: Iterable[str]) -> str:
    """Return a sentence with the name that was probably meant, after a blank; '' for none.

    >>> suggest("strog", ["fair", "strong"]), suggest("x", ["fair", "strong"])
    (" Did you mean 'strong'?", '')
    """
    near = get_close_matches(given, known, n=1, cutoff=0.75)
    return f" Did you mean {near[0]!r}?" if near else ""


class UnknownName(ConfigError):
    """A name that no entry point registers."""

    def __init__(self, *, kind: str, given: str, known: list[str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        accepted = ", ".join(sorted(known)) or "none is installed"
        near = suggest(given, known)
        super().__init__(f"{place}unknown {kind} {given!r}. Known: {accepted}.{near}")


class UnknownModel(ConfigError):
    """A model whose provider is not known."""


class MissingKey(ConfigError):
    """The environment lacks a provider's key."""


class MissingPrice(ConfigError):
    """Neither the configuration nor LiteLLM has a model's price; it is never counted as 0.

    Args:
        has_table: whether the configuration has a table of the model, which lacks the price.

    Attributes:
        model: the model whose price is missing.
    """

    def __init__(self, model: str, *, has_table: bool = False) -> None:
        self.model = model
        table = f'[models."{model}"]'
        amount = "in USD per million tokens (0 for a free model)"
        where = f"to its table {table}, {amount}:" if has_table else f"{amount}:\n{table}"
        super().__init__(
            f"the price of {model!r} is not known. Add it {where}\n"
            "usd_per_million = { input = 2.5, output = 10.0 }"
        )


class VotesRefused(ConfigError):
    """Votes that cannot be counted; none of them was stored.

    Attributes:
        faults: one sentence per fault.
    """

    def __init__(self, faults: Sequence[str], *, shown: int = 10) -> None:
        self.faults = tuple(dict.fromkeys(faults))
        listed = "\n".join(f"  {fault}" for fault in self.faults[:shown])
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        more = "\n  …" if len(self.faults) > shown else ""
        super().__init__(f"nothing was stored, because of {count}:\n{listed}{more}")


class StoreError(ArenaError):
    """The database cannot be used as it is."""


class Locked(StoreError):
    """Another process runs a tournament on the database."""


class DatabaseGone(StoreError):
    """The database is not any more the file on which a run works: nothing further is paid."""


class PromptError(ArenaError):
    """A prompt file is broken, or was filled with a missing or an unused variable."""


class JournalMismatch(ArenaError):
    """The journal holds another call in the place of the one that is made now."""


class BudgetReached(ArenaError):
    """The worst-case cost of the next call would exceed the spending cap.

    Attributes:
        participant: whose cap it is; '' where it is that of the whole work.
        is_for_today: whether it is the cap of a day, so that work goes on the next day.
    """

    def __init__(self, message: str, *, participant: str = "", is_for_today: bool = False) -> None:
        super().__init__(message)
        self.participant, self.is_for_today = participant, is_for_today


class PutOff(ArenaError):
    """A unit of work cannot begin before others have ended; it is tried again after them."""


class ParticipantPaused(ArenaError):
    """A participant has only forfeited so far, for one reason; its debates stay planned.

    Attributes:
        participant: its name.
    """

    def __init__(self, message: str, *, participant: str) -> None:
        super().__init__(message)
        self.participant = participant


class WorkStopped(ArenaError):
    """Nothing further begins: the user wants to stop, or the time for it is over."""


class CallAbandoned(WorkStopped):
    """A call is not waited for any longer, because the run is to end; its unit stays open."""


class SpeechAwaited(ArenaError):
    """A person has not submitted the speech yet; the debate waits."""


class InfrastructureFault(ArenaError):
    """The provider or the network failed; the call may be retried.

    Attributes:
        retry_after: seconds that the provider asks to wait; `None` if it did not say.
        billed_usd: what the lost answer may have cost; `None` means its worst case.
        unusable: whether there was an answer, which is none of a chat model's.
        sent_at: when the call was sent, by `time.monotonic`; `None` where it was not, or before
            it is known.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FaultKind = "failed",
        retry_after: float | None = None,
        billed_usd: float | None = 0.0,
        unusable: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.unusable = unusable
        self.retry_after = retry_after
        self.billed_usd = billed_usd
        self.sent_at: float | None = None


class ProviderRejected(InfrastructureFault):
    """The provider refuses every such call; a retry would not change that.

    Attributes:
        remedy: what a person must mend before any call of the model can succeed; `None` where
            only this request is refused.
    """

    def __init__(self, message: str, *, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class GivenUp(InfrastructureFault):
    """The provider has been away, or has refused calls, for longer than `give_up_after`."""


class ContentFault(ArenaError):
    """A fault in the model's answer, which counts against the participant or the judge."""


class Refusal(ContentFault):
    """The model declined: by finish reason, by its refusal field, or twice in words."""


class NoSpeech(ContentFault):
    """The text is no speech: a placeholder, a question back, a remark on a speech, or too short.

    Attributes:
        reason: why, in words.
        doubtful: whether it may be a speech all the same: then it is played, and marked.
    """

    def __init__(self, reason: str, *, excerpt: str = "", doubtful: bool = False) -> None:
        super().__init__(
            f"the text is no speech, because {reason}: {excerpt}" if excerpt else reason
        )
        self.reason, self.doubtful = reason, doubtful


class EmptyReply(ContentFault):
    """The model's answer has no text."""


class TruncatedReply(ContentFault):
    """The answer was cut off by the token limit, and again with a larger limit."""


class UnparseableReply(ContentFault):
    """The answer is not valid structured output, and neither is the repaired one."""


class SpeechMissed(ContentFault):
    """A person has not submitted the speech in time."""


class PromptTooLong(ContentFault):
    """The prompt does not fit the model's context window.

    It is treated as a fault of the model's where an agent's answer can be done without; no debate
    is forfeited by it.
    """


class WrongLanguage(ContentFault):
    """The speech is not in the debate's language, and neither is the second attempt."""


class BothSides(ContentFault):
    """The speech contains speeches of both sides, and so does the second attempt."""


#: Errors that say nothing about a speech or a ballot: debates and judges do not catch them.
PROPAGATED_ERRORS = (
    InfrastructureFault,
    BudgetReached,
    WorkStopped,
    JournalMismatch,
    ConfigError,
    StoreError,
)
