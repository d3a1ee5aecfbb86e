"""Simulated language models, embedded: a tournament without a network or a key.

Their debates say nothing about real models; `docs/offline.md` tells what they do.
"""

from arena.simulator.backend import OfflineBackend
from arena.simulator.skills import SKILLS, Skill

__all__ = ["SKILLS", "OfflineBackend", "Skill"]
