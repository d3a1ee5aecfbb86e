"""The console that commands print on."""

from __future__ import annotations

from rich.console import Console


def console(*, width: int | None = None) -> Console:
    """Return a console on standard output; without a terminal, a wide one without colours.

    Args:
        width: in cells, where there is no terminal; 120 by default.
    """
    terminal = Console(highlight=False, soft_wrap=False)
    if not terminal.is_terminal:
        return Console(highlight=False, width=width or 120, no_color=True)
    return terminal
