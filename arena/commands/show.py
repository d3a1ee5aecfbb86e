"""`arena show`: one debate, whole."""

from __future__ import annotations

import json
import math
import textwrap
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.boards.weighted_vote import bench_weights, told, weighted_vote
from arena.console.options import database, examples
from arena.console.speech_text import print_speech
from arena.debates.pairs import ORDER
from arena.errors import ConfigError
from arena.languages import ENGLISH, Side, language
from arena.languages.pairs import of_contest
from arena.people.vote_counts import votes_said
from arena.people.votes import CONFIDENCE
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.text import plain
from ratings import CON_WINS, PRO_WINS, TIE

_DEBATE = """
    SELECT d.*, t.config->>'$.tournament.contest' AS contest,
           json_exists(t.config, '$.source') AS imported, m.text AS motion, m.category,
           p.name AS pro_name, c.name AS con_name,
           p.model AS pro_model, c.model AS con_model
    FROM debates d
    JOIN tournaments t ON t.tournament = d.tournament
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE starts_with(d.debate_id, $id) ORDER BY d.debate_id LIMIT 4
"""
_BALLOTS = """
    SELECT b.ballot_id, b.bench, b.run, b.status, b.reason, b.trace, s.dimension, s.outcome,
           s.pro_mark, s.con_mark, s.comment, b.voter, b.weight, b.confidence
    FROM ballots b LEFT JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id = $id ORDER BY b.bench, b.run, s.dimension = 'overall', s.dimension
"""
_EXCHANGES = """
    SELECT e.unit, e.requests_and_answers AS blob FROM exchanges e
    WHERE e.unit = $id OR e.unit IN (SELECT ballot_id FROM ballots WHERE debate_id = $id)
    ORDER BY e.unit <> $id, e.unit, e.part
"""


@click.command(
    epilog=examples("arena show 3f9a", "arena show 3f9a --ballots", "arena show 3f9a --calls")
)
@click.argument("debate")
@database
@click.option("--ballots", is_flag=True, help="The judges' words, too.")
@click.option("--calls", is_flag=True, help="All requests and answers, as they were sent.")
def show(debate: str, db: Path, ballots: bool, calls: bool) -> None:  # noqa: FBT001 - flags
    """Show a DEBATE (a prefix of its id is enough): transcript, references, ballots."""
    store = Store(db)
    store.check()
    found = _find(store, debate)
    _head(found)
    for speech in read_speeches(store, [found["debate_id"]]).get(found["debate_id"], ()):
        print_speech(speech, of_contest(language(found["language"]), found["contest"]))
    _ballots(store, found, words=ballots)
    if calls:
        _calls(store, found["debate_id"])


def _find(store: Store, prefix: str) -> dict[str, Any]:
    found = store.rows(_DEBATE, {"id": prefix})
    if not prefix or not found:
        raise ConfigError(f"{store.path}: no debate {prefix!r}. `arena debates` lists them.")
    if len(found) > 1:
        matches = ", ".join(row["debate_id"] for row in found[:3]) + ", …" * (len(found) > 3)
        raise ConfigError(f"{prefix!r} fits more than one debate: {matches}. Give more digits.")
    return found[0]


def _head(found: dict[str, Any]) -> None:
    click.echo(f"Debate {found['debate_id']} ({found['status']}), leg {found['leg']}")
    place = [found["category"], "" if found["imported"] else found["motion_id"]]
    said = ", ".join(plain(one) for one in place if one)
    click.echo(f"Motion{f' ({said})' if said else ''}: {plain(found['motion'])}")
    for side, called in of_contest(ENGLISH, found["contest"]).sides.items():
        model = found[f"{side}_model"] or "a person"
        click.echo(f"{called}: {found[f'{side}_name']} ({model})")
    if found["reason"]:
        click.echo(f"Reason: {plain(found['reason'])}")
    if any(found[f"{side}_model"].startswith("offline/") for side in ("pro", "con")):
        click.echo("(simulated models)")


