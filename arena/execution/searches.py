"""The search tools of a run, made once from its configuration and shared by its debates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.config.load import from_environment, read_key
from arena.errors import ConfigError, MissingKey
from arena.llm.keys import check_key
from arena.plugins import debater_class, debater_options
from arena.search.bm25 import BriefSearch
from arena.search.documents import read_library
from arena.search.tavily import API_BASE, API_KEY, TavilySearch
from arena.search.tool import NoSearch, SearchTool
from arena.text import counted

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.sections import Config, SearchSection
    from arena.languages import Language
    from motions import Wording

#: Motions that a line names.
_NAMED: Final = 3


class Searches:
    """The search tools of a run's debates.

    Raises:
        ConfigError: a folder that cannot be searched, or a key that is missing.
    """

    def __init__(self, config: Config) -> None:
        self._shared: SearchTool | None = None
        self._web: TavilySearch | None = None
        if config.search.kind == "tavily":
            self._shared = self._web = TavilySearch(
                api_base=_address(config.search),
                api_key=_key(config.search),
                timeout_seconds=config.limits.timeout_seconds,
                requests_per_minute=config.search.requests_per_minute,
            )
        elif config.search.kind == "folder":
            self._shared = read_library(config.search.path or "")
        elif config.search.kind == "none":
            self._shared = NoSearch()

    def tool(self, wording: Wording, language: Language) -> SearchTool:
        """Return the tool that the debaters of a motion search with."""
        return self._shared or BriefSearch(wording.brief, language)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._web is not None:
            await self._web.aclose()


def search_lines(section: SearchSection, *, keys: bool = True, where: str = "") -> list[str]:
    """Format what can be searched, as lines of a plan.

    Args:
        keys: whether to check the key of the search service; a plan needs none.

    Raises:
        ConfigError: a folder that cannot be searched, or a key that is missing.
    """
    if section.kind == "folder":
        folder = section.path or ""
        try:
            return read_library(folder).lines(folder)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}" if where else str(error)) from None
    if section.kind == "tavily":
        if keys:
            _key(section, where=where)
        return [
            f"search: Tavily at {_address(section)}; its charges are not part of the USD figures "
            "here"
        ]
    return []


def brief_lines(resolved: ResolvedConfig) -> list[str]:
    """Format which motions lack the brief that participants are to search, as lines of a plan."""
    if resolved.config.search.kind != "brief":
        return []
    searching = [
        player.name
        for player in resolved.participants
        if debater_class(player.debater).searches(debater_options(player.debater, player.options))
    ]
    # A motion lacks briefs where the one of any language is empty.
    bare = [
        motion.motion_id
        for motion in resolved.motions
        if not all(
            brief.pro or brief.con
            for brief in (motion.wording(code).brief for code in resolved.languages)
        )
    ]
    if not searching or not bare:
        return []
    named = ", ".join(bare[:_NAMED]) + (", …" if len(bare) > _NAMED else "")
    return [
        f"search: {len(bare)} of {counted(len(resolved.motions), 'motion')} without a brief "
        f"({named}): there {', '.join(searching)} find nothing. Add briefs, or set search.kind to "
        "folder or tavily"
    ]


def _address(section: SearchSection) -> str:
    return from_environment(section.api_base) or API_BASE


def _key(section: SearchSection, *, where: str = "") -> str:
    reference = section.api_key or API_KEY
    key = read_key(reference)
    if not key:
        variable = reference.removeprefix("env:").partition("|")[0]
        place = f"{where}: " if where else ""
        raise MissingKey(
            f'{place}the key for search.kind = "tavily" is not set. Export it as {variable}, or '
            'name another variable under [search]: api_key = "env:NAME". To play without web '
            'search: kind = "brief".'
        )
    check_key(key, "the key of [search]")
    return key
