"""Every judge goes on from its journal: what was answered before a fault is not asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.errors import InfrastructureFault
from arena.llm.request import Request
from tests.support.scripted_backend import ScriptedBackend
from tests.support.scripted_ballots import answer, take

PANEL = [{"judge": "single"}, {"judge": "debatrix", "model": "house/b"}, {"judge": "samre"}]
JUDGES: dict[str, dict[str, Any]] = {
    "debatrix": {"mode": "non_iterative"},
    "single": {},
    "more": {},
    "samre": {"jurors": 3, "early_stop": False},
    "jury": {"members": PANEL, "early_stop": True},
}


class Failing:
    """Answers so many requests, and then none."""

    def __init__(self, answers: int) -> None:
        self.answered: set[tuple[str, int]] = set()
        self._answers = answers

    def __call__(self, request: Request) -> str:
        if len(self.answered) == self._answers:
            raise InfrastructureFault("down")
        self.answered.add((request.path, request.attempt))
        return answer(request)


@pytest.mark.parametrize("name", JUDGES)
async def test_a_judge_goes_on_where_it_was_stopped(name: str, tmp_path: Path) -> None:
    whole = ScriptedBackend(answer)
    expected = await take(name, JUDGES[name], whole, tmp_path / "whole")
    assert expected.ballot.status == "valid", expected.ballot.reason
    asked = [(one.path, one.attempt) for one in whole.requests]
    assert len(set(asked)) == len(asked), "paths are unique within a ballot"
    for answers in {0, len(asked) // 2, len(asked) - 1}:
        folder, failing, second = tmp_path / str(answers), Failing(answers), ScriptedBackend(answer)
        with pytest.raises(InfrastructureFault):
            await take(name, JUDGES[name], ScriptedBackend(failing), folder)
        result = await take(name, JUDGES[name], second, folder)
        again = {(one.path, one.attempt) for one in second.requests}
        assert again == set(asked) - failing.answered
        assert len(failing.answered) == answers
        assert result.ballot.verdicts == expected.ballot.verdicts
        assert result.ballot.trace == expected.ballot.trace
        assert len(result.unit.calls) == len(asked)
