"""A judge's code that breaks its interface: an error of the ballot that says what it gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.judge import Hearing, Judgement
from arena.records import Verdict
from judges.methods.single import Single
from tests.support.scripted_backend import ScriptedBackend
from tests.support.scripted_ballots import answer, take


def _verdict(dimension: str, outcome: float = 1.0) -> Verdict:
    return Verdict(dimension=dimension, outcome=outcome, pro_mark=6, con_mark=4, comment="")


@pytest.mark.parametrize(
    ("verdicts", "reason"),
    [
        ([], "the judge gave verdicts on nothing; its dimensions are "),
        ([_verdict("wit")], "the judge gave verdicts on wit; its dimensions are "),
        (
            [_verdict("wit"), _verdict("overall")],
            "the judge gave verdicts on wit, overall; its dimensions are ",
        ),
        (None, "the outcome 0.7 is not 1, 0.5 or 0."),
    ],
)
async def test_verdicts_that_nobody_could_rate_are_an_error_of_the_judge(
    verdicts: list[Verdict] | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def judge(self: Single, hearing: Hearing) -> Judgement:
        given = [_verdict(name, 0.7) for name in self.dimensions] if verdicts is None else verdicts
        return Judgement(verdicts=tuple(given), rationale="So.")

    monkeypatch.setattr(Single, "judge", judge)
    ballot = (await take("single", {}, ScriptedBackend(answer), tmp_path)).ballot
    assert (ballot.status, ballot.verdicts) == ("error", ())
    assert reason in ballot.reason
