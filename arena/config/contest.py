"""Check that debaters, judges and benches fit the contest: a debate, an essay or a question."""

from __future__ import annotations

from typing import Literal

from arena.config.sections import BenchSection, Config
from arena.errors import ConfigError
from arena.languages import Contest
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
        contests = _judge_contests(bench, contest)
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
        f"{', '.join(map(repr, contests)) or 'none'}. Accepted here: "
        f"{', '.join(names_for_contest(kind, contest))}. Choose one of these, or change "
        "tournament.contest."
    )


def _check_swap(config: Config, bench: BenchSection, where: str) -> None:
    contest = config.tournament.contest
    if bench.swap and contest != "essay":
        raise ConfigError(
            f'{where}: only pairs of essays (contest = "essay") can be judged in both orders, not '
            f"those of a {contest}. Remove the key."
        )
    if bench.swap and judge_class(bench.judge).by_people:
        raise ConfigError(
            f"{where}: people vote on each pair once, so they cannot judge both orders. Remove the "
            "key; the two legs already exchange Answer A and Answer B."
        )


def _judge_contests(bench: BenchSection, contest: Contest) -> tuple[str, ...]:
    method = judge_class(bench.judge)
    options = method.fit_options(bench.options, contest)
    return method.takes(judge_options(bench.judge, options))
