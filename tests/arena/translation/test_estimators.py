"""COMET and BLEURT in an environment of their own, which is a stand-in here."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.translation.estimators import (
    CandidateTranslation,
    close_estimators,
    read_estimator,
    rehearsed_estimates,
    source_of,
)
from tests.support.translation_estimators import installed

REFERENCED, FREE = "comet:Unbabel/wmt22-comet-da", "comet:Unbabel/wmt22-cometkiwi-da"


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with installed(tmp_path, monkeypatch) as made:
        yield made


def translation(text: str, *references: str, source: str = "er schwieg") -> CandidateTranslation:
    return CandidateTranslation(source=source, text=text, references=references)


def test_a_translation_is_scored_against_its_closest_reference(checkpoint: Path) -> None:
    asked = [
        translation("he was silent", "he said nothing", "he was silent"),
        translation("he spoke", "he said nothing"),
    ]
    assert read_estimator(REFERENCED).score(asked) == [1.0, 0.5]
    assert read_estimator(f"bleurt:{checkpoint}").score(asked) == [1.0, 0.0]
    assert read_estimator(REFERENCED).score([]) == []


def test_without_references_the_source_is_enough_for_some(checkpoint: Path) -> None:
    asked = [translation("schwieg er"), translation("he schwieg"), translation("what")]
    assert read_estimator(FREE).score(asked) == [1.0, 0.5, 0.0]
    for other in (REFERENCED, f"bleurt:{checkpoint}"):
        with pytest.raises(ConfigError, match=r"needs 'ref' of each translation.*cometkiwi"):
            read_estimator(other).score(asked)


@pytest.mark.usefixtures("checkpoint")
def test_a_package_that_is_not_there_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_estimator(FREE).problem == ""
    assert read_estimator("comet:no/such-model").problem == "", "models are not looked at"
    monkeypatch.delenv("PYTHONPATH")
    assert re.search("not installed.*pip install unbabel-comet", read_estimator(FREE).problem)


def test_the_model_is_loaded_once(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = read_estimator(FREE)
    estimator.score([translation("er")])
    monkeypatch.setenv("COMET_PYTHON", "/nowhere/python")
    assert estimator.score([translation("er")]) == [1.0], "no second process was started"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("comet:no/such-model", r"the model cannot be loaded: .*not supported by COMET"),
        ("bleurt:/no/checkpoint", r"the model cannot be loaded: .*Could not find BLEURT check"),
    ],
)
def test_a_model_that_is_none_is_named(checkpoint: Path, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_estimator(name).score([translation("er", "he")])


def test_a_failure_and_an_end_are_named(checkpoint: Path) -> None:
    estimator = read_estimator(FREE)
    with pytest.raises(ConfigError, match=r"failed: RuntimeError\('out of memory'\)"):
        estimator.score([translation("crash")])
    assert estimator.score([translation("er")]) == [1.0], "it goes on"
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"ended without an answer. Its last words: Killed"):
            estimator.score([translation("die")])


def test_an_environment_without_the_package_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "comet").mkdir()
    (tmp_path / "comet/__init__.py").write_text("raise ImportError('No module named torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("COMET_PYTHON", sys.executable)
    message = r"COMET is not installed: No module named torch.*pip install unbabel-comet.*COMET_PY"
    with pytest.raises(ConfigError, match=message):
        read_estimator(FREE).score([translation("er")])
    monkeypatch.setenv("COMET_PYTHON", "/nowhere/python")
    unstarted = r"/nowhere/python \(COMET_PYTHON\) cannot be started"
    with pytest.raises(ConfigError, match=unstarted):
        read_estimator(FREE).score([translation("er")])
    assert re.search(unstarted, read_estimator(FREE).problem)
    with rehearsed_estimates():
        assert read_estimator(FREE).score([translation("er"), translation("he")]) == [0, 0]
    close_estimators()


@pytest.mark.parametrize("text", ["", "comet", "comet:", "bleu:x", "Unbabel/wmt22-comet-da"])
def test_an_estimator_needs_its_model(text: str) -> None:
    with pytest.raises(ValueError, match="write an estimator with its model, for example comet:"):
        read_estimator(text)


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("请把这句话译成英文：他在会上放了一炮。", "他在会上放了一炮。"),
        ("Translate: He said: no.", "He said: no."),
        ("他在会上放了一炮。", "他在会上放了一炮。"),
        ("Translate this:", "Translate this:"),
    ],
)
def test_the_source_follows_the_request(question: str, source: str) -> None:
    assert source_of(question) == source
