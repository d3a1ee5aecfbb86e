"""Texts that are printed count by `counted`, so that none of them says "1 debates"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_NOUNS = re.compile(
    r" (\w+ )?(debates|ballots|battles|matchups|votes|games|runs|notifications|copies|motions)\b"
)
#: What is no number, or never 1: constants, names, and shares that are even.
_EXCEPT = re.compile(
    r"_?[A-Z_]+|.*category|.*voter|.*names?\)?|.*file|share|_list\(.*\)|most|result\.motions|debates"
)


def _counts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines of f-strings in which a noun in the plural follows a value, with the value."""
    for text in ast.walk(tree):
        if not isinstance(text, ast.JoinedStr):
            continue
        for value, following in zip(text.values, text.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(following, ast.Constant):
                if _NOUNS.match(str(following.value)):
                    yield value.lineno, ast.unparse(value.value)


def test_the_rule_finds_a_count_without_its_noun() -> None:
    bad = ast.parse('f"{n} finished debates"; f"{left} runs"; f"{n} of the debates"; f"{n} times"')
    assert [value for _, value in _counts(bad)] == ["n", "left"]


def test_no_text_counts_by_itself() -> None:
    found = [
        f"{path.relative_to(_ROOT)}:{line}: {value}"
        for package in ("arena", "judges", "dashboard")
        for path in sorted((_ROOT / package).rglob("*.py"))
        for line, value in _counts(ast.parse(path.read_text("utf-8")))
        if not _EXCEPT.fullmatch(value)
    ]
    assert found == []
