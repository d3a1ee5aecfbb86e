"""The frame of a site's pages: head, navigation, style and script, in which nothing else may run.

Everything that is stored passes through templates that escape it. The policy of each page forbids
a browser to load or run anything but the site's own style sheet, script and pictures; a style that
stands in a page is named in it by its hash, so the policy has no exception.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup

from arena.output.board_html import STYLE
from arena.output.charts import DARK, LIGHT
from arena.publish import addresses
from arena.report.overview.page import safe_text

_POLICY: Final = (
    "default-src 'none'; style-src 'self'{styles}; script-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
#: A style within a tag. Texts cannot look like one: their quotation marks are escaped.
_STYLE: Final = re.compile(r' style="([^"]*)"')
_SHEET: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_META: Final = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')
_ICON: Final = '<link rel="icon" href="data:,">'


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What all pages of a site have in common.

    Attributes:
        name: of the tournament.
        marks: what has to be said of its models.
        sections: the pages of the navigation, by their titles.
        as_of: when the newest result is from.
        url: where the site will stand, with a slash at its end; '' where that is not known.
        origin: how it was made.
    """

    name: str
    marks: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]
    as_of: str
    url: str
    origin: str

    def page(self, template: str, address: str, *, title: str, **content: Any) -> bytes:  # noqa: ANN401
        """Return a page.

        Args:
            template: its file, without its ending.
            title: of the page, which its heading repeats.
            content: what the template shows.
        """
        text = (
            environment()
            .get_template(f"{template}.html")
            .render(
                frame=self,
                address=address,
                root=addresses.to_root(address),
                title=title,
                **content,
            )
        )
        return seal(text)


def seal(page: str) -> bytes:
    """Return a page whose policy lets in its own styles alone, each known by its hash.

    Styles within tags become rules of a style sheet in the head.
    """
    rules: dict[str, int] = {}

    def refer(style: re.Match[str]) -> str:
        return f' data-style="{rules.setdefault(style[1], len(rules))}"'

    head, divide, body = page.partition("</head>")
    body = _STYLE.sub(refer, body)
    if rules:
        sheet = "".join(
            f':root [data-style="{number}"]{{{style}}}' for style, number in rules.items()
        )
        head += f"<style>{sheet}</style>\n"
    hashes = "".join(f" 'sha256-{_hash(sheet)}'" for sheet in _SHEET.findall(head))
    policy = _POLICY.format(styles=hashes)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return f"{_META.sub(meta, head.replace(_ICON, ''), count=1)}{divide}{body}".encode(
        errors="replace"
    )


def site_files() -> dict[str, bytes]:
    """Return the files that all pages load, by address."""
    own = files("arena.publish")
    report = jinja2.Template(
        files("arena.report.overview").joinpath("page.css").read_text("utf-8")
    ).render(light=LIGHT, dark=DARK)
    style = "\n".join((report, STYLE.read_text("utf-8"), own.joinpath("site.css").read_text()))
    return {
        "site.css": style.encode(),
        "site.js": own.joinpath("site.js").read_bytes(),
        "icon.svg": own.joinpath("icon.svg").read_bytes(),
    }


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def environment() -> jinja2.Environment:
    """Return what renders the templates of a site: all that is stored is escaped."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("arena.publish", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=safe_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def trusted(html: str) -> Markup:
    """Mark HTML in which everything that is stored has been escaped."""
    return Markup(html)  # noqa: S704
