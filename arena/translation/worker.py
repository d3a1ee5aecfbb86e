"""Scores translations in a process of its own; runs with the Python of the estimator's environment.

It imports nothing of this project: `python worker.py comet|bleurt MODEL`. It prints a JSON object
per line: `{"ready": true}` once the model is loaded, then `{"scores": [...]}` for each line that it
reads, a list of samples with `src`, `mt` and, where known, `ref`; or an `error` with a `message`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

#: What a sample may lack; a `KeyError` of a process of the library's names it within its text.
_KEYS = ("ref", "src")
_BATCH = 8


def main() -> None:
    """Load a model, then answer line by line until the input ends."""
    kind, name = sys.argv[1:]
    del sys.path[0]  # this folder, whose modules must not hide others
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer

    def answer(content: dict[str, Any]) -> None:
        print(json.dumps(content), file=answers, flush=True)

    try:
        score = _load_comet(name) if kind == "comet" else _load_bleurt(name)
    except ImportError as error:
        answer({"error": "missing", "message": str(error)})
        return
    except Exception as error:  # whatever the libraries raise
        answer({"error": "model", "message": repr(error)})
        return
    answer({"ready": True})
    for line in sys.stdin:
        try:
            answer({"scores": [float(value) for value in score(json.loads(line))]})
        except Exception as error:  # whatever the libraries raise
            missing = [
                key for key in _KEYS if isinstance(error, KeyError) and f"'{key}'" in str(error)
            ]
            kind = "lacks" if missing else "failed"
            answer({"error": kind, "message": missing[0] if missing else repr(error)})


def _load_comet(name: str) -> Any:  # noqa: ANN401 - a function from samples to scores
    comet = importlib.import_module("comet")
    path = name if os.path.exists(name) else comet.download_model(name)
    model = comet.load_from_checkpoint(path)

    def score(samples: list[dict[str, str]]) -> Any:  # noqa: ANN401 - numbers of the library
        predicted = model.predict(samples, batch_size=_BATCH, gpus=0)
        return predicted.scores if hasattr(predicted, "scores") else predicted[0]

    return score


def _load_bleurt(checkpoint: str) -> Any:  # noqa: ANN401 - as `_load_comet`
    scorer = importlib.import_module("bleurt.score").BleurtScorer(checkpoint)
    return lambda samples: scorer.score(
        references=[sample["ref"] for sample in samples],
        candidates=[sample["mt"] for sample in samples],
        batch_size=_BATCH,  # by default it reads a flag, for which it would parse our arguments
    )


if __name__ == "__main__":
    main()
