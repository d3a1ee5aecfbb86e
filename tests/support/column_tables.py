"""Tables of Markdown set in columns, as the pages of measurements show them.

`python -m tests.support.column_tables` does so with what it reads.
"""

from __future__ import annotations

import re
import sys

_TABLE = re.compile(r"^\|.*\|\n\|[ :|-]+\|\n(?:\|.*\|\n)*", re.MULTILINE)
_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def in_columns(page: str) -> str:
    """Return a page whose tables of Markdown are blocks of aligned columns."""
    return _TABLE.sub(_block, page if page.endswith("\n") else f"{page}\n")


def blocks(page: str) -> list[str]:
    """Return what the blocks of a page contain."""
    return _BLOCK.findall(page)


def _block(table: re.Match[str]) -> str:
    head, marks, *rows = (
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table[0].splitlines()
    )
    lines = [head, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    aligned = [
        "  ".join(
            cell.rjust(width) if mark.endswith("-:") else cell.ljust(width)
            for cell, width, mark in zip(line, widths, marks, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join(["```text", *aligned, "```", ""])


if __name__ == "__main__":
    sys.stdout.write(in_columns(sys.stdin.read()))
