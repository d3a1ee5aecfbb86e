"""Five debates worth reading, each for a reason of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, read_vote_rules
from arena.boards.votes import BenchResult
from arena.debates.transcript import shown_speech
from arena.languages import ENGLISH, SIDES, Language, language
from arena.languages.language import contest_language
from arena.read.ballots import read_ballots
from arena.read.motions import read_motions
from arena.read.outcomes import read_division
from arena.read.selected import Narrowing
from arena.read.speeches import count_references
from arena.report.debate_result import (
    BenchDecision,
    bench_decisions,
    format_result,
)
from arena.report.odd_results import decided_by_side, is_upset, winner_expected
from arena.store.rows import read_speeches
from arena.text import counted
from ratings import PRO_WINS, TIE

if TYPE_CHECKING:
    from arena.records import Speech
    from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechText:
    """A speech to read.

    Attributes:
        side: pro or con.
        label: what the side and the stage are called.
        paragraphs: without empty ones.
        references: a line each.
    """

    side: str
    label: str
    participant: str
    paragraphs: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A debate worth reading.

    Attributes:
        title: the reason in three words.
        why: the reason in a sentence.
        debate_ids: of the debate, and of the other leg where it belongs to the reason.
        result: who won by the main bench, in words.
        decisions: of every bench, with its reasons.
        speeches: all of them, in their order.
    """

    title: str
    why: str
    debate_ids: tuple[str, ...]
    motion: str
    category: str
    result: str
    decisions: tuple[BenchDecision, ...]
    speeches: tuple[SpeechText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pick:
    """A row of the debates that was picked, and why."""

    row: Mapping[str, Any]
    title: str
    why: str
    other_leg: str = ""


def pick_readings(  # noqa: PLR0913 - what is read, and where from
    store: Store,
    debates: pd.DataFrame,
    rating: Mapping[str, float],
    *,
    contest: str,
    name: str,
    entry: int | None = None,
) -> list[Reading]:
    """Pick the debates worth reading; one that is picked for two reasons is taken once.

    Args:
        debates: the main board's, as `compared_debates` returns them.
        rating: by participant, in Elo points.
        contest: the tournament's contest.
        name: the tournament's name.
        entry: the number up to which ballots count (`Selection.entry`); all by default.
    """
    if debates.empty:
        return []
    words = contest_language(ENGLISH, contest)
    frame = _with_measures(store, debates, rating, name, entry)
    picks: list[_Pick] = []
    for pick in (_upset, _closest, _side_twice, _most_sources, _most_divided):
        taken = {str(picked.row["debate_id"]) for picked in picks}
        free = frame[~frame["debate_id"].isin(taken)]
        if (choice := pick(free, words)) is not None:
            picks.append(choice)
    ids = [str(choice.row["debate_id"]) for choice in picks]
    speeches = read_speeches(store, ids)
    verdicts = _read_verdicts(store, name, ids, entry)
    by_majority = majority_benches(read_vote_rules(store, name))
    texts = {(row.motion_id, row.language): row.text for row in read_motions(store, name)}
    readings = []
    for debate_id, choice in zip(ids, picks, strict=True):
        names = {side: str(choice.row[side]) for side in SIDES}
        own = bench_decisions(
            verdicts[debate_id], names, sides=words.sides, by_majority=by_majority
        )
        readings.append(_reading(choice, texts, speeches.get(debate_id, ()), own, words))
    return readings


def _with_measures(
    store: Store,
    debates: pd.DataFrame,
    rating: Mapping[str, float],
    name: str,
    entry: int | None,
) -> pd.DataFrame:
    """Add what the reasons are measured by: ratings, expected share, sources, division."""
    dimension = str(debates["dimension"].iloc[0])
    selection = Selection(tournament=name, bench="all", dimension=dimension, entry=entry)
    finished = Narrowing(statuses=("finished",))
    sources = count_references(store, selection, finished)
    division = read_division(store, selection, finished)
    frame = debates.merge(sources, on="debate_id", how="left")
    frame = frame.merge(division, on="debate_id", how="left")
    for side in SIDES:
        frame[f"{side}_rating"] = frame[side].map(rating).astype(float)
    frame["winner_expected"] = winner_expected(frame, rating)
    frame["gap"] = (frame["pro_score"] - frame["con_score"]).abs()
    frame["division"] = frame["division"].fillna(0.0)
    frame["mark_gap"] = (frame["pro_mark"] - frame["con_mark"]).abs().fillna(99.0)
    return frame.sort_values("debate_id", ignore_index=True)


def _first(frame: pd.DataFrame, by: list[str], *, ascending: list[bool]) -> Mapping[str, Any]:
    """Return the first row in an order; of equal ones, the one with the lowest id."""
    ordered = frame.sort_values([*by, "debate_id"], ascending=[*ascending, True])
    return {str(key): value for key, value in ordered.iloc[0].items()}


def _upset(frame: pd.DataFrame, words: Language) -> _Pick | None:
    decided = frame[(frame["outcome"] != TIE) & is_upset(frame["winner_expected"].to_numpy())]
    if decided.empty:
        return None
    row = _first(decided, ["winner_expected"], ascending=[True])
    winner, loser = ("pro", "con") if row["outcome"] == PRO_WINS else ("con", "pro")
    why = (
        f"{row[winner]} (Elo {row[f'{winner}_rating']:.0f}) beat {row[loser]} "
        f"(Elo {row[f'{loser}_rating']:.0f}), a result to which the ratings give a chance of "
        f"{100 * row['winner_expected']:.0f} %."
    )
    return _Pick(row=row, title="Largest upset", why=why)


def _closest(frame: pd.DataFrame, words: Language) -> _Pick | None:
    if frame.empty:
        return None
    row = _first(frame, ["gap", "division", "mark_gap"], ascending=[True, False, True])
    marks = (
        f", and the mean marks {row['pro_mark']:.2f} to {row['con_mark']:.2f}"
        if row["mark_gap"] < 99
        else ""
    )
    why = f"The scores are {row['pro_score']:.2f} to {row['con_score']:.2f}{marks}."
    return _Pick(row=row, title="Closest split", why=why)


def _side_twice(frame: pd.DataFrame, words: Language) -> _Pick | None:
    """Pick a matchup of which one side won both legs, whoever spoke for it."""
    pairs = frame[decided_by_side(frame)]
    if pairs.empty:
        return None
    margin = pairs.groupby("matchup_id")["gap"].sum()
    best = sorted(margin.index, key=lambda key: (-margin[key], str(key)))[0]
    legs = pairs[pairs["matchup_id"] == best].to_dict("records")
    side = words.sides["pro" if legs[0]["outcome"] == PRO_WINS else "con"]
    why = (
        f"{side} won both debates of {legs[0]['pro']} and {legs[0]['con']} on this motion, though "
        "they had changed sides."
    )
    return _Pick(
        row=legs[0],
        title="Decided by the side, twice",
        why=why,
        other_leg=str(legs[1]["debate_id"]),
    )


def _most_sources(frame: pd.DataFrame, words: Language) -> _Pick | None:
    cited = frame[frame["sources"].fillna(0) > 0]
    if cited.empty:
        return None
    row = _first(cited, ["sources"], ascending=[False])
    number = counted(int(row["sources"]), "reference")
    return _Pick(row=row, title="Most sources", why=f"Its speeches give {number} that exist.")


def _most_divided(frame: pd.DataFrame, words: Language) -> _Pick | None:
    divided = frame[frame["division_by_dimension"].fillna(0) > 0]
    if divided.empty:
        return None
    row = _first(divided, ["division", "division_by_dimension"], ascending=[False, False])
    ballots, pro, con = (int(row[key]) for key in ("ballots", "pro_votes", "con_votes"))
    if pro and con:
        ties = f", {ballots - pro - con} of a tie" if ballots - pro - con else ""
        why = (
            f"Of {counted(ballots, 'ballot')}, {pro} {'is' if pro == 1 else 'are'} for "
            f"{words.sides['pro']} and {con} for {words.sides['con']}{ties}."
        )
    else:
        why = "The verdicts on its dimensions name different winners."
    return _Pick(row=row, title="Judges most divided", why=why)


def _read_verdicts(
    store: Store, name: str, ids: Sequence[str], entry: int | None
) -> dict[str, list[Mapping[str, Any]]]:
    """Return the verdicts of all benches by debate, as `bench_decisions` takes them."""
    rows: dict[str, list[Mapping[str, Any]]] = {debate_id: [] for debate_id in ids}
    selection = Selection(tournament=name, bench="all", entry=entry)
    for ballot in read_ballots(store, selection, Narrowing(ids=tuple(ids))):
        rows[ballot.debate_id] += [
            {"bench": ballot.bench, "status": ballot.status, **asdict(verdict)}
            for verdict in ballot.verdicts
        ]
    return rows


def _reading(
    choice: _Pick,
    texts: Mapping[tuple[str, str], str],
    speeches: tuple[Speech, ...],
    decisions: Sequence[BenchDecision],
    words: Language,
) -> Reading:
    row = choice.row
    key = str(row["motion_id"]), str(row["language"])
    result = BenchResult(outcome=row["outcome"], pro=row["pro_score"], con=row["con_score"])
    names = {side: str(row[side]) for side in SIDES}
    return Reading(
        title=choice.title,
        why=choice.why,
        debate_ids=tuple(filter(None, (str(row["debate_id"]), choice.other_leg))),
        motion=texts.get(key, str(row["motion"])),
        category=str(row["category"]),
        result=format_result(str(row["bench"]), result, names, words.sides),
        decisions=tuple(decisions),
        speeches=tuple(speech_text(row, speech, words) for speech in speeches),
    )


def speech_text(row: Mapping[str, Any], speech: Speech, words: Language) -> SpeechText:
    """Return a speech as it is read.

    Args:
        row: of the debate: language, pro, con (names).
        words: what its contest calls sides and stages.
    """
    text, references = shown_speech(speech, language(str(row["language"])))
    label = words.sides[speech.side]
    if speech.stage != "answer":  # the only one of its contest
        label = f"{label}, {words.stages[speech.stage]}"
    return SpeechText(
        side=speech.side,
        label=label,
        participant=str(row[speech.side]),
        paragraphs=tuple(line.strip() for line in text.split("\n") if line.strip()),
        references=tuple(references),
    )
