"""All tables of the paper for one tournament."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.stored import stored_config
from arena.papers.rounds.tables import rounds_tables
from arena.store.database import Store
from tests.arena.papers.commands.test_mad import CONFIG
from tests.support.played_tournaments import played_tournament


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_tournament(tmp_path_factory, "mad-rounds", CONFIG)


def test_every_table_that_has_rows_is_there_with_the_published_ones(db: Path) -> None:
    store = Store(db)
    resolved = stored_config(store, "rounds")
    tables = list(rounds_tables(store, resolved, resolved.benches))
    assert [table.title.partition(" (published")[0] for table in tables] == [
        "Disagreement per iteration (Figure 1)",
        "correctness: quality per iteration (Figure 3)",
        "Accuracy on counter-intuitive arithmetic, 50 questions",
        "correctness: verdicts by models (Table 7)",
        "Whose answer the judge takes, of 200 debates",
        "correctness: bias and diversity (EMNLP 2024, Table 4)",
        "Bias and diversity",
    ]
    assert all(table.rows for table in tables)
