"""`arena prompts`: the prompts as models get them."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import done, refused
from tests.support.tournaments import SMALL


def test_the_prompts_of_a_participant_are_printed_in_full(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    printed = done("prompts", file, "--only", "fair")
    assert "══ fair (en): 3 prompts ══" in printed
    assert "━━ pro/rebuttal/writer/1 · task write.rebuttal · at most" in printed
    assert "[system]\n" in printed and "[user]\n" in printed
    assert "══ fair (en): 6 prompts ══" in done("prompts", file, "--only", "fair", "--all")


def test_both_presets_of_those_that_have_one_are_printed_under_their_names(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    printed = done("prompts", file, "--preset", "both")
    heads = [line for line in printed.splitlines() if line.startswith("══")]
    assert [head.split(" (")[0] for head in heads] == ["══ bench, paper", "══ bench, default"]
    paper, default = printed.split("══ bench, default")
    assert paper.count("tie") < default.count("tie")
    message = refused("prompts", file, "--preset", "paper", "--only", "fair")
    assert "nobody with a paper's preset is called 'fair'" in message
    assert "Participants and benches with a paper's preset: bench. " in message


def test_the_values_of_all_options_are_printed_in_place_of_prompts(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    paper, default = done("prompts", file, "--options", "--preset", "both").split("══ bench, def")
    assert '══ bench, paper ══\njudge = "debatrix"\nmodel = ' in paper
    assert '\npreset = "debatrix"\n' in paper and '\npreset = "arena"\n' in default
    assert "\ntemperature = " in default and "[system]" not in paper + default
    assert (
        "leave out --language and --all" in refused("prompts", file, "--options", "--all").lower()
    )
    message = refused("prompts", file, "--options", "--only", "nobody")
    assert "nobody is called 'nobody'" in message


def test_an_unknown_name_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    message = refused("prompts", file, "--only", "nobody")
    assert "nobody is called 'nobody'" in message
    assert "Participants and benches: " in message and "Languages: en." in message
