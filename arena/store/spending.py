"""The cost of a tournament so far, from the database and the journals of unfinished units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.llm.budget import MEASURES, Cost
from arena.llm.journal import CallKey, Charge, Journal, sum_charges
from arena.plugins import format_unknown
from arena.records import ENDED, Debate, ballot_id, digest

if TYPE_CHECKING:
    from arena.llm.budget import Draws
    from arena.store.database import Store

#: What the stored units of each tournament have cost, and what of it was reserved, by role. Of
#: debates and ballots also: the number of debates, and what those cost as far as bills are known.
_BILLS = """
    WITH units AS (
      SELECT tournament, 'debaters' AS role, debate_id AS debate, debate_id AS unit, cost_usd,
             status = 'finished' AS is_counted
      FROM debates UNION ALL
      SELECT tournament, 'judges', debate_id, ballot_id, b.cost_usd, d.status = 'finished'
      FROM ballots b JOIN debates d USING (debate_id) UNION ALL
      SELECT tournament, 'measuring', NULL, unit, cost_usd, false FROM diversity
    ), reserved AS (
      SELECT unit, sum(reserved_usd) AS usd FROM calls WHERE reserved_usd > 0 GROUP BY unit
    ), bills AS (
      SELECT units.*, coalesce(r.usd, 0) AS reserved FROM units LEFT JOIN reserved r USING (unit)
    )
    SELECT t.tournament, role, coalesce(sum(cost_usd), 0) AS usd,
           coalesce(sum(reserved), 0) AS reserved,
           count(DISTINCT debate) FILTER (is_counted) AS debates,
           coalesce(sum(cost_usd - reserved) FILTER (is_counted), 0) AS counted_usd
    FROM tournaments t LEFT JOIN bills USING (tournament)
    WHERE $name IS NULL OR t.tournament = $name GROUP BY t.tournament, role
"""
_STORED_TOKENS = """
    SELECT coalesce(sum(input_tokens + output_tokens + reserved_tokens), 0) AS tokens,
           count(*) FILTER (estimated) AS estimated
    FROM calls WHERE unit IN (
      SELECT debate_id FROM debates WHERE tournament = $name UNION ALL
      SELECT ballot_id FROM ballots JOIN debates USING (debate_id)
      WHERE tournament = $name UNION ALL
      SELECT unit FROM diversity WHERE tournament = $name)
"""
_STORED_BY_PARTICIPANT = """
    SELECT CASE side WHEN 'pro' THEN pro ELSE con END AS participant,
           sum(called.usd) AS usd, sum(tokens) AS tokens
    FROM (SELECT unit, split_part(path, '/', 1) AS side, cost_usd AS usd,
                 input_tokens + output_tokens + reserved_tokens AS tokens FROM calls) AS called
    JOIN debates ON unit = debate_id
    WHERE tournament = $name AND side IN ('pro', 'con') GROUP BY participant
"""
_SIDES = """
    SELECT debate_id, pro, con FROM debates
    WHERE list_contains(CAST($units AS TEXT[]), debate_id) AND tournament = $name
"""
_COUNTED_SIDES = """
    SELECT owner, count(*) FROM (
        SELECT unnest([pro, con]) AS owner FROM debates
        WHERE list_contains(CAST($ids AS TEXT[]), debate_id)
    ) GROUP BY owner
"""
_SIDE_TOKENS = """
    SELECT CASE split_part(c.path, '/', 1) WHEN 'pro' THEN d.pro ELSE d.con END AS owner,
           c.model, sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens
    FROM calls c JOIN debates d ON d.debate_id = c.unit
    WHERE list_contains(CAST($ids AS TEXT[]), d.debate_id)
      AND split_part(c.path, '/', 1) IN ('pro', 'con')
    GROUP BY ALL ORDER BY ALL
