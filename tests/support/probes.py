"""Probes in this process: a scripted judge in every model's place, and what is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.languages import SIDES, language
from arena.llm.request import Completion, Request
from arena.prompts import find_quotes
from arena.store.database import Store
from judges.studies.probes.defects import AGAIN, DEFECTS, INSERTED
from tests.support.command_line import arena
from tests.support.score_cards import card
from tests.support.scripted_backend import ScriptedBackend

#: A judge to probe, and the answer for programs.
JUDGE = ("--judge", "single", "--model", "offline/strong", "--format", "json", "--yes")
LURES = {name for name, defect in DEFECTS.items() if defect.kind == "lure"}


def sensitive(db: Path, code: str = "en") -> Callable[[Request], str | Completion]:
    """A judge that rewards every lure and punishes every other change of a speech."""
    spoken = language(code)
    rows = Store(db).rows("SELECT side, text FROM speeches")
    known = {(spoken.sides[row["side"]], row["text"]) for row in rows}
    lures = [AGAIN[code], *(lure(name, code) for name in LURES & INSERTED.keys())]

    def judge(request: Request) -> str:
        scores = {spoken.sides[side]: 10 for side in SIDES}
        for one in find_quotes(request.text()):
            if one.label == spoken.terms["speech"] and (one.words[0], one.text) not in known:
                scores[one.words[0]] = 15 if any(some in one.text for some in lures) else 5
        return card(*(scores[spoken.sides[side]] for side in SIDES))

    return judge


def lure(name: str, code: str = "en") -> str:
    """How what is inserted begins, before anything is filled in."""
    return INSERTED[name][code].partition("{")[0][:20]


def ask(
    monkeypatch: pytest.MonkeyPatch,
    script: Callable[[Request], Any],
    price: tuple[float, float] = (0.0, 0.0),
) -> ScriptedBackend:
    """Let every model be one scripted backend."""
    backend = ScriptedBackend(script, price=price)
    monkeypatch.setattr("arena.tournament.models.Models.backend", lambda _self, _model: backend)
    return backend


def findings(*words: str | Path, code: int = 0) -> dict[str, dict[str, Any]]:
    """What a probe reports, by defect."""
    result = arena("judges", "probe", *words)
    assert result.exit_code == code, result.output
    content = json.loads(result.stdout)
    assert content["simulated"] is True
    return {one["defect"]: one for one in content["findings"]}
