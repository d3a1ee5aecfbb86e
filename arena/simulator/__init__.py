"""Simulated language models, which need no network and no key.

Their debates say nothing about real models; `docs/offline.md` describes what they do.
"""

from arena.simulator.backend import OfflineBackend
from arena.simulator.mind import SKILLS, Skill

__all__ = ["SKILLS", "OfflineBackend", "Skill"]