"""
_JUDGING_TOKENS = """
    SELECT '' AS owner, c.model, sum(c.input_tokens) AS input_tokens,
           sum(c.output_tokens) AS output_tokens
    FROM calls c JOIN ballots b ON b.ballot_id = c.unit
    WHERE list_contains(CAST($ids AS TEXT[]), b.debate_id)
    GROUP BY ALL ORDER BY ALL
"""
_DEBATERS = """
    SELECT DISTINCT tournament, debater, coalesce(nullif(model, ''), name) AS model
    FROM participants WHERE $name IS NULL OR tournament = $name
"""
_OPEN_DEBATES = f"""
    SELECT debate_id AS unit, tournament FROM debates
    WHERE list_contains(CAST($units AS TEXT[]), debate_id)
      AND status NOT IN {ENDED}
"""
#: Debates that may have ballots under way, with the benches of their tournament's configuration.
_DEBATES_TO_JUDGE = """
    WITH benches AS (
        SELECT tournament, unnest(CAST(config->'$.benches' AS JSON[])) AS bench FROM tournaments
    )
    SELECT debate_id, tournament, bench->>'$.name' AS bench,
           CAST(coalesce(bench->>'$.runs', '1') AS INTEGER) AS runs
    FROM debates JOIN benches USING (tournament) WHERE status = 'finished'
"""
_STORED_BALLOTS = """
    SELECT ballot_id FROM ballots
    WHERE list_contains(CAST($units AS TEXT[]), ballot_id) AND status = 'valid'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What a tournament has cost so far, what is reserved for lost answers included.

    Attributes:
        whole: all of it; its tokens are 0 where nobody asked for them.
        reserved: the part of it whose bill is not known, in USD.
        participants: the cost of each participant's own calls, by id; likewise.
    """

    whole: Cost
    reserved: float
    participants: Mapping[str, Cost]


def count_estimated(store: Store, tournament: str) -> int:
    """Return how many stored calls have estimated tokens: their provider sent no count."""
    (row,) = store.rows(_STORED_TOKENS, {"name": tournament})
    return int(row["estimated"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What a tournament has cost in USD, in parts; each tells what is measured from what is not.

    Attributes:
        debaters: of the debates that are stored, failed ones included.
        judges: of the ballots that are stored, likewise.
        measuring: of the measurements of essays that are stored.
        unfinished: of those that are under way, or were cut off.
        availability: of finding out whether the judges' models answer; stored nowhere but in
            journals.
        per_debate: the mean cost of a finished debate's speeches, as far as bills are known;
            `None` before the first.
        per_judging: the mean cost of all ballots on a debate that has any, likewise.
        unknown: for which models calls are in no part, in words; '' for none.
    """

    debaters: Charge
    judges: Charge
    measuring: Charge
    unfinished: Charge
    availability: Charge
    per_debate: float | None
    per_judging: float | None
    unknown: str

    @property
    def total(self) -> Charge:
        """All of it."""
        return sum_charges(self.parts.values())

    @property
    def parts(self) -> dict[str, Charge]:
        """What it is made of, by the names of its fields."""
        names = ("debaters", "judges", "measuring", "unfinished", "availability")
        return {name: getattr(self, name) for name in names}

    def format_roles(self) -> str:
        """Format what each part has cost, which add up to all, and a debate; and what is not known.

        Returns:
            '' where nothing was paid, as far as is known, and all is known.
        """
        return "; ".join(filter(None, [self._format_known_roles(), self.unknown]))

    def _format_known_roles(self) -> str:
        if not round(self.total.known.usd, 4):
            return ""
        further = {
            "measuring": self.measuring,
            "unfinished debates and ballots": self.unfinished,
            "trying the judges' models": self.availability,
        }
        parts = {"debaters": self.debaters, "judges": self.judges} | {
            name: part for name, part in further.items() if round(part.known.usd, 4)
        }
        roles = ", ".join(f"{name} {part.known.usd:.4f} USD" for name, part in parts.items())
        if self.per_debate is None:
            return roles
        if self.per_judging is None:
            return f"{roles}; a debate {self.per_debate:.4f} USD without judging"
        whole = self.per_debate + self.per_judging
        return f"{roles}; a debate {whole:.4f} USD with judging, {self.per_debate:.4f} without"


