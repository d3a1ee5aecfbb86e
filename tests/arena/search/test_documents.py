"""Documents as text: each kind, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from arena.errors import ConfigError
from arena.languages import CHINESE
from arena.search import documents as searched
from arena.search.documents import (
    LONGEST,
    UnreadableDocument,
    flatten,
    read_document,
    read_library,
    split_excerpts,
)
from arena.search.tool import Finding
from tests.support.pdf_files import pdf

PAGE = """<!doctype html><html><head><meta charset="{charset}"><title>Hours</title>
<style>p {{ color: red }}</style><script>let wages = "<p>none</p>";</script></head>
<body><h1>Work</h1><p>Wages <b>ro</b>se &amp; stayed.</p><ul><li>工时缩短。<li>Two</ul>
<noscript>Switch it on.</noscript></body></html>"""


def read(folder: Path, name: str, content: bytes) -> list[tuple[str, str]]:
    file = folder / name
    file.write_bytes(content)
    return read_document(file)


def refusal(folder: Path, name: str, content: bytes) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        read(folder, name, content)
    return str(caught.value)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "A.TXT"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_text_is_read_as_it_stands(tmp_path: Path, name: str, encoding: str) -> None:
    said = "Wages rose.\n\n工资上涨。"
    assert read(tmp_path, name, said.encode(encoding)) == [("", said)]


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "gbk"])
def test_a_page_is_its_text_block_by_block(tmp_path: Path, charset: str) -> None:
    ((place, text),) = read(tmp_path, "a.html", PAGE.format(charset=charset).encode(charset))
    blocks = [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]
    assert place == ""
    assert blocks == ["Hours", "Work", "Wages rose & stayed.", "工时缩短。", "Two"]


def test_a_pdf_is_read_page_by_page_and_broken_words_are_joined(tmp_path: Path) -> None:
    content = pdf("Wages rose inter-\nnationally.", "", "工资上涨。")
    assert read(tmp_path, "a.pdf", content) == [
        ("p. 1", "Wages rose internationally."),
        ("p. 3", "工资上涨。"),
    ]


def test_a_pdf_without_text_says_so(tmp_path: Path) -> None:
    assert "no text (if it is a scan," in refusal(tmp_path, "a.pdf", pdf("", ""))


@pytest.mark.parametrize("content", [b"", b"No PDF at all.", pdf("Wages rose.")[:200]])
def test_a_broken_pdf_says_so(tmp_path: Path, content: bytes) -> None:
    assert refusal(tmp_path, "a.pdf", content) == "not a readable PDF: it is broken"


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    writer, locked = PdfWriter(PdfReader(BytesIO(pdf("Wages rose.")))), BytesIO()
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(locked)
    assert refusal(tmp_path, "a.pdf", locked.getvalue()) == "not a readable PDF: it is encrypted"


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_another_encoding_says_so(tmp_path: Path, name: str) -> None:
    message = refusal(tmp_path, name, "工资上涨。".encode("gb18030"))
    assert message == "it is not UTF-8 text; save it as UTF-8"


def test_a_page_in_an_encoding_of_nobody_says_so(tmp_path: Path) -> None:
    message = refusal(tmp_path, "a.html", b'<meta charset="klingon-8"><p>Qapla.</p>')
    assert message == "it is not KLINGON-8 text; save it as UTF-8"


@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_a_document_without_text_says_so(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path, name, b" \n ") == "it contains no text"


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match="cannot be read: No such file"):
        read_document(tmp_path / "gone.txt")


texts = st.lists(
    st.sampled_from(
        [
            "Wages rose.",
            "工资上涨了。",
            " ",
            "\n",
            "\n\n",
            "word ",
            "字" * 40,
            "x" * 200,
            "[3]",
            "A b.",
        ]
    ),
    max_size=60,
).map("".join)


def test_short_paragraphs_share_an_excerpt() -> None:
    assert split_excerpts("# Title\n\nWages rose.\nSo did output [2].\n\nEnd.") == [
        "# Title Wages rose. So did output (2). End."
    ]


def test_long_texts_are_divided_between_sentences() -> None:
    sentence = "One two three four five six seven eight nine ten."
    assert split_excerpts(" ".join([sentence] * 31)) == [" ".join([sentence] * 15)] * 2 + [sentence]


def test_chinese_is_measured_in_characters() -> None:
    sentence = "一二三四五六七八九十。"
    result = split_excerpts(sentence * 31)
    assert [one.count("。") for one in result] == [15, 15, 1]


def test_what_has_no_sentences_is_divided_all_the_same() -> None:
    assert [len(one) for one in split_excerpts("字" * 400)] == [150, 150, 100]
    words = split_excerpts("word " * 400)
    assert "".join(words).count("word") == 400
    assert all(one.split() == ["word"] * len(one.split()) for one in words)


@given(texts)
def test_no_excerpt_is_too_long_or_blank(text: str) -> None:
    for one in split_excerpts(text):
        assert one.strip() and "\n" not in one
        assert CHINESE.count(one) <= LONGEST


@given(texts)
def test_nothing_is_lost(text: str) -> None:
    kept = "".join("".join(split_excerpts(text)).split())
    assert kept == "".join(flatten(text).split())


@pytest.fixture(autouse=True)
def _no_library_is_known() -> Iterator[None]:
    read_library.cache_clear()
    yield
    read_library.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("Wages rose in the trial.", "utf-8")
    (tmp_path / "b.md").write_text("四天工作制提高了产出。", "utf-8")
    (tmp_path / "sub" / "c.html").write_text("<p>Tired drivers crash.</p>", "utf-8")
    (tmp_path / "d.pdf").write_bytes(pdf("A cover.", "Trials in Iceland shortened hours."))
    return tmp_path


def library_refusal(folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_library(str(folder))
    return str(caught.value)


@pytest.mark.parametrize(
    ("query", "finding"),
    [
        ("wages", Finding(origin="a.txt", excerpt="Wages rose in the trial.")),
        ("四天工作", Finding(origin="b.md", excerpt="四天工作制提高了产出。")),
        ("drivers", Finding(origin="sub/c.html", excerpt="Tired drivers crash.")),
        (
            "Iceland hours",
            Finding(origin="d.pdf, p. 2", excerpt="Trials in Iceland shortened hours."),
        ),
    ],
)
async def test_every_kind_of_document_is_found_with_its_place(
    folder: Path, query: str, finding: Finding
) -> None:
    assert await read_library(str(folder))(query) == (finding,)


async def test_nothing_in_common_is_nothing_found(folder: Path) -> None:
    assert await read_library(str(folder))("unheard") == ()


async def test_the_document_of_a_finding_is_read_and_of_a_pdf_its_page(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Wages rose. " * 100 + "\n\nHours fell.", "utf-8")
    (tmp_path / "report.pdf").write_bytes(pdf("Wages rose.", "Hours fell by a tenth."))
    library = read_library(str(tmp_path))
    notes = await library.read("notes.txt", "hours")
    assert [one.origin for one in notes] == ["notes.txt"] * 2
    assert notes[-1].excerpt.endswith("Hours fell.")
    assert await library.read("report.pdf, p. 2", "wages") == (
        Finding(origin="report.pdf, p. 2", excerpt="Hours fell by a tenth."),
    )
    assert await library.read("gone.txt", "hours") == ()


def test_the_order_is_that_of_the_names(folder: Path) -> None:
    origins = [one.origin for one in read_library(str(folder)).index.findings]
    assert origins == ["a.txt", "b.md", "d.pdf, p. 1", "d.pdf, p. 2", "sub/c.html"]


def test_a_folder_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_library(str(folder))
    monkeypatch.setattr(searched, "read_document", None)
    assert read_library(str(folder)) is first


def test_what_is_hidden_or_of_another_kind_is_left_alone(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "e.txt").write_text("Wages of sin.", "utf-8")
    (folder / ".f.txt").write_text("Wages of sin.", "utf-8")
    (folder / "g.docx").write_bytes(b"PK")
    (folder / "h.txt").mkdir()
    library = read_library(str(folder))
    assert (library.documents, library.skipped) == (4, ())


def test_one_bad_document_among_good_ones_is_named_and_skipped(folder: Path) -> None:
    (folder / "scan.pdf").write_bytes(pdf(""))
    (folder / "old.txt").write_bytes("工资".encode("gb18030"))
    (folder / "gone.txt").symlink_to(folder / "nowhere.txt")
    library = read_library(str(folder))
    assert library.documents == 4
    assert library.lines("docs") == [
        "search: 5 excerpts of 4 documents in docs",
        "skipped: gone.txt: cannot be read: No such file or directory",
        "skipped: old.txt: it is not UTF-8 text; save it as UTF-8",
        "skipped: scan.pdf: it contains no text (if it is a scan, make it searchable with OCR)",
    ]


def test_of_many_skipped_documents_a_few_are_named(folder: Path) -> None:
    for number in range(8):
        (folder / f"empty-{number}.txt").touch()
    lines = read_library(str(folder)).lines("docs")
    assert len(lines) == 7 and lines[-1] == "skipped: and 3 more"


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    message = library_refusal(tmp_path / "nowhere")
    assert message.startswith(f"search.path: {tmp_path}/nowhere does not exist.")
    assert ".txt, .md, .html, .htm, .pdf" in message


def test_a_file_is_no_folder(folder: Path) -> None:
    assert f"{folder}/a.txt is not a folder." in library_refusal(folder / "a.txt")


def test_a_folder_without_documents_is_told(tmp_path: Path) -> None:
    (tmp_path / "picture.png").touch()
    message = library_refusal(tmp_path)
    assert message == (
        f"search.path: there is no document in {tmp_path}. Put documents there "
        "(.txt, .md, .html, .htm, .pdf)."
    )


def test_a_folder_without_a_readable_document_names_them_with_the_reasons(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf(""))
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.7")
    said = library_refusal(tmp_path).splitlines()
    assert said[0].startswith(f"search.path: no readable document in {tmp_path} (")
    assert said[1:] == [
        "  - scan.pdf: it contains no text (if it is a scan, make it searchable with OCR)",
        "  - torn.pdf: not a readable PDF: it is broken",
    ]
