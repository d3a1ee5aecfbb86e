"""`arena show`: print one debate with its speeches and ballots."""

from __future__ import annotations

import json
import math
import textwrap
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

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
from arena.records import ORDER, Speech, caveat_of
from arena.report.debate_result import bench_decisions
from arena.report.dialogues.dialogue import format_dialogue, read_dialogues
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.text import plain
from ratings import CON_WINS, PRO_WINS, TIE

_DEBATE = """
    SELECT d.debate_id, d.tournament, d.status, d.leg, d.reason, d.traceback, d.motion_id,
           d.language, t.config->>'$.tournament.contest' AS contest,
           json_exists(t.config, '$.source') AS imported, m.text AS motion, m.category,
           p.name AS pro_name, c.name AS con_name,
           p.model AS pro_model, c.model AS con_model,
           p.debater AS pro_debater, c.debater AS con_debater
    FROM debates d
    JOIN tournaments t ON t.tournament = d.tournament
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE starts_with(d.debate_id, $id) ORDER BY d.debate_id LIMIT 4
"""
_BALLOTS = """
    SELECT b.ballot_id, b.bench, b.run, b.status, b.reason, b.traceback, b.trace, s.dimension,
           s.outcome, s.pro_mark, s.con_mark, s.comment, b.voter, b.weight, b.confidence
    FROM ballots b LEFT JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id = $id ORDER BY b.bench, b.run, s.dimension = 'overall', s.dimension
"""
_EXCHANGES = """
    SELECT e.unit, e.requests_and_answers AS blob FROM exchanges e
    WHERE e.unit = $id OR e.unit IN (SELECT ballot_id FROM ballots WHERE debate_id = $id)
    ORDER BY e.unit <> $id, e.unit, e.part
"""
_CALLS = """
    SELECT unit, path, attempt, model, structured, served_model, fingerprint, bent FROM calls
    WHERE unit = $id OR unit IN (SELECT ballot_id FROM ballots WHERE debate_id = $id)
"""


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
        debate_id = row["debate_id"]
        speeches = read_speeches(store, [debate_id]).get(debate_id, ())
        scores = store.plain_rows(_BALLOTS, {"id": debate_id})
        weights = bench_weights(store, row["tournament"])
        # Only people vote by majority; to load the methods of other judges takes long.
        is_voted = any(score["voter"] for score in scores)
        rules = read_vote_rules(store, row["tournament"]) if is_voted else {}
    _print_head(row, speeches)
    _print_decisions(row, scores, majority_benches(rules))
    if not row["imported"]:
        _print_speeches(store, row, speeches, trace=trace)
    _print_ballots(row["contest"], scores, weights, words=ballots)
    if calls:
        _print_calls(store, debate_id)


def _find_debate(store: Store, prefix: str) -> dict[str, Any]:
    rows = store.plain_rows(_DEBATE, {"id": prefix})
    if not prefix or not rows:
        listing = command_line("debates", db=store.path)
        raise ConfigError(f"{store.path}: no debate {prefix!r}. Debates are listed by: {listing}")
    if len(rows) > 1:
        matches = ", ".join(row["debate_id"] for row in rows[:3]) + ", …" * (len(rows) > 3)
        raise ConfigError(
            f"{prefix!r} is the start of more than one id: {matches}. Give more digits."
        )
    return rows[0]


def _print_head(debate: dict[str, Any], speeches: Sequence[Speech]) -> None:
    click.echo(f"Debate {debate['debate_id']} ({debate['status']}), leg {debate['leg']}")
    labels = [debate["category"], "" if debate["imported"] else debate["motion_id"]]
    about = ", ".join(plain(label) for label in labels if label)
    click.echo(f"Motion{f' ({about})' if about else ''}: {plain(debate['motion'])}")
    for side, label in contest_language(ENGLISH, debate["contest"]).sides.items():
        model = debate[f"{side}_model"] or plain(format_person(speeches, side))
        unseen = "" if sees_calls(debate[f"{side}_debater"]) else f"; {UNSEEN}"
        click.echo(f"{label}: {debate[f'{side}_name']} ({model}){unseen}")
    if debate["reason"]:
        click.echo(f"Reason: {plain(debate['reason'])}")
    if debate["traceback"]:
        click.echo(f"\n{plain(debate['traceback'])}")
    if caveat := caveat_of(debate[f"{side}_model"] for side in ("pro", "con")):
        click.echo(f"({caveat})")


def _print_decisions(
    debate: Mapping[str, Any], scores: Sequence[Mapping[str, Any]], by_majority: Collection[str]
) -> None:
    """Print who won by each bench, and what its judges found decisive."""
    names: dict[Side, str] = {side: debate[f"{side}_name"] for side in SIDES}
    sides = contest_language(ENGLISH, debate["contest"]).sides
    for decision in bench_decisions(scores, names, sides=sides, by_majority=by_majority):
        click.secho(f"\n{decision.sentence}", bold=True)
        for reason in decision.reasons:
            click.echo(f"  {reason}")


def _print_speeches(
    store: Store, debate: Mapping[str, Any], speeches: Sequence[Speech], *, trace: bool
) -> None:
    """Print the speeches of a debate, and how they were made where that is wanted."""
    words = contest_language(language(debate["language"]), debate["contest"])
    if trace:
        _print_making(store, debate, speeches, words)
        return
    for speech in speeches:
        print_speech(speech, words)


