"""`arena models`: print how readable the answers of each model were, and what they took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.boards.selection import Selection
from arena.console.options import database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.output.formats import format_option, print_tables, titled
from arena.output.tables import Column, Table, tabulate
from arena.read.calls import CallRow, read_calls
from arena.records import UNREADABLE
from arena.store.command_lines import command_line
from arena.text import plain

if TYPE_CHECKING:
    from arena.store.database import Store


@click.command(
    epilog=examples("arena models", "arena models --tournament weekend --format csv > models.csv")
)
@database
@tournament
@format_option("table", "markdown", "csv", "json")
def models(db: Path, tournament: str | None, form: str) -> None:
    """Print how the models of a tournament answered.

    For each model: the share of its answers that could be read as they were sent, after their
    form was bent, after a repair, or not at all; how structured answers were asked for; the names
    under which the provider answered; calls, tokens, seconds and USD.
    """
    store, resolved = open_stored(db, tournament)
    rows = model_answers(store, resolved.name)
    title = titled(resolved.name, "answers of the models", caveat=resolved.caveat)
    content = {
        "tournament": resolved.name,
        "simulated": resolved.simulated,
        "models": [asdict(row) for row in rows],
    }
    resume = command_line("resume", resolved.name, db=db)
    table = model_answers_table(rows, title, resume=resume)
    print_tables([table], content, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswers:
    """The answers of one model.

    Attributes:
        answers: asked for, each counted once with its repairs.
        as_sent: read without any change.
        bent: read as meant although the form was not what was asked for.
        repaired: unreadable at first, readable after a repair.
        lost: unreadable after the repair too; debater or judge went on without, or failed.
        kinds: what was read as meant, the most frequent first: `prose 12, fence 3`.
        structured: how structured answers were asked for: `schema`, `object`, `prompt`.
        served: the names under which the provider answered.
        fingerprints: the number of different system fingerprints.
        calls: repairs and answers cut off included.
        input_tokens, output_tokens: of all calls.
        seconds: mean duration of a call.
        cost_usd: of all calls, as far as bills are known.
        estimated: calls that were priced by an estimate, as the provider sent no count of tokens.
    """

    model: str
    answers: int
    as_sent: int
    bent: int
    repaired: int
    lost: int
    kinds: str
    structured: str
    served: str
    fingerprints: int
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    cost_usd: float
    estimated: int


def model_answers(store: Store, tournament: str) -> list[ModelAnswers]:
    """Count the answers of every model of a tournament, by model.

    Tournaments of versions that did not record how answers were read have all of them as sent.
    """
    by_model: dict[str, list[CallRow]] = {}
    for call in read_calls(store, Selection(tournament=tournament, bench="all")):
        if call.task != "embed":
            by_model.setdefault(call.model, []).append(call)
    rows = []
    for model, calls in sorted(by_model.items()):
        # An answer is the calls at one place of a debate or ballot: the first, and repairs of it.
        answers: dict[tuple[str, str], list[CallRow]] = {}
        for call in calls:
            answers.setdefault((call.unit, call.path), []).append(call)
        counts = Counter(_reading([call.bent for call in answer]) for answer in answers.values())
        rows.append(
            ModelAnswers(
                model=model,
                answers=len(answers),
                as_sent=counts["as sent"],
                bent=counts["bent"],
                repaired=counts["repaired"],
                lost=counts["lost"],
                kinds=_count_kinds(call.bent for call in calls),
                structured=_names(call.structured for call in calls),
                served=_names(call.served_model for call in calls),
                fingerprints=len({call.fingerprint for call in calls} - {""}),
                calls=len(calls),
                input_tokens=sum(call.input_tokens for call in calls),
                output_tokens=sum(call.output_tokens for call in calls),
                seconds=sum(call.seconds for call in calls) / len(calls),
                cost_usd=sum(call.cost_usd - call.reserved_usd for call in calls),
                estimated=sum(call.estimated for call in calls),
            )
        )
    return rows


def _reading(bent: Sequence[str]) -> str:
    """Tell how one answer was read, from what was bent in each of its calls."""
    if UNREADABLE in bent[-1]:
        return "lost"
    if any(UNREADABLE in call for call in bent):
        return "repaired"
    return "bent" if any(bent) else "as sent"


def _count_kinds(bent: Iterable[str]) -> str:
    kinds = Counter(
        kind for call in bent for kind in call.split(", ") if kind not in ("", UNREADABLE)
    )
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items(), key=_by_count))


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _names(values: Iterable[str]) -> str:
    return ", ".join(sorted({*values} - {""}))


def _share(read: int, row: ModelAnswers) -> str:
    return f"{read / row.answers:.0%}"


#: The columns of the table, in the order of its CSV.
COLUMNS: tuple[Column[ModelAnswers], ...] = (
    Column(head="model", key="model", read=lambda row: row.model, style=plain, label=True),
    Column(head="answers", key="answers", read=lambda row: row.answers),
    Column(head="as sent", read=lambda row: _share(row.as_sent, row)),
    Column(head="bent", read=lambda row: _share(row.bent, row)),
    Column(head="repaired", read=lambda row: _share(row.repaired, row)),
    Column(head="lost", read=lambda row: _share(row.lost, row)),
    Column(key="as_sent", read=lambda row: row.as_sent),
    Column(key="bent", read=lambda row: row.bent),
    Column(key="repaired", read=lambda row: row.repaired),
    Column(key="lost", read=lambda row: row.lost),
    Column(
        head="what was bent",
        key="kinds",
        read=lambda row: row.kinds,
        left=True,
        wraps=True,
        shown=lambda rows: any(row.kinds for row in rows),
    ),
    Column(
        head="form",
        key="structured",
        read=lambda row: row.structured,
        left=True,
        shown=lambda rows: any(row.structured for row in rows),
    ),
    Column(
        head="answered as",
        key="served",
        read=lambda row: row.served,
        style=plain,
        left=True,
        wraps=True,
        shown=lambda rows: any(row.served for row in rows),
    ),
    Column(key="fingerprints", read=lambda row: row.fingerprints),
    Column(head="calls", key="calls", read=lambda row: row.calls),
    Column(key="input_tokens", read=lambda row: row.input_tokens),
    Column(head="output tokens", key="output_tokens", read=lambda row: row.output_tokens),
    Column(head="s/call", key="seconds", read=lambda row: row.seconds, style=".2f", digits=4),
    Column(
        head="USD",
        key="cost_usd",
        read=lambda row: row.cost_usd,
        style=".4f",
        digits=6,
        shown=lambda rows: any(row.cost_usd for row in rows),
    ),
    Column(
        head="estimated",
        key="estimated",
        read=lambda row: row.estimated,
        shown=lambda rows: any(row.estimated for row in rows),
    ),
)


def model_answers_table(rows: Sequence[ModelAnswers], title: str, *, resume: str) -> Table:
    """Return the answers of a tournament's models as a table.

    Args:
        resume: the command that goes on with the tournament.
    """
    notes: tuple[str, ...] = (
        (
            "bent: the form was not what was asked for, but left no doubt; repaired: readable "
            "after one more call; lost: a debater went on without it, or a ballot failed.",
        )
        if rows
        else (f"No model has answered yet. Play the tournament with: {resume}",)
    )
    if any(row.estimated for row in rows):
        notes += ("estimated: calls priced by an estimate: the provider sent no count of tokens.",)
    return tabulate(COLUMNS, rows, title=title, notes=notes)
