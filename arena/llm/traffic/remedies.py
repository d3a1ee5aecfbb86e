"""What people can do about a model that is stopped, and how its state is named."""

from __future__ import annotations

from collections.abc import Mapping

from arena.errors import Remedy

#: The end of each remedy; whoever knows the command that goes on may name it in its place.
GO_ON = "then continue with the command that the end of this run prints."
REMEDIES: Mapping[Remedy, str] = {
    "key": "What needs this model stays planned. Set a valid key (`arena check` names its "
    f"variable), {GO_ON}",
    "model": "What needs this model stays planned. Correct its name or its `api_base` (`arena "
    f"check` lists what a server has), {GO_ON}",
    "quota": f"What needs this model stays planned. Add credit at the provider, {GO_ON}",
}
STOPPED: Mapping[Remedy, str] = {
    "key": "its key is refused",
    "model": "the provider does not have it",
    "quota": "there is no credit left",
}
