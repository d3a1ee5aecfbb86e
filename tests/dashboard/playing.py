"""A tournament of three simulated models for the pages to show, played as a user would."""

from __future__ import annotations

SMALL = """
[tournament]
name = "small"
languages = ["en"]
motions = "arena66"
categories = ["fact", "policy"]
seed = 7
[schedule]
kind = "round_robin"
matchups_per_pair = {matchups}
concurrency = 4
[search]
kind = "brief"
[[participants]]
name = "direct-strong"
debater = "direct"
model = "offline/strong"
[[participants]]
name = "direct-fair"
debater = "direct"
model = "offline/fair"
[[participants]]
name = "a4d-good"
debater = "agent4debate"
model = "offline/good"
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/strong"
runs = 3
"""
_ABLATION = """[[participants]]
name = "a4d-good-no-searcher"
debater = "agent4debate"
model = "offline/good"
options = { searcher = false }
"""
_OTHER_BENCH = """[[benches]]
name = "other"
judge = "debatrix"
model = "offline/fair"
runs = 1
"""


def vary(text: str) -> str:
    """Return the tournament with what its second run adds: an ablation, and another bench."""
    return text.replace("[[benches]]", f"{_ABLATION}[[benches]]") + _OTHER_BENCH
