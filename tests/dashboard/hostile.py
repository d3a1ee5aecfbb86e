"""What a stranger could try, and whether it did anything."""

from __future__ import annotations

from playwright.sync_api import Page, expect

PIXEL = "http://192.0.2.1/pixel.png"
HOSTILE = (
    f"<script>window.hacked = 1</script> ![pixel]({PIXEL}) <img src='{PIXEL}' "
    "onerror='window.hacked = 1'> [click](javascript:window.hacked=1) http://192.0.2.1/link "
    "www.evil.example :material/home: :red[red] $x^2$ **bold**"
)


def harmless(page: Page) -> None:
    """Nothing of the hostile text has become an element or has run."""
    assert page.evaluate("window.hacked") is None
    main = page.locator("body")
    expect(main.locator("img[src*='192.0.2.1']")).to_have_count(0)
    hosts = page.evaluate("[...document.querySelectorAll('a[href]')].map(link => link.hostname)")
    assert not [host for host in hosts if "192.0.2.1" in host or "evil" in host]
    expect(main.locator("a[href^='javascript'], .katex")).to_have_count(0)
