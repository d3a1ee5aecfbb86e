"""The probe that a page finds in a database: the same findings as the command that took it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.config.stored import stored_config
from arena.store.database import Store
from judges.studies.probes.measurement import measure_probe, probe_tables, stored_probe
from tests.support.command_line import done


@pytest.mark.slow
def test_a_stored_probe_is_found_and_measured_as_the_command_does(own_database: Path) -> None:
    store = Store(own_database)
    resolved = stored_config(store, None)
    assert stored_probe(store, resolved) is None
    defects = ("--defect", "cut", "--defect", "flattery")
    words = ("judges", "probe", "--db", own_database, "--debates", "4", *defects)
    printed = done(*words, "--yes", "--format", "json")
    expected = json.loads(printed[printed.index("{") :])["findings"]
    planned = stored_probe(store, resolved)
    assert planned is not None and len(planned.debates) == 4
    findings = measure_probe(store, planned)
    assert json.loads(json.dumps([asdict(finding) for finding in findings])) == expected
    tables = probe_tables(planned, findings)
    assert len(tables) == len(planned.benches) and tables[-1].notes
