"""A log of Inspect: a sample per debate, its speeches as messages and its ballots as scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelUsage
from inspect_ai.scorer import Score

from arena.battles.exporter import replace_file
from arena.boards.board import Board, board
from arena.errors import ConfigError
from arena.integrations.exporting import Exporting
from arena.read.ballots import BallotRow, read_ballots
from arena.read.calls import CallRow, read_calls
from arena.read.debates import DebateRow
from arena.read.selected import Narrowing
from arena.read.speeches import SpeechRow, read_speeches
from arena.read.voters import Voters
from arena.text import counted

_ENDINGS: Final = (".eval", ".json")
#: What a sample says of its debate besides its texts.
_METADATA: Final = (
    "matchup_id", "leg", "motion_id", "category", "language", "pro", "con", "pro_debater",
    "pro_model", "con_debater", "con_model", "status", "forfeited", "winner", "cost_usd",
)  # fmt: skip


def export(exporting: Exporting) -> str:
    """Write the log of a tournament, which `inspect_ai.log.read_eval_log` reads."""
    file = Path(exporting.target)
    if file.suffix.lower() not in _ENDINGS:
        raise ConfigError(
            f"{file}: --what inspect needs a file name that ends in one of {', '.join(_ENDINGS)}."
        )
    with replace_file(file, force=exporting.force) as path:
        samples = list(_samples(exporting))
        rated = board(exporting.store, exporting.resolved, exporting.selection)
        write_eval_log(_log(exporting, rated, samples), str(path))
    return f"{counted(len(samples), 'debate', style=',')} written to {file}."


def _log(exporting: Exporting, rated: Board, samples: Sequence[EvalSample]) -> EvalLog:
    resolved = exporting.resolved
    ends = sorted(sample.completed_at for sample in samples if sample.completed_at)
    spec = EvalSpec(
        created=ends[-1] if ends else "1970-01-01T00:00:00+00:00",
        task=resolved.name,
        dataset=EvalDataset(name=resolved.name, samples=len(samples)),
        model="none/none",
        config=EvalConfig(),
        packages={"debate-arena": version("debate-arena")},
        metadata={"board": exporting.selection.title, "simulated": resolved.simulated},
    )
    results = EvalResults(
        total_samples=len(samples), completed_samples=len(samples), scores=[_board_score(rated)]
    )
    return EvalLog(status="success", eval=spec, results=results, samples=list(samples))


def _board_score(rated: Board) -> EvalScore:
    """Return a board as the metrics of its bench: each participant's rating in Elo points."""
    bench = rated.selection.bench
    metrics = {
        row.participant: EvalMetric(
            name=row.participant,
            value=row.rating,
            metadata={"lower": row.lower, "upper": row.upper, "rank": row.rank},
        )
        for row in rated.rows
        if row.is_rated
    }
    return EvalScore(name=bench, scorer=bench, scored_samples=rated.comparisons, metrics=metrics)


def _samples(exporting: Exporting) -> Iterator[EvalSample]:
    selection = replace(exporting.selection, bench="all", dimension="overall", without=())
    voters = Voters.of(exporting.store, exporting.resolved)
    for debates in exporting.batches():
        narrowing = Narrowing(ids=tuple(debate.debate_id for debate in debates))
        asked = exporting.store, selection, narrowing
        ballots = _by_debate(map(voters.hide, read_ballots(*asked)))
        speeches, calls = _by_debate(read_speeches(*asked)), _by_debate(read_calls(*asked))
        for debate in debates:
            place = debate.debate_id
            yield _sample(debate, speeches[place], ballots[place], calls[place])


def _by_debate(rows: Iterable[Any]) -> Mapping[str, list[Any]]:
    found = defaultdict[str, list[Any]](list)
    for row in rows:
        found[row.debate_id].append(row)
    return found


def _sample(
    debate: DebateRow,
    speeches: Sequence[SpeechRow],
    ballots: Sequence[BallotRow],
    calls: Sequence[CallRow],
) -> EvalSample:
    models = {"pro": debate.pro_model, "con": debate.con_model}
    messages = [
        ChatMessageAssistant(
            content=speech.text,
            model=models[speech.side],
            metadata={name: getattr(speech, name) for name in ("participant", "side", "stage")},
        )
        for speech in speeches
    ]
    at = {"started_at": debate.started_at, "completed_at": debate.finished_at}
    return EvalSample(
        id=debate.debate_id,
        epoch=1,
        input=debate.motion,
        target="",
        messages=[ChatMessageUser(content=debate.motion), *messages],
        scores=dict(_scores(debate, ballots)),
        metadata={name: getattr(debate, name) for name in _METADATA},
        model_usage=_usage(calls),
        **{name: time.isoformat() for name, time in at.items() if time},
    )


def _scores(debate: DebateRow, ballots: Sequence[BallotRow]) -> Iterator[tuple[str, Score]]:
    """Yield each bench with Pro's mean outcome on the whole over its valid ballots."""
    for bench in dict.fromkeys(ballot.bench for ballot in ballots):
        own = [ballot for ballot in ballots if ballot.bench == bench and ballot.verdict()]
        outcomes = [verdict.outcome for ballot in own if (verdict := ballot.verdict())]
        if outcomes:
            mean = fmean(outcomes)
            answer = "tie" if mean == 0.5 else debate.pro if mean > 0.5 else debate.con
            verdicts = [
                {verdict.dimension: verdict.outcome for verdict in ballot.verdicts}
                for ballot in own
            ]
            yield (
                bench,
                Score(
                    value=mean,
                    answer=answer,
                    explanation=own[0].rationale or None,
                    metadata={"outcomes_of_pro": verdicts},
                ),
            )


def _usage(calls: Iterable[CallRow]) -> dict[str, ModelUsage]:
    usage: dict[str, ModelUsage] = {}
    for call in calls:
        own = usage.setdefault(call.model, ModelUsage())
        own.input_tokens += call.input_tokens
        own.output_tokens += call.output_tokens
        own.total_tokens += call.input_tokens + call.output_tokens
    return usage
