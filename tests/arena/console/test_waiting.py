import io
import threading

import pytest

from arena.console.waiting import show_computing


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_that_a_long_computation_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.console.waiting._QUIET_SECONDS", 0.0)
    terminal, moment = Terminal(), threading.Event()
    monkeypatch.setattr("sys.stderr", terminal)
    with show_computing("Rating 3 participants"):
        for _ in range(500):
            if "Rating 3 participants" in terminal.getvalue():
                break
            moment.wait(0.01)
    assert "Rating 3 participants" in terminal.getvalue()


def test_a_short_computation_and_a_file_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        with show_computing("Rating 3 participants"):
            pass
        assert "Rating" not in stream.getvalue()
