"""How often the check of speeches is wrong: true speeches refused, and other texts let pass.

    python benchmarks/speech_checks.py [--json] [DATABASE ...]

True speeches are those of a tournament of simulated models, which is played for it, and of
databases that are named. The texts of `speech_texts.jsonl` were made by hand after what models
answer: the first set beside the check, the second by somebody who did not know it (before the
check was widened by what it let pass then, 178 of its 197 texts were refused, and none of its 184
speeches). Every refused speech of a database is printed, to be read: a small model's answer that
is no speech stands there rightly.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.debates.speech_checks import speech_fault  # noqa: E402 - the project, as a script
from arena.languages import Side, language  # noqa: E402
from arena.store.database import Store  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

_SPEECHES = """
    SELECT s.side, s.text, d.language, (t.config->>'$.limits.words')::INTEGER AS words
    FROM speeches s JOIN debates d USING (debate_id) JOIN tournaments t USING (tournament)
    WHERE s.stage <> 'answer' ORDER BY d.debate_id, s.side, s.stage
"""
#: Words that a speech of the texts made by hand was allowed to have.
_WORDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTexts:
    """Texts of one kind, and how many of them were refused."""

    kind: str
    speeches: bool
    texts: int
    refused: int

    @property
    def wrong(self) -> int:
        """How many were judged wrongly, taking all of the kind for what it says."""
        return self.refused if self.speeches else self.texts - self.refused


def find_fault(text: str, side: Side, code: str, words: int) -> str:
    """Return why a text is refused; '' where it passes."""
    spoken = language(code)
    fault = speech_fault(text, side, spoken, words=spoken.limit(words))
    return str(fault) if fault else ""


def check_database(file: Path) -> CheckedTexts:
    """Check the speeches of a database, and print those that are refused."""
    rows = Store(file).plain_rows(_SPEECHES)
    faults = [find_fault(row["text"], row["side"], row["language"], row["words"]) for row in rows]
    for fault in filter(None, faults):
        click.echo(f"{file.name}: {fault}", err=True)
    refused = sum(map(bool, faults))
    return CheckedTexts(kind=file.name, speeches=True, texts=len(rows), refused=refused)


def check_made() -> Iterator[CheckedTexts]:
    """Check the texts made by hand, by set and kind."""
    lines = Path(__file__).with_name("speech_texts.jsonl").read_text("utf-8").splitlines()
    kinds: dict[tuple[str, bool, str], list[str]] = {}
    for text in map(json.loads, lines):
        kind = "short true speeches" if text["speech"] else text["kind"].replace("_", " ")
        fault = find_fault(text["text"], "pro", text["language"], _WORDS)
        kinds.setdefault((text["set"], text["speech"], kind), []).append(fault)
    for (name, speech, kind), faults in kinds.items():
        yield CheckedTexts(
            kind=f"{kind} ({name} set)",
            speeches=speech,
            texts=len(faults),
            refused=sum(map(bool, faults)),
        )


@click.command(help=__doc__)
@click.argument("databases", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each kind of text.")
def main(databases: tuple[Path, ...], *, as_json: bool) -> None:
    """Check all texts, and report how often the check was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        played = Path(folder) / "simulated models"
        arena = Path(sys.executable).with_name("arena")
        quietly = ("--yes", "--no-report", "--db", played)
        subprocess.run([arena, "run", "offline", *quietly], check=True, stdout=subprocess.DEVNULL)
        results = [check_database(file) for file in (played, *databases)]
    report((_row(result) for result in [*results, *check_made()]), as_json=as_json)


def _row(result: CheckedTexts) -> dict[str, object]:
    return {
        "texts": result.kind,
        "speeches": "yes" if result.speeches else "no",
        "number": result.texts,
        "refused": result.refused,
        "wrong": f"{result.wrong / result.texts:.1%}",
    }


if __name__ == "__main__":
    main()
