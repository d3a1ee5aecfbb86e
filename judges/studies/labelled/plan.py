"""Every ballot that an evaluation needs, and what those that were taken say of each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.config.resolve import ResolvedConfig
from arena.debates.pairs import answer, flipped
from arena.debates.play import Assignment
from arena.languages import SIDES, language
from arena.records import Bench, Debate, Participant, Speech, digest
from arena.search.none import NoSearch
from arena.store.database import Store
from arena.text import counted
from judges.methods.criteria import total
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.labelled.accuracy import Judged
from judges.studies.labelled.pairs import Labelled
from judges.studies.labelled.rewording import Reading, Reworded, check_rewording, in_other_words
from judges.studies.labelled.rounds import totals
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging
from motions import Brief, Wording
from ratings import TIE, outcome_of

_TOKENS = """
    SELECT unit, sum(input_tokens + output_tokens) AS tokens FROM calls
    WHERE unit IN (SELECT unnest(CAST($ids AS TEXT[]))) GROUP BY unit
"""
#: Judges whose marks stand for totals of six criteria, 6 to 120.
_SCORING = ("single", "more", "samre")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Labelled pairs before some benches.

    Attributes:
        file: the name of theirs.
        trials: by bench and pair, one for each run; pairs of equal text share theirs.
        reworded: the further ballots where prompts in other words are tried; else nothing.
    """

    file: str
    pairs: tuple[Labelled, ...]
    resolved: ResolvedConfig
    trials: Mapping[tuple[str, str], tuple[BallotRequest, ...]]
    reworded: tuple[Reworded, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether a simulated model judges."""
        return is_simulated_judging(self.own)

    @property
    def own(self) -> tuple[BallotRequest, ...]:
        """The ballots that say what the benches are worth, each once."""
        return _each_once(self.trials.values())

    @property
    def every(self) -> tuple[BallotRequest, ...]:
        """All ballots, each once."""
        further = (some for one in self.reworded for some in (one.again, one.others))
        return _each_once((*self.trials.values(), *further))


def mean_words(pairs: Sequence[Labelled]) -> int:
    """The mean length of an answer in words, as limits count them: for the estimate."""
    counted_ = [
        language(one.language).count(text) / language(one.language).per_word
        for one in pairs
        for text in (one.first, one.second)
    ]
    return min(20_000, max(50, round(sum(counted_) / len(counted_))))


def plan_evaluation(
    file: str, pairs: tuple[Labelled, ...], resolved: ResolvedConfig, *, reworded: bool = False
) -> Evaluation:
    """Every ballot that an evaluation needs.

    Args:
        file: the name of the pairs' file.
        pairs: what is judged.
        resolved: the benches.
        reworded: whether prompts in other words are tried, too.

    Raises:
        ConfigError: there are no such prompts for a bench.
    """
    every = [(bench, pair) for bench in resolved.benches for pair in pairs]
    if reworded:
        for bench in resolved.benches:
            check_rewording(bench)
    return Evaluation(
        file=file,
        pairs=pairs,
        resolved=resolved,
        trials={(bench.name, pair.item): _runs(file, pair, bench) for bench, pair in every},
        reworded=tuple(
            Reworded(
                bench=bench.name,
                pair=pair,
                again=_runs(file, pair, bench, after=bench.runs),
                others=_runs(file, pair, in_other_words(bench)),
            )
            for bench, pair in (every if reworded else ())
        ),
    )


def sitting(store: Store, planned: Evaluation) -> BallotPlan:
    """The ballots of an evaluation, with what its plan says of them."""
    benches = planned.resolved.benches
    mark = " (simulated models)" if planned.simulated else ""
    judges = ", ".join(
        f"{one.name} ({one.judge}, {counted(one.runs, 'run')}{', both orders' * one.swap})"
        for one in benches
    )
    codes = {one.language for one in planned.pairs}
    others = tuple(map(in_other_words, benches)) if planned.reworded else ()
    return BallotPlan(
        resolved=replace(planned.resolved, benches=(*benches, *others)),
        requests=planned.every,
        head=(
            f"Judges before {counted(len(planned.pairs), 'labelled pair')} of "
            f"{planned.file}{mark}; ballots go to {store.path}",
            f"  {', '.join(sorted(codes))}; judges: {judges}",
            *(["  each once more, and once with prompts in other words"] if others else []),
        ),
    )


def judged(store: Store, planned: Evaluation, taken: Mapping[str, Taken]) -> Iterator[Judged]:
    """What each bench says of each pair, where all of its runs have a valid ballot."""
    ids = [one.ballot_id for one in planned.every]
    rows = [] if store.empty() else store.rows(_TOKENS, {"ids": ids})
    tokens = {str(row["unit"]): float(row["tokens"]) for row in rows}
    for bench in planned.resolved.benches:
        for pair in planned.pairs:
            trials = planned.trials[bench.name, pair.item]
            valid = _valid(trials, taken)
            if valid:
                spent = sum(tokens.get(one.ballot_id, 0.0) for one in trials)
                yield _judged(bench, pair, valid, tokens=spent)


def readings(planned: Evaluation, taken: Mapping[str, Taken]) -> Iterator[Reading]:
    """What each bench says of each pair at first, again and in other words, where all is valid."""
    for one in planned.reworded:
        first = planned.trials[one.bench, one.pair.item]
        three = [_valid(trials, taken) for trials in (first, one.again, one.others)]
        if all(three):
            yield Reading(
                bench=one.bench,
                question=one.pair.question,
                label=one.pair.outcome,
                **dict(zip(("first", "again", "others"), map(_outcome, three), strict=True)),
            )


def _judged(bench: Bench, pair: Labelled, ballots: Sequence[Taken], *, tokens: float) -> Judged:
    flips = [flipped(one.trace) for one in ballots]
    gaps = [abs(total(_known(one.pro_mark)) - total(_known(one.con_mark))) for one in ballots]
    return Judged(
        bench=bench.name,
        item=pair.item,
        question=pair.question,
        category=pair.category,
        label=pair.outcome,
        outcome=_outcome(ballots),
        gap=sum(gaps) / len(gaps) if bench.judge in _SCORING else float("nan"),
        flips=sum(one is True for one in flips),
        orders=sum(one is not None for one in flips),
        rounds=tuple(run for one in ballots for run in totals(one.trace)),
        usd=sum(one.cost_usd for one in ballots),
        tokens=tokens,
    )


def _valid(trials: Sequence[BallotRequest], taken: Mapping[str, Taken]) -> list[Taken]:
    """The ballots of all runs; none where one of them is missing."""
    known = [taken[one.ballot_id] for one in trials if one.ballot_id in taken]
    valid = [one for one in known if one.status == "valid"]
    return valid if len(valid) == len(trials) else []


def _outcome(ballots: Sequence[Taken]) -> float:
    """The first answer's by the sum of all runs."""
    return outcome_of(round(sum(_known(one.outcome) - TIE for one in ballots), 9))


def _each_once(some: Iterable[Sequence[BallotRequest]]) -> tuple[BallotRequest, ...]:
    return tuple({one.ballot_id: one for trials in some for one in trials}.values())


def _runs(file: str, pair: Labelled, bench: Bench, *, after: int = 0) -> tuple[BallotRequest, ...]:
    """The ballots of all runs of a bench on a pair, or of as many after some."""
    return tuple(_trial(file, pair, bench, run=after + run) for run in range(bench.runs))


def _trial(file: str, pair: Labelled, bench: Bench, *, run: int) -> BallotRequest:
    texts = digest(pair.question, pair.first, pair.second, pair.language)
    identity = digest("pairs", texts, bench.specification)
    spoken = language(pair.language)
    return BallotRequest(
        kind="pairs",
        source=file,
        item=pair.item,
        defect="",
        side="",
        assignment=Assignment(
            debate=Debate(
                debate_id=identity,
                matchup_id=identity,
                tournament="",
                motion_id=texts,
                language=pair.language,
                leg=0,
                repeat=0,
                pro="",
                con="",
            ),
            wording=Wording(text=pair.question, info_slide="", brief=Brief(pro=(), con=())),
            sides={side: Participant(name=side, debater="", model="") for side in SIDES},
            seed=0,
            words=0,
            search=NoSearch(),
            pair=True,
        ),
        speeches=_answers(pair, spoken.code),
        bench=bench,
        run=run,
    )


def _answers(pair: Labelled, code: str) -> tuple[Speech, ...]:
    given = zip(SIDES, (pair.first, pair.second), strict=True)
    return tuple(answer(side, text, language(code)) for side, text in given)


def _known(number: float | None) -> float:
    assert number is not None, "a valid ballot has an overall verdict"
    return number
