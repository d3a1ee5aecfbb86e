"""Kept boards: the boards as they were when runs ended, with all that is needed to repeat them.

A board is kept under the hash of its settings and of all that it counts. What it counts is known
again later by a number: each ballot has that of the writing that made it final, so a board counts
the ballots up to the number at its time. No clock plays a part in that.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from arena.boards.method import Method
from arena.boards.selection import Scope, Selection, format_moment
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.records import IMPORTED
from arena.store.database import Store

if TYPE_CHECKING:
    from arena.boards.board import Board

_LIBRARIES: Final = ("numpy", "scipy", "pandas", "duckdb")
#: The packages whose code computes a board.
_CODE: Final = ("ratings", "arena.boards")
_DIGITS: Final = 12


@cache
def current_versions() -> Mapping[str, str]:
    """Return the versions of the code, libraries and machine that would compute a board now."""
    return {
        "debate-arena": version("debate-arena"),
        "code": _code_hash(),
        **{name: version(name) for name in _LIBRARIES},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _code_hash() -> str:
    """Return a hash of the code that computes boards."""
    hashed = hashlib.sha256()
    for package in _CODE:
        folder = Path(str(files(package)))
        for file in sorted(folder.rglob("*.py")):
            name = file.relative_to(folder).as_posix()
            hashed.update(f"{package} {name}\n".encode() + file.read_bytes())
    return hashed.hexdigest()[:_DIGITS]


#: Digits of a board's hash that are shown. A digest to publish is shown in full: it is to be too
#: long for anybody to find other contents that fit it.
SHOWN_DIGITS: Final = 12
#: The fewest digits that name a board, where they tell it from others.
FEWEST_DIGITS: Final = 6
#: All digits of a board's hash.
DIGITS: Final = 32
_NAME: Final = re.compile(rf"[0-9a-f]{{{FEWEST_DIGITS},{DIGITS}}}")

_BOARDS: Final = """
    SELECT board, tournament, settings, config, entry, versions, content, created_at FROM boards
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBoard:
    """A board as it was.

    Attributes:
        digest: the hash of its settings and of all that it counts, 32 hexadecimal digits.
        settings: what it selects, how it is rated, and whom and whose ballots it counts.
        entry: the number up to which ballots count.
        config: the tournament's configuration at that time, as it was stored.
        content: the board, as JSON.
    """

    digest: str
    tournament: str
    settings: Mapping[str, Any]
    entry: int
    config: Mapping[str, Any]
    versions: Mapping[str, str]
    content: str
    created_at: datetime

    @property
    def name(self) -> str:
        """The digits of its hash that are shown."""
        return self.digest[:SHOWN_DIGITS]

    @property
    def scope(self) -> Scope:
        """The benches and participants whose comparisons it counts."""
        return Scope(
            runs=self.settings["runs"],
            participants=self.settings["participants"],
            imported="source" in self.config and IMPORTED in self.settings["runs"],
            majority=frozenset(self.settings["majority"]),
            by_ballot=frozenset(self.settings.get("by_ballot", ())),
            partial=frozenset(self.settings.get("partial", ())),
        )

    def board(self) -> Board:
        """Return the board.

        Raises:
            ConfigError: another version of the program kept it, with other contents.
        """
        # Its class stands with all that computes a board, which a digest does not need.
        from arena.boards.board import Board  # noqa: PLC0415

        try:
            return TypeAdapter(Board).validate_python(json.loads(self.content))
        except ValidationError:
            then, now = (
                f"{versions.get('debate-arena')} (code {versions.get('code')})"
                for versions in (self.versions, current_versions())
            )
            raise ConfigError(
                f"board {self.name} was kept by debate-arena {then}, whose boards this version, "
                f"{now}, cannot show. Its ratings are still in the database: SELECT content FROM "
                "boards."
            ) from None


def read_board_name(text: str) -> str | None:
    """Return the digits of a board's hash that a text gives; `None` where it gives none.

    >>> read_board_name("3F9C1A"), read_board_name("3f9c1"), read_board_name("2026-11-22")
    ('3f9c1a', None, None)
    """
    return text.lower() if _NAME.fullmatch(text.lower()) else None


