"""The page of the papers: its commands, and small simulated tournaments for them."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd
from click.testing import CliRunner

from arena.cli import cli
from arena.config.load import shipped_configs
from tests.support.labelled_layouts import mt_bench

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers.md"
_PEOPLE = """
[tournament]
name = "people"
languages = ["en"]
motions = "arena66"
most_motions = 1
seed = 7

[schedule]
matchups_per_pair = 1

[[participants]]
name = "Human"
debater = "human"
speakers = ["ann", "bob"]

[[participants]]
name = "a4d-good"
debater = "agent4debate"
model = "offline/good"

[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/strong"
runs = 3
"""


#: Where the page begins to show an output; by default at its beginning.
STARTS = {
    "Agent4Debate, Table 4": "human-Elo overall",
    "Agent4Debate, Table 5": "all people against",
    "Agent4Debate, Table 6": "people",
    "Debatrix, judges against people": "people",
    "MORE and SAMRE, Tables 1 to 3": "Accuracy by architecture",
}
_SHOWN, _WIDTH = 6, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a section's table: the table or figure, its command, what it needs, its output."""

    label: str
    command: str
    needs: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A paper: the commands that play, whose debate is `ID`, and its tables and figures."""

    title: str
    database: str
    commands: tuple[str, ...]
    listing: str
    rows: tuple[Row, ...]


def sections(page: str) -> list[Section]:
    """Return the sections of the page that have commands."""
    parts = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    return [_section(part) for part in parts if "export ARENA_DB=" in part]


def _section(text: str) -> Section:
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    (database,) = (line.partition("=")[2] for line in lines if line.startswith("export "))
    listing = re.search(r"ID is a debate of `(.*?)`", text)
    return Section(
        title=text.partition("\n")[0],
        database=database,
        commands=tuple(line for line in lines if line.startswith("arena ")),
        listing=listing[1] if listing else "",
        rows=tuple(_rows(text)),
    )


def _rows(text: str) -> Iterator[Row]:
    pattern = r"^- (.+?) `(arena .+?)`(?: \((.*?)\))? (\[.*\]\(.*\))$"
    for label, command, needs, link in re.findall(pattern, text, re.MULTILINE):
        yield Row(label=label, command=command, needs=needs, link=link)


def run(words: list[str], database: str) -> str:
    """Run a command of the page in this folder, and return what it prints."""
    result = CliRunner().invoke(cli, words, env={"ARENA_DB": database})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, f"{words}: {result.output}"
    return result.stdout


def play(section: Section) -> Mapping[str, str]:
    """Run the commands before a section's table in this folder, on small input.

    Returns:
        what each printed.
    """
    Path("people.toml").write_text(_PEOPLE, "utf-8")
    Path("speech.txt").write_text("This is our case. It has two points [1]. We stand by both.")
    pd.DataFrame(mt_bench(pairs=4)).to_parquet("human.parquet")
    return {command: _play(command, section.database) for command in section.commands}


def _play(command: str, database: str) -> str:
    words = small(shlex.split(command, comments=True)[1:])
    if words[:2] == ["speak", "ID"]:
        return _speak(words[2:], database)
    printed = run(words, database)
    if words[1] == "sheet":
        _fill_in(Path(words[2]), words[0], shift=ord(words[words.index("--voter") + 1][0]))
    return printed


def small(words: list[str]) -> list[str]:
    """Name a smaller file in place of a shipped example that would be played."""
    played = words[0] == "run" or words[:2] == ["mad", "levels"]
    if not played or {"--dry-run", "--prompts"} & set(words):
        return words
    place = 1 if words[0] == "run" else 2
    name = words[place]
    if name not in shipped_configs():
        return words
    Path(f"small-{name}.toml").write_text(shrunk(shipped_configs()[name]), "utf-8")
    return [*words[:place], f"small-{name}.toml", *words[place + 1 :]]


def shrunk(text: str) -> str:
    """Cut a configuration down: its first motions or questions, a matchup of a pair on them."""
    count = 4 if 'contest = "question"' in text else 1
    gauntlet = 'kind = "gauntlet"' in text
    text = re.sub(r"^most_motions.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(motions = .*\n)", rf"\1most_motions = {count}\n", text, flags=re.MULTILINE)
    least = count if gauntlet else 1
    text = re.sub(r"^(matchups_per_pair = )\d+", rf"\g<1>{least}", text, flags=re.MULTILINE)
    head, *tables = re.split(r"^(?=\[\[)", text, flags=re.MULTILINE)
    participants = [table for table in tables if table.startswith("[[participants]]")]
    kept = participants if gauntlet else participants[: 3 if 'name = "offline"' in head else 5]
    return head + "".join(table for table in tables if table in kept or table not in participants)


def _speak(options: list[str], database: str) -> str:
    """Hand in every speech of people, as long as any is due."""
    waiting = "SELECT debate_id FROM debates WHERE status = 'waiting' ORDER BY debate_id"
    printed = ""
    while True:
        with duckdb.connect(database, read_only=True) as link:
            due = [row[0] for row in link.execute(waiting).fetchall()]
        if not due:
            return printed
        for debate_id in due:
            printed += run(["speak", debate_id, *options], database)
        run(["run", "people.toml", "--yes"], database)


def _fill_in(folder: Path, kind: str, *, shift: int) -> None:
    """Fill in a table as a person would: some of each answer, other people other ones."""
    (table,) = folder.glob("*.csv")
    with table.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    fill = _vote if kind == "vote" else _rank
    for number, row in enumerate(rows, start=shift):
        row.update(fill(row, number))
    with table.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _vote(row: Mapping[str, str], number: int) -> dict[str, str]:
    if "right_a" in row:
        values = {"right_a": "right", "right_b": ("right", "wrong")[number % 2]}
        return values | {"mark_a": str(1 + number % 5), "mark_b": "3"}
    choices = ("pro", "con", "tie", "pro", "pro")
    names = {"overall", "argument", "source", "language"} & row.keys()
    return {name: choices[(number + place) % 5] for place, name in enumerate(sorted(names))}


def _rank(row: Mapping[str, str], number: int) -> dict[str, str]:
    names = [name for name in row if name not in ("sheet", "essay", "voter", "motion")]
    return {name: str(1 + (number + place) % 5) for place, name in enumerate(names)}


def debate_of(section: Section) -> str:
    """Return the id of the first debate that the section's listing names."""
    if not section.listing:
        return ""
    words = shlex.split(section.listing)[1:]
    tournament, participant = words[words.index("-t") + 1], words[words.index("--participant") + 1]
    query = """
        SELECT debate_id FROM debates d JOIN participants p ON participant_id IN (pro, con)
        WHERE d.tournament = $tournament AND p.tournament = $tournament AND name = $participant
        ORDER BY debate_id LIMIT 1
    """
    with duckdb.connect(section.database, read_only=True) as link:
        row = link.execute(query, {"tournament": tournament, "participant": participant}).fetchone()
    assert row is not None, section.listing
    return str(row[0])


def print_row(row: Row, database: str, debate_id: str) -> str:
    """Run a row's command in this folder; return what it prints, or the file that it writes.

    Args:
        row: of a section's table.
        database: of the section.
        debate_id: stands in place of `ID`.
    """
    words = [debate_id if word == "ID" else word for word in shlex.split(row.command)[1:]]
    if words[0] == "serve":  # a page stays until it is closed: it is opened by the page's own test
        words = [*words, "--help"]
    printed = run(small(words), database)
    return Path(words[1]).read_text("utf-8") if words[0] == "export" else printed


def outputs(page: str) -> list[tuple[str, str, str]]:
    """Return the outputs that the page shows: heading, command, text."""
    pattern = r"^### (.*)\n\n```text\n\$ (.*)\n((?:(?!```).*\n)*)```$"
    return re.findall(pattern, page, flags=re.MULTILINE)


def excerpt(heading: str, printed: str) -> str:
    """Return the part of an output that the page shows, at most six lines of it."""
    lines = [line.rstrip() for line in printed.strip().splitlines()]
    start = STARTS.get(heading, "")
    first = next(number for number, line in enumerate(lines) if start in line)
    cut = [_shorten(line) for line in lines[first : first + _SHOWN]]
    rest = ["…"] * (first + _SHOWN < len(lines))
    return "\n".join(["…"] * (first > 0) + cut + rest) + "\n"


def _shorten(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def printed_outputs(page: str, printed: Mapping[tuple[str, str], str]) -> str:
    """Return the page with its outputs as its commands printed them, by section and command."""
    for heading, command, text in outputs(page):
        (now,) = (
            output
            for (title, name), output in printed.items()
            if heading.startswith(title) and name == command
        )
        start = f"### {heading}\n\n```text\n$ {command}\n"
        page = page.replace(f"{start}{text}```", f"{start}{excerpt(heading, now)}```")
    return page
