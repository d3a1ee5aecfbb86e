"""The table `[search]`: what the debaters can search, and which keys each kind takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from arena.section import Secret, Section

#: The keys that only one kind takes.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "folder": ("path",),
    "tavily": ("api_base", "api_key", "requests_per_minute"),
}


class SearchSection(Section):
    """What the debaters can search: a motion's brief, a folder, the web, or nothing."""

    kind: Literal["brief", "folder", "tavily", "none"] = "brief"
    path: str | None = Field(default=None, min_length=1)
    api_base: str | None = None
    api_key: Secret | None = None
    requests_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> SearchSection:
        for kind, keys in _KEYS.items():
            for key in keys:
                if getattr(self, key) is not None and kind != self.kind:
                    raise ValueError(
                        f"`{key}` has no effect with kind {self.kind!r}; it belongs to kind "
                        f"{kind!r}"
                    )
        if self.kind == "folder" and self.path is None:
            raise ValueError("kind 'folder' needs `path`: write path = \"documents\", a folder")
        return self
