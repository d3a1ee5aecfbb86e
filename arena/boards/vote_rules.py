"""How the votes of a bench of people decide a debate: by their sum, or by majority.

The paper's three judges of a debate vote win, lose or tie, and the majority decides (Zhang et al.
2024, arXiv 2408.04472): a win and two ties are a tie. By their sum, which is the default and the
rule for the runs of models, they are a win.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias

from arena.boards.selection import Selection
from arena.errors import ConfigError
from arena.plugins import inspect_judge
from arena.records import IMPORTED, Bench
from arena.store.database import Store

Rule = Literal["sum", "majority"]
#: The rules of benches of people, by the name of the bench.
VoteRules: TypeAlias = Mapping[str, Rule]

_NOTES: Final[Mapping[Rule, str]] = {
    "sum": (
        "the sum of the votes decides a debate (a win counts 1, a tie ½), so a win and two ties "
        "are a win"
    ),
    "majority": (
        "the majority of the votes decides a debate, and one without a majority is a tie, so a win "
        "and two ties are a tie; its weight follows from the sum of the votes"
    ),
}


def vote_rules(benches: Iterable[Bench]) -> VoteRules:
    """Return the rules of those benches that are of people."""
    return _find_rules(
        (bench.name, bench.judge, bench.options) for bench in benches if not bench.model
    )


def read_vote_rules(store: Store, tournament: str) -> VoteRules:
    """Read the rules of a stored tournament's benches of people."""
    rows = store.rows(
        "SELECT config->'$.benches' AS benches FROM tournaments WHERE tournament = $name",
        {"name": tournament},
    )
    sections = json.loads(rows[0]["benches"] or "[]") if rows else []
    return _find_rules(
        (section["name"], section["judge"], section.get("options") or {})
        for section in sections
        if not section.get("model")
    )


def majority_benches(rules: VoteRules) -> frozenset[str]:
    """Return the names of the benches whose votes decide by majority."""
    return frozenset(name for name, rule in rules.items() if rule == "majority")


def rule_notes(rules: VoteRules, selection: Selection) -> tuple[str, ...]:
    """Return a note on the rule of each selected bench of people."""
    several = selection.bench == "all"
    return tuple(
        f"bench {name}: {_NOTES[rule]}" if several else _NOTES[rule]
        for name, rule in rules.items()
        if selection.bench in ("all", name) and name not in selection.without
    )


def _find_rules(benches: Iterable[tuple[str, str, Mapping[str, Any]]]) -> VoteRules:
    """Return the rules of benches (name, judge, options) without a model, which people may have.

    Those of judges that are not installed are left out.
    """
    rules: dict[str, Rule] = {}
    for name, method, options in benches:
        if method == IMPORTED:
            continue
        try:
            judge = inspect_judge(method, options)
        except ConfigError:
            continue
        if judge.by_people:
            rules[name] = "majority" if judge.by_majority else "sum"
    return rules
