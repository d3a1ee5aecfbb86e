"""The console that commands print on."""

from __future__ import annotations

from rich.console import Console


def console(*, width: int | None = None) -> Console:
    """A console on standard output; without a terminal it is wide and has no colours."""
    made = Console(highlight=False, soft_wrap=False)
    if not made.is_terminal:
        return Console(highlight=False, width=width or 120, no_color=True)
    return made
