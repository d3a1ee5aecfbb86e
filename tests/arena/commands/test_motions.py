"""`arena motions`: what is shipped, one motion, and every fault of a file at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from motions import load, shipped
from tests.support.command_line import done, refused
from tests.support.tournaments import SMALL

GOOD = "text,category\nTea is better than coffee,value\n茶比咖啡好,value\n"
TOML = '[[motion]]\nid = "tea"\ncategory = "value"\n[motion.en]\ntext = "Tea is best"\n'
BRIEF = '[[motion.en.pro]]\nclaim = "It calms."\nevidence = "In trials."\n'

#: Ten broken files: name, content, the line and field of the fault, and the remedy.
BROKEN: dict[str, tuple[str, bytes, str, str]] = {
    "UTF-16": ("a.csv", GOOD.encode("utf-16-le"), "line 1", "iconv -f UTF-16 -t UTF-8"),
    "Latin-1": ("a.csv", b"text,category\ncaf\xe9,fact\n", "line 2", "iconv -f LATIN1 -t UTF-8"),
    "nothing in it": ("a.jsonl", b"", "line 1", "Add a motion"),
    "an open quote": (
        "a.csv",
        b'text,category\nTea,fact\n"Coffee,fact\n',
        "line 3",
        "Close each quoted cell",
    ),
    "an unknown column": (
        "a.csv",
        b"text,categroy,category\nTea,,fact\n",
        "line 1, field categroy",
        "Rename or remove it",
    ),
    "no JSON": (
        "a.jsonl",
        b'{"text": "Tea", "category": "fact"}\n{"text": "Milk"\n',
        "line 2",
        "Correct that line",
    ),
    "a wrong category": (
        "a.toml",
        TOML.replace('"value"', '"taste"').encode(),
        "line 3, motion tea, field category",
        "given 'taste'; accepted: fact, policy, value. Correct it",
    ),
    "a brief of another shape": (
        "a.toml",
        (TOML + BRIEF.replace("[[", "[").replace("]]", "]")).encode(),
        "line 6, motion tea, field en.pro",
        "[[double brackets]]",
    ),
    "an id twice": (
        "a.toml",
        (TOML + TOML.replace("Tea", "Milk")).encode(),
        "line 7, motion tea, field id",
        "Change or remove one of the two",
    ),
    "broken TOML": (
        "a.toml",
        TOML.replace('"value"', "value").encode(),
        "line 3",
        "Correct it there or just before",
    ),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_file_is_told_with_line_field_and_remedy(tmp_path: Path, name: str) -> None:
    file, content, place, remedy = BROKEN[name]
    path = tmp_path / file
    path.write_bytes(content)
    message = refused("motions", "check", path)
    head, fault = message.splitlines()
    assert head == f"{path}: 1 fault:"
    assert fault.startswith(f"  {path}, {place}: ")
    assert remedy in fault


def test_all_faults_of_a_folder_are_told_at_once(tmp_path: Path) -> None:
    for number, (file, content, _, _) in enumerate(BROKEN.values()):
        (tmp_path / f"{number}-{file}").write_bytes(content)
    head, *faults = refused("motions", "check", tmp_path).splitlines()
    assert head == f"{tmp_path}: {len(faults)} faults:"
    told = [Path(fault.partition(",")[0].strip()).name for fault in faults]
    assert sorted(set(told)) == sorted(f"{n}-{one[0]}" for n, one in enumerate(BROKEN.values()))


def test_a_good_file_is_counted_by_category_and_language(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    printed = done("motions", "check", path)
    assert printed.startswith(f"{path}: no faults found.\n")
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line}
    assert rows["value"] == rows["all"] == ["2", "1", "1", "0"]
    assert rows["fact"] == ["0", "0", "0", "0"]
    assert f'motions = "{path}"' in printed


def test_a_language_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    message = refused("motions", "check", path, "--language", "zh", "--language", "en")
    assert f"{path}, line 2, field text_zh: no text in 'zh'; the motion has: en." in message
    assert f"{path}, line 3, field text_en: no text in 'en'; the motion has: zh." in message


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_motions_are_checked_and_planned(count: int, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = (f"Claim number {n} is true,fact\n" for n in range(count))
    path.write_text("text,category\n" + "".join(rows), encoding="utf-8")
    counts = rf"^all +{count} +{count} +0 +0$"
    assert re.search(counts, done("motions", "check", path), re.MULTILINE)
    (tmp_path / "small.toml").write_text(SMALL.replace("arena66", "many.csv"), "utf-8")
    printed = done("run", tmp_path / "small.toml", "--dry-run", "--db", tmp_path / "own.duckdb")
    assert f"3 participants, {count} motions in en" in printed and "6 to play" in printed
    good, bad = f"number {count - 1} is true,fact", f"number {count - 1},fcat"
    path.write_text(path.read_text("utf-8").replace(good, bad), "utf-8")
    message = refused("motions", "check", path)
    assert f"line {count + 1}, field category: given 'fcat'" in message


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    message = refused("motions", "check", tmp_path / "no.csv")
    assert "no.csv does not exist" in message and "Correct the path" in message


def test_the_shipped_sets_are_listed_with_their_counts() -> None:
    printed = done("motions", "list")
    for name in shipped():
        count = str(len(load(name).motions))
        assert re.search(
            rf"^{name}\n(.*\n){{4}}all +{count} +{count} +{count} ", printed, re.MULTILINE
        )


def test_the_motions_of_a_set_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    english, chinese = done("motions", "list", "--set", path).splitlines()
    assert english.endswith("value   en     Tea is better than coffee")
    assert chinese.endswith("value   zh     茶比咖啡好")
    assert len(done("motions", "list", "--set", "arena66").splitlines()) == 66
    assert "Unknown motion set 'arena67'" in refused("motions", "list", "--set", "arena67")


@pytest.mark.parametrize(("code", "pro"), [("en", "Pro"), ("zh", "正方")])
def test_a_motion_is_shown_with_its_brief(code: str, pro: str) -> None:
    motion = load("arena66").motions[0]
    wording = motion.wording(code)
    printed = done("motions", "show", motion.motion_id, "--language", code)
    assert printed.startswith(
        f"{motion.motion_id} (fact, work, arena66; in en, zh)\n{wording.text}\n"
    )
    assert wording.info_slide in printed and f"\n{pro}\n1. " in printed
    for point in (*wording.brief.pro, *wording.brief.con):
        assert f". {point.claim}\n   {point.evidence}" in printed
        assert point.source in printed


def test_a_motion_of_a_file_is_shown_in_the_language_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "tea", "category": "value", "text": "茶\u202e比咖啡好"}', "utf-8")
    printed = done("motions", "show", "tea", "--set", path)
    assert printed == "tea (value, mine; in zh)\n茶比咖啡好\n（没有更多背景说明。）\n"
    refusal = refused("motions", "show", "tea", "--set", path, "--language", "en")
    assert "has no wording in 'en'; it has: zh" in refusal


def test_an_unknown_motion_names_those_that_are_close(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "tea", "category": "value", "text": "Tea is best"}', "utf-8")
    assert refused("motions", "show", "teas", "--set", path) == (
        f"no motion 'teas' in {path}. Similar ids: tea. "
        f"`arena motions list --set {path}` lists its motions."
    )
    assert "in arena66, refutation64." in refused("motions", "show", "teas")


def test_motions_that_differ_in_a_point_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("text,category\nTea is best.,value\ntea is best,value\n")
    assert "Note: 'Tea is best.', 'tea is best' differ only in case, blanks or a final mark" in (
        done("motions", "check", tmp_path / "m.csv")
    )
    config = SMALL.replace('motions = "arena66"', 'motions = "m.csv"')
    assert config != SMALL
    (tmp_path / "own.toml").write_text(config, "utf-8")
    assert "and stand as 2 motions" in done("check", tmp_path / "own.toml")


def test_propositions_of_a_published_list_are_imported_and_played(tmp_path: Path) -> None:
    listed, target = tmp_path / "figure.txt", tmp_path / "own.jsonl"
    text = '- "statement": "Cities should plant trees", "topic": "Environment" '
    listed.write_text(text + '- "statement": "Trees are art", "topic": "Culture"', "utf-8")
    printed = done("motions", "import", listed, "--to", target)
    assert printed.startswith(f"{target}: 2 motions written.\n")
    assert [motion.motion_id for motion in load(target).motions] == [
        "own-environment-01",
        "own-culture-01",
    ]
    config = tmp_path / "small.toml"
    config.write_text(SMALL.replace("arena66", "own.jsonl"), "utf-8")
    assert "2 motions in en" in done("run", config, "--dry-run", "--db", tmp_path / "own.duckdb")
    assert "the file exists" in refused("motions", "import", listed, "--to", target)
    assert "Name a file .jsonl" in refused("motions", "import", listed, "--to", tmp_path / "a.csv")
    listed.write_text(2 * text + 2 * text.replace("Cities", "Towns"), "utf-8")
    head, *faults = refused("motions", "import", listed, "--to", tmp_path / "b.jsonl").splitlines()
    assert head == f"{listed}: 2 faults:" and len(faults) == 2
    assert not (tmp_path / "b.jsonl").exists()
