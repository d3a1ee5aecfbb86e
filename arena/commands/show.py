"""`arena show`: print one debate with its speeches and ballots."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, read_vote_rules
from arena.boards.votes import CONFIDENCE, format_votes
from arena.boards.weighted_vote import bench_weights, format_weights, weighted_vote
from arena.console.options import database, examples
from arena.console.speech_text import print_speech
from arena.errors import ConfigError
from arena.languages import ENGLISH, SIDES, Language, Side, language
from arena.languages.language import contest_language, making_words
from arena.people.speakers import format_person
from arena.plugins import UNSEEN, sees_calls
from arena.read.ballots import BallotRow, read_ballots
from arena.read.calls import CallRow, read_calls, read_exchanges
from arena.read.debates import DebateRow, find_debates, seat
from arena.read.selected import Narrowing
from arena.records import ORDER, Speech, Verdict, caveat_of
from arena.report.debate_result import bench_decisions
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_configs, read_speeches
from arena.text import plain
from ratings import CON_WINS, PRO_WINS, TIE

#: How a structured answer was asked for, in words.
_FORMS = {
    "schema": "the JSON schema",
    "object": "response_format json_object and the prompt",
    "prompt": "the prompt alone",
}


@click.command(
    epilog=examples(
        "arena show 3f9a",
        "arena show 3f9a --trace",
        "arena show 3f9a --ballots",
        "arena show 3f9a --calls",
    )
)
@click.argument("debate")
@database
@click.option("--ballots", is_flag=True, help="Include the judges' comments.")
@click.option(
    "--trace",
    is_flag=True,
    help="Show how each speech was made: what its agents said, and what changed between drafts.",
)
@click.option("--calls", is_flag=True, help="Show all requests to models and their answers.")
def show(debate: str, db: Path, ballots: bool, trace: bool, calls: bool) -> None:  # noqa: FBT001
    """Show a DEBATE with its references and ballots.

    DEBATE is the start of a debate's id.
    """
    store = Store(db)
    store.check()
    with store.one_state():
        row = _find_debate(store, debate)
        debate_id, tournament = row.debate_id, row.tournament
        selection, only = Selection(tournament=tournament, bench="all"), Narrowing(ids=(debate_id,))
        config = json.loads(read_configs(store)[tournament])
        contest, is_imported = config["tournament"].get("contest"), "source" in config
        speeches = read_speeches(store, [debate_id]).get(debate_id, ())
        taken = read_ballots(store, selection, only)
        weights = bench_weights(store, tournament)
        # Only people vote by majority; to load the methods of other judges takes long.
        is_voted = any(ballot.voter for ballot in taken)
        rules = read_vote_rules(store, tournament) if is_voted else {}
    _print_head(row, speeches, contest, is_imported=is_imported)
    _print_decisions(row, taken, contest, majority_benches(rules))
    if not is_imported:
        _print_speeches(store, row, speeches, contest, trace=trace)
    _print_ballots(contest, taken, weights, words=ballots)
    if calls:
        _print_calls(store, debate_id, taken, read_calls(store, selection, only))


def _find_debate(store: Store, prefix: str) -> DebateRow:
    found = find_debates(store, prefix, most=4)
    if not prefix or not found:
        listing = command_line("debates", db=store.path)
        raise ConfigError(f"{store.path}: no debate {prefix!r}. Debates are listed by: {listing}")
    if len(found) > 1:
        matches = ", ".join(row.debate_id for row in found[:3]) + ", …" * (len(found) > 3)
        raise ConfigError(
            f"{prefix!r} is the start of more than one id: {matches}. Give more digits."
        )
    return found[0]


def _print_head(
    debate: DebateRow, speeches: Sequence[Speech], contest: str | None, *, is_imported: bool
) -> None:
    click.echo(f"Debate {debate.debate_id} ({debate.status}), leg {debate.leg}")
    labels = [debate.category, "" if is_imported else debate.motion_id]
    about = ", ".join(plain(label) for label in labels if label)
    click.echo(f"Motion{f' ({about})' if about else ''}: {plain(debate.motion)}")
    debaters = {"pro": debate.pro_debater, "con": debate.con_debater}
    models = {"pro": debate.pro_model, "con": debate.con_model}
    for side, label in contest_language(ENGLISH, contest).sides.items():
        model = models[side] or plain(format_person(speeches, side))
        unseen = "" if sees_calls(debaters[side]) else f"; {UNSEEN}"
        click.echo(f"{label}: {seat(debate, side)} ({model}){unseen}")
    if debate.reason:
        click.echo(f"Reason: {plain(debate.reason)}")
    if debate.traceback:
        click.echo(f"\n{plain(debate.traceback)}")
    if caveat := caveat_of(models.values()):
        click.echo(f"({caveat})")


def _print_decisions(
    debate: DebateRow,
    ballots: Iterable[BallotRow],
    contest: str | None,
    by_majority: Collection[str],
) -> None:
    """Print who won by each bench, and what its judges found decisive."""
    names: dict[Side, str] = {side: seat(debate, side) for side in SIDES}
    sides = contest_language(ENGLISH, contest).sides
    rows: list[dict[str, Any]] = []
    for ballot in ballots:
        own = {"bench": ballot.bench, "status": ballot.status}
        rows += [own | asdict(verdict) for verdict in ballot.verdicts] or [own]
    for decision in bench_decisions(rows, names, sides=sides, by_majority=by_majority):
        click.secho(f"\n{decision.sentence}", bold=True)
        for reason in decision.reasons:
            click.echo(f"  {reason}")


def _print_speeches(
    store: Store,
    debate: DebateRow,
    speeches: Sequence[Speech],
    contest: str | None,
    *,
    trace: bool,
) -> None:
    """Print the speeches of a debate, and how they were made where that is wanted."""
    words = contest_language(language(debate.language), contest)
    if trace:
        _print_making(store, debate, speeches, words, contest or "debate")
        return
    for speech in speeches:
        print_speech(speech, words)


def _print_making(
    store: Store, debate: DebateRow, speeches: Sequence[Speech], words: Language, contest: str
) -> None:
    """Print each speech after the dialogue in which it was made."""
    # What reads the answers of models takes as long to load as a debate to print.
    from arena.report.dialogues.dialogue import format_dialogue, read_dialogues  # noqa: PLC0415

    delivered = {(speech.side, speech.stage): speech for speech in speeches}
    making = making_words(words)
    for dialogue in read_dialogues(store, debate.debate_id, speeches, words, contest):
        labels = [words.sides[dialogue.side]]
        labels += [] if dialogue.stage == "answer" else [words.stages[dialogue.stage]]
        labels += [making.phrase("how")]
        labels += [] if dialogue.delivered else [making.phrase("undelivered")]
        click.secho(f"\n── {', '.join(labels)} ──", bold=True)
        for line in format_dialogue(dialogue, words):
            click.echo(line)
        if speech := delivered.get((dialogue.side, dialogue.stage)):
            print_speech(speech, words)


def _print_ballots(
    contest: str | None,
    ballots: Sequence[BallotRow],
    weights: Mapping[str, Mapping[str, float]],
    *,
    words: bool,
) -> None:
    """Print the verdicts of every ballot, with the judges' words where they are wanted.

    Args:
        weights: of the dimensions, by bench.
    """
    sides = contest_language(ENGLISH, contest).sides
    winners = {PRO_WINS: sides["pro"], TIE: "tie", CON_WINS: sides["con"]}
    valid = [ballot for ballot in ballots if ballot.status == "valid"]
    dimensions = {verdict.dimension for ballot in valid for verdict in ballot.verdicts}
    dimensions |= {"weighted"} if any(weights.values()) else set()
    width = max(map(len, dimensions), default=0)
    click.secho("\n── Ballots ──", bold=True)
    if not ballots:
        click.echo("none yet")
    for ballot in ballots:
        place = f"{ballot.bench}, run {ballot.run + 1}"
        if ballot.status != "valid":
            click.echo(f"{place}: {ballot.status}: {plain(ballot.reason)}")
            if ballot.traceback:
                click.echo(textwrap.indent(plain(ballot.traceback), "    "))
            continue
        for verdict in ballot.verdicts:
            _print_verdict(ballot, verdict, sides, winners, width=width, words=words)
        _print_steps(ballot.trace if words else ())
        outcomes = {verdict.dimension: verdict.outcome for verdict in ballot.verdicts}
        if vote := _format_vote(outcomes, weights.get(ballot.bench, {}), winners):
            click.echo(f"{place}, {'weighted':<{width}} {vote}")
    _print_votes(ballots, winners)


def _print_verdict(  # noqa: PLR0913 - a verdict, and how it is shown
    ballot: BallotRow,
    verdict: Verdict,
    sides: Mapping[Side, str],
    winners: Mapping[float, str],
    *,
    width: int,
    words: bool,
) -> None:
    """Print the verdict of one ballot on one dimension, whose column is `width` wide."""
    place = f"{ballot.bench}, run {ballot.run + 1}"
    winner_width = max(map(len, winners.values())) + 1
    text = f"{place}, {verdict.dimension:<{width}} {winners[verdict.outcome]:<{winner_width}}"
    details = ", ".join(_verdict_details(ballot, verdict, sides))
    click.echo(f"{text}({details})" if details else text.rstrip())
    if words and verdict.comment.strip():
        click.echo(textwrap.indent(plain(verdict.comment), "    "))


def _verdict_details(
    ballot: BallotRow, verdict: Verdict, sides: Mapping[Side, str]
) -> Iterator[str]:
    """Yield the marks, the judge's name and confidence, and a battle's weight, as far as known."""
    for side, label in sides.items():
        mark = verdict.pro_mark if side == "pro" else verdict.con_mark
        if mark is not None and not math.isnan(mark):
            yield f"{label} {mark:.3g}"
    if ballot.voter:
        yield f"by {plain(ballot.voter)}"
    if ballot.confidence is not None:
        yield f"confidence {ballot.confidence:g} of {CONFIDENCE[1]}"
    if ballot.weight is not None:
        yield f"weight {ballot.weight:.3g}"


def _print_votes(ballots: Iterable[BallotRow], winners: Mapping[float, str]) -> None:
    """Print the result of people's votes: the score of both sides, and the majority if any."""
    votes: dict[str, list[float]] = {}
    for ballot in ballots:
        if ballot.voter and (verdict := ballot.verdict()):
            votes.setdefault(ballot.bench, []).append(verdict.outcome)
    for bench, outcomes in votes.items():
        if result := format_votes(outcomes, winners):
            click.echo(f"{bench}, {result}")


