"""PDF files for tests, written by hand: text in English and Chinese, a page per text."""

from __future__ import annotations

_HEAD = b"%PDF-1.7\n"
_CMAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Same def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
{ranges}
endcmap end end"""


def pdf(*pages: str) -> bytes:
    """A PDF with a page for each text, its lines kept; an empty text is a page without any."""
    first = 6
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H "
        "/DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 1000 "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        _stream(_CMAP.format(ranges=_ranges("".join(pages)))),
    ]
    for number, text in enumerate(pages):
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F 3 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>",
            _stream(_shown(text)),
        ]
    return _file(objects)


def _ranges(text: str) -> str:
    """The characters that are used, each its own code; of all 65,536, a reader makes a table."""
    codes = sorted({f"<{character.encode('utf-16-be').hex()}>" for character in text})
    listed = [codes[start : start + 100] for start in range(0, len(codes), 100)]  # a range's limit
    return "\n".join(
        f"{len(some)} beginbfchar {' '.join(f'{code} {code}' for code in some)} endbfchar"
        for some in listed
    )


def _shown(text: str) -> str:
    lines = [f"<{line.encode('utf-16-be').hex()}> Tj T*" for line in text.splitlines()]
    return f"BT /F 12 Tf 14 TL 40 740 Td {' '.join(lines)} ET" if lines else ""


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def _file(objects: list[str]) -> bytes:
    written, places = _HEAD, []
    for number, one in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return written + f"{tail}startxref\n{len(written)}\n%%EOF\n".encode()
