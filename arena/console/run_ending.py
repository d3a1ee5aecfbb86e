"""Why a run ended, in a sentence for its record and its notification, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from arena.console.interruptions import format_errors
from arena.llm.traffic.circuit_breaker import STOPPED
from arena.text import as_sentence, counted, first_sentence
from arena.tournament.event_lines import Causes, one_line
from arena.tournament.results import RunTally
from arena.tournament.run_record import ALL_DONE, RunEnding

if TYPE_CHECKING:
    from arena.console.progress import Watch
    from arena.llm.traffic.traffic import Traffic
    from arena.tournament.figures import Figures
    from arena.tournament.paid_work import WorkTally


def format_ending(
    tally: WorkTally, figures: Figures, *, stopped: Mapping[str, str], aim: str
) -> RunEnding:
    """Return why a run ended, or that all is done.

    It holds names and numbers, and no word of a debate or of a provider's answers, so that it can
    be sent to anybody.

    Args:
        tally: how its work went.
        figures: how far it is.
        stopped: by model, why nobody can call it before a person mends something.
        aim: how far the target is reached, or why the schedule has come to its end; '' where the
            schedule has none.
    """
    reasons = [*(f"{model}: {why}" for model, why in stopped.items()), *_own_reasons(tally)]
    if tally.stopped:
        stop = first_sentence(tally.stopped).rstrip(".")
        return RunEnding(as_sentence("; ".join([stop, *reasons])))
    left = list(_left(figures))
    if left:
        number = sum(count.left + count.failed + count.waiting for count in figures.units)
        verb = "is" if number == 1 else "are"
        because = f": {'; '.join(reasons)}" if reasons else ""
        reached = f"{aim.rstrip('.')}; " if aim else ""
        sentence = f"{reached}{' and '.join(left)} {verb} left{because}."
        return RunEnding(sentence, "" if reasons else "left")
    return RunEnding(as_sentence(aim)) if aim else ALL_DONE


def stopped_models(traffic: Traffic) -> dict[str, str]:
    """Return by model why nobody can call it before a person mends something."""
    return {
        model: STOPPED[gate.stopped.remedy or "model"]
        for model, gate in traffic.stopped().items()
        if gate.stopped is not None
    }


def _own_reasons(tally: WorkTally) -> Iterator[str]:
    """Yield which participants have no money left, and whether a provider failed."""
    if tally.capped:
        have, caps = ("has", "its cap") if len(tally.capped) == 1 else ("have", "their caps")
        yield f"{', '.join(sorted(tally.capped))} {have} reached {caps}"
    if tally.paused:
        verb = "is" if len(tally.paused) == 1 else "are"
        yield f"{', '.join(sorted(tally.paused))} {verb} paused, having forfeited each debate"
    if tally.open or (isinstance(tally, RunTally) and tally.voided):
        yield "a provider failed"


def _left(figures: Figures) -> Iterator[str]:
    """Yield of each kind how many units are left, and how many of them failed or wait."""
    for count in figures.units:
        if not (number := count.left + count.failed + count.waiting):
            continue
        parts = [f"{count.failed} failed"] if count.failed else []
        parts += [f"{count.waiting} waiting for a person"] if count.waiting else []
        details = f" ({', '.join(parts)})" if parts else ""
        yield f"{counted(number, count.noun)}{details}"


#: Causes of failures of one kind that are listed.
_MOST_CAUSES = 5
#: Characters of a cause.
_LONGEST = 300


def print_summary(tally: RunTally, watch: Watch, *, resume: str, db: str) -> None:
    """Print how a run went.

    Args:
        resume: how to go on, in a sentence that ends with the command.
        db: the option of commands that names the database, if it must be named.
    """
    click.echo(
        f"Played {counted(tally.finished, 'debate')}, {counted(tally.forfeits, 'forfeit')}; "
        f"took {counted(tally.ballots, 'ballot')}."
    )
    _print_failures(tally, watch, db)
    if tally.waiting:
        waits = "waits" if len(tally.waiting) == 1 else "wait"
        click.echo(
            f"{counted(len(tally.waiting), 'debate')} {waits} for a person's speech: arena speak"
            f"{db}, or arena serve --speaking{db}"
        )
    for reason in [*tally.capped.values(), *tally.paused.values()]:
        click.echo(f"Left: {reason}")
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped}")
    _print_open(tally, watch, resume)
    click.echo()
    _print_errors(tally, resume, db)


def format_causes(causes: Causes, *, examples: bool = True) -> list[str]:
    """Format a line for each of the most frequent causes: how often, why, and an example."""
    lines = []
    for cause in list(causes)[:_MOST_CAUSES]:
        reason = cause.reason if len(cause.reason) <= _LONGEST else f"{cause.reason[:_LONGEST]}…"
        example = f" (for example debate {cause.example})" if cause.example and examples else ""
        lines.append(f"  {cause.count} × {reason}{example}")
    if (more := len(list(causes)) - _MOST_CAUSES) > 0:
        lines.append(f"  and {counted(more, 'cause')} more")
    return lines


def _print_failures(tally: RunTally, watch: Watch, db: str) -> None:
    """Print what failed, by cause, and how to read more of it."""
    forfeits, failed = watch.causes("forfeit"), watch.causes("failed")
    voided = Causes((debate_id[:8], one_line(why)) for debate_id, why in tally.voided.items())
    unasked = open_causes(tally.open)
    unmended = open_causes(tally.unmended)
    searches = watch.causes("search")
    noun = "search" if searches.count == 1 else "searches"
    print_causes(f"{_count_with_verb(forfeits.count, 'debate')} lost by forfeit", forfeits)
    print_causes(f"{counted(failed.count, 'ballot')} failed", failed)
    print_causes(f"{_count_with_verb(voided.count, 'debate')} void", voided)
    print_causes(f"{_count_with_verb(unasked.count, 'ballot')} open", unasked)
    work = counted(unmended.count, "debate or ballot", "debates and ballots")
    wait = "waits" if unmended.count == 1 else "wait"
    print_causes(f"{work} {wait} until you mend what the provider refuses", unmended)
    print_causes(
        f"{searches.count} {noun} failed, and the speeches were written without their results (see "
        "the traces)",
        searches,
    )
    for cause in [*forfeits, *failed][:1]:
        click.echo(f"Read what was said there with: arena show {cause.example}{db}")


def open_causes(reasons: Iterable[str]) -> Causes:
    """Group the reasons why work is open."""
    return Causes(("", one_line(reason)) for reason in reasons)


def print_causes(title: str, causes: Causes, *, examples: bool = True) -> None:
    """Print a title and what happened, by cause; nothing where nothing happened."""
    if causes.count:
        click.echo(f"{title}:")
        for line in format_causes(causes, examples=examples):
            click.echo(line)


def _print_open(tally: RunTally, watch: Watch, resume: str) -> None:
    """Print what is still open, and how to go on with it."""
    open_units = [
        counted(count.left, count.noun) for count in watch.figures().units if count.left > 0
    ]
    if tally.failed:
        open_units.append(f"{counted(tally.failed, 'failed ballot')} that will be asked for again")
    still_open = f"Still open: {', '.join(open_units)}. " if open_units else ""
    if still_open or tally.stopped:  # further waves may follow even where nothing planned is open
        click.echo(f"{still_open}{resume}")


def _print_errors(tally: RunTally, resume: str, db: str) -> None:
    """Print whose code raised which exceptions, and the command that plays their debates again."""
    if not tally.errors:
        return
    for line in format_errors(tally.errors):
        click.echo(line)
    example = next(iter(tally.errors.groups.values())).debate_id[:8]
    click.echo(f"Read a traceback with: arena show {example}{db}")
    command = resume.rpartition(": ")[2]
    click.echo(
        f"Correct the code, then play them again; finished calls are not made again: {command}\n"
    )


def _count_with_verb(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
