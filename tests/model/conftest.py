"""The small model on this machine, and a table of how it got on, printed after the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.llm.local_backend import check_packages
from benchmarks.models import Outcome, row_of, small_tournament
from benchmarks.reporting import report

_PROPERTY = "outcome"
#: The cases that take longest, the longest first.
_LONG = ("mad", "americano", "debate_to_write", "agent4debate", "debatrix", "samre", "more")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest tests of this folder begin, so that all processes end at about one time."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    if item.path.parent != Path(__file__).parent or not isinstance(item, pytest.Function):
        return len(_LONG)
    if not hasattr(item, "callspec"):
        return -1  # the whole tournament
    name = item.callspec.params["name"]
    return _LONG.index(name) if name in _LONG else len(_LONG)


@pytest.fixture(scope="session")
def small_model() -> ResolvedConfig:
    """The shipped tournament of the small model; without its packages, the test is skipped."""
    try:
        check_packages()
    except ConfigError as missing:
        pytest.skip(str(missing))
    return small_tournament()


@pytest.fixture
def noted(record_property: Callable[[str, object], None]) -> Callable[[Outcome], Outcome]:
    """Notes an outcome for the table, and returns it."""

    def note(outcome: Outcome) -> Outcome:
        record_property(_PROPERTY, asdict(outcome))  # reaches the table from other processes, too
        return outcome

    return note


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how the answers of the model were read, and what was lost."""
    outcomes = [
        Outcome(**value)
        for status in ("passed", "failed")
        for made in terminalreporter.stats.get(status, ())
        for name, value in made.user_properties
        if name == _PROPERTY
    ]
    if not outcomes:
        return
    terminalreporter.section("how the small model's answers were read")
    report(map(row_of, outcomes), as_json=False)
    for outcome in outcomes:
        if outcome.reason:
            terminalreporter.line(f"{outcome.case}: {outcome.status}: {outcome.reason}")
