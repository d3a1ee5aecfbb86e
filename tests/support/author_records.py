"""Made-up records in the layout of those that the authors of the multi-agent debate published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

RIGHT, WRONG = "He lost his job.", "He was fried with squid."


def _debate(final: str, sides: Sequence[str], *, extracted: bool = False) -> dict[str, object]:
    """A debate as published: the moderator's reply in each round is a dictionary as Python's."""
    moderator = [{"role": "system", "content": "You moderate."}]
    for side in sides:
        reply = {"Whether there is a preference": "Yes" if side else "No", "Supported Side": side}
        moderator += [
            {"role": "user", "content": "A round has ended."},
            {"role": "assistant", "content": str(reply)},
        ]
    shown = f"Affirmative side arguing: {WRONG}\n\nNegative side arguing: It is: {RIGHT}"
    asked = [{"role": "system", "content": "You judge."}, {"role": "user", "content": shown}]
    judge = {"Judge": asked} if extracted else {}
    return {
        "source": "他被炒了鱿鱼。",
        "correct reference": RIGHT,
        "incorrect reference": WRONG,
        "base translation": WRONG,
        "debate translation": final,
        "players": {"Moderator": moderator, **judge},
        "model_name": "not read",
    }


def write_records(folder: Path) -> Path:
    """Write eleven debates and the translations of two methods into a folder; return it."""
    debates = [_debate(WRONG, ["Affirmative"]), _debate(RIGHT, ["", "Negative"])]
    debates += [_debate(RIGHT, ["", "Affirmative and Negative"])] * 8
    debates.append(_debate(RIGHT, ["", "-"], extracted=True))
    (folder / "MAD_Debate_Process").mkdir(parents=True)
    for number, content in enumerate(debates):
        path = folder / "MAD_Debate_Process" / f"{number}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
    (folder / "output").mkdir()
    for method, lines in (("mad", [WRONG, *[RIGHT] * 10]), ("baseline", [WRONG] * 11)):
        (folder / "output" / method).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