def _print_making(
    store: Store, debate: Mapping[str, Any], speeches: Sequence[Speech], words: Language
) -> None:
    """Print each speech after the dialogue in which it was made."""
    contest, delivered = debate["contest"] or "debate", {(s.side, s.stage): s for s in speeches}
    making = making_words(words)
    for dialogue in read_dialogues(store, debate["debate_id"], speeches, words, contest):
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
    rows: Sequence[dict[str, Any]],
    weights: Mapping[str, Mapping[str, float]],
    *,
    words: bool,
) -> None:
    """Print the verdicts of every ballot, with the judges' words where they are wanted.

    Args:
        rows: of the ballots' scores.
        weights: of the dimensions, by bench.
    """
    sides = contest_language(ENGLISH, contest).sides
    winners = {PRO_WINS: sides["pro"], TIE: "tie", CON_WINS: sides["con"]}
    dimensions = {str(row["dimension"]) for row in rows if row["status"] == "valid"}
    dimensions |= {"weighted"} if any(weights.values()) else set()
    width = max(map(len, dimensions), default=0)
    click.secho("\n── Ballots ──", bold=True)
    if not rows:
        click.echo("none yet")
    outcomes: dict[str, float] = {}
    for row in rows:
        place = f"{row['bench']}, run {row['run'] + 1}"
        if row["status"] != "valid":
            click.echo(f"{place}: {row['status']}: {plain(row['reason'])}")
            if row["traceback"]:
                click.echo(textwrap.indent(plain(row["traceback"]), "    "))
            continue
        _print_verdict(row, sides, winners, width=width, words=words)
        outcomes[row["dimension"]] = row["outcome"]
        if row["dimension"] == "overall":
            _print_steps(json.loads(row["trace"]) if words else [])
            if vote := _format_vote(outcomes, weights.get(row["bench"], {}), winners):
                click.echo(f"{place}, {'weighted':<{width}} {vote}")
            outcomes = {}
    _print_votes(rows, winners)


def _print_verdict(
    row: Mapping[str, Any],
    sides: Mapping[Side, str],
    winners: Mapping[float, str],
    *,
    width: int,
    words: bool,
) -> None:
    """Print the verdict of one ballot on one dimension, whose column is `width` wide."""
    place = f"{row['bench']}, run {row['run'] + 1}"
    winner_width = max(map(len, winners.values())) + 1
    verdict = f"{place}, {row['dimension']:<{width}} {winners[row['outcome']]:<{winner_width}}"
    details = ", ".join(_verdict_details(row, sides))
    click.echo(f"{verdict}({details})" if details else verdict.rstrip())
    if words and row["comment"].strip():
        click.echo(textwrap.indent(plain(row["comment"]), "    "))


def _verdict_details(row: Mapping[str, Any], sides: Mapping[Side, str]) -> Iterator[str]:
    """Yield the marks, the judge's name and confidence, and a battle's weight, as far as known."""
    for side, label in sides.items():
        if _is_known(mark := row[f"{side}_mark"]):
            yield f"{label} {mark:.3g}"
    if row["voter"]:
        yield f"by {plain(row['voter'])}"
    if _is_known(row["confidence"]):
        yield f"confidence {row['confidence']:g} of {CONFIDENCE[1]}"
    if _is_known(row["weight"]):
        yield f"weight {row['weight']:.3g}"


def _is_known(number: float | None) -> bool:
    return number is not None and not math.isnan(number)


def _print_votes(rows: Sequence[Mapping[str, Any]], winners: Mapping[float, str]) -> None:
    """Print the result of people's votes: the score of both sides, and the majority if any."""
    votes: dict[str, list[float]] = {}
    for row in rows:
        if row["voter"] and row["dimension"] == "overall":
            votes.setdefault(row["bench"], []).append(row["outcome"])
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


def _print_calls(store: Store, debate_id: str) -> None:
    """Print every request and answer of a debate and of its ballots."""
    calls = {
        (row["unit"], row["path"], row["attempt"]): _format_remarks(row)
        for row in store.plain_rows(_CALLS, {"id": debate_id})
    }
    for row in store.plain_rows(_EXCHANGES, {"id": debate_id}):
        for call in json.loads(zlib.decompress(row["blob"])):
            head = f"{row['unit'][:8]} {call['path']} ({call['attempt']}) {call['model']}"
            click.secho(f"\n━━ {head} seed {call['seed']} ━━", bold=True)
            if call["dropped"]:
                click.echo(
                    "(parameters left out, because the model rejects them: "
                    f"{', '.join(call['dropped'])})"
                )
            if remarks := calls.get((row["unit"], call["path"], call["attempt"])):
                click.echo(f"({remarks})")
            for role, text in call["messages"]:
                click.echo(f"[{role}]\n{plain(text)}\n")
            click.echo(f"[answer]\n{plain(call['answer'])}")


def _format_remarks(call: Mapping[str, Any]) -> str:
    """Format how an answer's form was asked for, who answered, and what was bent, if anything."""
    form, served = _FORMS.get(call["structured"]), plain(call["served_model"])
    fingerprint, bent = plain(call["fingerprint"]), plain(call["bent"])
    remarks = [f"form asked for by {form}"] if form else []
    if served and served != call["model"].partition("/")[2]:
        remarks.append(f"answered by {served}")
    remarks += [f"fingerprint {fingerprint}"] if fingerprint else []
    remarks += [f"read as meant: {bent}"] if bent else []
    return "; ".join(remarks)