def read_bill(store: Store, tournament: str) -> Bill:
    """Read what a tournament has cost."""
    return read_bills(store, tournament)[tournament]


def read_bills(store: Store, tournament: str | None = None) -> dict[str, Bill]:
    """Read what one tournament or each has cost, by name."""
    roles: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in store.plain_rows(_BILLS, {"name": tournament}):
        roles[str(row["tournament"])][str(row["role"])] = row
    called: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in store.plain_rows(_DEBATERS, {"name": tournament}):
        called[str(row["tournament"])].append((row["debater"], row["model"]))
    bills = {}
    for name, rows in roles.items():
        calls = _unfinished_calls(store, name)
        checks = {unit for unit in calls if unit.startswith(availability_prefix(name))}
        bills[name] = Bill(
            debaters=_stored_charge(rows.get("debaters")),
            judges=_stored_charge(rows.get("judges")),
            measuring=_stored_charge(rows.get("measuring")),
            unfinished=_sum_units({unit: calls[unit] for unit in calls.keys() - checks}),
            availability=_sum_units({unit: calls[unit] for unit in checks}),
            per_debate=_mean_cost(rows.get("debaters")),
            per_judging=_mean_cost(rows.get("judges")),
            unknown=format_unknown(called[name]),
        )
    return bills


def _stored_charge(row: Mapping[str, Any] | None) -> Charge:
    return Charge() if row is None else Charge(float(row["usd"]), float(row["reserved"]))


def _mean_cost(row: Mapping[str, Any] | None) -> float | None:
    """Return the mean cost of a debate in USD; `None` without a debate."""
    return float(row["counted_usd"]) / row["debates"] if row and row["debates"] else None


def read_spending(store: Store, tournament: str, *, detailed: bool = False) -> Spending:
    """Add up what a tournament has cost: its stored units, and the journals of others.

    Args:
        detailed: whether tokens and participants are wanted, too.
    """
    calls = _unfinished_calls(store, tournament)
    unfinished = _sum_units(calls)
    name = {"name": tournament}
    stored = [Charge(row["usd"], row["reserved"]) for row in store.plain_rows(_BILLS, name)]
    usd = sum_charges([*stored, unfinished])
    tokens = float(store.plain_rows(_STORED_TOKENS, name)[0]["tokens"]) if detailed else 0.0
    participants = _by_participant(store, tournament, calls) if detailed else {}
    whole = Cost(usd.usd, tokens + (unfinished.tokens if detailed else 0.0))
    return Spending(whole=whole, reserved=usd.reserved, participants=participants)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerTokens:
    """The tokens of accepted answers of one model.

    Attributes:
        owner: the id of the participant whose speeches they made; '' of judging.
    """

    owner: str
    model: str
    input_tokens: float
    output_tokens: float


def count_sides(store: Store, debate_ids: Sequence[str]) -> dict[str, int]:
    """Count the sides that each participant has in some debates, by its id."""
    return dict(store.tuples(_COUNTED_SIDES, {"ids": list(debate_ids)})) if debate_ids else {}


def read_side_tokens(store: Store, debate_ids: Sequence[str]) -> list[OwnerTokens]:
    """Read what the debaters' accepted answers of some debates took, by participant and model."""
    return _read_tokens(store, _SIDE_TOKENS, debate_ids)


def read_judging_tokens(store: Store, debate_ids: Sequence[str]) -> list[OwnerTokens]:
    """Read what the judges' accepted answers on some debates took, by model."""
    return _read_tokens(store, _JUDGING_TOKENS, debate_ids)


def _read_tokens(store: Store, query: str, debate_ids: Sequence[str]) -> list[OwnerTokens]:
    rows = store.tuples(query, {"ids": list(debate_ids)}) if debate_ids else []
    return [
        OwnerTokens(owner=owner, model=model, input_tokens=float(read), output_tokens=float(said))
        for owner, model, read, said in rows
    ]


