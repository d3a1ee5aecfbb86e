"""The records that the packages of the arena exchange."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from arena.languages import Side, Stage

#: `void` is the provider's fault, `error` a bug in a debater's code; both are played again.
DebateStatus = Literal["planned", "playing", "waiting", "finished", "forfeit", "void", "error"]
#: `failed` is an answer of no use, `error` a bug in the judge's code; both are taken again.
BallotStatus = Literal["valid", "failed", "error"]

#: The statuses of debates that are played no more; a query takes the pair as it is written.
ENDED: tuple[DebateStatus, ...] = ("finished", "forfeit")

#: How much a model is asked to think before it answers.
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
#: How a structured answer was asked for: by its JSON schema, as any JSON object, or by the prompt.
Structured = Literal["schema", "object", "prompt"]

#: The name of the debater, the judge and the bench of imported battles.
IMPORTED = "imported"

#: Prefix of the names of simulated models, which run in this process without a network.
OFFLINE = "offline/"

#: Prefix of the names of real models for which a run starts a server on this machine itself.
LOCAL = "local/"

#: What is said wherever results are shown in which models with a prefix take part.
_CAVEATS = {
    OFFLINE: "simulated models",
    LOCAL: (
        "a real but very small model (SmolLM2-135M): shows that everything works, not who argues "
        "well"
    ),
}

#: One step in the making of a speech or a ballot, as JSON: agent, action, round, result.
Step = Mapping[str, Any]
#: The `agent` of the steps that hold the judgement of each order of a pair of answers.
ORDER = "order"
#: The action of the step that says what was left out of a prompt for lack of room.
LEAVE_OUT = "leave out"
#: What can be left out, by its name in such a step, in words.
LEFT_OUT: Mapping[str, str] = {
    "findings": "some findings",
    "excerpts": "excerpts of references",
    "turns": "earlier turns",
    "answer_tokens": "all the room for the answer",
}


_in_one_form = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def digest(*parts: object) -> str:
    """Return a stable identity of some JSON-serialisable parts: 16 hexadecimal digits."""
    return hashlib.sha256(_in_one_form(parts).encode()).hexdigest()[:16]


def ballot_id(debate_id: str, bench: str, run: int) -> str:
    """Return the identity of a ballot: there is one per debate, bench and run."""
    return digest(debate_id, bench, run)


def family_of(model: str) -> str:
    """Return the family of a model by its name: `gpt` for `openai/gpt-4o`."""
    return model.rpartition("/")[2].partition("-")[0]


def common_family(models: Iterable[str]) -> str:
    """Return the family that all models share; empty where they are of several.

    >>> common_family(["openai/gpt-4o", "openai/gpt-5"]), common_family(["a/gpt-5", "b/claude"])
    ('gpt', '')
    """
    families = {family_of(model) for model in models}
    return families.pop() if len(families) == 1 else ""


def caveat_of(models: Iterable[str]) -> str:
    """Return what has to be said wherever results of some models are shown; '' for nothing.

    >>> caveat_of(["openai/gpt-4o", "offline/good"]), caveat_of(["openai/gpt-4o"])
    ('simulated models', '')
    """
    prefixes = {f"{model.partition('/')[0]}/" for model in models}
    return " · ".join(words for prefix, words in _CAVEATS.items() if prefix in prefixes)


def family_words(models: Iterable[str]) -> frozenset[str]:
    """Return all words that may name the families of models, in lower case.

    >>> sorted(family_words(["openrouter/anthropic/claude-haiku-4-5"]))
    ['anthropic', 'claude', 'openrouter']
    """
    words = {word for model in models for word in (*model.split("/")[:-1], family_of(model))}
    return frozenset(word.lower() for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters: `temperature`, `top_p`, and the limit of one answer in tokens.

    Attributes:
        reasoning_effort: how much the model is to think; `None` leaves it to the model.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 4096
    reasoning_effort: ReasoningEffort | None = None

    def fields(self) -> dict[str, Any]:
        """Return the parameters by name, without a `reasoning_effort` that is not set."""
        fields = asdict(self)
        if self.reasoning_effort is None:
            del fields["reasoning_effort"]
        return fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """A named debate system: a debater framework, its model, options and sampling."""

    name: str
    debater: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = Sampling()

    @property
    def specification(self) -> str:
        """The identity of the system without its name: equal for two names of one system."""
        return digest(self.debater, self.model, dict(self.options), _sampling(self.sampling))

    @property
    def participant_id(self) -> str:
        """The identity of the participant, name included; price and address do not matter."""
        return digest(self.name, self.specification)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A named judge: its method, model, number of runs, options and sampling.

    Attributes:
        runs: ballots per debate; for a bench of people, the number of voters.
        family: of its models; '' where they are of several and the configuration names none.
        swap: whether it judges a pair of answers in both orders.
        reworded: whether it judges pairs with its second set of prompts, which say the same in
            other words; used only in studies of judges.
        count: what ratings count: debates, each decided by the sum of its ballots, or ballots.
    """

    name: str
    judge: str
    model: str
    runs: int = 3
    options: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = Sampling()
    family: str = ""
    swap: bool = False
    reworded: bool = False
    count: Literal["debates", "ballots"] = "debates"

    @property
    def specification(self) -> str:
        """The identity of what decides its verdicts: all but name, runs, family and count."""
        parts = [self.judge, self.model, dict(self.options), _sampling(self.sampling)]
        more = [name for name in ("swap", "reworded") if getattr(self, name)]
        return digest(*parts, *more)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCall:
    """A request for one run of a bench.

    Attributes:
        run: number of the run, from 0.
        asked: how many times the ballot was requested before; a failed ballot is asked again.
        erred: whether it ended in an error of the judge's code before.
    """

    bench: Bench
    run: int
    asked: int = 0
    erred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """A debate as it was planned: who meets whom on which motion, and on which sides.

    It says nothing of what came of it: that is a `DebateRecord` (`arena.debates.play`).

    Attributes:
        pro, con: participant ids.
        leg: 0 or 1; the legs of a matchup differ in who is Pro.
        repeat: which matchup of this pair on this motion.
    """

    debate_id: str
    matchup_id: str
    tournament: str
    motion_id: str
    language: str
    leg: int
    repeat: int
    pro: str
    con: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A source that a speech cites by its number in the side's search results.

    Attributes:
        given: False where no search returned this number to the speaker.
        side: whose letter the marks in the text have, `[P3]`; None where they have none, `[3]`:
            in essays, in people's speeches, and in debates that were stored before there were any.
    """

    number: int
    origin: str = ""
    excerpt: str = ""
    given: bool = True
    side: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """One speech of a debate.

    Attributes:
        words: its length in words (characters in Chinese).
        trimmed: True where it was cut at the word limit.
        trace: the steps in which it was made.
    """

    side: Side
    stage: Stage
    text: str
    words: int
    trimmed: bool = False
    references: tuple[Reference, ...] = ()
    trace: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A ballot's verdict on one dimension: Pro's outcome (1, ½, 0), marks 1-10, a comment."""

    dimension: str
    outcome: float
    pro_mark: float
    con_mark: float
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The result of one bench run on one debate.

    Attributes:
        trace: the steps that led to it.
        swapped: whether a pair of answers was judged in both orders (both are in the trace).
    """

    debate_id: str
    bench: str
    run: int
    status: BallotStatus
    reason: str = ""
    rationale: str = ""
    verdicts: tuple[Verdict, ...] = ()
    trace: tuple[Step, ...] = ()
    seconds: float = 0.0
    cost_usd: float = 0.0
    swapped: bool = False

    @property
    def ballot_id(self) -> str:
        """The identity of the ballot."""
        return ballot_id(self.debate_id, self.bench, self.run)


#: How the reading of an answer is recorded that led to a repair or a fallback.
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One finished call of a model, as a row of the table `calls`.

    Attributes:
        dropped: sampling parameters left out because the model refuses them: `top_p, seed`.
        structured: how a structured answer was asked for: `schema`, `object` or `prompt`; empty
            for plain text.
        served_model: the name of the model that answered, as the provider returned it.
        fingerprint: the provider's `system_fingerprint`, empty where it has none.
        reserved_usd: the part of the cost that was reserved for answers whose bill is not known.
        reserved_tokens: the most tokens that these answers can have; no part of the others.
        bent: deviations from the form that were read as meant, `fence, number`; or `unreadable`,
            where the answer led to a repair or a fallback.
        estimated: whether tokens, and so the cost, were estimated, as the provider sent no count.
    """

    path: str
    attempt: int
    task: str
    prompt_hash: str
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost_usd: float
    seconds: float
    retries: int
    finish_reason: str
    dropped: str = ""
    structured: str = ""
    served_model: str = ""
    fingerprint: str = ""
    reserved_usd: float = 0.0
    reserved_tokens: int = 0
    bent: str = ""
    estimated: bool = False


def _sampling(sampling: Sampling) -> list[float | str]:
    return list(sampling.fields().values())
