"""Pages of Streamlit's own, with which those of the dashboard are compared."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from arena.errors import ArenaError
from tests.dashboard.conftest import free_port

#: A line and a button.
EMPTY = """
import streamlit as st

st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.text(f"Run {st.session_state['runs']}")
st.button("Again")
"""
#: A table of 200 rows.
TABLE = """
import pandas as pd
import streamlit as st

names = [f"p{number:03d}" for number in range(200)]
columns = {"rank": range(1, 201), "participant": names, "rating": range(1200, 1000, -1)}
frame = pd.DataFrame(columns).assign(interval="1150 to 1250", ranks="1-9", record="9-1-5", won=60.0)
st.dataframe(frame, hide_index=True, row_height=35, height=912)
"""
#: A table of as many rows, each of which leads to a page with nothing but a heading.
LEADING = """
import pandas as pd
import streamlit as st

def heading():
    st.header("Ballots", anchor=False)

def table():
    frame = pd.DataFrame({"motion": [f"Motion {number}" for number in range(200)], "pro": "a"})
    options = {"hide_index": True, "row_height": 35, "height": 912}
    chosen = st.dataframe(
        frame, on_select="rerun", selection_mode="single-cell", key="rows", **options
    )
    if chosen.selection.cells:
        st.switch_page(second)

second = st.Page(heading, title="One", url_path="one")
st.navigation([st.Page(table, title="All", url_path="all", default=True), second]).run()
"""


@contextmanager
def bare_page(folder: Path, code: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Serve a page of Streamlit's own, and yield its process and its address."""
    port = free_port()
    script = folder / f"page-{port}.py"
    script.write_text(code)
    flags = ("server.headless=true", "server.fileWatcherType=none", "logger.level=error")
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    command += [f"--{flag}" for flag in (*flags, "browser.gatherUsageStats=false")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address)
            yield child, address
        finally:
            child.terminate()


def _wait_for(address: str) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            httpx.get(address)
            return
        time.sleep(0.2)
    raise ArenaError(f"{address} does not answer.")
