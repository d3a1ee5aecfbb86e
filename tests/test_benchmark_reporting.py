"""Tables of benchmarks show every figure."""

from __future__ import annotations

import json

import pytest

from benchmarks.reporting import report

ROW = {"case": "ten", "seconds": 1.2345, "fields": 200}


def test_a_table_has_a_row_for_each_case(capsys: pytest.CaptureFixture[str]) -> None:
    report([ROW, ROW | {"case": "thirty"}], as_json=False)
    head, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["case", "seconds", "fields"]
    assert lines == [["ten", "1.23", "200"], ["thirty", "1.23", "200"]]


def test_a_table_of_many_figures_has_a_column_for_each_case(
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = {f"figure_{number}": number / 7 for number in range(25)}
    rows = [ROW | figures, ROW | figures | {"case": "thirty"}]
    report(rows, as_json=False)
    head, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["case", "ten", "thirty"]
    assert [line[0] for line in lines] == list(rows[0])[1:]
    assert lines[-1] == ["figure_24", "3.43", "3.43"]


def test_json_has_a_line_for_each_case(capsys: pytest.CaptureFixture[str]) -> None:
    report([ROW, ROW], as_json=True)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [ROW, ROW]
