"""Times in battle logs: units by size, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.battles.times import read_time
from arena.errors import ConfigError
from arena.store.scratch import open_scratch_database
from tests.support.battle_logs import PLAIN, read_log, write_log

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def times_of(*texts: str) -> list[datetime | None]:
    with open_scratch_database(Path("a"), folder=Path()) as link:
        link.execute("CREATE TABLE texts AS SELECT unnest($texts) AS text", {"texts": texts})
        rows = link.execute(f"SELECT epoch_us({read_time('text')}) FROM texts").fetchall()
        return [None if micros is None else _EPOCH + micros * _MICROSECOND for (micros,) in rows]


@settings(max_examples=30, deadline=None)
@given(st.datetimes(datetime(2000, 1, 2), datetime(2026, 1, 1)))
def test_a_time_is_read_in_every_unit(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)
    micros = (at - _EPOCH) // _MICROSECOND
    days = (at - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(days=1)
    exact = (
        str(micros), str(micros * 1000), f"{micros * 1000}.0", f"{micros / 1000:.3f}",
        f"{micros / 1e6:.6f}", f"{micros:e}" if micros % 10**10 == 0 else str(micros),
        at.isoformat(), str(at), naive.isoformat(),
    )  # fmt: skip
    for text, read in zip(exact, times_of(*exact), strict=True):
        assert read is not None and abs(read - at) <= _MICROSECOND, text
    rough = {
        str(micros // 10**6): timedelta(seconds=1), str(micros // 1000): timedelta(seconds=1),
        f"{days:.9f}": timedelta(seconds=1), f"{at:%Y%m%d}": timedelta(days=1),
        f"{at:%Y%m%d%H%M}": timedelta(minutes=1), f"{at:%Y%m%d%H%M%S}": timedelta(seconds=1),
    }  # fmt: skip
    for (text, step), read in zip(rough.items(), times_of(*rough), strict=True):
        assert read is not None and abs(read - at) <= step, text


def test_what_is_no_plausible_time_is_none() -> None:
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    texts = (
        later, "1699-12-31", "9999-12-31", "0044-03-15 (BC)", "infinity", "epoch", "now", "5", "0",
        "-1700000000", "946684799", "1e300", "nan", "2023", "17000000000", "170000000000000",
        "20231341", "monday", "", "1700000000,5",
    )  # fmt: skip
    assert times_of(*texts) == [None] * len(texts)
    assert None not in times_of("1700-01-01", datetime.now(UTC).isoformat(), "1851-06-21T10:00Z")


def test_pandas_files_have_the_same_times(tmp_path: Path) -> None:
    at = pd.Timestamp("2023-11-14T22:13:20.123Z")
    frame = pd.DataFrame(PLAIN).assign(timestamp=at)
    milliseconds = frame.assign(timestamp=at.value // 10**6)
    milliseconds.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    frame.to_json(tmp_path / "b.json", orient="records", date_format="iso")
    frame.to_csv(tmp_path / "c.csv")
    frame.to_parquet(tmp_path / "d.parquet")
    frame.assign(timestamp=at.value).to_csv(tmp_path / "e.csv", index=False)
    for name in ("a.jsonl", "b.json", "c.csv", "d.parquet", "e.csv"):
        staged, _ = read_log(tmp_path / name)
        assert set(pd.read_parquet(staged.path)["finished_at"]) == {at}, name


def test_an_implausible_time_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [{**row, "timestamp": at} for row, at in zip(PLAIN, [1, 1.7e12, 2, 3, 4], strict=True)]
    with pytest.raises(ConfigError) as caught:
        read_log(write_log(tmp_path / "a.csv", rows))
    message = str(caught.value)
    assert "4 of 5 rows" in message and "row 1, column timestamp: given '1'; accepted:" in message
    assert "or nothing; without this column: --column timestamp=" in message
    staged, _ = read_log(tmp_path / "a.csv", renamed={"timestamp": ""})
    assert staged.columns.ignored == ("timestamp",)


@pytest.mark.parametrize("name", ["tstamp", "created_at", "Date", "createdAt"])
def test_a_column_of_another_name_is_taken_if_it_holds_times(tmp_path: Path, name: str) -> None:
    rows = [{**row, name: at} for row, at in zip(PLAIN, [1.7e9, "", "", "", ""], strict=True)]
    staged, _ = read_log(write_log(tmp_path / "a.csv", rows))
    assert staged.columns.place["timestamp"] == name
    rows = [{**row, name: "some day"} for row in PLAIN]
    staged, _ = read_log(write_log(tmp_path / "b.csv", rows))
    assert "timestamp" not in staged.columns.place and staged.columns.ignored == (name,)
