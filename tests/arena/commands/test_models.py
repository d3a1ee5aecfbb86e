"""How the answers of a tournament's models are counted."""

from __future__ import annotations

from pathlib import Path

from arena.commands.models import model_answers
from arena.store.database import Store
from tests.support.command_line import done
from tests.support.stored_databases import change


def test_each_answer_is_counted_once_with_its_repairs(own_database: Path) -> None:
    store = Store(own_database)
    change(
        store,
        "INSERT INTO calls SELECT * REPLACE (1 AS attempt, 'fence' AS bent) FROM calls "
        "WHERE path = 'pro/rebuttal/writer/1' AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'unreadable' WHERE path = 'pro/rebuttal/writer/1' "
        "AND attempt = 0 AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'prose, unreadable' WHERE path = 'con/summary/writer/1' "
        "AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'prose, fence', structured = 'schema', "
        "served_model = 'weak-05', fingerprint = 'fp' "
        "WHERE path = 'con/rebuttal/writer/1' AND model = 'offline/weak'",
    )
    rows = {row.model: row for row in model_answers(store, "small")}
    weak = rows["offline/weak"]
    assert (weak.answers, weak.as_sent, weak.bent, weak.repaired, weak.lost) == (12, 6, 2, 2, 2)
    assert weak.calls == 14
    assert weak.kinds == "fence 4, prose 4"
    assert (weak.structured, weak.served, weak.fingerprints) == ("schema", "weak-05", 1)
    assert rows["offline/fair"].as_sent == rows["offline/fair"].answers


def test_the_command_prints_shares(small_database: Path) -> None:
    printed = done("models", "--db", small_database)
    assert "small · answers of the models · simulated models" in printed
    assert "offline/weak" in printed and "100%" in printed
