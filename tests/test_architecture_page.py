"""The files, folders, names and commands that the pages mention exist."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_ARCHITECTURE = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
_PAGES = [_ROOT / "README.md", _ROOT / "CONTRIBUTING.md", *sorted((_ROOT / "docs").rglob("*.md"))]
#: Places for something new, in capital letters: `arena/debaters/NAME.py`.
_PLACEHOLDER = re.compile(r"\bNAME\b")
_FILE = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|sql|md)|(?:[\w.-]+/)+[\w-]+\.toml|(?:[\w.-]+/)+")
_DOTTED = re.compile(r"(?:arena|judges|ratings|motions|dashboard|benchmarks)(?:\.\w+)+")
_ATTRIBUTE = re.compile(r"([A-Z][A-Za-z]+)\.([a-z]\w+)")
_COMMAND = re.compile(r"(?:^    |^\$ |`)arena ([a-z][a-z-]+)", re.MULTILINE)
_SQL = re.compile(
    r"\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE (OR|TEMP|TABLE|VIEW))\b"
)
#: The rooms whose work is to write and read the database.
_SQL_ROOMS = ("arena/store/", "arena/boards/", "arena/read/")
#: Where classes are looked for that a page names without their module.
_PUBLIC = ("arena.api", "ratings", "arena.llm.budget")


def _in_backticks(page: str) -> list[str]:
    """Return what stands in backticks outside blocks of code, except for placeholders."""
    names = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL))
    return [name for name in names if not _PLACEHOLDER.search(name)]


def _file_exists(name: str) -> bool:
    return (_ROOT / name).exists() or (_ROOT / "arena" / name).exists()


def _dotted_exists(name: str) -> bool:
    """Return whether a name is a group of entry points, a module, or an attribute of one."""
    if entry_points(group=name):
        return True
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def _attribute_exists(owner: str, attribute: str) -> bool:
    classes = [getattr(importlib.import_module(module), owner, None) for module in _PUBLIC]
    return any(
        hasattr(cls, attribute) or attribute in getattr(cls, "__annotations__", {})
        for cls in classes
        if cls is not None
    )


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: str(path.name))
def test_every_name_in_backticks_exists(path: Path) -> None:
    names = _in_backticks(path.read_text("utf-8"))
    missing = [name for name in names if _FILE.fullmatch(name) and not _file_exists(name)]
    missing += [name for name in names if _DOTTED.fullmatch(name) and not _dotted_exists(name)]
    for name in names:
        parts = _ATTRIBUTE.fullmatch(name)
        if parts and not _attribute_exists(parts[1], parts[2]):
            missing.append(name)
    assert not missing


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: str(path.name))
def test_every_command_exists(path: Path) -> None:
    known = {point.name for point in entry_points(group="arena.commands")}
    used = set(_COMMAND.findall(path.read_text("utf-8")))
    assert not used - known


def test_the_checks_find_the_names_of_the_architecture() -> None:
    names = _in_backticks(_ARCHITECTURE)
    assert sum(bool(_FILE.fullmatch(name)) for name in names) > 60
    assert not _file_exists("arena/nowhere.py")
    assert not _dotted_exists("arena.records.Nobody")
    assert not _attribute_exists("Judge", "nothing")


def test_every_name_stands_in_the_file_that_is_named_after_it() -> None:
    pairs = re.findall(r"`([A-Z]?\w+)(?:\.(\w+))?` (?:in|of) `([\w/]+\.py)`", _ARCHITECTURE)
    assert len(pairs) >= 6
    missing = [f"{name} in {file}" for name, _, file in pairs if name not in _defined(_ROOT / file)]
    assert not missing


def test_every_room_of_the_arena_is_described() -> None:
    rooms = {path.name for path in (_ROOT / "arena").iterdir() if (path / "__init__.py").exists()}
    table = _ARCHITECTURE.partition("## The rooms of `arena`")[2].partition("## The way")[0]
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


def _has_sql(path: Path) -> bool:
    """Return whether a module holds a query, besides examples in its docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docs)
    return any(isinstance(text.value, str) and _SQL.search(text.value) for text in texts)


def test_sql_stands_in_the_rooms_for_it_and_where_the_page_says_why() -> None:
    section = _ARCHITECTURE.partition("## Where SQL stands")[2].partition("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row.split("|")[1])]
    packages = ("arena", "judges", "ratings", "motions", "dashboard")
    modules = (path for package in packages for path in (_ROOT / package).rglob("*.py"))
    others = (path for path in modules if not str(path.relative_to(_ROOT)).startswith(_SQL_ROOMS))
    assert sorted(listed) == sorted(str(p.relative_to(_ROOT)) for p in others if _has_sql(p))
