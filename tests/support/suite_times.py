"""Tables of how long the suites take, from the files that `.ci/run` leaves in build/times.

`make test-times` prints them as docs/measurements/tests.md shows them.
"""

from __future__ import annotations

import ast
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.column_tables import in_columns

#: The share of a suite's seconds from which a file has a row of its own.
_LEAST_SHARE = 0.02


def format_times(folder: Path) -> str:
    """Return the table of the steps, and one for the files of each suite of tests."""
    parts = [_format_steps(folder / "steps")]
    parts += [_format_suite(file) for file in sorted(folder.glob("*.xml"))]
    return in_columns("\n".join(parts))


def _format_steps(file: Path) -> str:
    """Return the table of the steps: their names, wall, user and system seconds are in a file."""
    lines = ["| step | wall | CPU |", "| --- | ---: | ---: |"]
    for line in file.read_text("utf-8").splitlines():
        name, _, measured = line.partition("\t")
        wall, user, system = map(float, measured.split())
        lines.append(f"| {name} | {_minutes(wall)} | {_minutes(user + system)} |")
    return "\n".join((*lines, ""))


def _minutes(seconds: float) -> str:
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


def _format_suite(file: Path) -> str:
    """Return the table of a suite's files, the slowest first; the rest is summed up."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    for path, time in _read_tests(file):
        seconds[path] += time
        tests[path] += 1
    least = _LEAST_SHARE * sum(seconds.values())
    lines = [f"## make {file.stem}", "", "| seconds | tests | file | what it proves |"]
    lines.append("| ---: | ---: | --- | --- |")
    slow = sorted(
        (p for p in seconds if seconds[p] >= least), key=seconds.__getitem__, reverse=True
    )
    lines += [f"| {seconds[p]:.0f} | {tests[p]} | {p} | {_read_summary(p)} |" for p in slow]
    rest = [path for path in seconds if path not in slow]
    lines.append(
        f"| {sum(seconds[p] for p in rest):.0f} | {sum(tests[p] for p in rest)} "
        f"| {len(rest)} other files |  |"
    )
    return "\n".join((*lines, ""))


def _read_tests(file: Path) -> Iterator[tuple[str, float]]:
    """Yield the file and the seconds, fixtures included, of each test of a suite's JUnit file."""
    for case in ET.parse(file).iter("testcase"):
        parts = case.attrib["classname"].split(".")
        yield "/".join(parts) + ".py", float(case.attrib["time"])


def _read_summary(path: str) -> str:
    """Return the first line of a test module's docstring."""
    module = ast.parse(Path(path).read_text("utf-8"))
    return (ast.get_docstring(module) or "").partition("\n")[0].replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(format_times(Path("build/times")))
