"""The records that travel between the parts of the arena."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.languages import Side, Stage

DebateStatus = Literal["planned", "playing", "waiting", "finished", "forfeit", "void"]
BallotStatus = Literal["valid", "failed"]

#: What stands for the debater, the judge and the bench of battles that were imported.
IMPORTED = "imported"

#: Models whose names begin so are simulated, here, without a network.
OFFLINE = "offline/"

#: One step of a speech's making, as JSON: who did what, in which round, with what end.
Step = Mapping[str, Any]


def digest(*parts: object) -> str:
    """A stable 16-digit identity of some JSON-able parts."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def family_of(model: str) -> str:
    """The family that a model's name tells: `openai/gpt-4o` is of `gpt`."""
    return model.rpartition("/")[2].partition("-")[0]


def family_of_all(models: Iterable[str]) -> str:
    """The one family that all of some models are of; of several there is none.

    >>> family_of_all(["openai/gpt-4o", "openai/gpt-5"]), family_of_all(["a/gpt-5", "b/claude"])
    ('gpt', '')
    """
    families = {family_of(model) for model in models}
    return families.pop() if len(families) == 1 else ""


def kin(models: Iterable[str]) -> frozenset[str]:
    """All words by which some models' families may be known, in small letters.

    >>> sorted(kin(["openrouter/anthropic/claude-haiku-4-5"]))
    ['anthropic', 'claude', 'openrouter']
    """
    words = {word for model in models for word in (*model.split("/")[:-1], family_of(model))}
    return frozenset(word.lower() for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model samples: `temperature`, `top_p`, and the limit of one answer in tokens."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """A debater framework on a model, with its options and sampling, under a name."""

    name: str
    debater: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = Sampling()

    @property
    def specification(self) -> str:
        """Identity of everything but the name: equal for two names of one system."""
        return digest(self.debater, self.model, dict(self.options), _sampling(self.sampling))

    @property
    def participant_id(self) -> str:
        """Identity, name included; price and address play no part."""
        return digest(self.name, self.specification)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A configured judge: its method, model, runs and options, under a name.

    Attributes:
        family: of its models; '' where they are of several, and nobody has said.
        swap: whether it judges a pair of answers in both orders.
        reworded: whether it judges a pair by its second set of prompts, which say the same in
            other words; only measurements of judges have such benches.
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

    @property
    def specification(self) -> str:
        """Identity of what gives its verdicts: all but the name, the runs and the family."""
        parts = [self.judge, self.model, dict(self.options), _sampling(self.sampling)]
        more = [name for name in ("swap", "reworded") if getattr(self, name)]
        return digest(*parts, *more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """One planned contest of two participants on a motion.

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
    """What a speech cites: a number of its side's knowledge base.

    Attributes:
        given: False where no search ever gave this number to the speaker.
    """

    number: int
    origin: str = ""
    excerpt: str = ""
    given: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """One speech of a debate.

    Attributes:
        words: its length in words (characters in Chinese).
        trimmed: True where it was cut at the word limit.
        trace: the steps of its making.
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
    """A ballot's verdict on one dimension: Pro's outcome (1, ½, 0), marks 1-10, and why."""

    dimension: str
    outcome: float
    pro_mark: float
    con_mark: float
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One verdict of one bench run on one debate; `trace` says how it came about.

    Attributes:
        swapped: whether a pair of answers was judged in both orders, which the trace keeps.
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
        """Its identity: one ballot per debate, bench and run."""
        return digest(self.debate_id, self.bench, self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One finished call of a unit, as the table `calls` holds it.

    Attributes:
        dropped: the sampling parameters that the model refuses, `top_p, seed`: left out.
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


def _sampling(sampling: Sampling) -> list[float]:
    return [sampling.temperature, sampling.top_p, sampling.max_tokens]
