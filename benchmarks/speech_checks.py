"""How often the check of speeches is wrong: true speeches refused, and other texts let pass.

    python benchmarks/speech_checks.py [--corpus] [--json] [DATABASE ...]

True speeches are those of a tournament of simulated models, which is played for it, and of
databases that are named. The texts of `speech_texts.jsonl` were made by hand after what models
answer: the first set beside the check, the second by somebody who did not know it (before the
check was widened by what it let pass then, 178 of its 197 texts were refused, and none of its 184
speeches). Every refused speech of a database is printed, to be read: a small model's answer that
is no speech stands there rightly.

`speech_corpus.jsonl` has 300 speeches and 160 other texts by three writers who had not seen the
check, by manner. It was made with every second text of each manner (built); the others were kept
aside until it was done. A fourth writer, who knew it, aimed 40 speeches and 61 others at it before
they were tried: what 81 of them showed was used once (later), 20 were only counted (last). A text
in doubt is asked for once more, then played and marked; a forfeit takes two texts in which clearly
nothing is said.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.debates.correction import clean_speech  # noqa: E402 - the project, as a script
from arena.debates.speech_checks import speech_fault  # noqa: E402
from arena.errors import NoSpeech  # noqa: E402
from arena.languages import Side, language  # noqa: E402
from arena.store.database import Store  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

_SPEECHES = """
    SELECT s.side, s.text, d.language, m.text AS motion,
           (t.config->>'$.limits.words')::INTEGER AS words
    FROM speeches s JOIN debates d USING (debate_id) JOIN tournaments t USING (tournament)
    JOIN motions m USING (motion_id, language)
    WHERE s.stage <> 'answer' ORDER BY d.debate_id, s.side, s.stage
"""
#: Words that a speech of the texts made by hand was allowed to have.
_WORDS = 600
#: The same of the corpus.
_CORPUS_WORDS = 100
#: The manner of a sum of all.
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTexts:
    """Texts of one kind, and how many of them were refused."""

    kind: str
    speeches: bool
    texts: int
    refused: int
    doubted: int

    @property
    def wrong(self) -> int:
        """How many were judged wrongly: true ones refused, and others that passed unmarked."""
        return self.refused if self.speeches else self.texts - self.refused - self.doubted


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What was found in a text: why it is refused or in doubt; '' where it passes."""

    fault: str
    doubtful: bool


def find_fault(text: str, side: Side, code: str, words: int, motion: str = "") -> CheckedText:
    """Check a text as it would be played, without what stands around it."""
    spoken = language(code)
    cleaned = clean_speech(text, spoken).text
    fault = speech_fault(cleaned, side, spoken, words=spoken.limit(words), motion=motion)
    doubtful = isinstance(fault, NoSpeech) and fault.doubtful
    return CheckedText(str(fault or ""), doubtful)


def count_texts(kind: str, texts: Sequence[CheckedText], *, speeches: bool) -> CheckedTexts:
    """Count the texts of a kind that were refused, and those in doubt."""
    doubted = sum(text.doubtful for text in texts)
    refused = sum(bool(text.fault) for text in texts) - doubted
    return CheckedTexts(
        kind=kind, speeches=speeches, texts=len(texts), refused=refused, doubted=doubted
    )


def check_database(file: Path) -> CheckedTexts:
    """Check the speeches of a database, and print those that are refused."""
    rows = Store(file).plain_rows(_SPEECHES)
    faults = [
        find_fault(row["text"], row["side"], row["language"], row["words"], row["motion"])
        for row in rows
    ]
    for fault in faults:
        if fault.fault:
            click.echo(f"{file.name}: {fault.fault}", err=True)
    return count_texts(file.name, faults, speeches=True)


def check_made() -> Iterator[CheckedTexts]:
    """Check the texts made by hand, by set and kind."""
    lines = Path(__file__).with_name("speech_texts.jsonl").read_text("utf-8").splitlines()
    kinds: dict[tuple[str, bool, str], list[CheckedText]] = {}
    for text in map(json.loads, lines):
        kind = "short true speeches" if text["speech"] else text["kind"].replace("_", " ")
        fault = find_fault(text["text"], "pro", text["language"], _WORDS)
        kinds.setdefault((text["set"], text["speech"], kind), []).append(fault)
    for (name, speech, kind), faults in kinds.items():
        yield count_texts(f"{kind} ({name} set)", faults, speeches=speech)


def check_corpus() -> Iterator[CheckedTexts]:
    """Check the corpus, by half and manner, and give the sums of each half."""
    lines = Path(__file__).with_name("speech_corpus.jsonl").read_text("utf-8").splitlines()
    manners: dict[tuple[bool, str, str], list[CheckedText]] = {}
    for text in map(json.loads, lines):
        fault = find_fault(text["text"], "pro", text["language"], _CORPUS_WORDS, text["motion"])
        for manner in (text["manner"].replace("_", " "), ALL):
            manners.setdefault((text["speech"], manner, text["half"]), []).append(fault)
    for (speech, manner, half), faults in sorted(manners.items(), reverse=True):
        yield count_texts(f"{manner}, {half}", faults, speeches=speech)


@click.command(help=__doc__)
@click.argument("databases", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--corpus", is_flag=True, help="Only the corpus, by manner.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each kind of text.")
def main(databases: tuple[Path, ...], *, corpus: bool, as_json: bool) -> None:
    """Check all texts, and report how often the check was wrong."""
    if corpus:
        report(map(_row, check_corpus()), as_json=as_json)
        return
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
        "in doubt": result.doubted,
        "wrong": f"{result.wrong / result.texts:.1%}",
    }


if __name__ == "__main__":
    main()
