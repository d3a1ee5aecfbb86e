"""The server process of a model on this machine: `python -P local_child.py MODEL NAME`.

It answers one request at a time, on one processor. It prints its address once the model is loaded,
and ends when its standard input does: the kernel closes that pipe with the process that started it,
whichever way that process ends.
"""

from __future__ import annotations

import os
import sys
from typing import Any

#: Tokens that prompt and answer may have together: as many as the model was trained on.
CONTEXT_TOKENS = 8192

#: Without it, most answers of this model go round in circles (benchmarks/speech_form.py).
REPEAT_PENALTY = 1.1


def main() -> None:
    """Serve a model until the standard input ends."""
    model, name = sys.argv[1:]
    server = _start(model, name)
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # the server's own threads would have to finish their answers first


def _start(model: str, name: str) -> Any:  # noqa: ANN401 - xllamacpp has no types
    import xllamacpp  # noqa: PLC0415 - only this process needs it

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = 1, CONTEXT_TOKENS
    # Several threads wait for each other actively after every operation. On a busy machine, where
    # they share processors, two of them took seven times the processor time of one.
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1
    # With a cached beginning of the prompt, the same seed gives another answer.
    params.cache_prompt = False
    params.sampling.penalty_repeat = REPEAT_PENALTY
    params.verbosity = 0
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
