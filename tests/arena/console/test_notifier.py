"""Messages to an address: their form, and what happens where it fails."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from arena.console import notifier
from arena.console.notifier import Notifier, guess_form, read_notifier
from arena.errors import ConfigError
from tests.servers.notified import hanging, notified, refusing


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(notifier, "PAUSE_SECONDS", (0.01, 0.01))
    yield


def test_plain_text_and_slacks_json_arrive_in_their_order() -> None:
    with notified() as seen:
        for form in ("text", "slack"):
            sender = Notifier(seen.url, "slack" if form == "slack" else "text")
            sender.tell("one: 50 %, “half”")
            sender.tell("two")
            assert sender.close() == ""
    assert seen.bodies[:2] == ["one: 50 %, “half”", "two"]
    assert [json.loads(body) for body in seen.bodies[2:]] == [
        {"text": "one: 50 %, “half”"},
        {"text": "two"},
    ]
    assert seen.kinds[0].startswith("text/plain") and seen.kinds[2].startswith("application/json")


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("https://hooks.slack.com/services/T0/B0/x", "slack"),
        ("https://notslack.com/services/T0", "text"),
        ("https://mattermost.example.org/hooks/abc", "slack"),
        ("https://discord.com/api/webhooks/1/abc/slack", "slack"),
        ("https://chat.googleapis.com/v1/spaces/x", "slack"),
        ("https://ntfy.sh/arena", "text"),
        ("http://192.168.1.5:8080/hooks-of-mine", "text"),
    ],
)
def test_the_form_follows_from_host_and_path(url: str, form: str) -> None:
    assert guess_form(url) == form


def test_the_form_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with notified() as seen:
        monkeypatch.setenv("ARENA_NOTIFY_URL", seen.url)
        monkeypatch.setenv("ARENA_NOTIFY_FORMAT", "slack")
        sender = read_notifier()
        assert sender is not None
        sender.tell("x")
        assert sender.close() == ""
    assert seen.bodies == ['{"text": "x"}']


def test_a_passing_failure_is_tried_again_and_a_refusal_is_not() -> None:
    with notified(statuses=(503, 429)) as seen:
        sender = Notifier(seen.url, "text")
        sender.tell("x")
        assert sender.close() == "" and seen.bodies == ["x"] * 3
    with notified(statuses=(403,)) as seen:
        sender = Notifier(seen.url, "text")
        sender.tell("x")
        sender.tell("y")
        assert sender.close() == ("1 notification to 127.0.0.1 could not be delivered (HTTP 403).")
        assert seen.bodies == ["x", "y"]


def test_a_message_is_sent_nowhere_else() -> None:
    with notified() as elsewhere, notified(statuses=(302,), location=elsewhere.url) as seen:
        sender = Notifier(seen.url, "text")
        sender.tell("x")
        assert "HTTP 302" in sender.close()
        assert elsewhere.bodies == []


def test_an_address_that_hangs_is_given_up_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "CLOSE_SECONDS", 0.2)
    with hanging() as url:
        sender = Notifier(url, "text")
        begun = time.monotonic()
        sender.tell("x")
        sender.tell("y")
        assert time.monotonic() - begun < 0.1, "nobody waits for a message"
        line = sender.close()
        assert time.monotonic() - begun < 2.0
    assert line.startswith("2 notifications to 127.0.0.1 could not be delivered")
    assert "secret" not in line and "\n" not in line


def test_an_address_that_refuses_is_given_up_with_one_line() -> None:
    sender = Notifier(refusing(), "text")
    sender.tell("x")
    line = sender.close()
    assert "1 notification to 127.0.0.1 could not be delivered (Connection refused)" in line
    assert "secret" not in line


def test_without_an_address_there_is_no_notifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_NOTIFY_URL", raising=False)
    assert read_notifier() is None


@pytest.mark.parametrize(
    ("url", "form", "message"),
    [
        ("ntfy.sh/secret", "", "is no address that can be posted to"),
        ("ftp://ntfy.sh/secret", "", "is no address"),
        ("https:///secret", "", "is no address"),
        ("https://ntfy.sh:port/secret", "", "is no address"),
        ("https://ntfy.sh/se cret", "", "is no address"),
        ("https://me:secret@ntfy.sh/x", "", "a user or a password"),
        ("https://ntfy.sh/secret", "xml", "ARENA_NOTIFY_FORMAT is 'xml'. Accepted: slack, text."),
    ],
)
def test_a_bad_address_is_refused_and_not_printed(
    url: str, form: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_NOTIFY_URL", url)
    monkeypatch.setenv("ARENA_NOTIFY_FORMAT", form)
    with pytest.raises(ConfigError) as refused:
        read_notifier()
    assert message in str(refused.value) and "cret" not in str(refused.value)