def _ballots(store: Store, found: dict[str, Any], *, words: bool) -> None:
    rows = store.rows(_BALLOTS, {"id": found["debate_id"]})
    weights = bench_weights(store, found["tournament"])
    outcomes: dict[str, float] = {}
    sides = of_contest(ENGLISH, found["contest"]).sides
    winners = {PRO_WINS: sides["pro"], TIE: "tie", CON_WINS: sides["con"]}
    wide = max(map(len, winners.values())) + 1
    named = {str(row["dimension"]) for row in rows if row["status"] != "failed"}
    broad = max(map(len, named | {"weighted"} if any(weights.values()) else named), default=0)
    click.secho("\n── Ballots ──", bold=True)
    if not rows:
        click.echo("none yet")
    for row in rows:
        place = f"{row['bench']}, run {row['run'] + 1}"
        if row["status"] == "failed":
            click.echo(f"{place}: failed: {plain(row['reason'])}")
            continue
        said = ", ".join(_beside(row, sides))
        verdict = f"{place}, {row['dimension']:<{broad}} {winners[row['outcome']]:<{wide}}"
        click.echo(f"{verdict}({said})" if said else verdict.rstrip())
        if words and row["comment"].strip():
            click.echo(textwrap.indent(plain(row["comment"]), "    "))
        outcomes[row["dimension"]] = row["outcome"]
        if row["dimension"] == "overall":
            _steps(row["trace"] if words else "[]")
            if told_vote := _vote(outcomes, weights.get(row["bench"], {}), winners):
                click.echo(f"{place}, {'weighted':<{broad}} {told_vote}")
            outcomes = {}
    _people(rows, winners)


def _beside(row: Mapping[str, Any], sides: Mapping[Side, str]) -> Iterator[str]:
    """What stands beside a verdict: marks, the judge's name and confidence, a battle's weight."""
    for side, called in sides.items():
        if not math.isnan(row[f"{side}_mark"]):
            yield f"{called} {row[f'{side}_mark']:.3g}"
    if row["voter"]:
        yield f"by {plain(row['voter'])}"
    if not math.isnan(row["confidence"]):
        yield f"confidence {row['confidence']:g} of {CONFIDENCE[1]}"
    if not math.isnan(row["weight"]):
        yield f"weight {row['weight']:.3g}"


def _people(rows: Sequence[Mapping[str, Any]], winners: Mapping[float, str]) -> None:
    """What people's votes come to: the score of both sides, and the majority where there is one."""
    votes: dict[str, list[float]] = {}
    for row in rows:
        if row["voter"] and row["dimension"] == "overall":
            votes.setdefault(row["bench"], []).append(row["outcome"])
    for bench, outcomes in votes.items():
        if said := votes_said(outcomes, winners):
            click.echo(f"{bench}, {said}")


def _vote(
    outcomes: Mapping[str, float], weights: Mapping[str, float], winners: Mapping[float, str]
) -> str:
    """The arithmetic vote of a ballot's dimensions, where its judge weighs them."""
    if not weights or not set(weights) <= set(outcomes):
        return ""
    return f"{winners[weighted_vote(outcomes, weights)]:<4}({told(weights)})"


def _steps(trace: str) -> None:
    """How a verdict came about: one line for each round, juror or member."""
    for step in json.loads(trace):
        if step.get("agent") == ORDER:
            continue  # the comments above say what was said in either order
        told = ", ".join(
            f"{key} {one:.4g}" if isinstance(one, float) else f"{key} {one}"
            for key, one in step.items()
            if not isinstance(one, list)
        )
        click.echo(f"    {' '.join(plain(told).split())}")


def _calls(store: Store, debate_id: str) -> None:
    for row in store.rows(_EXCHANGES, {"id": debate_id}):
        for one in json.loads(zlib.decompress(row["blob"])):
            head = f"{row['unit'][:8]} {one['path']} ({one['attempt']}) {one['model']}"
            click.secho(f"\n━━ {head} seed {one['seed']} ━━", bold=True)
            if one["dropped"]:
                click.echo(f"(left out, the model refuses it: {', '.join(one['dropped'])})")
            for role, text in one["messages"]:
                click.echo(f"[{role}]\n{plain(text)}\n")
            click.echo(f"[answer]\n{plain(one['answer'])}")
