"""The file formats, by suffix: each parses the text of a file into unchecked entries."""

from collections.abc import Callable, Iterator, Mapping

from motions.csv_file import csv_entries
from motions.entries import Entry
from motions.errors import Fault
from motions.jsonl_file import jsonl_entries
from motions.toml_file import toml_entries

#: Takes the text and the name of a file (for messages), and yields its entries and faults in order.
Parser = Callable[[str, str], Iterator[Entry | Fault]]

FORMATS: Mapping[str, Parser] = {
    ".toml": toml_entries,
    ".csv": csv_entries,
    ".jsonl": jsonl_entries,
}


def parse(text: str, *, suffix: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the entries and faults of a text, in the format that a suffix names."""
    parser = FORMATS.get(suffix.lower())
    if parser is not None:
        yield from parser(text, file)
        return
    yield Fault(
        file=file,
        problem=f"unknown motion file format {suffix!r}; accepted: {', '.join(FORMATS)}. "
        "Convert the file, or correct its suffix.",
    )
