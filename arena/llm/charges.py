"""What calls count towards the caps, by the lines of their journals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from arena.llm.purse import Cost

Key: TypeAlias = tuple[str, int]


class Charge(NamedTuple):
    """What a call counts towards the caps; `reserved` is the part whose bill is not known.

    That part is the worst case of answers that never arrived. In USD, then in tokens.
    """

    usd: float = 0.0
    reserved: float = 0.0
    tokens: float = 0.0
    reserved_tokens: float = 0.0

    @property
    def cost(self) -> Cost:
        """All that counts."""
        return Cost(self.usd, self.tokens)

    @property
    def known(self) -> Cost:
        """The part of it that was paid for answers."""
        return self.cost.less(Cost(self.reserved, self.reserved_tokens))

    def add(self, cost: Cost, *, is_known: bool) -> Charge:
        """Return the charge with a further answer."""
        reserved = Cost() if is_known else cost
        return self.plus(Charge(cost.usd, reserved.usd, cost.tokens, reserved.tokens))

    def plus(self, other: Charge) -> Charge:
        """Return the sum of two charges."""
        return Charge(*(mine + its for mine, its in zip(self, other, strict=True)))


def call_key(line: Mapping[str, Any]) -> Key:
    """Return what names the call of a line: its path and attempt."""
    return line["path"], line["attempt"]


def sum_charges(charges: Iterable[Charge]) -> Charge:
    """Add up the charges of several calls."""
    total = Charge()
    for charge in charges:
        total = total.plus(charge)
    return total


def charge_calls(lines: Iterable[Mapping[str, Any]]) -> dict[Key, Charge]:
    """Sum up what each call costs; a `start` that nothing follows counts at its worst case."""
    charges: dict[Key, Charge] = defaultdict(Charge)
    pending: dict[Key, Cost] = {}
    for line in lines:
        key = call_key(line)
        if line["event"] == "start":
            charges[key] = charges[key].add(pending.pop(key, Cost()), is_known=False)
            pending[key] = _read_cost(line)
        else:
            pending.pop(key, None)
            is_known = line["event"] == "call" or line.get("billed", False)
            charges[key] = charges[key].add(_read_cost(line), is_known=is_known)
    for key, cost in pending.items():
        charges[key] = charges[key].add(cost, is_known=False)
    return dict(charges)


def _read_cost(line: Mapping[str, Any]) -> Cost:
    """Read what a line counts; journals of earlier versions hold the tokens of answers only."""
    usage = line.get("completion", line).get("usage", {})
    answered = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    return Cost(line.get("usd", 0.0), line.get("tokens", answered))
