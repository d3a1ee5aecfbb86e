"""Short messages to an address of the user's, sent beside the work and never waited for.

The address is a secret (whoever knows it can post there), so no message names more than its host.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from urllib.parse import urlsplit

import click

from arena.errors import ConfigError
from arena.text import counted, format_cap, format_seconds, format_usd
from arena.tournament.figures import Figures, format_result, format_units

if TYPE_CHECKING:
    from arena.llm.budget import Budget, Purse
    from arena.tournament.run_record import RunEnding

Form = Literal["slack", "text"]

#: The variables with the address and, where the rule below is wrong about it, its form.
URL, FORMAT = "ARENA_NOTIFY_URL", "ARENA_NOTIFY_FORMAT"
#: Hosts (and those below them) that take Slack's JSON.
_SLACK_HOSTS: Final = ("slack.com", "webhook.office.com", "chat.googleapis.com")
#: Parts of a path by which other services take it: Mattermost and Rocket.Chat, and Discord.
_SLACK_PATHS: Final = ("/hooks/", "/slack/")

#: Seconds for one attempt, and the pauses before the second and the third.
ATTEMPT_SECONDS = 10.0
PAUSE_SECONDS = (2.0, 10.0)
#: Seconds that the end of a run waits for its last message, at most.
CLOSE_SECONDS = 5.0
#: Answers that may be different later.
_PASSING: Final = frozenset({408, 425, 429, *range(500, 600)})


class Notifier:
    """Sends messages to an address in a thread of its own, in their order.

    Args:
        form: `slack` for a JSON object with a `text`, `text` for the plain text.
        send: posts one body; by default over the network.
    """

    def __init__(
        self, url: str, form: Form, *, send: Callable[[urllib.request.Request], None] | None = None
    ) -> None:
        self._url, self._form = url, form
        self._host = urlsplit(url).hostname or "?"
        self._send = send or _post
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._told = self._delivered = 0
        self._reason = ""

    def tell(self, text: str) -> None:
        """Send a message when its turn has come; returns at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="notifier", daemon=True)
            self._thread.start()
        self._told += 1
        self._queue.put(text)

    def close(self) -> str:
        """Wait a moment for the last message.

        Returns:
            A line on what could not be delivered; '' where everything was.
        """
        if self._thread is None:
            return ""
        self._queue.put(None)
        self._closing.set()
        self._thread.join(CLOSE_SECONDS)
        lost = self._told - self._delivered
        if not lost:
            return ""
        reason = self._reason or "no answer"
        return f"{counted(lost, 'notification')} to {self._host} could not be delivered ({reason})."

    def _work(self) -> None:
        while (text := self._queue.get()) is not None:
            if self._deliver(text):
                self._delivered += 1

    def _deliver(self, text: str) -> bool:
        for pause in (*PAUSE_SECONDS, None):
            try:
                self._send(make_request(self._url, self._form, text))
                return True
            except urllib.error.HTTPError as error:
                self._reason = f"HTTP {error.code}"
                if error.code not in _PASSING:
                    return False
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._reason = _format_reason(error)
            if pause is None:
                return False
            self._wait(pause)
        return False

    def _wait(self, seconds: float) -> None:
        """Pause before another attempt; a short while only when the run has come to its end."""
        until = time.monotonic() + seconds
        while not self._closing.is_set() and (left := until - time.monotonic()) > 0:
            self._closing.wait(left)
        if self._closing.is_set():
            time.sleep(min(seconds, PAUSE_SECONDS[0] / 4))


def read_notifier() -> Notifier | None:
    """Return the notifier of the address in the environment; `None` where there is none.

    Raises:
        ConfigError: it is no address, or its form is unknown.
    """
    url = os.environ.get(URL, "").strip()
    if not url:
        return None
    _check_url(url)
    form = os.environ.get(FORMAT, "").strip().lower()
    accepted = get_args(Form)
    if form and form not in accepted:
        raise ConfigError(f"{FORMAT} is {form!r}. Accepted: {', '.join(accepted)}.")
    return Notifier(url, "slack" if (form or guess_form(url)) == "slack" else "text")


def guess_form(url: str) -> Form:
    """Return the form of messages that an address takes.

    >>> guess_form("https://hooks.slack.com/services/T0/B0/x"), guess_form("https://ntfy.sh/arena")
    ('slack', 'text')
    """
    parts = urlsplit(url)
    host, path = (parts.hostname or "").lower(), f"{parts.path}/"
    if any(host == name or host.endswith(f".{name}") for name in _SLACK_HOSTS):
        return "slack"
    return "slack" if any(part in path for part in _SLACK_PATHS) else "text"


def make_request(url: str, form: Form, text: str) -> urllib.request.Request:
    """Return the request that posts a message."""
    if form == "slack":
        body, kind = json.dumps({"text": text}, ensure_ascii=False), "application/json"
    else:
        body, kind = text, "text/plain"
    headers = {"Content-Type": f"{kind}; charset=utf-8", "User-Agent": "debate-arena"}
    return urllib.request.Request(url, data=body.encode(), headers=headers, method="POST")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes a redirection for a failure: a message is not sent anywhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - of urllib
        return None


