"""Search by Tavily, against a strict server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.errors import InfrastructureFault, ProviderRejected
from arena.search.bm25 import LONGEST_PAGE
from arena.search.tavily import LONGEST_EXCERPT, TavilySearch, shorten_query
from arena.search.tool import Finding
from tests.servers.tavily_server import KEY, Fault, TavilyServer, tavily

PAGE = ("Four days", "https://example.org/a", "Output\nrose [3] by a tenth.")


@asynccontextmanager
async def searching(
    server: TavilyServer, *, key: str = KEY, timeout_seconds: float = 5.0, base: str = ""
) -> AsyncIterator[TavilySearch]:
    tool = TavilySearch(api_base=base or server.url, api_key=key, timeout_seconds=timeout_seconds)
    try:
        yield tool
    finally:
        await tool.aclose()


async def failure(server: TavilyServer, *, key: str = KEY) -> InfrastructureFault:
    async with searching(server, key=key) as search:
        with pytest.raises(InfrastructureFault) as caught:
            await search("four-day week")
    return caught.value


async def test_pages_become_findings_with_title_address_and_excerpt() -> None:
    untitled = ("", "https://example.org/b", "It was tried in a town.")
    async with tavily(pages=[PAGE, untitled]) as server, searching(server) as search:
        result = await search("four-day week")
    assert server.asked == ["four-day week"]
    assert result == (
        Finding(origin="Four days, https://example.org/a", excerpt="Output rose (3) by a tenth."),
        Finding(origin="https://example.org/b", excerpt="It was tried in a town."),
    )


async def test_a_page_without_text_is_left_out_and_a_long_one_is_cut() -> None:
    pages = [("Empty", "https://example.org/c", " "), ("Long", "https://example.org/d", "x" * 9999)]
    async with tavily(pages=pages) as server, searching(server) as search:
        (found,) = await search("four-day week")
    assert len(found.excerpt) == LONGEST_EXCERPT + 1 and found.excerpt.endswith("x…")


async def test_no_more_than_five_pages_are_asked_for() -> None:
    async with tavily(pages=[PAGE] * 9) as server, searching(server) as search:
        assert len(await search("four-day week")) == 5


async def test_nothing_found_is_no_fault() -> None:
    async with tavily(pages=[]) as server, searching(server) as search:
        assert await search("four-day week") == ()


async def test_a_slash_at_the_end_of_the_address_does_no_harm() -> None:
    async with tavily() as server, searching(server, base=f"{server.url}/") as search:
        assert await search("four-day week")


async def test_a_long_query_is_sent_as_long_as_the_service_takes() -> None:
    async with tavily() as server, searching(server) as search:
        assert await search("four-day week " * 99)
        assert await search("四" * 999)
    assert [len(query) <= 400 for query in server.asked] == [True, True]
    assert server.asked[0].endswith(("four-day", "week"))


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (" two\nlines ", "two lines"),
        ("x" * 400, "x" * 400),
        ("x" * 401, "x" * 400),
        (f"{'x' * 399} yz", "x" * 399),
        (f"{'x' * 400} yz", "x" * 400),
        (f"a {'x' * 400}", f"a {'x' * 398}"),
    ],
)
def test_a_query_is_cut_after_a_word_where_that_loses_little(query: str, sent: str) -> None:
    assert shorten_query(query) == sent


@pytest.mark.parametrize("fault", [429, 500, "drop", "malformed", "wrong_form"])
async def test_what_may_pass_is_worth_another_try(fault: Fault) -> None:
    async with tavily(fault) as server:
        async with searching(server) as search:
            with pytest.raises(InfrastructureFault) as caught:
                await search("four-day week")
            assert not isinstance(caught.value, ProviderRejected)
            assert "Tavily" in str(caught.value)
            assert len(await search("four-day week")) == 1


async def test_a_rate_limit_says_how_long_to_wait() -> None:
    for hint, seconds in (("7", 7.0), ("0.5", 0.5), ("", None), ("soon", None)):
        async with tavily(429, retry_after=hint) as server:
            assert (await failure(server)).retry_after == seconds


@pytest.mark.parametrize(
    ("status", "words", "remedy"),
    [
        (401, "missing or invalid API key", "Check the key in TAVILY_API_KEY"),
        (
            432,
            "exceeds your plan's set usage limit",
            "quota of the Tavily plan is used up. Raise it, or wait",
        ),
        (433, "exceeds the pay-as-you-go limit", "Raise it in Tavily's settings"),
    ],
)
async def test_a_refusal_is_final_and_says_what_to_do(status: int, words: str, remedy: str) -> None:
    async with tavily(status) as server:
        fault = await failure(server)
    assert isinstance(fault, ProviderRejected)
    assert str(fault).startswith("Tavily: ")
    assert words in str(fault) and remedy in str(fault)
    assert "http" not in str(fault)


async def test_a_wrong_key_is_refused_and_never_shown() -> None:
    async with tavily() as server:
        fault = await failure(server, key="tvly-wrong-9876543210")
    assert isinstance(fault, ProviderRejected)
    assert "tvly-wrong" not in str(fault)
    assert server.asked == []


async def test_a_bad_request_is_final() -> None:
    async with tavily(400) as server:
        assert isinstance(await failure(server), ProviderRejected)


async def test_a_slow_answer_times_out() -> None:
    async with tavily("slow") as server, searching(server, timeout_seconds=0.05) as search:
        with pytest.raises(InfrastructureFault, match="Tavily") as caught:
            await search("four-day week")
    assert not isinstance(caught.value, ProviderRejected)


async def test_nobody_listens() -> None:
    tool = TavilySearch(api_base="http://127.0.0.1:9", api_key=KEY, timeout_seconds=1)
    with pytest.raises(InfrastructureFault, match="Tavily"):
        await tool("four-day week")
    await tool.aclose()


ADDRESS = "https://example.org/a"
ORIGIN = f"Four days, {ADDRESS}"


async def test_a_page_is_read_by_the_address_in_its_findings_origin() -> None:
    async with tavily() as server, searching(server) as search:
        server.contents[ADDRESS] = "Output\nrose [3] by a tenth.\n\nHours fell."
        page = await search.read(ORIGIN, "output")
        assert await search.read(ADDRESS, "output")
    assert server.read == [ADDRESS, ADDRESS] and server.asked == []
    assert page == (Finding(origin=ORIGIN, excerpt="Output rose (3) by a tenth. Hours fell."),)


async def test_of_a_long_page_the_excerpts_on_the_question_are_read_in_its_order() -> None:
    async with tavily() as server, searching(server) as search:
        paragraphs = [f"{'Filler word ' * 70}number {n}." for n in range(40)]
        paragraphs[30] = f"{'Wages rose ' * 70}here."
        server.contents[ADDRESS] = "\n\n".join(paragraphs)
        on_wages = await search.read(ORIGIN, "wages")
        first = await search.read(ORIGIN, "taxes")
    assert len(on_wages) == 1 and on_wages[0].excerpt.endswith("here.")
    assert [one.excerpt.split()[-1] for one in first] == [f"{n}." for n in range(LONGEST_PAGE)]


async def test_a_page_that_the_service_cannot_open_is_refused_with_its_reason() -> None:
    async with tavily() as server, searching(server) as search:
        with pytest.raises(ProviderRejected, match="example.org/a cannot be read: Failed to fetch"):
            await search.read(ORIGIN, "output")


async def test_a_page_without_text_says_nothing() -> None:
    async with tavily() as server, searching(server) as search:
        server.contents[ADDRESS] = " "
        assert await search.read(ORIGIN, "output") == ()


@pytest.mark.parametrize("fault", [429, 500, "drop", "malformed", "wrong_form"])
async def test_reading_may_be_tried_again_where_searching_may(fault: Fault) -> None:
    async with tavily(fault) as server, searching(server) as search:
        server.contents[ADDRESS] = "Output rose."
        with pytest.raises(InfrastructureFault) as caught:
            await search.read(ORIGIN, "output")
        assert not isinstance(caught.value, ProviderRejected)
        assert len(await search.read(ORIGIN, "output")) == 1


async def test_an_origin_without_an_address_is_refused_by_the_service() -> None:
    async with tavily() as server, searching(server) as search:
        with pytest.raises(ProviderRejected, match="Invalid URL"):
            await search.read("Report A", "output")
