"""Published figures of the four architectures on human preferences of MT-Bench.

Source: Bandi and Harrasse 2024 (arXiv 2410.04663), Tables 1 to 3. They are for orientation: other
pairs, other prompts, other versions of the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Architecture = Literal["baseline", "more", "samre", "samre_alone"]
ARCHITECTURES: Mapping[Architecture, str] = {
    "baseline": "baseline",
    "more": "MORE",
    "samre": "SAMRE",
    "samre_alone": "SAMRE without juries",
}

#: Table 1: accuracy by model, in the order of ARCHITECTURES.
ACCURACY: Mapping[str, tuple[float, float, float, float]] = {
    "Llama-3-8B": (0.80, 0.82, 0.84, 0.85),
    "Qwen": (0.82, 0.84, 0.86, 0.88),
    "Gemini": (0.83, 0.86, 0.88, 0.89),
    "GPT-4o": (0.84, 0.87, 0.89, 0.91),
    "GPT-4-turbo": (0.85, 0.88, 0.90, 0.92),
    "GPT-3.5-turbo": (0.81, 0.83, 0.85, 0.86),
}

#: Table 3: t and p of a paired t-test of SAMRE without juries against the baseline.
TESTS: Mapping[str, tuple[float, float]] = {
    "Llama-3-8B": (2.14, 0.035),
    "Qwen": (2.62, 0.010),
    "Gemini": (2.87, 0.005),
    "GPT-4o": (3.39, 0.001),
    "GPT-4-turbo": (3.71, 0.001),
    "GPT-3.5-turbo": (1.95, 0.055),
}

MARK = "published"