def _post(request: urllib.request.Request) -> None:
    opener = urllib.request.build_opener(_NoRedirects())
    with opener.open(request, timeout=ATTEMPT_SECONDS):
        pass


def _check_url(url: str) -> None:
    """Check an address without naming it in messages."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigError(
            f"{URL} is no address that can be posted to. Accepted: http:// or https:// with a "
            "host, for example https://ntfy.sh/my-topic. Unset it for no notifications."
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"{URL} has a user or a password before the host, which is not supported. For ntfy, "
            "add ?auth=… to the address instead (its documentation says how)."
        )


def _format_reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return type(reason).__name__


#: Seconds after which an address that is away is worth a message.
AWAY_SECONDS = 600.0
_LONGEST = 300


class RunNotices:
    """Tells what happens in a run; without a notifier, nothing.

    Args:
        name: of the tournament or the database; every message begins with it.
        resume: returns how to go on later, in a sentence.
        budget: returns what the work may cost, and has cost.
        away: returns for how many seconds which addresses have been away.
        note: is told of every message, for the log.
    """

    def __init__(
        self,
        notifier: Notifier | None,
        *,
        name: str,
        resume: Callable[[], str],
        budget: Callable[[], Budget],
        away: Callable[[], Mapping[str, float]],
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._note = note
        self._notifier, self._name, self._resume = notifier, name, resume
        self._budget, self._away = budget, away
        self._is_half = self._is_whole = False
        self._absent: set[str] = set()
        self._empty: set[Purse] = set()
        self._has_ended = False
        self._cut_off = "it was interrupted."

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Tell of what happens as long as the block runs, and of an end that it did not expect."""
        budget = self._budget()
        self._is_half = budget.spent >= budget.limit / 2
        try:
            yield
        except SystemExit:
            self._end(f"stopped early: {self._cut_off} Finished calls are kept. {self._resume()}")
            raise
        except BaseException as error:
            kind = type(error).__name__
            self._end(f"stopped early by an error ({kind}). Its output says more. {self._resume()}")
            raise
        finally:
            self._close()

    def look(self) -> None:
        """Look at the money and at the addresses; called about once a second."""
        if self._notifier is None:
            return
        self._look_at_money(self._budget())
        away = self._away()
        for place, seconds in away.items():
            if seconds >= AWAY_SECONDS and place not in self._absent:
                self._absent.add(place)
                self._tell(f"{place} has been away for {format_seconds(seconds)}; its calls wait.")
        for place in sorted(self._absent - away.keys()):
            self._absent.discard(place)
            self._tell(f"{place} answers again.")

    def cut_off(self, reason: str) -> None:
        """Note why the work is cut off, where no signal does it; a sentence."""
        self._cut_off = reason

    def done(self, ending: RunEnding, figures: Figures, *, is_over: bool) -> None:
        """Tell how the work came to its end.

        Args:
            figures: how far it is.
            is_over: whether it was not stopped before its end.
        """
        self.look()
        why = ending.reason
        why = why if len(why) <= _LONGEST else f"{why[:_LONGEST]}…"
        result = f"{format_units(figures)}. {format_result(figures)}"
        if not is_over:
            self._end(f"stopped early: {why} {result} {self._resume()}")
        elif any(count.done < count.total for count in figures.units):
            self._end(f"ended: {why} {result} {self._resume()}")
        else:
            self._end(f"done. {result}" if ending.kind == "done" else f"ended: {why} {result}")

    def _look_at_money(self, budget: Budget) -> None:
        for purse in budget.limited:
            if purse is not budget.usd:
                self._look_at_purse(purse)
        if math.isinf(budget.limit) or not budget.limit:
            return
        measured, cap = budget.spent - budget.unbilled, f" of {format_cap(budget.limit)}"
        share = format_usd(measured, budget.spent, cap=cap, digits=2)
        if not self._is_whole and (budget.usd.reached or budget.spent >= budget.limit):
            self._is_half = self._is_whole = True
            self._tell(f"the spending cap is reached: {share}.")
        elif not self._is_half and budget.spent >= budget.limit / 2:
            self._is_half = True
            self._tell(f"half of the spending cap is used: {share}.")

    def _look_at_purse(self, purse: Purse) -> None:
        """Tell once that a further cap is reached; of one for a day, once a day."""
        if not purse.reached:
            self._empty.discard(purse)
        elif purse not in self._empty:
            self._empty.add(purse)
            self._tell(f"{purse.title} is reached.")

    def _end(self, text: str) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._tell(text)

    def _tell(self, text: str) -> None:
        if self._notifier is not None:
            self._notifier.tell(f"{self._name}: {text}")
            self._note(f"{self._name}: {text}")

    def _close(self) -> None:
        if self._notifier is not None and (line := self._notifier.close()):
            click.echo(line)
