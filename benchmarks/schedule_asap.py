"""ASAP, an active-sampling method of the literature, as a schedule.

Mikhailiuk, Wilmot, Perez-Ortiz, Yue & Mantiuk 2020 (arXiv 2004.05691). Its authors publish it as
a file, `python/asap_cpu.py` of github.com/gfxdisp/asap (MIT licence), which is loaded from where
the user has put it. It knows no prices, sides, ties or runs.

One function of the file is replaced by an equal one: its ratio of normal density and distribution
makes two objects of `scipy.stats` at each call, which takes nine tenths of its time.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from arena.scheduling.dealing import pair_of
from arena.scheduling.recovery import Maker
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Pairing

#: By name in the table, whether the gain is approximated: the methods of the paper's sections
#: on ASAP and on its approximation.
ASAP: Final = {"ASAP": False, "ASAP, approximate": True}


@dataclass(frozen=True, slots=True)
class AsapSchedule:
    """Waves that are minimum spanning trees of ASAP's expected information gain."""

    sampler: Callable[[int], Any]
    pairing: ClassVar[Pairing] = "guided"

    def next_wave(self, situation: Situation) -> Wave:
        """Return the batch that ASAP asks for."""
        rows, size = situation.comparisons, len(situation.participants)
        wins = np.zeros((size, size), dtype=np.intp)
        won, lost = rows.outcome == 1, rows.outcome == 0
        np.add.at(wins, (rows.first[won], rows.second[won]), 1)
        np.add.at(wins, (rows.second[lost], rows.first[lost]), 1)
        batch = self.sampler(size).run_asap(wins, mst_mode=True)
        names = situation.participants
        meetings = [
            Meeting(pair=pair_of(names[int(first)], names[int(second)])) for first, second in batch
        ]
        return Wave(meetings=meetings)


def asap_schedules(path: Path) -> dict[str, Maker]:
    """Return ASAP and its approximation by their names in the table, loaded from its file."""
    networkx = importlib.import_module("networkx")
    if not hasattr(networkx, "from_numpy_matrix"):  # the name that ASAP knows it by
        networkx.from_numpy_matrix = networkx.from_numpy_array  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("asap_cpu", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.TrueSkillSolver.psi = lambda _, shift: density_ratio(shift)
    return {name: _maker(module, approximate) for name, approximate in ASAP.items()}


def density_ratio(shift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the density of the standard normal distribution divided by its distribution."""
    density = np.exp(-(shift**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(density / ndtr(shift))


def _maker(module: Any, approximate: bool) -> Maker:  # noqa: ANN401 - a module that is no package
    def make(names: Sequence[str], seed: int) -> AsapSchedule:
        np.random.seed(seed % 2**32)  # ASAP draws its first batch from the global generator
        return AsapSchedule(lambda size: module.ASAP(size, approx=approximate))

    return make
