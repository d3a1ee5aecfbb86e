import re
from pathlib import Path

import pytest

from motions import MotionError, find_near_repeats, load, shipped

POINT = 'claim = "One claim."\nevidence = "Some evidence."\n'
BRIEF = f"[[motion.en.pro]]\n{POINT}source = 'Paper, 2020'\n[[motion.en.con]]\n{POINT}"


def motion(motion_id: str = "m-1", text: str = "Cats are better than dogs", more: str = "") -> str:
    head = f'[[motion]]\nid = "{motion_id}"\ncategory = "value"\ntopic = "pets"\n'
    return f'{head}[motion.en]\ntext = "{text}"\ninfo_slide = "Both are pets."\n{more or BRIEF}'


def save(folder: Path, content: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def refusal(source: str | Path) -> str:
    with pytest.raises(MotionError) as caught:
        load(source)
    return str(caught.value)


def test_a_file_becomes_records(tmp_path: Path) -> None:
    loaded = load(save(tmp_path, motion()))
    assert loaded.name == "mine"
    (only,) = loaded.motions
    assert (only.motion_id, only.motion_set, only.category, only.topic) == (
        "m-1",
        "mine",
        "value",
        "pets",
    )
    wording = only.wording("en")
    assert wording.text == "Cats are better than dogs"
    assert wording.brief.pro[0].source == "Paper, 2020"
    assert wording.brief.con[0].source == ""


def test_a_path_may_be_a_string_and_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = save(tmp_path, "\ufeff" + motion())
    assert load(str(path)) == load(path)


def test_a_folder_is_read_in_alphabetical_order(tmp_path: Path) -> None:
    save(tmp_path, motion("second", "Dogs are loyal"), "b.toml")
    save(tmp_path, motion("first"), "a.TOML")
    save(tmp_path, "not a motion file", "notes.txt")
    loaded = load(tmp_path)
    assert loaded.name == tmp_path.name
    assert [item.motion_id for item in loaded.motions] == ["first", "second"]


def test_a_motion_may_come_without_a_brief_and_an_info_slide(tmp_path: Path) -> None:
    content = '[[motion]]\nid = "m"\ncategory = "fact"\ntopic = "t"\n[motion.zh]\ntext = "猫好"\n'
    wording = load(save(tmp_path, content)).motions[0].wording("zh")
    assert wording.info_slide == ""
    assert wording.brief.pro == wording.brief.con == ()


def test_an_absent_language_names_those_there_are(tmp_path: Path) -> None:
    (only,) = load(save(tmp_path, motion())).motions
    with pytest.raises(MotionError, match=r"m-1.*'zh'; it has: en\."):
        only.wording("zh")


def test_a_motion_can_be_hashed(tmp_path: Path) -> None:
    path = save(tmp_path, motion())
    assert len({*load(path).motions, *load(path).motions}) == 1


def test_an_unknown_set_lists_the_known_ones() -> None:
    message = refusal("arena67")
    assert "'arena67'" in message
    assert all(name in message for name in shipped())


@pytest.mark.parametrize("name", ["", "arena", "__pycache__"])
def test_only_folders_with_motions_are_sets(name: str) -> None:
    assert "Unknown motion set" in refusal(name)


def test_a_missing_file(tmp_path: Path) -> None:
    message = refusal(tmp_path / "gone.toml")
    assert "gone.toml does not exist" in message
    assert "Correct the path" in message


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    assert "'.yaml'; accepted: .toml, .csv, .jsonl" in refusal(save(tmp_path, "", "motions.yaml"))


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b'# first line\nid = "caf\xe9"\n', ["line 2: not UTF-8", "byte 0xe9", "Latin-1"]),
        (motion().encode("utf-16-le"), ["line 1: it contains zero bytes"]),
        (b"# one\n" + motion().encode("utf-16-le"), ["line 2: it contains zero bytes, as UTF-16"]),
    ],
)
def test_another_encoding_is_named_with_its_line(
    tmp_path: Path, content: bytes, parts: list[str]
) -> None:
    path = tmp_path / "other.toml"
    path.write_bytes(content)
    message = refusal(path)
    assert message.startswith(f"{path}, line ")
    assert "accepted: UTF-8 only. Save the file in that encoding" in message
    for part in parts:
        assert part in message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert "cannot be read" in refusal(tmp_path)


def test_a_syntax_error_names_the_line(tmp_path: Path) -> None:
    message = refusal(save(tmp_path, "[[motion]]\nid = \n"))
    assert "mine.toml, line 2: not valid TOML" in message


@pytest.mark.parametrize("name", ["mine.toml", "mine.csv", "mine.jsonl"])
@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_file(tmp_path: Path, name: str, content: str) -> None:
    message = refusal(save(tmp_path, content, name))
    assert f"{name}, line 1: the file contains" in message
    assert "Add a motion" in message


