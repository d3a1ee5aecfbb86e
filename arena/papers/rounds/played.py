"""The opening of reports on answers that were made in rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.config.resolved import ResolvedConfig, check_participants, find_bench
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import titled
from arena.papers.rounds.measures import Outcome, outcomes, wrong_questions
from arena.papers.rounds.work import MadeAnswer, read_made_answers
from arena.store.database import Store
from arena.text import counted

#: The debater whose wrong answers select questions.
REASONING = "cot"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRounds:
    """A stored tournament with its answers, and the bench that decides what is right."""

    resolved: ResolvedConfig
    bench: str
    made: Sequence[MadeAnswer]

    def title(self, what: str) -> str:
        """Return the title of a table."""
        return titled(self.resolved.name, what, f"bench {self.bench}", caveat=self.resolved.caveat)

    def outcomes(self) -> list[Outcome]:
        """Return what the answers of each participant came to."""
        return outcomes(self.made, self.resolved.participants)


def open_rounds(
    db: Path, tournament: str | None, bench: str | None, *, questions: bool = False
) -> PlayedRounds:
    """Open a stored tournament and read its answers.

    Args:
        tournament: its name; None for the newest.
        bench: its name; None for the first one.
        questions: whether it must ask questions.

    Raises:
        ConfigError: there is no such tournament or bench, it was imported, or it asks no questions.
    """
    store, resolved = open_stored(db, tournament)
    resolved.require_speeches()
    if questions and resolved.config.tournament.contest != "question":
        raise ConfigError(
            f"tournament {resolved.name!r} asks no questions, so no answer in it is right or "
            'wrong. Name a tournament with contest = "question"; play one with: arena run mad'
        )
    return read_rounds(store, resolved, bench)


def read_rounds(store: Store, resolved: ResolvedConfig, bench: str | None) -> PlayedRounds:
    """Read the answers of a tournament; arguments as `open_rounds`."""
    name = find_bench(resolved, bench).name
    made = read_made_answers(store, resolved.name, bench=name)
    return PlayedRounds(resolved=resolved, bench=name, made=made)


def choose_wrong(played: PlayedRounds, name: str | None) -> tuple[list[MadeAnswer], str]:
    """Return the answers to the questions that a participant gets wrong, and a sentence on them.

    Args:
        name: the participant; None for the first one of the debater `cot`.

    Raises:
        ConfigError: the tournament asks no questions, or has no such participant.
    """
    resolved = played.resolved
    check_participants(resolved, [name] if name else ())
    if resolved.config.tournament.contest != "question":
        raise ConfigError(
            f"tournament {resolved.name!r} asks no questions, so nobody is wrong in it. Give --all "
            "to count all motions."
        )
    named = [entry.name for entry in resolved.participants if entry.debater == REASONING]
    selector = name or next(iter(named), None)
    if selector is None:
        raise ConfigError(
            f"tournament {resolved.name!r} has no participant of the debater {REASONING!r}, whose "
            "wrong answers select the questions. Name another one with --wrong-by, or give --all."
        )
    wrong = wrong_questions(played.made, selector)
    asked = {answer.question for answer in played.made}
    sentence = (
        f"Only the {len(wrong)} of {counted(len(asked), 'question')} that {selector} gets wrong."
    )
    return [answer for answer in played.made if answer.question in wrong], sentence
