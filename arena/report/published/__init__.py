"""Figures that papers have published, as data with their source: one TOML file per paper.

They are never ours: every table that shows them marks them with `MARK` and names the source.
"""

from arena.report.published.figures import (
    MARK,
    Cell,
    PublishedTable,
    published_papers,
    published_table,
    published_tables,
)

__all__ = [
    "MARK",
    "Cell",
    "PublishedTable",
    "published_papers",
    "published_table",
    "published_tables",
]
