"""What people can do about a model that is stopped, and how its state is named."""

from __future__ import annotations

from collections.abc import Mapping

from arena.errors import Remedy

REMEDIES: Mapping[Remedy, str] = {
    "key": "What needs this model stays planned. Set a valid key (`arena check` names its "
    "variable), then run the same command again.",
    "model": "What needs this model stays planned. Correct its name or its `api_base` (`arena "
    "check` lists what a server has), then run the same command again.",
    "quota": "What needs this model stays planned. Add credit at the provider, then run the same "
    "command again.",
}
STOPPED: Mapping[Remedy, str] = {
    "key": "its key is refused",
    "model": "the provider does not have it",
    "quota": "there is no credit left",
}
