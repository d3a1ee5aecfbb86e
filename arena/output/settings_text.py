"""Settings of a tournament as text: who meets whom, what it is to settle, and its caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from arena.config.window import split_window
from arena.llm.budget import MEASURES, Measure, format_limit
from arena.scheduling.meetings import most_matchups, swiss_rounds
from arena.text import counted

if TYPE_CHECKING:
    from arena.config.schedule_section import TargetSection
    from arena.config.sections import Config
    from arena.tournament.newcomer import NewcomerProposal
    from arena.tournament.plan import TournamentPlan


#: Participants that a line names one by one; more are counted.
_MOST_NAMED: Final = 8


def format_schedule(plan: TournamentPlan) -> str:
    """Describe the schedule, and how many debates each participant plays."""
    if plan.asked.in_waves:
        return _format_waves(plan)
    resolved, section = plan.resolved, plan.asked.schedule
    played = Counter(side for debate in plan.debates for side in (debate.pro, debate.con))
    shares = {
        participant.name: played[participant.participant_id]
        for participant in resolved.participants
    }
    least, most = min(shares.values()), max(shares.values())
    share = f"{least}" if least == most else f"{least} to {most}"
    line = f"{_format_kind(plan)}; a participant plays {share} debates"
    alone = [name for name, debates in shares.items() if not debates]
    if alone:
        key = "matchups" if section.kind == "random" else "opponents"
        who = ", ".join(alone) if len(alone) <= _MOST_NAMED else counted(len(alone), "participant")
        line += f" ({who} none: change `{key}` so that everyone is rated)"
    return line


def _format_kind(plan: TournamentPlan) -> str:
    resolved, section = plan.resolved, plan.asked.schedule
    rounds = f"{counted(section.matchups_per_pair or 1, 'matchup')} per pair"
    match section.kind:
        case "round_robin":
            return f"round robin: {rounds}"
        case "gauntlet":
            newcomers = section.newcomers or []
            met = section.opponents or [
                participant.name
                for participant in resolved.participants
                if participant.name not in newcomers
            ]
            against = counted(len(met), "opponent")
            return f"gauntlet: {', '.join(newcomers)} against {against}, {rounds}"
        case "random":
            return f"random pairs: {counted(section.matchups or 0, 'matchup')} drawn"
        case "swiss":
            return f"Swiss: {counted(swiss_rounds(section, len(resolved.participants)), 'round')}"
        case "knockout":
            return f"knockout: {rounds}"
        case "adaptive":
            most = counted(most_matchups(section, len(resolved.participants)), "matchup")
            return f"adaptive: at most {most}"


def _format_waves(plan: TournamentPlan) -> str:
    parts = [_format_kind(plan)]
    if plan.asked.schedule.knockout:
        parts.append(f"then a knockout of the first {plan.asked.schedule.knockout}")
    if plan.asked.target is not None:
        parts.append(f"until {format_target(plan.asked.target)} on bench {plan.asked.bench}")
    if plan.wave is not None and plan.added:
        parts.append(f"wave {plan.wave.number + 1} has {counted(len(plan.added) // 2, 'matchup')}")
        names = {p.participant_id: p.name for p in plan.resolved.participants}
        byes = plan.wave.wave.byes
        if len(byes) > _MOST_NAMED:
            parts.append(f"{counted(len(byes), 'participant')} have byes")
        else:
            parts += [f"{names[byed]} has a bye" for byed in byes]
    return "; ".join(parts)


def format_gauntlet(proposal: NewcomerProposal) -> str:
    """Describe the debates that rate a newcomer, and how many they are."""
    numbers = f"{counted(proposal.debates, 'debate')}, {counted(proposal.ballots, 'ballot')}"
    return f"{_format_kind(proposal.plan)}: {numbers}"


def format_target(target: TargetSection) -> str:
    """Format a target as a condition.

    >>> from arena.config.schedule_section import TargetSection
    >>> format_target(TargetSection(objective="top-k", first=2))
    'the first 2 are settled'
    """
    match target.objective:
        case "ranking":
            return "the order of all is settled"
        case "top-k":
            number = target.amount
            return "the first is settled" if number == 1 else f"the first {number:.0f} are settled"
        case "newcomer":
            return f"newcomers are placed within {counted(int(target.amount), 'place')}"
        case "precision":
            return f"all ratings are known to ±{target.amount:g} Elo"


def format_caps(config: Config, *, usd: float | None) -> Iterator[str]:
    """Yield a line for the cap on the whole, and for each further kind of cap.

    Args:
        usd: the cap on the whole, which the command line may have replaced; `None` for none.
    """
    limits = config.limits
    whole = _format_limits({"usd": usd, "tokens": limits.tokens})
    of_all = "spending cap of the whole tournament, earlier runs included"
    yield f"{of_all}: {whole}" if whole else "no spending cap"
    daily = _format_limits({"usd": limits.usd_per_day, "tokens": limits.tokens_per_day})
    if daily:
        yield f"spending cap of a day: {daily}; a day begins at {_day_begins(config)}"
    own = [
        f"{section.name} {text}"
        for section in config.participants
        if (text := _format_limits({"usd": section.usd, "tokens": section.tokens}))
    ]
    if own:
        yield f"spending caps of participants, for their own calls: {'; '.join(own)}"


def _format_limits(limits: dict[Measure, float | None]) -> str:
    amounts = ((limits[measure], measure) for measure in MEASURES)
    return ", ".join(format_limit(amount, measure) for amount, measure in amounts if amount)


def _day_begins(config: Config) -> str:
    window = config.schedule.window
    start, _, zone = split_window(window) if window else ("00:00", "", "")
    return f"{start} {zone}".strip()
