"""Stand-ins for COMET and BLEURT, with the calls that their documentation shows, and no others.

They score the share of a translation's words that its reference, or else its source, has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.translation.estimators import close_estimators

_COMET = """
from types import SimpleNamespace

MODELS = {
    "Unbabel/wmt22-comet-da": True,
    "Unbabel/wmt22-cometkiwi-da": False,
    "zwhe99/wmt21-comet-qe-da": False,
}
CHECKPOINT = "/cache/{}/checkpoints/model.ckpt"


def download_model(model):
    if model not in MODELS:
        raise KeyError(f"Model '{model}' not supported by COMET.")
    print("Fetching 5 files: 100%")
    return CHECKPOINT.format(model)


def load_from_checkpoint(path):
    for model, referenced in MODELS.items():
        if path == CHECKPOINT.format(model):
            return _Model(referenced)
    raise Exception(f"Invalid checkpoint path: {path}")


class _Model:
    def __init__(self, referenced):
        self.referenced = referenced

    def predict(self, samples, batch_size=16, gpus=1):
        assert gpus == 0, "there is no GPU"
        print("Predicting DataLoader 0: 100%")
        scores = []
        for sample in samples:
            assert set(sample) <= {"src", "mt", "ref"}
            if "crash" in sample["mt"]:
                raise RuntimeError("out of memory")
            if "die" in sample["mt"]:
                import os, sys
                print("Killed", file=sys.stderr, flush=True)
                os._exit(9)
            if self.referenced and "ref" not in sample:
                raise KeyError("Caught KeyError in DataLoader worker process 0.\\nKeyError: 'ref'")
            known = sample["ref"] if self.referenced else sample["src"]
            words = sample["mt"].lower().split()
            scores.append(sum(word in known.lower().split() for word in words) / len(words))
        if not self.referenced:
            return scores, sum(scores) / len(scores)  # as versions before 2.0
        return SimpleNamespace(scores=scores, system_score=sum(scores) / len(scores))
"""
_BLEURT = """
import os


class BleurtScorer:
    def __init__(self, checkpoint=None):
        if not os.path.isdir(checkpoint):
            raise AssertionError(f"Could not find BLEURT checkpoint {checkpoint}")

    def score(self, *args, references=[], candidates=[], batch_size=None):
        assert not args, "only keyword arguments are accepted"
        assert len(references) == len(candidates)
        assert batch_size, "UnparsedFlagAccessError: bleurt_batch_size"
        return [float(left == right) for left, right in zip(references, candidates)]
"""


@contextmanager
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An environment in which the stand-ins are installed; the path of a checkpoint of BLEURT."""
    for name, text in (("comet/__init__.py", _COMET), ("bleurt/score.py", _BLEURT)):
        file = folder / "packages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "packages/bleurt/__init__.py").touch()
    checkpoint = folder / "BLEURT-20"
    checkpoint.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder / "packages"))
    for variable in ("COMET_PYTHON", "BLEURT_PYTHON"):
        monkeypatch.setenv(variable, sys.executable)
    try:
        yield checkpoint
    finally:
        close_estimators()
