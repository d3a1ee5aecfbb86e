"""The small pages outside Streamlit: what is in them is text, and commands stand out."""

from __future__ import annotations

from dashboard.guard import notice


def test_texts_are_escaped_and_commands_marked() -> None:
    page = notice("<b>", "Start `arena serve <x>` again.", status=403, link=("/a?b&c", "<go>"))
    body = bytes(page.body).decode()
    assert "<h1>&lt;b&gt;</h1>" in body
    assert "<p>Start <code>arena serve &lt;x&gt;</code> again.</p>" in body
    assert '<a href="/a?b&amp;c">&lt;go&gt;</a>' in body
    assert page.status_code == 403