def _format_vote(
    outcomes: Mapping[str, float], weights: Mapping[str, float], winners: Mapping[float, str]
) -> str:
    """Return the weighted vote of a ballot's dimensions; "" if its judge does not weigh them."""
    if not weights or not set(weights) <= set(outcomes):
        return ""
    return f"{winners[weighted_vote(outcomes, weights)]:<4}({format_weights(weights)})"


def _print_steps(steps: Sequence[Mapping[str, Any]], *, indent: int = 4) -> None:
    """Print how a verdict was reached: one line for each round, juror or member.

    The members of a jury within a jury stand below it, further in.
    """
    for step in steps:
        if step.get("agent") == ORDER:
            continue  # the comments above hold the verdicts in either order
        line = ", ".join(
            f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
            for key, value in step.items()
            if not isinstance(value, list)
        )
        click.echo(f"{' ' * indent}{' '.join(plain(line).split())}")
        _print_steps(step.get("members", ()), indent=indent + 2)


def _print_calls(
    store: Store, debate_id: str, ballots: Iterable[BallotRow], calls: Iterable[CallRow]
) -> None:
    """Print every request and answer of a debate and of its ballots."""
    known = {(call.unit, call.path, call.attempt): _format_remarks(call) for call in calls}
    for unit in (debate_id, *sorted(ballot.ballot_id for ballot in ballots)):
        for call in read_exchanges(store, unit):
            head = f"{unit[:8]} {call['path']} ({call['attempt']}) {call['model']}"
            click.secho(f"\n━━ {head} seed {call['seed']} ━━", bold=True)
            if call["dropped"]:
                click.echo(
                    "(parameters left out, because the model rejects them: "
                    f"{', '.join(call['dropped'])})"
                )
            if remarks := known.get((unit, call["path"], call["attempt"])):
                click.echo(f"({remarks})")
            for role, text in call["messages"]:
                click.echo(f"[{role}]\n{plain(text)}\n")
            click.echo(f"[answer]\n{plain(call['answer'])}")


def _format_remarks(call: CallRow) -> str:
    """Format how an answer's form was asked for, who answered, and what was bent, if anything."""
    form, served = _FORMS.get(call.structured), plain(call.served_model)
    fingerprint, bent = plain(call.fingerprint), plain(call.bent)
    remarks = [f"form asked for by {form}"] if form else []
    if served and served != call.model.partition("/")[2]:
        remarks.append(f"answered by {served}")
    remarks += [f"fingerprint {fingerprint}"] if fingerprint else []
    remarks += [f"read as meant: {bent}"] if bent else []
    return "; ".join(remarks)
