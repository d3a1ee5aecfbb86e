"""Search in a folder of documents: what is found, what is skipped, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.search import folder as searched
from arena.search.folder import FolderSearch, read_library
from arena.search.results import Finding
from tests.pdfs import pdf


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


def refusal(folder: Path) -> str:
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
    assert await FolderSearch(read_library(str(folder)))(query) == (finding,)


async def test_nothing_in_common_is_nothing_found(folder: Path) -> None:
    assert await FolderSearch(read_library(str(folder)))("unheard") == ()


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
    message = refusal(tmp_path / "nowhere")
    assert message.startswith(f"search.path: {tmp_path}/nowhere does not exist.")
    assert ".txt, .md, .html, .htm, .pdf" in message


def test_a_file_is_no_folder(folder: Path) -> None:
    assert f"{folder}/a.txt is not a folder." in refusal(folder / "a.txt")


def test_a_folder_without_documents_is_told(tmp_path: Path) -> None:
    (tmp_path / "picture.png").touch()
    message = refusal(tmp_path)
    assert message == (
        f"search.path: there is no document in {tmp_path}. Put documents there "
        "(.txt, .md, .html, .htm, .pdf)."
    )


def test_a_folder_without_a_readable_document_names_them_with_the_reasons(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf(""))
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.7")
    said = refusal(tmp_path).splitlines()
    assert said[0].startswith(f"search.path: no readable document in {tmp_path} (")
    assert said[1:] == [
        "  - scan.pdf: it contains no text (if it is a scan, make it searchable with OCR)",
        "  - torn.pdf: not a readable PDF: it is broken",
    ]
