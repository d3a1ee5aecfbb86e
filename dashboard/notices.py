"""The small pages that stand outside Streamlit: sign in, and what is refused, and why."""

from __future__ import annotations

import re
from html import escape

from starlette.responses import HTMLResponse

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root {{ --ink: #31333f; --paper: #ffffff; --line: #d5d6db; --accent: #0072b2; --on: #ffffff }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #fafafa; --paper: #171614; --line: #3d3b38; --accent: #56b4e9; --on: #171614 }}
}}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 "Source Sans", "Source Sans Pro", system-ui, sans-serif }}
main {{ max-width: 34rem; margin: 18vh auto 0; padding: 2rem; border: 1px solid var(--line);
  border-radius: .5rem; overflow-wrap: anywhere }}
@media (max-width: 40rem) {{ main {{ margin: 1rem }} }}
h1 {{ font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem }}
p {{ margin: 0 0 1rem }}
code {{ white-space: nowrap }}
a {{ display: inline-block; padding: .5rem 1rem; border-radius: .5rem; text-decoration: none;
  background: var(--accent); color: var(--on); font-weight: 600 }}
a:focus-visible {{ outline: 3px solid var(--ink); outline-offset: 2px }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{link}</main></body></html>
"""


def notice(title: str, text: str, *, status: int, link: tuple[str, str] = ("", "")) -> HTMLResponse:
    """Return a page with a heading, a sentence and at most one link.

    Args:
        title: the heading.
        text: the sentence; a command stands between backticks.
        status: of the response.
        link: its address and its words; '' for none.
    """
    address, words = link
    button = f'<a href="{escape(address)}">{escape(words)}</a>' if address else ""
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    page = _PAGE.format(title=escape(title), text=marked, link=button)
    return HTMLResponse(page, status_code=status, headers=_HEADERS)
