"""The table of providers in docs/models.md: its rows and cells are the tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.servers.providers import (
    anthropic,
    azure,
    deepseek,
    gemini,
    mistral,
    ollama,
    openai,
    openrouter,
    vllm,
)

_PAGE = (Path(__file__).parents[4] / "docs" / "models.md").read_text("utf-8")
_MODULES = (openai, azure, anthropic, gemini, ollama, vllm, openrouter, mistral, deepseek)
#: The columns, and the tests that they stand for.
_COLUMNS = {
    "structured answers": "test_structured_answers",
    "usage and cost": "test_usage_and_cost",
    "cached tokens": "test_cached_tokens",
    "thinking": "test_thinking",
    "refusals": "test_refusal",
    "cut-offs": "test_cut_off",
    "filters": "test_filter",
    "errors": "test_errors",
    "caching": "test_prompt_caching",
}
_NOTHING = "–"


def rows() -> dict[str, dict[str, str]]:
    """The cells of the table, by the name of the provider's module and the column."""
    section = _PAGE.split("\n## What was checked of each provider\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert head == ["provider", *_COLUMNS]
    names = {row[0].split()[0].lower(): row[1:] for row in rows}
    return {name: dict(zip(_COLUMNS, cells, strict=True)) for name, cells in names.items()}


def names_of_tests(name: str) -> set[str]:
    """The names of the tests in a provider's module."""
    text = (Path(__file__).parent / f"test_{name}.py").read_text("utf-8")
    return set(re.findall(r"^async def (test_\w+)\(", text, re.MULTILINE))


def test_every_row_has_a_module_and_every_module_a_row() -> None:
    here = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert set(rows()) == here - {"table"}
    assert {module.__name__.rpartition(".")[2] for module in _MODULES} == set(rows())


def test_every_cell_has_a_test_and_every_test_a_cell() -> None:
    for name, cells in rows().items():
        existing = names_of_tests(name)
        assert "test_strictness" in existing
        for column, cell in cells.items():
            assert (cell != _NOTHING) is (_COLUMNS[column] in existing), f"{name}: {column}"
            assert cell


def test_every_stand_in_says_what_it_was_written_from_and_when() -> None:
    for module in _MODULES:
        assert "Written in November 2026 from" in " ".join((module.__doc__ or "").split())
    assert "None of this was ever run against a provider's own service" in _PAGE
