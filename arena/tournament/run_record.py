"""What a run leaves beside its database for others to read: its state now, and a log of events."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import TypeAdapter

from arena.config.window import format_moment
from arena.text import as_sentence
from motions.text_files import read_file

if TYPE_CHECKING:
    from arena.debates.ballot import BallotRecord
    from arena.debates.play import DebateRecord
    from arena.llm.traffic.rate_limiter import TrafficState
    from arena.store.database import Store
    from arena.tournament.event_lines import Causes, Event
    from arena.tournament.figures import Figures

#: Seconds between two writings of the state.
WRITE_SECONDS = 2.0
#: The version of the state's fields.
VERSION = 1

Phase = Literal["waiting", "playing", "stopping", "ended"]
Ending = Literal["done", "left", ""]


@dataclass(frozen=True, slots=True)
class RunEnding:
    """Why a run ended.

    Attributes:
        reason: a sentence.
        kind: `done` where it did all that was open, `left` where work is left that nothing
            hindered; '' where the reason says what ended it.
    """

    reason: str
    kind: Ending = ""


#: The end of a run that has nothing left to do.
ALL_DONE: Final = RunEnding("all that was open is done.", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The state of a run, as its process wrote it last.

    Attributes:
        process: the id of its process.
        phase: `waiting` for its time, `playing`, `stopping` (nothing further begins) or `ended`.
        began, updated: when it began, and when this was written; ISO 8601, UTC.
        reason: why it stops or ended, a sentence, or until when it waits; empty while it plays.
        ending: how it ended, as in `RunEnding`.
        figures: how far it is, the fields of `Figures`; empty before it plays.
        models: the calls of each model.
        failures: what went wrong, by kind, each with reason, example and count.
        last: the last line that it printed.
        file: of the tournament, as seen from the database's folder; '' where no run had read one.
    """

    tournament: str
    process: int
    phase: Phase
    began: str
    updated: str
    reason: str = ""
    ending: Ending = ""
    figures: Mapping[str, Any]
    models: Sequence[Mapping[str, Any]] = ()
    failures: Mapping[str, Sequence[Mapping[str, Any]]]
    last: str = ""
    file: str = ""


_STATE = TypeAdapter(RunState)


def state_file(database: Path) -> Path:
    """Return the file beside a database that holds the state of its last run."""
    return database.with_name(database.name + ".run.json")


def log_file(database: Path) -> Path:
    """Return the log beside a database."""
    return database.with_name(database.name + ".log")


def read_state(database: Path) -> RunState | None:
    """Read the state of the last run; `None` where there is none that this version can read."""
    try:
        content = json.loads(read_file(state_file(database)))
        if content.pop("version") != VERSION:
            return None
        return _STATE.validate_python(content)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def find_file(database: Path, tournament: str, where: str) -> str:
    """Return the file of a tournament for a command line; `FILE` where it is not known.

    Args:
        where: what its configuration was read from now; a file, or none where it was stored.
    """
    if Path(where).is_file():
        return where
    state = read_state(database)
    if state is None or not state.file or state.tournament != tournament:
        return "FILE"
    path = os.path.normpath(database.parent / state.file)
    return path if Path(path).is_file() else "FILE"


def log_event(database: Path, event: str, **fields: object) -> None:
    """Add a line to the log beside a database; nothing where that cannot be written."""
    line = json.dumps({"at": _now(), "event": event, **fields}, ensure_ascii=False)
    with suppress(OSError), log_file(database).open("a", encoding="utf-8") as log:
        log.write(line + "\n")


