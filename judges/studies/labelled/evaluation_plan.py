"""The plan of an evaluation: every ballot that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.config.resolve import ResolvedConfig
from arena.debates.pairs import answer_speech
from arena.debates.play import Assignment
from arena.languages import SIDES, language
from arena.records import Bench, Debate, Participant, Speech, digest
from arena.search.none import NoSearch
from arena.store.database import Store
from arena.text import counted
from judges.studies.ballots import BallotRequest
from judges.studies.labelled.pairs import LabelledPair, PairFile
from judges.studies.labelled.rewording import RewordingRequests, check_rewording, reword_bench
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging, judging_caveat
from motions import Brief, Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Labelled pairs and the benches that judge them.

    Attributes:
        file: the name of the pairs' file.
        content: what was read of it.
        requests: by bench and pair, one for each run; pairs of equal text share theirs.
        rewordings: the further ballots where prompts in other words are tried; else empty.
    """

    file: str
    content: PairFile
    resolved: ResolvedConfig
    requests: Mapping[tuple[str, str], tuple[BallotRequest, ...]]
    rewordings: tuple[RewordingRequests, ...] = ()

    @property
    def pairs(self) -> tuple[LabelledPair, ...]:
        """The pairs."""
        return self.content.pairs

    @property
    def simulated(self) -> bool:
        """Whether a simulated model judges."""
        return is_simulated_judging(self.plain_requests)

    @property
    def caveat(self) -> str:
        """What has to be said of the judging models; '' for nothing."""
        return judging_caveat(self.plain_requests)

    @property
    def plain_requests(self) -> tuple[BallotRequest, ...]:
        """The ballots that accuracy is measured by, each once; none by prompts in other words."""
        return _without_duplicates(self.requests.values())

    @property
    def all_requests(self) -> tuple[BallotRequest, ...]:
        """All ballots, each once."""
        further = (runs for pair in self.rewordings for runs in (pair.again, pair.reworded))
        return _without_duplicates((*self.requests.values(), *further))


def mean_words(pairs: Sequence[LabelledPair]) -> int:
    """Return the mean length of an answer in words, as limits count them, for the estimate."""
    lengths = [
        language(pair.language).count(text) / language(pair.language).per_word
        for pair in pairs
        for text in (pair.first, pair.second)
    ]
    return min(20_000, max(50, round(sum(lengths) / len(lengths))))


def plan_evaluation(
    file: str, content: PairFile, resolved: ResolvedConfig, *, reworded: bool = False
) -> Evaluation:
    """Plan every ballot that an evaluation needs.

    Args:
        file: the name of the pairs' file.
        content: what was read of it: the pairs to judge.
        resolved: the configuration with the benches.
        reworded: whether prompts in other words are tried, too.

    Raises:
        ConfigError: a bench has no prompts in other words.
    """
    combinations = [(bench, pair) for bench in resolved.benches for pair in content.pairs]
    if reworded:
        for bench in resolved.benches:
            check_rewording(bench)
    return Evaluation(
        file=file,
        content=content,
        resolved=resolved,
        requests={
            (bench.name, pair.item): _request_runs(file, pair, bench)
            for bench, pair in combinations
        },
        rewordings=tuple(
            RewordingRequests(
                bench=bench.name,
                pair=pair,
                again=_request_runs(file, pair, bench, first=bench.runs),
                reworded=_request_runs(file, pair, reword_bench(bench)),
            )
            for bench, pair in (combinations if reworded else ())
        ),
    )


def plan_ballots(store: Store, evaluation: Evaluation) -> BallotPlan:
    """Return the ballots of an evaluation, with the lines that describe them."""
    benches = evaluation.resolved.benches
    mark = f" ({evaluation.caveat})" if evaluation.caveat else ""
    judges = ", ".join(
        f"{bench.name} ({bench.judge}, {counted(bench.runs, 'run')}{', both orders' * bench.swap})"
        for bench in benches
    )
    languages = ", ".join(sorted({pair.language for pair in evaluation.pairs}))
    reworded = tuple(map(reword_bench, benches)) if evaluation.rewordings else ()
    return BallotPlan(
        resolved=replace(evaluation.resolved, benches=(*benches, *reworded)),
        requests=evaluation.all_requests,
        head=(
            f"Judges on {counted(len(evaluation.pairs), 'labelled pair')} of "
            f"{evaluation.file}{mark}; ballots are stored in {store.path}",
            f"  {_format_content(evaluation.content)}",
            f"  {languages}; judges: {judges}",
            *(["  each judges once more, and once with reworded prompts"] if reworded else []),
        ),
    )


def _format_content(content: PairFile) -> str:
    """Return how a file was read, on one line."""
    skipped = f"; {counted(len(content.skipped), 'row')} skipped" if content.skipped else ""
    repeats = f"; {counted(content.repeats, 'exact repeat')} left out" if content.repeats else ""
    rows, votes = counted(content.rows, "row"), counted(content.votes, "vote")
    return f"{rows}, {votes}, read as {content.layout}{skipped}{repeats}"


def _without_duplicates(groups: Iterable[Sequence[BallotRequest]]) -> tuple[BallotRequest, ...]:
    """Return the requests of all groups, each ballot once."""
    return tuple({request.ballot_id: request for group in groups for request in group}.values())


def _request_runs(
    file: str, pair: LabelledPair, bench: Bench, *, first: int = 0
) -> tuple[BallotRequest, ...]:
    """Return a request for each run of a bench on a pair; `first` is the first run's number."""
    return tuple(_request(file, pair, bench, run=first + run) for run in range(bench.runs))


def _request(file: str, pair: LabelledPair, bench: Bench, *, run: int) -> BallotRequest:
    background = (pair.background,) if pair.background else ()
    texts = digest(pair.question, pair.first, pair.second, pair.language, *background)
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
            wording=Wording(
                text=pair.question, info_slide=pair.background, brief=Brief(pro=(), con=())
            ),
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


def _answers(pair: LabelledPair, code: str) -> tuple[Speech, ...]:
    """Return a pair's answers as speeches, the first for Pro."""
    texts = zip(SIDES, (pair.first, pair.second), strict=True)
    return tuple(answer_speech(side, text, language(code)) for side, text in texts)
