"""Participants that choose by a trained estimator: what a plan says of it, and a run demands."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.errors import ConfigError
from arena.tournament.estimates import estimate_lines
from arena.tournament.rehearsal import rehearse
from tests.support.translation_estimators import installed


def test_a_plan_says_what_is_missing_and_a_run_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = resolve(load_config("papers/mad-mt"), where="mine.toml")
    monkeypatch.setenv("COMET_PYTHON", sys.executable)
    (line,) = estimate_lines(resolved, needed=False)
    assert line.startswith("rerank, maps: choice by COMET (zwhe99/wmt21-comet-qe-da); ")
    with pytest.raises(
        ConfigError, match=r"^mine\.toml: rerank, maps: .*pip install unbabel-comet"
    ):
        estimate_lines(resolved)
    assert not [one.problem for one in asyncio.run(rehearse(resolved)) if one.problem]
    with installed(tmp_path, monkeypatch):
        assert estimate_lines(resolved) == [line.partition(";")[0]]


def test_whoever_chooses_without_one_needs_none() -> None:
    resolved = resolve(load_config("papers/mad-ciar"), where="mine.toml")
    assert estimate_lines(resolved) == []
