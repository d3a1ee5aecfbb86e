"""What a run tells an address of the user's: its end, its cap, and providers that stay away.

Messages hold names, numbers and commands, and no word of a debate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from arena.console.figures import Figures
from arena.console.figures_text import format_result, format_seconds, format_units
from arena.console.notifier import Notifier
from arena.console.run_ending import ALL_DONE
from arena.llm.budget import Budget
from arena.llm.purse import Purse
from arena.text import format_cap, format_usd

#: Seconds after which an address that is away is worth a message.
AWAY_SECONDS = 600.0
_LONGEST = 300


class RunNotices:
    """Tells what happens in a run; without a notifier, nothing.

    Args:
        notifier: sends the messages.
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

    def done(self, ending: str, figures: Figures, *, is_over: bool) -> None:
        """Tell how the work came to its end.

        Args:
            ending: why, a sentence.
            figures: how far it is.
            is_over: whether it was not stopped before its end.
        """
        self.look()
        why = ending if len(ending) <= _LONGEST else f"{ending[:_LONGEST]}…"
        result = f"{format_units(figures)}. {format_result(figures)}"
        if not is_over:
            self._end(f"stopped early: {why} {result} {self._resume()}")
        elif any(count.done < count.total for count in figures.units):
            self._end(f"ended: {why} {result} {self._resume()}")
        else:
            self._end(f"done. {result}" if ending == ALL_DONE else f"ended: {why} {result}")

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
