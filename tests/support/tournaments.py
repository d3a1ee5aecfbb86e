"""Small tournaments made by hand: a configuration, motions, and records to store."""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.debates.ballot import BallotRecord
from arena.debates.code_errors import CodeError
from arena.debates.play import DebateRecord
from arena.languages import SIDES, Stage
from arena.llm.session import UnitRecord
from arena.records import Ballot, BallotStatus, Call, Debate, DebateStatus, Speech, Verdict
from arena.store.database import Store
from arena.store.rows import write_ballots, write_debates
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from motions import Brief, Category, Motion, Wording

#: A tournament that plays in a second: six debates, one ballot each.
SMALL = """\
[tournament]
name = "small"
languages = ["en"]
motions = "arena66"
seed = 7

[schedule]
matchups_per_pair = 1
concurrency = 4

[[participants]]
name = "strong"
debater = "direct"
model = "offline/strong"

[[participants]]
name = "fair"
debater = "direct"
model = "offline/fair"

[[participants]]
name = "weak"
debater = "direct"
model = "offline/weak"

[[benches]]
name = "bench"
judge = "debatrix"
model = "offline/strong"
runs = 1
"""

_NOW = datetime(2025, 1, 1, tzinfo=UTC)
_SPEAKING_ORDER: tuple[Stage, ...] = ("constructive", "rebuttal", "summary")


def content(*names: str, runs: int = 1, **tournament: object) -> dict[str, Any]:
    """A configuration as parsed TOML: these participants and one bench called `bench`."""
    return {
        "tournament": {"name": "small", "seed": 7, **tournament},
        "schedule": {"matchups_per_pair": 1},
        "participants": [
            {"name": name, "debater": "direct", "model": "offline/fair"}
            for name in names or ("ann", "bob", "cyd")
        ],
        "benches": [
            {"name": "bench", "judge": "debatrix", "model": "offline/fair", "runs": runs},
        ],
    }


def changed(config: Mapping[str, Any], place: Sequence[str | int], value: object) -> dict[str, Any]:
    """A copy of a configuration with another value at a place; tables are made on the way."""
    made: dict[str, Any] = copy.deepcopy(dict(config))
    section: Any = made
    for part in place[:-1]:
        section = section.setdefault(part, {}) if isinstance(section, dict) else section[part]
    section[place[-1]] = value
    return made


def motion(
    motion_id: str = "fact-1", category: Category = "fact", *, text: str = "", also: str = ""
) -> Motion:
    """A motion without a brief; `also` is its Chinese text."""
    empty = Brief(pro=(), con=())
    wordings = {"en": Wording(text=text or f"On {motion_id}", info_slide="", brief=empty)}
    if also:
        wordings["zh"] = Wording(text=also, info_slide="", brief=empty)
    return Motion(
        motion_id=motion_id, motion_set="own", category=category, topic="work", wordings=wordings
    )


ONE_EACH = (motion("fact-1", "fact"), motion("policy-1", "policy"), motion("value-1", "value"))


#: Databases of nothing but pairings, with their plans.
_NEW: dict[str, tuple[bytes, TournamentPlan]] = {}


def resolved_of(config: Mapping[str, Any], motions: Sequence[Motion] = ONE_EACH) -> ResolvedConfig:
    """A configuration resolved, on motions made by hand."""
    parsed = parse_config(config, where="own.toml")
    return resolve(parsed, where="own.toml", motions=motions)


def planned(
    path: Path, config: Mapping[str, Any] | None = None, motions: Sequence[Motion] = ONE_EACH
) -> tuple[Store, TournamentPlan]:
    """A database with a tournament's pairings, nothing played; a new one is made only once."""
    store, config = Store(path), config or content()
    key = json.dumps(config, sort_keys=True) + repr(motions)
    if store.exists() or key not in _NEW:
        new = not store.exists()
        plan = make_plan(resolved_of(config, motions), store)
        store_plan(plan, store)
        if not new:
            return store, plan
        _NEW[key] = path.read_bytes(), plan
    made, plan = _NEW[key]
    path.write_bytes(made)
    return store, plan


def speeches(text: str = "Said.") -> tuple[Speech, ...]:
    """Six short speeches, in speaking order."""
    return tuple(
        Speech(side=side, stage=stage, text=f"{side} {stage}: {text}", words=3)
        for stage in _SPEAKING_ORDER
        for side in (SIDES[::-1] if stage == "summary" else SIDES)
    )


