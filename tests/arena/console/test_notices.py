"""Messages to an address: their form, and what happens where it fails."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from arena.console import notices as notifier
from arena.console.notices import Notifier, RunNotices, guess_form, read_notifier
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.tournament.figures import Figures
from arena.tournament.run_record import ALL_DONE, RunEnding
from arena.tournament.workload import UnitCount
from tests.servers.notified import hanging, notified, refusing
from tests.support.command_line import arena, done
from tests.support.tournaments import SMALL


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


_RESUME = "Continue with: arena resume weekend"


class _Collected(Notifier):
    """Keeps messages instead of sending them."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1/x", "text")
        self.texts: list[str] = []

    def tell(self, text: str) -> None:
        self.texts.append(text)


def _notices(
    collected: Notifier, budget: Budget, away: Mapping[str, float] | None = None
) -> RunNotices:
    return RunNotices(
        collected,
        name="weekend",
        resume=lambda: _RESUME,
        budget=lambda: budget,
        away=lambda: away or {},
    )


def _figures(done: int) -> Figures:
    return Figures(
        units=(UnitCount("debate", done, 4),), share=done / 4, seconds=60.0, seconds_left=None,
        calls=20, failed=0, in_flight=0, waiting=0, oldest=None, tokens=100,
        tokens_per_second=0.0, spent=0.5, limit=1.0, cost=0.5, troubles=(),
    )  # fmt: skip


def test_half_and_whole_of_the_cap_are_told_once() -> None:
    collected, budget = _Collected(), Budget(10.0)
    notices = _notices(collected, budget)
    with notices.telling():
        for spent in (0.0, 4.99, 5.0, 5.5, 9.0):
            budget.usd.spent = spent
            notices.look()
        budget.usd.reached = "the spending cap is reached"
        notices.look()
        notices.look()
    assert collected.texts == [
        "weekend: half of the spending cap is used: 5.00 of 10.00 USD.",
        "weekend: the spending cap is reached: 9.00 of 10.00 USD.",
    ]


def test_what_is_reserved_is_no_measured_cost() -> None:
    collected, budget = _Collected(), Budget(10.0)
    notices = _notices(collected, budget)
    with notices.telling():
        budget.usd.spent, budget.unbilled = 5.5, 1.5
        notices.look()
    (text,) = collected.texts
    assert text == "weekend: half of the spending cap is used: 4.00 of 10.00 USD (up to 5.50)."


def test_what_earlier_runs_have_used_is_no_news_and_no_cap_neither() -> None:
    collected = _Collected()
    for budget in (Budget(10.0, spent=6.0), Budget(spent=6.0)):
        notices = _notices(collected, budget)
        with notices.telling():
            notices.look()
    assert collected.texts == []


def test_an_address_that_stays_away_is_told_once_and_again_when_it_is_back() -> None:
    collected, away = _Collected(), {"openai": 599.0}
    notices = _notices(collected, Budget(), away)
    notices.look()
    assert collected.texts == []
    for seconds in (601.0, 700.0):
        away["openai"] = seconds
        notices.look()
    assert collected.texts == ["weekend: openai has been away for 10 min 1 s; its calls wait."]
    away.clear()
    notices.look()
    assert collected.texts[1:] == ["weekend: openai answers again."]


@pytest.mark.parametrize(
    ("ending", "done", "is_over", "start"),
    [
        (ALL_DONE, 4, True, "weekend: done. 4 of 4 debates. It took 1 min, 20 calls"),
        (
            RunEnding("the cap is reached."),
            3,
            False,
            "weekend: stopped early: the cap is reached. 3 of 4 ",
        ),
        (
            RunEnding("1 debate is left.", "left"),
            3,
            True,
            "weekend: ended: 1 debate is left. 3 of 4 debates. It ",
        ),
        (
            RunEnding("the target is reached: a."),
            4,
            True,
            "weekend: ended: the target is reached: a. 4 of",
        ),
        (RunEnding("x" * 999), 3, False, f"weekend: stopped early: {'x' * 300}… 3 of 4 debates"),
    ],
)
def test_the_end_is_told_with_numbers_and_how_to_go_on(
    ending: RunEnding, done: int, is_over: bool, start: str
) -> None:
    collected = _Collected()
    notices = _notices(collected, Budget())
    with notices.telling():
        notices.done(ending, _figures(done), is_over=is_over)
    (text,) = collected.texts
    assert text.startswith(start)
    assert (_RESUME in text) == (done < 4)


@pytest.mark.parametrize(
    ("code", "reason"),
    [(1, "the time to stop, Mon 07:00, has come."), (130, ""), (143, "")],
)
def test_an_end_by_a_signal_or_by_the_clock_is_told(code: int, reason: str) -> None:
    collected = _Collected()
    notices = _notices(collected, Budget())
    with pytest.raises(SystemExit), notices.telling():
        if reason:
            notices.cut_off(reason)
        sys.exit(code)
    assert collected.texts == [
        f"weekend: stopped early: {reason or 'it was interrupted.'} Finished calls are kept. "
        f"{_RESUME}"
    ]


def test_an_error_is_told_by_its_kind_alone() -> None:
    collected = _Collected()
    with pytest.raises(ValueError), _notices(collected, Budget()).telling():
        raise ValueError("words of a debate")
    assert "by an error (ValueError)" in collected.texts[0] and "words" not in collected.texts[0]


def _run(folder: Path) -> str:
    file = folder / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return done("run", file, "--yes", "--db", folder / "own.duckdb", "--no-report")


def test_a_run_tells_that_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_stored_boards: None
) -> None:
    with notified() as seen:
        monkeypatch.setenv("ARENA_NOTIFY_URL", seen.url)
        _run(tmp_path)
    (text,) = seen.bodies
    assert text.startswith("small: done. 6 of 6 debates, 6 of 6 ballots. It took ")


@pytest.mark.parametrize("silent", [True, False])
def test_an_address_that_hangs_or_refuses_costs_a_run_one_line(
    silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_stored_boards: None
) -> None:
    monkeypatch.setattr("arena.console.notices.CLOSE_SECONDS", 0.1)
    with hanging() as address:
        monkeypatch.setenv("ARENA_NOTIFY_URL", address if silent else refusing())
        printed = _run(tmp_path)
    assert printed.count("could not be delivered") == 1 and "secret" not in printed


def test_a_bad_address_is_refused_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_NOTIFY_URL", "not an address")
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    result = arena("run", file, "--yes", "--db", tmp_path / "own.duckdb")
    assert result.exit_code == 2 and "ARENA_NOTIFY_URL is no address" in result.output
    assert not (tmp_path / "own.duckdb").exists()
