"""The small model on this machine, and a table of how it got on, printed after the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.llm.local_server import check_packages
from benchmarks.models import Outcome, row_of, small_tournament
from benchmarks.reporting import report

_OUTCOMES: list[Outcome] = []


@pytest.fixture(scope="session")
def small_model() -> ResolvedConfig:
    """The shipped tournament of the small model; without its packages, the test is skipped."""
    try:
        check_packages()
    except ConfigError as missing:
        pytest.skip(str(missing))
    return small_tournament()


@pytest.fixture(scope="session")
def noted() -> Iterator[Callable[[Outcome], Outcome]]:
    """Notes an outcome for the table, and returns it."""

    def note(outcome: Outcome) -> Outcome:
        _OUTCOMES.append(outcome)
        return outcome

    yield note


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how the answers of the model were read, and what was lost."""
    if not _OUTCOMES:
        return
    terminalreporter.section("how the small model's answers were read")
    report(map(row_of, _OUTCOMES), as_json=False)
    for outcome in _OUTCOMES:
        if outcome.reason:
            terminalreporter.line(f"{outcome.case}: {outcome.status}: {outcome.reason}")
