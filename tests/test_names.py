"""One meaning has one name: no two classes of the product are called the same."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "judges", "ratings", "dashboard", "motions")
#: `Options` is what every debater and judge calls its options. The others are forms, whose names
#: are sent to models, beside a record or another form of that name.
SHARED = {"Options", "Mark", "Verdict"}


def test_no_two_classes_have_one_name() -> None:
    counted = Counter(
        node.name
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in counted.items() if count > 1} == SHARED
