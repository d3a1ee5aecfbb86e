"""Lines of TOML values: what `TomlPositions` says is where they stand."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motions.toml_file import TomlPositions, unended_line

DOCUMENT = '''\
# a comment with [[motion]] in it
[[motion]]
id = "a"
en.text = """
[[motion]]
id = "not this one"
"""   # a comment

[[ motion ]]
  id = 'b'
  topic = "] and } and \\""
[motion . en]
text = 'one # two'
pro = [
  { claim = "c", evidence = "]" },
  { claim = "d", evidence = \'\'\'
[[motion]]\'\'\' },
]
[[motion."en".con]]
claim = "first"
[[motion.en.con]]

claim = "second"
[[motion]]
[[motion.en.con]]
claim = "third"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("motion", 0), 2),
        (("motion", 0, "id"), 3),
        (("motion", 0, "en"), 4),
        (("motion", 0, "en", "text"), 4),
        (("motion", 0, "topic"), 2),
        (("motion", 1), 9),
        (("motion", 1, "id"), 10),
        (("motion", 1, "en"), 12),
        (("motion", 1, "en", "text"), 13),
        (("motion", 1, "en", "pro", 1, "claim"), 14),
        (("motion", 1, "en", "con", 0), 19),
        (("motion", 1, "en", "con", 0, "claim"), 20),
        (("motion", 1, "en", "con", 1), 21),
        (("motion", 1, "en", "con", 1, "claim"), 23),
        (("motion", 1, "en", "con", 1, "evidence"), 21),
        (("motion", 2, "en", "con", 0, "claim"), 26),
        (("nowhere",), 1),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_and_tables_have_their_lines(
    path: tuple[str | int, ...], line: int, end: str
) -> None:
    tomllib.loads(DOCUMENT)
    assert TomlPositions(DOCUMENT.replace("\n", end)).line(path) == line


_TEXTS = st.sampled_from(
    ['"plain"', "'[[motion]]'", '"""\n[[motion]]\nid = 1\n"""', "'''a\n\n]'''", '[\n"x",\n]', "{}"]
)
_BETWEEN = st.sampled_from(["", "\n", "# [[motion]]\n", "   # x = 1\n\n"])


@given(st.lists(st.lists(st.tuples(_BETWEEN, _TEXTS), max_size=4), min_size=1, max_size=5))
def test_lines_are_those_on_which_they_were_written(
    tables: list[list[tuple[str, str]]],
) -> None:
    text = ""
    expected: dict[tuple[str | int, ...], int] = {}
    for number, values in enumerate(tables):
        expected["motion", number] = text.count("\n") + 1
        text += "[[motion]]\n"
        for name, (between, value) in zip("abcd", values, strict=False):
            text += between
            expected["motion", number, name] = text.count("\n") + 1
            text += f"{name} = {value}\n"
    tomllib.loads(text)
    positions = TomlPositions(text)
    assert {path: positions.line(path) for path in expected} == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = 1\n\n# x\nb = """\nc = 2\n', 4),
        ("a = [\n1,\n]\nb = [\n[1],\n", 4),
        ("a = [\n" + "1,\n" * 2000, 1),
        ('a = """\n\n"""\nb = \'\'\'', 4),
    ],
)
def test_what_never_ends_is_told_where_it_begins(text: str, line: int) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match="end of document"):
        tomllib.loads(text)
    assert unended_line(text) == line
