"""The server process of a model on this machine: `python -P local_child.py MODEL NAME`.

It prints its address once the model is loaded, and ends when its standard input does: the kernel
closes that pipe with the process that started it, whichever way that process ends.
"""

from __future__ import annotations

import os
import sys
from typing import Any

#: Requests that are answered at once, each with its share of the context.
SLOTS = 2
#: Tokens of context of all slots; SmolLM2 was trained on 8,192 per request.
CONTEXT_TOKENS = SLOTS * 8192


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
    params.n_parallel, params.n_ctx = SLOTS, CONTEXT_TOKENS
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = thread_count()
    params.verbosity = 0
    return xllamacpp.Server(params)


def thread_count() -> int:
    """Return the number of threads that compute: all processors but one, and at least one.

    The threads wait for each other actively after every operation. Where one of them has to share
    its processor, all others burn theirs: with two threads on two busy processors, an answer took
    seven times the processor time of one thread.
    """
    return max(1, (os.cpu_count() or 1) - 1)


if __name__ == "__main__":
    main()
