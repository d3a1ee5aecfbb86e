"""Logs with hostile names and times: what is accepted survives every command and page."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.cli import cli
from arena.errors import ConfigError
from arena.store.consistency import find_faults
from arena.store.database import Store
from dashboard.navigation import RESULTS
from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw
from tests.support.battle_logs import Row, read_log, write_log
from tests.support.command_line import arena, done

#: Dozens of commands each.
pytestmark = pytest.mark.slow

NAMES = (
    "a", "A", "B'\"\\", "=1+1", "<script>alert(1)</script>", "🏆\ufe0f\u200d", "\u202eniw",
    "x" * 80, "{}", "{0}", "%s", "--db", "-", "nan", "None", "../../etc", "a|b`c`", "[red]x[/red]",
    "$a", "名", "e\u0301", "\u00e9", "\u200b", "a,b;c", "\\n", "NULL", "1e5", "true", "\u00a0x",
    "model_a",
)  # fmt: skip
TIMES = (
    "1700-01-01", "1970-01-01", "1999-12-31T23:59:59.999999Z", 946_684_800, 1_700_000_000_000,
    1_700_000_000_123_456, 1_700_000_000_123_456_789, 1.7e9, 45_000.5, 20_231_114, None,
    (datetime.now(UTC) + timedelta(hours=20)).isoformat(),
)  # fmt: skip
#: What commands need besides the database; others are not about what is stored.
_ARGUMENTS = {"versus": ("FIRST", "SECOND"), "show": ("DEBATE",), "vote show": ("DEBATE",)}
_NOT_ABOUT_LOGS = ("serve", "simulate", "add", "run", "import", "plan", "judges evaluate",
                   "judges probe", "reproduce", "rejudge", "resume", "mad levels")  # fmt: skip
_VARIANTS = {
    "leaderboard": (
        *(("--format", form) for form in ("csv", "json", "markdown")),
        ("--since", "0001-01-01"), ("--until", "9999-12-31"), ("--beside",), ("--side",),
        ("--since", "1700-01-01", "--until", "1700-01-02"), ("--method", "sequential"),
        ("--category", "FIRST"), ("--intervals", "bootstrap"), ("--diagnostics",),
    ),
    "matrix": (("--predicted",),),
    "status": (("--json",),),
    "judges": (("--format", "json"),),
    "debates": (("--participant", "FIRST"),),
}  # fmt: skip


def log_rows(names: Sequence[str], times: Sequence[Any]) -> list[Row]:
    """Every participant meets the next two; all columns have hostile names."""
    count = len(names)
    pairs = [(n, (n + step) % count) for step in (1, 2) for n in range(count)]
    return [
        {
            "model_a": names[a], "model_b": names[b], "winner": ("a>b", "a=b", "a<b")[n % 3],
            "timestamp": times[n % len(times)], "judge": names[n * 7 % count],
            "category": names[a], "motion": names[b] * 3, "language": names[n * 3 % count],
            "group": names[n % 2], "score_a": (1e308, -1e308, 5e-324)[n % 3], "score_b": -0.0,
        }
        for n, (a, b) in enumerate(pairs)
    ]  # fmt: skip


def leaf_commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the commands that can be called, with their names."""
    if isinstance(command, click.Group):
        for word in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), word)
            assert below is not None
            yield from leaf_commands(below, f"{name} {word}".strip())
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command


def command_lines(db: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield every command on stored results, with its variants."""
    debate = done("debates", "--db", db).splitlines()[1].split()[0]
    words = {"FIRST": names[0], "SECOND": names[1], "DEBATE": debate}
    for name, command in leaf_commands(cli):
        options = [option for parameter in command.params for option in parameter.opts]
        if "--db" in options and not name.startswith(_NOT_ABOUT_LOGS):
            for variant in ((), *_VARIANTS.get(name, ())):
                given = (*_ARGUMENTS.get(name, ()),)
                yield [
                    *name.split(), "--db", str(db), *(words.get(word, word) for word in variant),
                    *(("--", *(words.get(word, word) for word in given)) if given else ()),
                ]  # fmt: skip


def check_survival(folder: Path, rows: Sequence[Row], names: Sequence[str]) -> Path:
    """Import a log, call every command on it, and read every export of it again."""
    db = folder / "own.duckdb"
    log = write_log(folder / "log.jsonl", rows)
    done("import", log, "--db", db)
    lines = list(command_lines(db, names))
    for line in lines:
        result = arena(*line)  # an exception is raised here
        assert result.exit_code in (0, 2), result.output
        assert "Traceback" not in result.output and "DuckDB" not in result.output
    assert len(lines) > 20
    done("report", "--db", db, "-o", folder / "report.html")
    assert not list(find_faults(Store(db)))
    expected = sorted(row for row in read_log(log)[1])
    for form in ("csv", "jsonl", "parquet", "pgn"):
        done("export", folder / f"out.{form}", "--db", db)
        assert sorted(read_log(folder / f"out.{form}")[1]) == expected, form
    return db


def test_hostile_names_and_times_survive_every_command_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = check_survival(tmp_path, log_rows(NAMES, TIMES), NAMES)
    monkeypatch.setenv(DATABASE, str(db))
    debate = Store(db).rows("SELECT debate_id FROM debates LIMIT 1")[0]["debate_id"]
    for page in RESULTS:
        draw(page.path.replace("-", "_"), debate=debate, participant=NAMES[4], category=NAMES[3])


_NUMBERS = itertools.count()


@pytest.mark.deep
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    names=st.lists(
        st.text(min_size=1, max_size=80) | st.sampled_from(NAMES), min_size=5, max_size=8,
        unique_by=str.strip,
    ),
    times=st.lists(st.datetimes().map(str) | st.integers(0, 2**70) | st.sampled_from(TIMES),
                   min_size=1),
)  # fmt: skip
def test_any_log_is_refused_in_words_or_survives_every_command(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], times: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp(f"log{next(_NUMBERS)}")
    rows = log_rows(names, times)
    try:
        read_log(write_log(folder / "log.jsonl", rows))
    except ConfigError as error:
        assert "DuckDB" not in str(error) and "Error:" not in str(error)
        rows = [{**row, "timestamp": TIMES[n % len(TIMES)]} for n, row in enumerate(rows)]
        names = [f"{''.join(filter(str.isprintable, name))}{n}" for n, name in enumerate(names)]
        rows = log_rows(names, TIMES)
    check_survival(folder, rows, names)
