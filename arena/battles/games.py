"""Battles as games of chess without moves, in Portable Game Notation (Edwards 1994)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pandas as pd

from arena.battles.text_files import open_text
from arena.errors import ConfigError

_RESULTS: Final = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
#: The tags of a game that are read; White plays Pro.
_READ: Final = ("White", "Black", "Result", "Event", "Site", "Round", "Timestamp")


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
    """Write the tags of games as rows of CSV: White, Black, Result, Event, Site, Round, Timestamp.

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
    moved = False
    with open_text(text) as lines:
        for line in map(str.strip, lines):
            match = _TAG.fullmatch(line)
            if match and (moved or match[1] in tags):
                yield tags
                tags = {}
            if match:
                tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            moved = bool(tags) and (moved or bool(line)) and not match
    if tags:
        yield tags


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
