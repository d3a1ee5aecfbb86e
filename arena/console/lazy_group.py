"""Groups of commands whose subcommands are loaded when they are called."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that is itself a command: it starts without loading what its subcommands need."""

    def __init__(self, *values: Any, places: Mapping[str, str], **more: Any) -> None:  # noqa: ANN401 - click's
        """Make a group.

        Args:
            places: where each subcommand is found, by its name: `judges.studies.module:command`.
        """
        super().__init__(*values, **more)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of its subcommands."""
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load a subcommand; None where it has none of that name."""
        place = self._places.get(cmd_name)
        command: click.Command | None = pkgutil.resolve_name(place) if place else None
        return command