class RunRecord:
    """Writes the state of a run, and its log where one is asked for.

    Neither is needed to go on: where they cannot be written, the run does without them.

    Args:
        where: what its configuration was read from.
        log: whether to write a log: one JSON object a line, each with `at` and `event`.
    """

    def __init__(
        self, database: Path, tournament: str, *, where: str = "", log: bool = False
    ) -> None:
        self._database, self._tournament = database, tournament
        file = find_file(database, tournament, where)
        self._file = "" if file == "FILE" else _from_folder(file, database.parent)
        self._has_log = log
        self._began = _now()
        self._last = ""
        self.phase: Phase = "waiting"
        self.reason = ""
        self._ending: Ending = ""
        self._event("start", tournament=tournament, process=os.getpid())
        self._write({}, (), {})

    def wait(self, until: str) -> None:
        """Note that the run waits for its time."""
        self.reason = until
        self._event("wait", reason=until)
        self._write({}, (), {})

    def begin(self) -> None:
        """Note that the run plays from now on."""
        self.phase, self.reason = "playing", ""
        self._write({}, (), {})

    def close(self, reason: str) -> None:
        """Note that the run has ended before it played."""
        self.phase, self.reason = "ended", reason
        self._event("end", reason=reason)
        self._write({}, (), {})

    def line(self, text: str) -> None:
        """Note a line that was printed."""
        self._last = text
        self._event("line", text=text)

    def notice(self, text: str) -> None:
        """Note a message that is sent to the user's address."""
        self._event("notice", text=text)

    def debate(self, record: DebateRecord) -> None:
        """Note that a debate was stored."""
        self._event(
            "debate",
            debate=record.debate.debate_id,
            status=record.status,
            reason=record.reason,
            usd=record.unit.cost_usd,
            calls=len(record.unit.calls),
        )

    def ballot(self, record: BallotRecord) -> None:
        """Note that a ballot was stored."""
        ballot = record.ballot
        self._event(
            "ballot",
            debate=ballot.debate_id,
            bench=ballot.bench,
            run=ballot.run,
            status=ballot.status,
            reason=ballot.reason,
            usd=record.unit.cost_usd,
        )

    def write(
        self, figures: Figures, models: Sequence[TrafficState], failures: Mapping[Event, Causes]
    ) -> None:
        """Write the state."""
        self._write(
            _finite(asdict(figures)),
            [_model_fields(state) for state in models],
            {kind: [asdict(cause) for cause in causes] for kind, causes in failures.items()},
        )

    def stop(self, reason: str) -> None:
        """Note that nothing further begins."""
        self.phase, self.reason = "stopping", reason
        self._event("stop", reason=reason)

    def end(self, figures: Figures, ending: RunEnding) -> None:
        """Note that the run has ended; the state is written once more by the caller."""
        self.phase, self.reason, self._ending = "ended", ending.reason, ending.kind
        self._event("end", reason=ending.reason, **_finite(asdict(figures)))

    def _write(
        self,
        figures: Mapping[str, Any],
        models: Sequence[Mapping[str, Any]],
        failures: Mapping[str, Sequence[Mapping[str, Any]]],
    ) -> None:
        state = RunState(
            tournament=self._tournament,
            process=os.getpid(),
            phase=self.phase,
            began=self._began,
            updated=_now(),
            reason=self.reason,
            ending=self._ending,
            figures=figures,
            models=models,
            failures=failures,
            last=self._last,
            file=self._file,
        )
        text = json.dumps({"version": VERSION, **asdict(state)}, ensure_ascii=False)
        path = state_file(self._database)
        draft = path.with_name(path.name + ".new")
        with suppress(OSError):
            draft.write_text(text, "utf-8")
            draft.replace(path)  # a reader sees the old state or the new one, never half of one

    def _event(self, event: str, **fields: object) -> None:
        if self._has_log:
            log_event(self._database, event, **fields)


def _model_fields(state: TrafficState) -> dict[str, Any]:
    return {
        "model": state.model,
        "address": state.address,
        "finished": state.finished,
        "failed": state.failed,
        "waiting": state.waiting,
        "in_flight": len(state.attempts),
        "limit": state.limit,
        "trouble": state.trouble,
        "halt": state.halt,
    }


def _finite(fields: dict[str, Any]) -> dict[str, Any]:
    """Replace what JSON has no number for: no cap is `null`."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in fields.items()
    }


def _from_folder(file: str, folder: Path) -> str:
    """Return the path of a file from a folder; the whole one where it is on another drive."""
    try:
        return os.path.relpath(file, folder)
    except ValueError:  # on Windows
        return os.path.abspath(file)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
