"""File formats by their suffix: each reads a file's text into entries, not yet checked."""

from collections.abc import Callable, Iterator, Mapping

from motions.csv_file import csv_entries
from motions.entries import Entry
from motions.errors import Fault
from motions.jsonl_file import jsonl_entries
from motions.toml_file import toml_entries

#: From a file's text and its name (for messages) to its entries and faults, in their order.
Parser = Callable[[str, str], Iterator[Entry | Fault]]

FORMATS: Mapping[str, Parser] = {
    ".toml": toml_entries,
    ".csv": csv_entries,
    ".jsonl": jsonl_entries,
}


def parse(text: str, *, suffix: str, file: str) -> Iterator[Entry | Fault]:
    """Yields the entries and the faults of a text, in the format of a file name's suffix."""
    parser = FORMATS.get(suffix.lower())
    if parser is not None:
        yield from parser(text, file)
        return
    yield Fault(
        file=file,
        problem=f"unknown motion file format {suffix!r}; accepted: {', '.join(FORMATS)}. "
        "Convert the file, or correct its suffix.",
    )