@pytest.mark.parametrize("content", ["# nothing\n", "motion = []\n"])
def test_a_file_without_a_motion(tmp_path: Path, content: str) -> None:
    assert "the file contains no motion" in refusal(save(tmp_path, content))


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "is empty: it holds no .toml, .csv, .jsonl file" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "field", "parts"),
    [
        ("topic =", "topci =", "topci", ["unknown field", "id, category, topic"]),
        ("category =", "# ", "category", ["missing; accepted: fact, policy, value", "Add it"]),
        ("[motion.en]", "color = 1\n[motion.en]", "color", ["unknown", "id, category, topic"]),
        ("[motion.en]", "[motion.fr]\ntext='x'\n[motion.en]", "fr", ["unknown", "en, zh"]),
        ("info_slide =", "slide =", "en.slide", ["unknown", "text, info_slide, pro, con"]),
        ("source =", "url =", "en.pro.1.url", ["unknown", "claim, evidence, source"]),
        ('"value"', '"values"', "category", ["given 'values'", "fact, policy, value"]),
        ('"pets"', "7", "topic", ["given 7", "text, in quotes"]),
        ("text =", "info =", "en.text", ["missing"]),
        ('"Cats are better than dogs"', '"  "', "en.text", ["text that is not blank"]),
        ('"One claim."', '""', "en.pro.1.claim", ["given ''", "not blank"]),
        ("[[motion.en.pro]]", "[motion.en.pro]", "en.pro", ["[[double brackets]]"]),
        ("[motion.en]\n", "en = 'x'\n[motion.zh]\n", "en", ["given 'x'", "fields with values"]),
    ],
)
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, field: str, parts: list[str]
) -> None:
    content = motion().replace(old, new, 1)
    if "motion.zh" in new:
        content = content.replace("motion.en.", "motion.zh.")
    message = refusal(save(tmp_path, content))
    assert re.search(rf"mine\.toml, line \d+, motion m-1, field {re.escape(field)}: ", message)
    for part in parts:
        assert part in message


def test_an_id_with_spaces(tmp_path: Path) -> None:
    assert "without spaces" in refusal(save(tmp_path, motion("m 1")))


def faults(source: str | Path) -> list[str]:
    with pytest.raises(MotionError) as caught:
        load(source)
    return [fault.place.partition(", ")[2] for fault in caught.value.faults]


def test_all_faults_are_listed_in_the_order_of_their_lines(tmp_path: Path) -> None:
    content = motion().replace("claim =", "clam =") + motion("m-2", "Dogs").replace("value", "vlue")
    path = save(tmp_path, content)
    assert faults(path) == [
        "line 8, motion m-1, field en.pro.1.claim",
        "line 9, motion m-1, field en.pro.1.clam",
        "line 12, motion m-1, field en.con.1.claim",
        "line 13, motion m-1, field en.con.1.clam",
        "line 17, motion m-2, field category",
    ]
    assert refusal(path).endswith("(4 more: `arena motions check` lists them.)")


def test_a_motion_without_any_text(tmp_path: Path) -> None:
    content = '[[motion]]\nid = "m-1"\ncategory = "fact"\ntopic = "t"\n'
    message = refusal(save(tmp_path, content))
    assert "line 1, motion m-1, field text: missing; accepted: text, text_en, text_zh" in message


@pytest.mark.parametrize(("given", "empty"), [("pro", "con"), ("con", "pro")])
def test_a_brief_on_one_side_only(tmp_path: Path, given: str, empty: str) -> None:
    content = motion(more=f"[[motion.en.{given}]]\n{POINT}")
    message = refusal(save(tmp_path, content))
    assert f"line 5, motion m-1, field en.{empty}: the brief has no points on this side" in message


def test_an_id_twice_names_both_places(tmp_path: Path) -> None:
    save(tmp_path, motion(), "a.toml")
    save(tmp_path, motion(text="Dogs are loyal"), "b.toml")
    message = refusal(tmp_path)
    assert "b.toml, line 2, motion m-1, field id: 'm-1' is also that of" in message
    assert "a.toml, line 2, motion m-1, field id; accepted: each id once" in message


def test_a_text_twice_regardless_of_case_and_spacing(tmp_path: Path) -> None:
    content = motion() + motion("m-2", "CATS  are better than dogs")
    message = refusal(save(tmp_path, content))
    assert "line 20, motion m-2, field en.text: 'cats are better than dogs' is also" in message
    assert "mine.toml, line 6, motion m-1, field en.text" in message


def test_a_text_in_a_language_that_is_asked_for(tmp_path: Path) -> None:
    path = save(tmp_path, motion())
    assert load(path, languages=["en"]) == load(path)
    with pytest.raises(MotionError) as caught:
        load(path, languages=["en", "zh"])
    assert "line 1, motion m-1, field zh.text: no text in 'zh'; the motion has: en. Add" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("[motion]\nid = 'm'\n", "line 1, field motion: one value or table; accepted: a list"),
        ("motion = [3]\n", "line 1: given 3; accepted: fields with values"),
        ("\nname = 'x'\n", "line 2, field name: unknown key at the top level"),
    ],
)
def test_a_file_of_another_shape(tmp_path: Path, content: str, part: str) -> None:
    assert part in refusal(save(tmp_path, content))


def test_texts_that_differ_in_a_final_mark_are_found(tmp_path: Path) -> None:
    texts = ["Cats rule.", "cats RULE", "Dogs rule", "人 应当休息。", "人应当休息", "Cats ruled."]
    (tmp_path / "m.csv").write_text("text,category\n" + "".join(f"{t},value\n" for t in texts))
    found = find_near_repeats(load(tmp_path / "m.csv").motions)
    assert found == [("Cats rule.", "cats RULE"), ("人 应当休息。", "人应当休息")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_names_the_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "other.toml").write_bytes(motion().encode(encoding))
    assert load(tmp_path / "other.toml").motions


@pytest.mark.parametrize(
    "text",
    [
        "Text,Category,Language\nCats.,Value,EN\n", "sep=;\ntext;category\nCats.;value\n",
        "TEXT\tCATEGORY\nCats.\tvalue\n", '"sep=,"\r\ntext,category\r\nCats.,value\r\n',
        "sep=\\t\nText_EN\tcategory\nCats.\tvalue\n",
    ],
)  # fmt: skip
def test_heads_are_read_as_those_of_battles(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    (motion,) = load(tmp_path / "a.csv").motions
    assert motion.wordings["en"].text == "Cats."
