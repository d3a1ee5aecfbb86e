from pathlib import Path

import pytest

from motions import MotionError, load, shipped

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
    assert "'.yaml'; accepted: .toml" in refusal(save(tmp_path, "", "motions.yaml"))


def test_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'# first line\nid = "caf\xe9"\n')
    message = refusal(path)
    assert "latin.toml is not UTF-8: line 2 has the byte 0xe9" in message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert "cannot be read" in refusal(tmp_path)


def test_a_syntax_error_names_the_line(tmp_path: Path) -> None:
    message = refusal(save(tmp_path, "[[motion]]\nid = \n"))
    assert "mine.toml is not valid TOML" in message
    assert "line 2" in message


@pytest.mark.parametrize("content", ["", "# nothing\n", "motion = []\n"])
def test_an_empty_set(tmp_path: Path, content: str) -> None:
    assert "Motion set 'mine' is empty" in refusal(save(tmp_path, content))


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "is empty" in refusal(tmp_path)


PLACE = "mine.toml, motion 1 (m-1)"


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("topic =", "topci =", ["field topic is missing"]),
        ("[motion.en]", "color = 1\n[motion.en]", ["unknown key 'color'", "id, category, topic"]),
        ("[motion.en]", "[motion.fr]\ntext='x'\n[motion.en]", ["unknown key 'fr'", "en, zh"]),
        ("info_slide =", "slide =", ["unknown key 'en.slide'", "text, info_slide, pro, con"]),
        ("source =", "url =", ["unknown key 'en.pro.1.url'", "claim, evidence, source"]),
        ('"value"', '"values"', ["category: given 'values'", "'fact', 'policy' or 'value'"]),
        ('"pets"', "7", ["field topic: given 7", "string"]),
        ('"pets"', '"  "', ["field topic", "text that is not blank"]),
        ("text =", "info =", ["field en.text is missing"]),
        ('"One claim."', '""', ["en.pro.1.claim: given ''", "not blank"]),
        ("[[motion.en.pro]]", "[motion.en.pro]", ["field en.pro", "[[double brackets]]"]),
        ("[motion.en]\n", "en = 'x'\n[motion.zh]\n", ["field en: given 'x'", "a table of keys"]),
    ],
)
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    content = motion().replace(old, new, 1)
    if "motion.zh" in new:
        content = content.replace("motion.en.", "motion.zh.")
    message = refusal(save(tmp_path, content))
    assert PLACE in message
    for part in parts:
        assert part in message


def test_an_id_with_spaces(tmp_path: Path) -> None:
    assert "without spaces" in refusal(save(tmp_path, motion("m 1")))


def test_further_faults_are_counted(tmp_path: Path) -> None:
    content = motion().replace("claim =", "clam =")
    assert "(3 more in this motion.)" in refusal(save(tmp_path, content))


def test_a_motion_without_any_language(tmp_path: Path) -> None:
    content = '[[motion]]\nid = "m-1"\ncategory = "fact"\ntopic = "t"\n'
    message = refusal(save(tmp_path, content))
    assert PLACE in message
    assert "no wording in any language; accepted: en, zh" in message


@pytest.mark.parametrize(("given", "empty"), [("pro", "con"), ("con", "pro")])
def test_a_brief_on_one_side_only(tmp_path: Path, given: str, empty: str) -> None:
    content = motion(more=f"[[motion.en.{given}]]\n{POINT}")
    message = refusal(save(tmp_path, content))
    assert f"{PLACE}, field en.{empty}: the brief has no points on this side" in message


def test_an_id_twice_names_both_places(tmp_path: Path) -> None:
    save(tmp_path, motion(), "a.toml")
    save(tmp_path, motion(text="Dogs are loyal"), "b.toml")
    message = refusal(tmp_path)
    assert "b.toml, motion 1 (m-1): id 'm-1' is already that of" in message
    assert "a.toml, motion 1 (m-1)" in message


def test_a_text_twice_regardless_of_case_and_spacing(tmp_path: Path) -> None:
    content = motion() + motion("m-2", "CATS  are better than dogs")
    message = refusal(save(tmp_path, content))
    assert "motion 2 (m-2): text" in message


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("[motion]\nid = 'm'\n", "Write [[motion]], in double brackets"),
        ("motion = [3]\n", "motion 1: the motion: given 3; accepted: a table"),
        ("name = 'x'\n", "unknown key 'name' at the top level"),
    ],
)
def test_a_file_of_another_shape(tmp_path: Path, content: str, part: str) -> None:
    assert part in refusal(save(tmp_path, content))