def check_board_name(text: str) -> str:
    """Return the digits of a board's hash that a text gives.

    Raises:
        ConfigError: it gives none.
    """
    name = read_board_name(text)
    if name is None:
        raise ConfigError(
            f"{text!r} is not the hash of a board. Accepted are at least the first {FEWEST_DIGITS} "
            f"of its {DIGITS} digits (0 to 9 and a to f); `arena verify` prints those of the "
            "present boards, `arena leaderboard --keep` that of any."
        )
    return name


def find_board(store: Store, text: str) -> KeptBoard:
    """Find a kept board by the first digits of its hash.

    Raises:
        ConfigError: the text is no hash, or there is no such board, or more than one.
    """
    name = check_board_name(text)
    kept = kept_boards(store, "WHERE starts_with(board, $name)", name=name)
    digests = {board.digest for board in kept}
    if len(digests) == 1:
        return kept[0]
    if digests:
        raise ConfigError(
            f"{name!r} fits {len(digests)} kept boards: {', '.join(sorted(digests)[:3])}. Give "
            "more digits."
        )
    raise ConfigError(f"{store.path}: no board {name!r} was kept. {_format_kept(store)}")


def board_at(store: Store, selection: Selection, method: Method, until: datetime) -> KeptBoard:
    """Find the last board of a selection that was kept before a time.

    Raises:
        ConfigError: none was kept by then.
    """
    wanted = [selected_settings(selection, method)]
    if selection.cluster == "auto":  # as by matchup, before motions were looked at
        wanted.append(selected_settings(replace(selection, cluster="matchup"), method))
    condition = "WHERE tournament = $tournament AND created_at < $until"
    for board in kept_boards(store, condition, tournament=selection.tournament, until=until):
        if any(each.items() <= board.settings.items() for each in wanted):
            return board
    raise ConfigError(
        f"no board of {selection.title} was kept before {format_moment(until)} UTC. "
        f"{_format_kept(store, selection.tournament)}"
    )


def newest_kept(store: Store, digest: str) -> KeptBoard | None:
    """Read the board that was kept last under a digest; `None` where none was."""
    return next(iter(kept_boards(store, "WHERE board = $digest", digest=digest)), None)


def resolved_participants(resolved: ResolvedConfig, kept: KeptBoard) -> ResolvedConfig:
    """Leave out of an imported tournament the participants that a kept board did not have."""
    names = {row.participant for row in kept.board().rows}
    present = tuple(player for player in resolved.participants if player.name in names)
    return replace(resolved, participants=present) if resolved.imported else resolved


def _format_kept(store: Store, tournament: str | None = None) -> str:
    """Return a sentence on the boards that are kept."""
    kept = [board for board in kept_boards(store) if tournament in (None, board.tournament)]
    if not kept:
        return (
            "No board is kept yet: a run keeps the overall boards at its end, "
            "`arena leaderboard --keep` keeps any."
        )
    listed = ", ".join(
        f"{board.name} ({board.tournament}, {board.created_at:%Y-%m-%d %H:%M} UTC)"
        for board in [*kept[:3], *kept[3:][-1:]]
    )
    return f"Kept boards ({len(kept)}, newest and first): {listed}."


def kept_boards(
    store: Store,
    condition: str = "",
    **parameters: Any,  # noqa: ANN401 - values of SQL
) -> list[KeptBoard]:
    """Read kept boards, the newest first: all, or those that fit a condition in SQL."""
    if store.empty():
        return []
    return [
        KeptBoard(
            digest=row["board"],
            tournament=row["tournament"],
            settings=json.loads(row["settings"]),
            entry=row["entry"],
            config=json.loads(row["config"]),
            versions=json.loads(row["versions"]),
            content=row["content"],
            created_at=row["created_at"].to_pydatetime().astimezone(UTC),
        )
        for row in store.rows(f"{_BOARDS} {condition} ORDER BY created_at DESC", parameters)
    ]


def selected_settings(selection: Selection, method: Method) -> dict[str, Any]:
    """Return what is selected and how it is rated, as JSON."""
    selected = {name: value for name, value in asdict(selection).items() if name != "entry"}
    content = {"selection": selected, "method": method.settings}
    return dict(json.loads(json.dumps(content, default=str)))