def unit(unit_id: str, *costs: tuple[str, float]) -> UnitRecord:
    """What a unit leaves, with calls at these paths for so many USD."""
    return UnitRecord(
        unit_id=unit_id,
        calls=tuple(
            Call(
                path=path,
                attempt=0,
                task="write.constructive",
                prompt_hash="0" * 16,
                model="offline/fair",
                input_tokens=10,
                output_tokens=5,
                cached_tokens=0,
                reasoning_tokens=0,
                cost_usd=cost,
                seconds=0.1,
                retries=0,
                finish_reason="stop",
            )
            for path, cost in costs
        ),
        exchanges=zlib.compress(json.dumps([]).encode()),
        cost_usd=sum(cost for _, cost in costs),
    )


def played(
    debate: Debate,
    status: DebateStatus = "finished",
    *,
    forfeited: Literal["", "pro", "con", "both"] = "",
    costs: Sequence[tuple[str, float]] = (),
) -> DebateRecord:
    """A debate that ended; its reason names the side that forfeited."""
    return DebateRecord(
        debate=debate,
        status=status,
        reason="" if status == "finished" else f"{forfeited}, rebuttal: it ended so",
        forfeited=forfeited,
        speeches=speeches() if status == "finished" else (),
        started_at=_NOW,
        finished_at=_NOW,
        unit=unit(debate.debate_id, *costs),
    )


def judged(
    debate: Debate,
    outcome: float = 1.0,
    *,
    run: int = 0,
    status: BallotStatus = "valid",
    asked: int = 1,
    **dimensions: float,
) -> BallotRecord:
    """A ballot: the overall outcome, and those of other dimensions; all marks favour Con."""
    outcomes = {"overall": outcome, **dimensions} if status == "valid" else {}
    ballot = Ballot(
        debate_id=debate.debate_id,
        bench="bench",
        run=run,
        status=status,
        reason="" if status == "valid" else "UnparseableReply: no JSON",
        verdicts=tuple(
            Verdict(dimension=name, outcome=one, pro_mark=2, con_mark=9, comment=f"On {name}.")
            for name, one in outcomes.items()
        ),
        cost_usd=0.25,
    )
    return BallotRecord(ballot=ballot, asked=asked, unit=unit(ballot.ballot_id))


def code_error(traceback: str = "Traceback") -> CodeError:
    """An error in the code of a judge, or of Pro's debater."""
    return CodeError(
        owner="bench",
        code="judge own",
        side="pro",
        where="run 1",
        exception="KeyError",
        message="'x'",
        place="own.py:1",
        traceback=traceback,
    )


def commit(store: Store, *records: DebateRecord | BallotRecord) -> None:
    """Store records as a run does, debates first."""

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        write_debates(link, [one for one in records if isinstance(one, DebateRecord)])
        write_ballots(link, [one for one in records if isinstance(one, BallotRecord)])

    store.write(batch)


def named(plan: TournamentPlan) -> dict[str, str]:
    """Participants' names by id."""
    return {one.participant_id: one.name for one in plan.resolved.participants}


def meeting(plan: TournamentPlan, pro: str, con: str) -> Debate:
    """The one debate in which they meet on these sides."""
    names = named(plan)
    (found,) = (one for one in plan.debates if (names[one.pro], names[one.con]) == (pro, con))
    return found


def bare_debate(pro: str, con: str) -> Debate:
    """A debate of two participants, by their ids, that belongs to no plan."""
    return Debate(
        debate_id=f"{pro}-{con}",
        matchup_id="m",
        tournament="small",
        motion_id="fact-1",
        language="en",
        leg=0,
        repeat=0,
        pro=pro,
        con=con,
    )


def decide(store: Store, plan: TournamentPlan, **winners: str) -> None:
    """Play and judge everything; `ann_bob="ann"` says who wins a pair, which is tied otherwise."""
    chosen = {frozenset(pair.split("_")): name for pair, name in winners.items()}
    names = named(plan)
    ballots = []
    for debate in plan.debates:
        winner = chosen.get(frozenset((names[debate.pro], names[debate.con])))
        outcome = 0.5 if winner is None else float(winner == names[debate.pro])
        ballots.append(judged(debate, outcome, source=1 - outcome))
    commit(store, *map(played, plan.debates), *ballots)
