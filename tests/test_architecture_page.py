"""The files, folders and names that the architecture page mentions exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_PAGE = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
#: Places for something new, in capital letters.
_PLACEHOLDER = re.compile(r"\bNAME\b")


def _mentioned(pattern: str) -> list[str]:
    return [name for name in re.findall(pattern, _PAGE) if not _PLACEHOLDER.search(name)]


def _exists(name: str) -> bool:
    return (_ROOT / name).exists() or (_ROOT / "arena" / name).exists()


def test_every_file_and_folder_exists() -> None:
    names = _mentioned(r"`((?:[a-z_]+/)*[a-z_]+(?:\.(?:py|sql|toml|md)|/))`")
    assert len(names) > 40
    missing = [
        name
        for name in names
        if not _exists(name)
        and not (_ROOT / "judges/studies" / name).exists()
        and not (_ROOT / "ratings" / name).exists()
    ]
    assert not missing


def test_every_name_stands_in_the_file_that_is_named_after_it() -> None:
    pairs = re.findall(r"`([A-Z]?\w+)(?:\.(\w+))?` (?:in|of) `([\w/]+\.py)`", _PAGE)
    assert len(pairs) >= 6
    missing = [f"{name} in {file}" for name, _, file in pairs if name not in _defined(_ROOT / file)]
    assert not missing


def test_every_room_of_the_arena_is_described() -> None:
    rooms = {path.name for path in (_ROOT / "arena").iterdir() if (path / "__init__.py").exists()}
    table = _PAGE.partition("## The rooms of `arena`")[2].partition("## The way")[0]
    assert not [room for room in sorted(rooms) if f"`{room}/`" not in table]


def _defined(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