def forget_stored(store: Store, units: Set[str]) -> None:
    """Delete the journals of units that are stored.

    A process that ended before it could delete them left them behind. They would be counted twice.
    """
    journal = Journal(store.journal_folder)
    for unit in journal.units() & units:
        journal.forget(unit)


def paid_before(
    journal: Journal, debate: Debate, *, play: bool, ballots: Iterable[str]
) -> dict[Draws, float]:
    """Return what was paid for answers of a debate, which need not be asked for again.

    Args:
        play: whether its speeches are open.
        ballots: the ids of its open ballots.
    """
    played = journal.read_charges(debate.debate_id) if play else {}
    judged = [charge for unit in ballots for charge in journal.read_charges(unit).values()]
    parts: dict[str, list[Charge]] = {"": [*played.values(), *judged]}
    for side, payer in (("pro", debate.pro), ("con", debate.con)):
        parts[payer] = [charge for key, charge in played.items() if _side(key) == side]
    return {
        (payer, measure): sum_charges(charges).known.of(measure)
        for payer, charges in parts.items()
        for measure in MEASURES
    }


def _unfinished_calls(store: Store, tournament: str) -> dict[str, dict[CallKey, Charge]]:
    """Return the charges of the calls of a tournament's units that are not stored yet, by unit."""
    calls = Journal(store.journal_folder).charges_by_call()
    if not calls:
        return {}
    prefixes = unit_prefix(tournament), availability_prefix(tournament)
    units = _open_units(store, list(calls))
    return {
        unit: charges
        for unit, charges in calls.items()
        if units.get(unit) == tournament or unit.startswith(prefixes)
    }


def _sum_units(calls: Mapping[str, Mapping[CallKey, Charge]]) -> Charge:
    return sum_charges(charge for unit in calls.values() for charge in unit.values())


def _by_participant(
    store: Store, tournament: str, calls: Mapping[str, Mapping[CallKey, Charge]]
) -> dict[str, Cost]:
    spent: dict[str, Cost] = defaultdict(Cost)
    for row in store.plain_rows(_STORED_BY_PARTICIPANT, {"name": tournament}):
        spent[str(row["participant"])] = Cost(float(row["usd"]), float(row["tokens"]))
    for row in store.plain_rows(_SIDES, {"units": list(calls), "name": tournament}):
        for key, charge in calls[row["debate_id"]].items():
            if (side := _side(key)) in ("pro", "con"):
                spent[row[side]] = spent[row[side]].plus(charge.cost)
    return dict(spent)


def _side(key: CallKey) -> str:
    """Return the first part of a call's path: the side, or what a judge calls its runs."""
    return key[0].partition("/")[0]


def _open_units(store: Store, units: Sequence[str]) -> dict[str, str]:
    """Return the tournaments of those units that are debates or ballots and not stored yet."""
    known = {
        row["unit"]: row["tournament"]
        for row in store.plain_rows(_OPEN_DEBATES, {"units": list(units)})
    }
    rest = set(units) - known.keys()
    if rest:
        for row in store.plain_rows(_DEBATES_TO_JUDGE):
            for run in range(int(row["runs"])):
                unit = ballot_id(row["debate_id"], row["bench"], run)
                if unit in rest:
                    known[unit] = row["tournament"]
    stored = {row["ballot_id"] for row in store.plain_rows(_STORED_BALLOTS, {"units": list(known)})}
    return {unit: tournament for unit, tournament in known.items() if unit not in stored}


def unit_prefix(tournament: str) -> str:
    """Return the beginning of the ids of a tournament's essay measurements.

    These belong to no plan, but their costs count towards the tournament's spending cap.
    """
    return f"diversity-{digest(tournament)}-"


def availability_prefix(tournament: str) -> str:
    """Return the beginning of the ids of the calls that find out whether judges' models answer.

    They are stored nowhere but in their journals, which stay.
    """
    return f"scout-{digest(tournament)}-"
