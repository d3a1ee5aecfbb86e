"""Check that debaters, judges and benches fit the contest: a debate, an essay or a question."""

from __future__ import annotations

from typing import Literal

from arena.config.sections import BenchSection, Config
from arena.errors import ConfigError
from arena.plugins import debater_class, judge_class, judge_options, names_for_contest


def check_contest(config: Config, where: str) -> None:
    """Check that all debaters and judges can take part in the tournament's contest.

    Args:
        config: names the contest and who takes part.
        where: the configuration's file, for messages.

    Raises:
        ConfigError: a debater or a judge cannot, or a bench is to judge both orders where the
            contest or its judges do not allow it.
    """
    contest = config.tournament.contest
    for number, participant in enumerate(config.participants, start=1):
        place = f"participants[{number}].debater"
        contests: tuple[str, ...] = debater_class(participant.debater).contests
        if contest not in contests:
            raise _unfit(config, f"{where}: {place}", participant.debater, contests, "debaters")
    for number, bench in enumerate(config.benches, start=1):
        place = f"benches[{number}].judge"
        contests = _judge_contests(bench)
        if contest not in contests:
            raise _unfit(config, f"{where}: {place}", bench.judge, contests, "judges")
    for number, bench in enumerate(config.benches, start=1):
        _check_swap(config, bench, f"{where}: benches[{number}].swap")


def _unfit(
    config: Config,
    where: str,
    name: str,
    contests: tuple[str, ...],
    kind: Literal["debaters", "judges"],
) -> ConfigError:
    contest = config.tournament.contest
    return ConfigError(
        f"{where}: {name!r} does not support contest = {contest!r}, only "
        f"{', '.join(map(repr, contests)) or 'none'}. "
        f"Accepted here: {', '.join(names_for_contest(kind, contest))}. "

