"""The plan of an evaluation: every ballot that it needs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.load import find_example, format_validation_error, read_text
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.config.sections import Config, ParticipantSection
from arena.debates.pairs import answer_speech
from arena.debates.play import Assignment
from arena.errors import ConfigError
from arena.languages import SIDES, language
from arena.plugins import judge_class, judge_options
from arena.records import Bench, Debate, Participant, digest
from arena.search.tool import NoSearch
from arena.store.database import Store
from arena.text import counted
from judges.studies.ballots import BallotRequest
from judges.studies.labelled.pairs import LabelledPair, PairFile
from judges.studies.labelled.rewording import RewordingRequests, check_rewording, reword_bench
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging, judging_caveat
from motions import Brief, Wording
from motions.text_files import parse_toml

_EXAMPLES = files("judges") / "examples"
#: The place that error messages name for judges of no file.
_COMMAND_LINE = "--judge"
#: Tables of a tournament's file that do not concern its judges.
_IGNORED = ("tournament", "schedule", "search", "sampling", "participants")


class PairsConfig(Config):
    """A configuration without participants."""

    participants: list[ParticipantSection] = []


def example_benches() -> list[str]:
    """Return the names of the shipped files; those of papers are `papers/NAME`."""
    folders = {"": _EXAMPLES, "papers/": _EXAMPLES / "papers"}
    return sorted(
        f"{prefix}{file.name.removesuffix('.toml')}"
        for prefix, folder in folders.items()
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    )


def read_benches(
    source: str, *, languages: Sequence[str], words: int, model: str = ""
) -> ResolvedConfig:
    """Read the benches of a TOML file, or of a shipped example by its name.

    Only its tables `benches`, `models` and `limits` are used, so a tournament's file will do.

    Args:
        words: the mean length of an answer, for the estimate.
        model: of all benches, in place of the file's; members of a jury that name one keep it.

    Raises:
        ConfigError: the file cannot be read, or names a judge that asks no model about pairs.
    """
    name = find_example(source, example_benches())
    text = (_EXAMPLES / f"{name}.toml").read_text("utf-8") if name else read_text(Path(source))
    try:
        content = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}.") from None
    used = {key: value for key, value in content.items() if key not in _IGNORED}
    benches = used.get("benches")
    if model and isinstance(benches, list):
        used["benches"] = [
            {**bench, "model": model} if isinstance(bench, dict) else bench for bench in benches
        ]
    return _resolve(used, where=source, languages=languages, words=words)


def make_benches(
    judges: Sequence[str], settings: Mapping[str, Any], *, languages: Sequence[str], words: int
) -> ResolvedConfig:
    """Make benches with the same settings, each named after its judge.

    Otherwise like `read_benches`.

    Args:
        settings: of each bench, as a file has them: model (if any), runs, swap, options.
    """
    if settings["options"] and len(judges) > 1:
        raise ConfigError(
            "--option needs exactly one --judge. Name one, or describe the judges in a file "
            "(--benches FILE)."
        )
    methods = [judge_class(name, where=_COMMAND_LINE) for name in judges]
    if "model" not in settings and any(method.needs_model for method in methods):
        raise ConfigError(
            "--model: missing. Write provider/name, for example openai/gpt-4o-mini or offline/good."
        )
    benches = [{"name": name, "judge": name, **settings} for name in dict.fromkeys(judges)]
    return _resolve({"benches": benches}, where=_COMMAND_LINE, languages=languages, words=words)


def _resolve(
    content: Mapping[str, Any], *, where: str, languages: Sequence[str], words: int
) -> ResolvedConfig:
    """Validate and resolve tables of benches, models and limits."""
    limits = content.get("limits", {})
    tables = {
        **content,
        "limits": {**limits, "words": words} if isinstance(limits, dict) else limits,
        "tournament": {"name": "pairs", "contest": "essay", "languages": list(languages)},
    }
    try:
        config = PairsConfig.model_validate(tables)
    except ValidationError as error:
        raise ConfigError(format_validation_error(error, where)) from None
    _check_judges(config, where)
    return resolve(config, where=where, motions=())


def _check_judges(config: Config, where: str) -> None:
    """Check that every bench asks a model about pairs of answers."""
    for number, bench in enumerate(config.benches, start=1):
        place = where if where == _COMMAND_LINE else f"{where}: benches[{number}].judge"
        method = judge_class(bench.judge, where=place)
        try:
            contests = method.takes(judge_options(bench.judge, bench.options))
        except ValidationError:
            continue  # `resolve` reports what is wrong with the options
        if "essay" not in contests or not method.needs_model:
            raise ConfigError(
                f"{place}: {bench.judge!r} does not ask a model about pairs of answers. Choose "
                "debatrix, single, more, samre, or a jury of these."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Labelled pairs and the benches that judge them.

    Attributes:
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
    """Plan every ballot that an evaluation needs."""
    for bench in resolved.benches if reworded else ():
        check_rewording(bench)
    combinations = list(product(resolved.benches, content.pairs))
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
    background = (pair.background,) if pair.background else ()
    texts = digest(pair.question, pair.first, pair.second, pair.language, *background)
    identity = digest("pairs", texts, bench.specification)
    spoken = language(pair.language)
    assignment = Assignment(
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
    )
    speeches = tuple(
        answer_speech(side, text, spoken)
        for side, text in zip(SIDES, (pair.first, pair.second), strict=True)
    )
    return tuple(
        BallotRequest(
            kind="pairs",
            source=file,
            item=pair.item,
            assignment=assignment,
            speeches=speeches,
            bench=bench,
            run=first + run,
        )
        for run in range(bench.runs)
    )
