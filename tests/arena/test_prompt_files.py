"""Every prompt file of the project: readable, strict, and the same in both languages."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import PromptError
from arena.languages import LANGUAGES
from arena.prompts import Prompts
from tests.support.case_lists import for_every

ROOT = Path(__file__).parents[2]
FILES = sorted(
    [*(ROOT / "arena").glob("**/prompts/**/*.md"), *(ROOT / "judges").glob("prompts/**/*.md")]
)
#: The sides' words in both languages.
SIDES = re.compile(r"\bPro\b|\bCon\b|正方|反方")


def is_prompt(file: Path) -> bool:
    return file.read_text(encoding="utf-8").startswith("+++\n")


PROMPTS = sorted({(file.parent, file.name.partition(".")[0]) for file in FILES if is_prompt(file)})
INCLUDED = [file for file in FILES if not is_prompt(file)]


@cache
def header(folder: Path, name: str, code: str) -> dict[str, Any]:
    return tomllib.loads((folder / f"{name}.{code}.md").read_text(encoding="utf-8").split("+++")[1])


@cache
def variables(folder: Path, name: str, code: str) -> set[str]:
    """What a prompt asks for, as its error says."""
    try:
        Prompts(folder).render(name, code, {})
    except PromptError as error:
        listed = re.fullmatch(r"prompt \S+: missing variables (.+)\.", str(error))
        assert listed, f"unreadable: {error}"
        return set(listed[1].split(", "))
    return set()


@cache
def rendered(folder: Path, name: str, code: str, *flags: str) -> str:
    """A prompt in which every variable is its name between marks."""
    filled = {variable: f"⟦{variable}⟧" for variable in variables(folder, name, code)}
    result = Prompts(folder).render(name, code, filled, flags=frozenset(flags))
    return "\n".join(message.text for message in result.messages)


@cache
def included() -> set[Path]:
    """All files that a prompt includes, and those that stand in for them in a paper's preset."""
    return {
        (folder / name).resolve()
        for file in FILES
        for name in re.findall(r'include "([^"]+)"', file.read_text(encoding="utf-8"))
        for folder in (file.parent, file.parent.with_name(f"{file.parent.name}_paper"))
    }


def test_the_prompts_are_found() -> None:
    folders = {folder.relative_to(ROOT).as_posix() for folder, _ in PROMPTS}
    assert folders >= {
        "arena/llm/prompts",
        "arena/debaters/prompts/direct",
        "arena/debaters/prompts/agent4debate",
        "arena/debaters/prompts/baseline",
        "arena/debaters/prompts/cot_plan",
        "arena/debaters/prompts/protocol",
        "judges/prompts/debatrix",
    }


def test_every_file_is_named_for_a_language() -> None:
    assert {file.name.split(".")[1] for file in FILES} == set(LANGUAGES)
    assert all(len(file.name.split(".")) == 3 for file in FILES)


@for_every(PROMPTS)
def test_a_prompt_is_the_same_in_all_languages(folder: Path, name: str) -> None:
    english = header(folder, name, "en")
    for code in LANGUAGES:
        assert header(folder, name, code) == english
        assert variables(folder, name, code) == variables(folder, name, "en")


@for_every(PROMPTS, LANGUAGES)
def test_a_prompt_shows_all_of_its_variables(folder: Path, name: str, code: str) -> None:
    flags = header(folder, name, code).get("flags", [])
    # An essay has no sides and no stages, so those are shown where none is asked for.
    speech = rendered(folder, name, code, *(flag for flag in flags if flag != "essay"))
    text = speech + rendered(folder, name, code, *flags) + rendered(folder, name, code)
    assert {one for one in variables(folder, name, code) if f"⟦{one}⟧" not in text} == set()


@for_every(PROMPTS, LANGUAGES)
def test_every_flag_of_a_prompt_changes_it(folder: Path, name: str, code: str) -> None:
    plain = rendered(folder, name, code)
    for flag in header(folder, name, code).get("flags", []):
        assert rendered(folder, name, code, flag) != plain


@for_every(PROMPTS, LANGUAGES)
def test_a_prompt_includes_files_of_its_language_only(folder: Path, name: str, code: str) -> None:
    text = (folder / f"{name}.{code}.md").read_text(encoding="utf-8")
    assert all(one.endswith(f".{code}.md") for one in re.findall(r'include "([^"]+)"', text))


@for_every(INCLUDED)
def test_a_file_without_a_header_is_included_by_a_prompt(file: Path) -> None:
    assert file in included()


@for_every(PROMPTS, LANGUAGES)
def test_a_debaters_prompt_names_both_sides_or_neither(folder: Path, name: str, code: str) -> None:
    # Both stand in the rules of order; one alone would fix who the speaker is.
    if "debaters" not in folder.relative_to(ROOT).parts:
        return
    flags = header(folder, name, code).get("flags", [])
    for line in rendered(folder, name, code, *flags).splitlines():
        named = set(SIDES.findall(line))
        assert named in (set(), {"Pro", "Con"}, {"正方", "反方"}), line


@for_every(PROMPTS)
def test_a_prompt_speaks_the_words_of_its_own_language(folder: Path, name: str) -> None:
    assert not re.search(r"[\u3400-\u9fff]", rendered(folder, name, "en"))
    assert re.search(r"[\u3400-\u9fff]", rendered(folder, name, "zh"))


@for_every([one for one in PROMPTS if "debaters" in one[0].parts], LANGUAGES)
def test_a_debaters_prompt_can_do_without_short_reasoning(
    folder: Path, name: str, code: str
) -> None:
    if folder.name.startswith("answering"):
        return  # there the reasoning belongs to what is asked for
    filled = {variable: f"⟦{variable}⟧" for variable in variables(folder, name, code)}
    flags = frozenset(header(folder, name, code).get("flags", []))
    silent, whole = (
        "\n".join(
            message.text for message in prompt.render(name, code, filled, flags=flags).messages
        )
        for prompt in (Prompts(folder).without("reasoning"), Prompts(folder))
    )
    marks = ("`reasoning`", '"reasoning"')
    assert not any(mark in silent for mark in marks)
    gone = [line for line in whole.splitlines() if line not in silent.splitlines()]
    assert gone == [line for line in whole.splitlines() if any(mark in line for mark in marks)]
