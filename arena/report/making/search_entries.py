"""The entries of searches in the dialogue of a speech."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.records import Step
from arena.report.making.records import Detail, DialogueStep
from arena.report.making.scribe import Scribe


def write_search(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of a search by a Searcher: queries, what they found, what was kept.

    Its answers are two of queries, and one that compiles what was found, if anything was.
    """
    sources = [list(numbers) for numbers in step.get("found", [])]
    answers = [scribe.take({"agent": "Searcher"}) for _ in range(2 + any(sources))]
    last = answers[-1]
    details = [scribe.detail("question", step.get("question"))]
    details += _queries(scribe, step, step.get("queries", []), sources)
    details += [
        scribe.detail(
            "kept", _sources(step, step.get("kept", [])) or scribe.words.phrase("nothing")
        ),
        scribe.detail("conclusions", last.field("conclusions") if last else ""),
    ]
    return scribe.write(step, last, scribe.words.phrase("search"), "", details)


def write_baseline_search(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of the one search that `baseline` makes without asking a model."""
    numbers = [result["number"] for result in step.get("results", [])]
    details = list(_queries(scribe, step, [str(step.get("query", ""))], [numbers]))
    details.append(scribe.detail("cited", _sources(step, step.get("used", []))))
    return scribe.write(step, None, scribe.words.phrase("search"), "", details)


def _queries(
    scribe: Scribe, step: Step, queries: Sequence[str], sources: Sequence[Sequence[int]]
) -> Iterator[Detail]:
    """Yield each query with the sources that it found; sources listed before by number only."""
    failed = step.get("failed") or {}
    listed: set[int] = set()
    for number, query in enumerate(queries, start=1):
        numbers = sources[number - 1] if number <= len(sources) else []
        failure = failed.get(query, "") if isinstance(failed, Mapping) else str(failed)
        lines = [query, *_results(step, numbers, listed)]
        if failure:
            lines.append(scribe.words.phrase("failed", failure))
        elif not numbers:
            lines.append(scribe.words.phrase("nothing"))
        yield scribe.detail("query", "\n".join(lines), number)


def _results(step: Step, numbers: Sequence[int], listed: set[int]) -> Iterator[str]:
    by_number: Mapping[int, Mapping[str, Any]] = {
        result["number"]: result for result in step.get("results", [])
    }
    for number in numbers:
        if number in by_number and number not in listed:
            source = f"{by_number[number]['origin']} — {by_number[number]['excerpt']}"
            yield f"[{number}] {' '.join(source.split())}"
    if again := [f"[{number}]" for number in numbers if number in listed]:
        yield " ".join(again)
    listed.update(numbers)


def _sources(step: Step, numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)
