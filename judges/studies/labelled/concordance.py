"""Agreement inside a bench: of advocates of one side, of jurors, and of a jury's members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from arena.debates.pairs import steps_by_order
from arena.languages import SIDES, Language, language
from arena.languages.trim import trim
from arena.output.interval_text import format_interval_method
from arena.output.tables import Table
from arena.read.calls import read_last_exchanges
from arena.read.heading import Heading
from arena.read.trials import Trial
from arena.records import Step
from arena.simulator.embedding import embed_texts
from arena.store.database import Store
from judges.methods.advocacy import DEFENCE
from judges.studies.ballots import BallotRequest
from judges.studies.statistics.agreement import (
    count_meetings,
    count_values,
    estimate_alpha,
    strict_agreement,
)
from judges.studies.statistics.estimates import (
    Estimate,
    estimate_agreement,
    estimate_mean,
    estimate_share,
    sum_by_cluster,
)
from judges.studies.tables import format_percent, format_scaled, tabulate_fields
from ratings import PRO_WINS, outcome_of

#: The path of a call to an advocate of `more`; before it stand the run and the order.
_ADVOCATE = re.compile(r"(?P<place>.*/)(?P<side>pro|con)/advocate/\d+")
#: Of `more` in rounds only the first is read: later ones build on what all have read.
_LATER_ROUND = re.compile(r"(?:^|/)round/(?!1/)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defences:
    """The texts that the advocates of both sides wrote at one hearing.

    Attributes:
        question: that the answers are to.
        pro, con: texts as the aggregator read them: cut at their limit.
    """

    bench: str
    question: str
    pro: tuple[str, ...]
    con: tuple[str, ...]


def read_defences(
    store: Store, requests: Sequence[BallotRequest], ballots: Mapping[str, Trial]
) -> Iterator[Defences]:
    """Read the defences behind every valid ballot of a `more` with several advocates for a side."""
    wanted = {
        request.ballot_id: request
        for request in requests
        if request.bench.judge == "more"
        and request.bench.options["advocates"] > 1
        and request.ballot_id in ballots
        and ballots[request.ballot_id].status == "valid"
    }
    for unit, exchanges in read_last_exchanges(store, wanted) if wanted else ():
        request = wanted[unit]
        spoken = language(request.assignment.debate.language)
        for texts in _split_hearings(exchanges, spoken):
            pro, con = (tuple(texts[side]) for side in SIDES)
            question = request.assignment.wording.text
            yield Defences(bench=request.bench.name, question=question, pro=pro, con=con)


def _split_hearings(
    exchanges: Iterable[Mapping[str, Any]], spoken: Language
) -> Iterator[dict[str, list[str]]]:
    """Yield the texts by side of one hearing, or of two where both orders were judged.

    Hearings with a single text of a side have nothing to compare and are left out.
    """
    # Exchanges come by path and attempt: the last one counts.
    answers = {exchange["path"]: str(exchange["answer"]) for exchange in exchanges}
    hearings: dict[str, dict[str, list[str]]] = {}
    for path, text in answers.items():
        if (match := _ADVOCATE.fullmatch(path)) and not _LATER_ROUND.search(match["place"]):
            texts = hearings.setdefault(match["place"], {side: [] for side in SIDES})
            if text.strip():  # an advocate that wrote nothing was left out
                texts[match["side"]].append(trim(text, spoken.limit(DEFENCE), spoken))
    yield from (texts for texts in hearings.values() if min(map(len, texts.values())) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvocateAgreement:
    """How alike the defences of one bench's advocates are, as cosines of hashed words.

    The measure is ours. As texts on one task are alike in any case, advocates of the same answer
    are compared with advocates of different ones.

    Attributes:
        hearings: number of ballots, each order counted.
        advocates: number on each side.
        same: mean cosine of every two who defend the same answer.
        other: mean cosine of every two who defend different ones: what the task alone makes alike.
        beyond: the difference.
    """

    bench: Annotated[str, Heading("judge")]
    hearings: Annotated[
        int,
        Heading("advocates a side", read=lambda bench: bench.advocates),
        Heading("hearings"),
    ]
    advocates: int
    same: Annotated[Estimate, Heading("same answer", format_percent)]
    other: Annotated[Estimate, Heading("other answer", format_percent)]
    beyond: Annotated[
        Estimate, Heading("difference", lambda beyond: format_scaled(beyond, 100, "+.0f"))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JurorAgreement:
    """How far the jurors of a bench, or the members of a jury, name the same winner.

    Attributes:
        hearings: number of ballots, each order counted, on which at least two were asked.
        seats: the most that were asked on one.
        unanimous: share of the hearings on which all give the same outcome.
        equal: share of every two of one hearing who give the same outcome.
        alpha: Krippendorff's, nominal, of the outcomes.
    """

    bench: Annotated[str, Heading("judge")]
    hearings: Annotated[int, Heading("asked", read=lambda bench: bench.seats), Heading("hearings")]
    seats: int
    unanimous: Annotated[Estimate, Heading("unanimous")]
    equal: Annotated[Estimate, Heading("equal")]
    alpha: Annotated[Estimate, Heading("Krippendorff's alpha")]


def measure_advocates(
    bench: str, defences: Sequence[Defences], rng: np.random.Generator
) -> AdvocateAgreement | None:
    """Measure how alike the advocates of a bench plead; `None` where there is one for a side."""
    hearings = [hearing for hearing in defences if hearing.bench == bench]
    if not hearings:
        return None
    cosines = np.array([_mean_cosines(hearing) for hearing in hearings])
    clusters = [hearing.question for hearing in hearings]
    same, other = cosines[:, 0], cosines[:, 1]
    return AdvocateAgreement(
        bench=bench,
        hearings=len(hearings),
        advocates=max(len(hearing.pro) for hearing in hearings),
        same=estimate_mean(same, clusters, rng),
        other=estimate_mean(other, clusters, rng),
        beyond=estimate_mean(same - other, clusters, rng),
    )


def measure_jurors(
    bench: str, requests: Sequence[BallotRequest], ballots: Mapping[str, Trial]
) -> JurorAgreement | None:
    """Measure how far the jurors of a bench agree; `None` where it asks none, or only one."""
    hearings = [
        (request.assignment.wording.text, outcomes)
        for request in requests
        if request.bench.name == bench and request.ballot_id in ballots
        for outcomes in read_votes(ballots[request.ballot_id].trace)
        if len(outcomes) > 1
    ]
    if not hearings:
        return None
    counts = np.concatenate([count_values([outcomes]) for _, outcomes in hearings])
    questions = [question for question, _ in hearings]
    clusters = np.unique(questions, return_inverse=True)[1].ravel().astype(float)
    meetings = sum_by_cluster(count_meetings(counts), clusters)
    return JurorAgreement(
        bench=bench,
        hearings=len(hearings),
        seats=int(counts.sum(axis=1).max()),
        unanimous=estimate_share((counts > 0).sum(axis=1) == 1, clusters),
        equal=estimate_agreement(
            meetings, strict_agreement, count=len(hearings), comparisons=meetings.sum()
        ),
        alpha=estimate_alpha(counts, clusters, "nominal"),
    )


def read_votes(trace: Sequence[Step]) -> Iterator[list[float]]:
    """Yield what jurors or members decided in each order of a ballot: the first answer's outcomes.

    >>> list(read_votes([{"agent": "juror", "winner": "Pro"}, {"agent": "member", "absent": "x"}]))
    [[1.0]]
    """
    for exchanged, steps in steps_by_order(trace):
        votes = [_read_vote(step) for step in steps if step.get("agent") in ("juror", "member")]
        known = [vote for vote in votes if vote is not None]
        yield [PRO_WINS - vote for vote in known] if exchanged else known


def advocates_table(benches: Sequence[AdvocateAgreement]) -> Table:
    """Lay out a row per bench with several advocates for a side."""
    return tabulate_fields(
        benches,
        title="Agreement among advocates",
        notes=(
            "Similarity of the defences by every two advocates of the same answer, before they "
            "are merged, and by every two advocates of different answers: the mean cosine of "
            "their hashed words, times 100 (our own measure; 100 means identical wording). All "
            "advocates read the same task and answers, so `other answer` shows the similarity "
            "that comes from these alone; the difference is what advocates of one answer have in "
            "common beyond that. 95 % intervals: "
            f"{format_interval_method('question', (bench.same.clusters for bench in benches))}.",
        ),
    )


def jurors_table(benches: Sequence[JurorAgreement]) -> Table:
    """Lay out a row per bench that asks several jurors or members."""
    return tabulate_fields(
        benches,
        title="Agreement among jurors",
        notes=(
            "Agreement of the verdicts (winner or tie) by the jurors of `samre` and the members "
            "of a `jury`. equal: share of pairs of jurors with the same verdict on the same "
            "hearing. alpha: agreement beyond chance (1 is perfect, 0 is chance). If a jury stops "
            "early, only the members that were asked count, so it may appear unanimous although a "
            "later vote would have differed. 95 % intervals: Wilson's, clustered by question; "
            "that of alpha contains the uncertainty of chance agreement.",
        ),
    )


def _read_vote(step: Step) -> float | None:
    """Return Pro's outcome by a juror or member; `None` of one that was not asked."""
    if "winner" in step:
        return outcome_of(1.0 if step["winner"] == "Pro" else -1.0)
    if "pro_score" in step:
        return outcome_of(step["pro_score"] - step["con_score"])
    return float(step["outcome"]) if "outcome" in step else None


def _mean_cosines(hearing: Defences) -> tuple[float, float]:
    """Return the mean cosine of defences within the sides, and across them."""
    pro, con = embed_texts(hearing.pro), embed_texts(hearing.con)
    within = [(side @ side.T)[np.triu_indices(len(side), k=1)].mean() for side in (pro, con)]
    return float(np.mean(within)), float((pro @ con.T).mean())
