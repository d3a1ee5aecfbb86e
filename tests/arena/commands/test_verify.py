"""`arena verify`, `arena reproduce` and `arena leaderboard --at`, as a user calls them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.store.database import Store
from arena.store.seals import seal_all
from tests.support.command_line import arena, done, refused
from tests.support.console_script import ask
from tests.support.stored_databases import change


def _digest(db: Path) -> str:
    return str(ask(db, "SELECT board FROM boards")[0][0])


def test_what_was_played_is_consistent_and_its_published_digest_fits(small_database: Path) -> None:
    printed = done("verify", "--db", small_database)
    assert printed.startswith("small: 6 debates = 6 finished\n  ballots: 6 valid\n")
    digest = _digest(small_database)
    assert f"digest of the board of bench: {digest}" in printed
    assert "Everything is consistent. That nobody changed rows and hashes alike" in printed
    printed = done("verify", "--db", small_database, "--digest", digest)
    assert f"Digest {digest}: board of 'small' as kept on" in printed
    assert "Everything is consistent" not in printed


def test_what_is_wrong_is_named(own_database: Path) -> None:
    digest = _digest(own_database)
    change(Store(own_database), "UPDATE speeches SET text = 'Else.' WHERE side = 'pro'")
    result = arena("verify", "--db", own_database)
    assert result.exit_code == 1
    assert "WRONG  debates: result was changed: it differs from its hash" in result.output
    assert "1 fault found." in result.output
    assert arena("reproduce", digest[:12], "--db", own_database).exit_code == 0


def test_a_digest_shows_rows_and_hashes_that_were_changed_alike(own_database: Path) -> None:
    digest = _digest(own_database)
    forged = (
        "UPDATE ballots SET status = 'failed', reason = 'lost', result_hash = '', record_hash = ''"
    )
    change(Store(own_database), forged, "DELETE FROM ballot_scores", "DELETE FROM boards")
    _seal(own_database)
    assert "consistent" in done("verify", "--db", own_database)
    result = arena("verify", "--db", own_database, "--digest", digest)
    assert result.exit_code == 1
    assert f"no board with the published digest, neither kept nor as they are now ({digest})" in (
        result.output
    )


def _seal(db: Path) -> None:
    Store(db).write(seal_all)


def test_a_kept_board_is_reproduced_and_shown(small_database: Path) -> None:
    name = _digest(small_database)[:12]
    printed = done("reproduce", name, "--db", small_database)
    assert f"Board {name} of 'small', kept" in printed
    assert "reproduced, byte for byte." in printed
    head, _, table = done("leaderboard", "--db", small_database, "--at", name).partition("\n\n")
    assert head.startswith("As kept on ") and head.endswith(f"UTC: board {name}")
    now = done("leaderboard", "--db", small_database)
    notes = [line for line in now.splitlines() if line.startswith(("Spent: ", "Next dollars: "))]
    assert notes and table.splitlines() == [line for line in now.splitlines() if line not in notes]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "2020-01-01"], "was kept before 2020-01-02 UTC. Kept boards (1"),
        (["--at", "abcdef0"], "no board 'abcdef0' was kept"),
        (["--at", "yesterday"], "accepted are a date (2026-11-22)"),
        (
            ["--at", "2099-01-01", "--dimension", "source"],
            "no board of small · bench bench",
        ),
    ],
)
def test_a_board_that_was_not_kept_is_one_message(
    small_database: Path, options: list[str], message: str
) -> None:
    assert message in refused("leaderboard", "--db", small_database, *options)


def test_a_hash_says_itself_what_it_selects(small_database: Path) -> None:
    name = _digest(small_database)[:12]
    message = refused("leaderboard", "--db", small_database, "--at", name, "--category", "fact")
    assert "says itself what it selects and how it is rated; leave out: category." in message


def test_a_board_of_another_version_is_one_message_and_nothing_else(own_database: Path) -> None:
    name = _digest(own_database)[:12]
    change(Store(own_database), "UPDATE boards SET content = '{}'")
    for words in (("leaderboard", "--at", name), ("reproduce", name)):
        result = arena(*words, "--db", own_database)
        assert result.exit_code == 2 and not result.stdout
        assert result.stderr.startswith(f"Error: board {name} was kept by debate-arena ")


def test_any_board_is_kept_on_request(own_database: Path) -> None:
    printed = done("leaderboard", "--db", own_database, "--dimension", "source", "--keep")
    (name,) = re.findall(r"Kept as board (\w+)", printed)
    assert "small · bench bench · source" in done("leaderboard", "--db", own_database, "--at", name)


def test_digests_are_digits(small_database: Path) -> None:
    digest = _digest(small_database)
    for name in (digest[:6], digest.upper()):
        assert "it fits." in done("verify", "--db", small_database, "--digest", name)
        assert "reproduced" in done("reproduce", name, "--db", small_database)
        assert "small" in done("leaderboard", "--at", name, "--db", small_database)
    for name in ("12", digest[:5], f"{digest}0"):
        message = f"'{name}' is not the hash of a board. Accepted are at least the first 6 of its "
        assert message in refused_after(small_database, name)
        assert message in refused("reproduce", name, "--db", small_database)
        message = refused("leaderboard", "--at", name, "--db", small_database)
        assert "or at least 6 digits of the hash of a kept board." in message


def refused_after(db: Path, digest: str) -> str:
    """The message of a digest that is refused, after what was verified."""
    result = arena("verify", "--db", db, "--digest", digest)
    assert result.exit_code == 2
    return result.stderr
