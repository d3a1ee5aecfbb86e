"""The last run of a tournament: whether it still works, or when and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from arena.config.window import format_moment
from arena.console.run_record import RunState, read_state
from arena.store.database import Store
from arena.text import as_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRun:
    """The last run of a tournament.

    Attributes:
        process: the process that works on it now; '' for nobody.
        state: what the run wrote; `None` where it left nothing.
    """

    process: str
    state: RunState | None

    def describe(self) -> str:
        """Say whether somebody works on the tournament, since when, or when and why that ended."""
        if self.state is None:
            return "nobody works on it"
        updated = format_moment(_moment(self.state.updated))
        if self.process:
            reason = self.state.reason.removesuffix(".")
            words = {
                "waiting": f", now waiting {reason or 'for its time'}",
                "stopping": f", now stopping ({reason})",
            }
            since = format_moment(_moment(self.state.began))
            return f"running since {since}{words.get(self.state.phase, '')}"
        if self.state.phase == "ended":
            reason = self.state.reason.removesuffix(".")
            return f"stopped on {updated}{f' ({reason})' if reason else ''}"
        return f"its run ended without a word; its last sign of life is of {updated}"

    def sentence(self) -> str:
        """Say when and why the last run ended, or that somebody works on it; '' for no run."""
        if self.state is None:
            return ""
        if self.process or self.state.phase != "ended":
            words = self.describe()
            return f"{words[:1].upper()}{words[1:]}."
        ended = f"The last run ended on {format_moment(_moment(self.state.updated))}"
        return as_sentence(f"{ended}: {self.state.reason}" if self.state.reason else ended)


def read_last_run(store: Store, tournament: str) -> LastRun:
    """Read what the last run of a tournament left, and whether it still works."""
    state = read_state(store.path)
    if state is None or state.tournament != tournament:
        return LastRun(process="", state=None)
    return LastRun(process="" if state.phase == "ended" else store.runner(), state=state)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
