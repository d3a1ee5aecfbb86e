"""Documents as text: each kind, and what cannot be read."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from arena.search.documents import UnreadableDocument, read_document
from tests.pdfs import pdf

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
