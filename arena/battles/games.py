"""Battles as games of chess without moves, in Portable Game Notation (Edwards 1994)."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pandas as pd

from arena.battles.text_files import open_text
from arena.errors import ConfigError

_RESULTS: Final = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
#: Comments within moves, which may hold lines like tags; the last one may go on in the next line.
_COMMENT: Final = re.compile(r"\{[^}]*(?:\}|$)|;.*")
#: A name that is not known.
_UNKNOWN: Final = re.compile(r"[\s?]*")
#: A column that tells games apart: a digest of all tags and moves.
_CONTENT: Final = "Content"
#: The tags of a game that are read; White plays Pro.
_READ: Final = ("White", "Black", "Result", "Event", "Site", "Round", "Timestamp", _CONTENT)


def format_games(compared: pd.DataFrame, *, event: str) -> Iterator[str]:
    """Yield battles as games, which chess tools can rate; weights, which they lack, are left out.

    Args:
        compared: the frame that `compared_debates` returns. Pro plays White.
        event: the name of the tournament.
    """
    rows = zip(
        compared["pro"], compared["con"], compared["outcome"], compared["finished_at"], strict=True
    )
    for number, (pro, con, outcome, at) in enumerate(rows, start=1):
        result = _RESULTS[float(outcome)]
        date = "????.??.??" if pd.isna(at) else f"{at:%Y.%m.%d}"
        tags = {
            "Event": event, "Site": "?", "Date": date, "Round": str(number), "White": pro,
            "Black": con, "Result": result,
        }  # fmt: skip
        lines = "\n".join(f'[{tag} "{_escape(text)}"]' for tag, text in tags.items())
        yield f"{lines}\n\n{result}\n\n"


def read_games(text: Path, *, name: Path, into: Path) -> Path:
    """Write games as rows of CSV: their tags, time, and a digest of all that they hold.

    A game of somebody who is not known has no result.

    Args:
        text: games in UTF-8.
        name: of the user's file, for messages.
        into: the file that is written and returned.

    Raises:
        ConfigError: the file has no tags of games.
    """
    games = 0
    with into.open("w", encoding="utf-8", newline="") as target:
        rows = csv.DictWriter(target, _READ, extrasaction="ignore")
        rows.writeheader()
        for tags in _find_tags(text):
            if any(_UNKNOWN.fullmatch(tags.get(name, "")) for name in ("White", "Black")):
                tags["Result"] = "*"
            rows.writerow({"Timestamp": _format_time(tags), **tags})
            games += 1
    if not games:
        raise ConfigError(
            f"{name}: holds no game. Accepted: games with the tags White, Black and Result, as in "
            '[White "ann"].'
        )
    return into


def _find_tags(text: Path) -> Iterator[dict[str, str]]:
    """Yield the tags of each game: a tag after moves, or one that comes again, begins the next."""
    tags: dict[str, str] = {}
    content = hashlib.sha256()
    moved = False
    for line, match in _find_lines(text):
        if match and (moved or match[1] in tags):
            yield {**tags, _CONTENT: content.hexdigest()[:16]}
            tags, content = {}, hashlib.sha256()
        if match:
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        content.update(f"{line}\n".encode())
        moved = bool(tags) and (moved or bool(line)) and not match
    if tags:
        yield {**tags, _CONTENT: content.hexdigest()[:16]}


def _find_lines(text: Path) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield lines, with their match where they are tags: none is where a comment holds it."""
    is_comment = False
    with open_text(text) as lines:
        for line in map(str.strip, lines):
            if is_comment:
                yield line, None
                rest = line.partition("}")[2]
                is_comment = "}" not in line or _opens_comment(rest)
                continue
            match = _TAG.fullmatch(line)
            yield line, match
            is_comment = not match and _opens_comment(line)


def _opens_comment(line: str) -> bool:
    """Whether a comment begins in a line and goes on in the next."""
    return any(found[0][0] == "{" and found[0][-1] != "}" for found in _COMMENT.finditer(line))


def _format_time(tags: dict[str, str]) -> str:
    """Return when a game was played; empty where its date is not known to the day."""
    date = tags.get("UTCDate") or tags.get("Date", "")
    if not re.fullmatch(r"\d{4}\.\d\d\.\d\d", date):
        return ""
    time = tags.get("UTCTime", "") if "UTCDate" in tags else tags.get("Time", "")
    clock = time if re.fullmatch(r"\d\d:\d\d(:\d\d)?", time) else "00:00:00"
    return f"{date.replace('.', '-')} {clock}"


def _escape(text: str) -> str:
    return str(text).replace("\\", "\\\\").replace('"', '\\"')
