"""Trained estimators of the quality of translations: COMET and BLEURT, in their own environments.

COMET (Rei et al. 2020, arXiv 2009.09025) and BLEURT (Sellam et al. 2020, arXiv 2004.04696) need
models of gigabytes, and libraries that do not fit beside ours. So the user names the model, and the
Python of an environment in which the package is installed; `arena.translation.worker` runs there.
Both are called as their documentation says, and were tested with stand-ins only.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from arena.errors import ConfigError

Kind = Literal["comet", "bleurt"]

_WORKER: Final = Path(__file__).with_name("worker.py")
_NAMES: Final = {"comet": "COMET", "bleurt": "BLEURT"}
_PACKAGES: Final = {
    "comet": "unbabel-comet",
    "bleurt": "git+https://github.com/google-research/bleurt",
}
_EXAMPLES: Final = "comet:Unbabel/wmt22-comet-da or bleurt:/models/BLEURT-20"
#: Looks whether the package is there, without loading it.
_LOOK: Final = (
    "import sys; from importlib.util import find_spec; sys.exit(not find_spec(sys.argv[1]))"
)
#: What stands before the sentence: `Translate this Chinese sentence into English: …`.
_REQUEST = re.compile(r"^[^:：]*[:：]\s*(?=\S)")
#: Whether estimates are stand-ins.
_REHEARSED: ContextVar[bool] = ContextVar("rehearsed", default=False)


@contextmanager
def rehearsed_estimates() -> Iterator[None]:
    """Let all estimates be 0, without any model, within a rehearsal."""
    token = _REHEARSED.set(True)
    try:
        yield
    finally:
        _REHEARSED.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTranslation:
    """A translation to be scored.

    Attributes:
        references: right translations; empty where none is known.
    """

    source: str
    text: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """A trained estimator and its model.

    Attributes:
        model: a name that COMET downloads, or the path of a checkpoint.
    """

    kind: Kind
    model: str

    @property
    def name(self) -> str:
        """Its name, the head of a column."""
        return _NAMES[self.kind]

    @property
    def label(self) -> str:
        """Its name with its model, to be said beside its figures."""
        return f"{self.name} ({self.model})"

    @property
    def problem(self) -> str:
        """Why it cannot score anything here, and what to do; empty where its package is found.

        Whether its model can be loaded is not looked at: it may be a matter of gigabytes.
        """
        python = _find_python(self)
        try:
            looked = subprocess.run([python, "-c", _LOOK, self.kind], check=False)  # noqa: S603 - as below
        except OSError as error:
            return _format_unstarted(self, python, error)
        return f"{self.name} is not installed. {_remedy(self)}" if looked.returncode else ""

    def score(self, translations: Sequence[CandidateTranslation]) -> list[float]:
        """Return the score of each translation, against the closest of its references if any.

        Raises:
            ConfigError: the package or the model is missing, the model needs references and there
                are none, or it fails.
        """
        if _REHEARSED.get():
            return [0.0] * len(translations)
        placed = [
            (place, reference)
            for place, translation in enumerate(translations)
            for reference in translation.references or ("",)
        ]
        samples = [
            {"src": translations[place].source, "mt": translations[place].text}
            | ({"ref": reference} if reference else {})
            for place, reference in placed
        ]
        best = [float("-inf")] * len(translations)
        scores = _find_process(self).score(samples) if samples else []
        for (place, _), value in zip(placed, scores, strict=True):
            best[place] = max(best[place], value)
        return best


def read_estimator(text: str) -> Estimator:
    """Return the estimator that is written as `comet:MODEL` or `bleurt:CHECKPOINT`.

    Raises:
        ValueError: it is written in another way.
    """
    kind, _, model = text.partition(":")
    if kind == "comet" and model:
        return Estimator(kind="comet", model=model)
    if kind == "bleurt" and model:
        return Estimator(kind="bleurt", model=model)
    raise ValueError(f"{text!r}: write an estimator with its model, for example {_EXAMPLES}")


def source_of(question: str) -> str:
    """Return the sentence that a question asks to translate: what follows its first colon.

    >>> source_of("Translate this Chinese sentence into English: 他在会上放了一炮。")
    '他在会上放了一炮。'
    """
    return _REQUEST.sub("", question.strip(), count=1)


class _Process:
    """A worker with its model loaded; it is asked by one thread at a time, and ends with ours."""

    def __init__(self, estimator: Estimator) -> None:
        self._estimator, self._lock = estimator, threading.Lock()
        python = _find_python(estimator)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user names the interpreter
                [python, str(_WORKER), estimator.kind, estimator.model],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        except OSError as error:
            self._errors.close()
            raise ConfigError(_format_unstarted(estimator, python, error)) from None
        try:
            self._read()
        except ConfigError:
            self.close()
            raise

    def score(self, samples: Sequence[dict[str, str]]) -> list[float]:
        """Return the scores of samples.

        Raises:
            ConfigError: the model needs what the samples lack, or fails.
        """
        with self._lock:
            if self._process.stdin is None:
                raise ConfigError(self._format_end())
            try:
                print(json.dumps(samples), file=self._process.stdin, flush=True)
            except OSError:
                raise ConfigError(self._format_end()) from None
            return [float(value) for value in self._read()["scores"]]

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # it may have ended already
                    pipe.close()
        self._process.terminate()
        self._process.wait()
        self._errors.close()

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise ConfigError(self._format_end())
        content: dict[str, Any] = json.loads(line)
        name, message = self._estimator.label, content.get("message", "")
        remedy = _remedy(self._estimator)
        faults = {
            "missing": f"{self._estimator.name} is not installed: {message}. {remedy}",
            "model": f"{name}: the model cannot be loaded: {message}. Check its name or its path.",
            "lacks": (
                f"{name} needs {message!r} of each translation, which is not known here. Name a "
                "model that estimates without a reference, such as "
                "comet:Unbabel/wmt22-cometkiwi-da."
            ),
            "failed": f"{name} failed: {message}.",
        }
        if fault := faults.get(content.get("error", "")):
            raise ConfigError(fault)
        return content

    def _format_end(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        last = f" Its last words: {lines[-1][:300]}" if lines else ""
        return f"{self._estimator.label} ended without an answer.{last} {_remedy(self._estimator)}"


def _variable(estimator: Estimator) -> str:
    return f"{estimator.name}_PYTHON"


def _find_python(estimator: Estimator) -> str:
    return os.environ.get(_variable(estimator)) or sys.executable


def _format_unstarted(estimator: Estimator, python: str, error: OSError) -> str:
    return (
        f"{estimator.name}: {python} ({_variable(estimator)}) cannot be started: "
        f"{error.strerror}. {_remedy(estimator)}"
    )


def _remedy(estimator: Estimator) -> str:
    return (
        f"Install it into an environment of its own (python -m venv estimator; "
        f"estimator/bin/pip install {_PACKAGES[estimator.kind]}) and name its Python: "
        f"export {_variable(estimator)}=$PWD/estimator/bin/python"
    )


_PROCESSES: Final[dict[Estimator, _Process]] = {}
_STARTING: Final = threading.Lock()


def _find_process(estimator: Estimator) -> _Process:
    """Return the process of an estimator, which is started when it is first needed."""
    with _STARTING:
        if estimator not in _PROCESSES:
            _PROCESSES[estimator] = _Process(estimator)
        return _PROCESSES[estimator]


@atexit.register
def close_estimators() -> None:
    """End the processes of all estimators."""
    while _PROCESSES:
        _PROCESSES.popitem()[1].close()
