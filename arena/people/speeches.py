"""People who speak: what a debate waits for, drafts, and handing in.

The seam of `arena speak` and of the pages. A draft may be changed until it is handed in, never
after; the next run (or the one that is going on) plays the debate on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.config.resolve import ResolvedConfig
from arena.debates.protocol import ROUNDS
from arena.errors import ConfigError
from arena.languages import ANSWER, ENGLISH, SIDES, Contest, Language, Side, Stage, language
from arena.languages.pairs import of_contest, task_of
from arena.plugins import debater_class
from arena.records import IMPORTED, Debate, Participant, Speech
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches

SubmittedSpeeches = Mapping[Side, Mapping[Stage, str]]

#: What stands before the task of a contest.
TASKS: Mapping[Contest, str] = {"debate": "Motion", "essay": "Task", "question": "Question"}

_OPEN = """
    SELECT count(*) AS debates FROM debates
    WHERE tournament = $name AND status NOT IN ('finished', 'forfeit')
      AND (list_contains($people, pro) OR list_contains($people, con))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A speech that a debate waits for, or a person's answer in another contest.

    Attributes:
        task: the motion or the question; of an essay, what is to be written.
        language: with the words of the contest for the sides.
        disclosed: what its speaker may see, in speaking order.
        limit: its length at most, in the language's units.
        draft: what was saved so far; '' where nothing was.
    """

    debate_id: str
    side: Side
    stage: Stage
    contest: Contest
    speaker: str
    task: str
    info_slide: str
    disclosed: tuple[Speech, ...]
    language: Language
    limit: int
    draft: str = ""

    @property
    def called(self) -> str:
        """What it is, in English: a speech, or an answer."""
        return of_contest(ENGLISH, self.contest).terms["speech"]

    @property
    def place(self) -> str:
        """Its side and stage, as far as its contest has any."""
        return self.stage if self.stage == ANSWER else f"{self.side}, {self.stage}"

    def length(self, text: str) -> str:
        """How long a text is, beside what is accepted."""
        return f"{self.language.count(text)} of {self.limit} {length_unit(self.language)}"


def due_speeches(store: Store, resolved: ResolvedConfig) -> tuple[Due, ...]:
    """The speeches that a tournament's waiting debates wait for, by debate and side."""
    frame = store.read(
        "SELECT debate_id FROM debates WHERE tournament = $name AND status = 'waiting'",
        {"name": resolved.name},
    )
    waiting = set(frame["debate_id"])
    speeches = read_speeches(store, sorted(waiting))
    drafts = _drafts(store, waiting)
    return tuple(
        due
        for debate in read_debates(store, resolved.name)
        if debate.debate_id in waiting
        for due in _due(debate, resolved, speeches.get(debate.debate_id, ()), drafts)
    )


def save_draft(store: Store, due: Due, text: str) -> None:
    """Keep a text that is not finished; it replaces an earlier draft.

    Raises:
        ConfigError: the speech was handed in meanwhile.
    """
    _write(store, due, text, handed_in=False)


def hand_in(store: Store, due: Due, text: str) -> None:
    """Make a text the speech, for good.

    Raises:
        ConfigError: it is empty or too long, or the speech was handed in meanwhile.
    """
    length = due.language.count(text)
    if not text.strip():
        raise ConfigError(f"the {due.called} is empty; nothing was handed in.")
    if length > due.limit:
        raise ConfigError(
            f"the {due.called} has {length} {length_unit(due.language)}; {due.limit} are accepted. "
            "Shorten it; nothing was handed in."
        )
    _write(store, due, text, handed_in=True)


def read_handed(store: Store, debate_ids: Iterable[str]) -> dict[str, SubmittedSpeeches]:
    """What was handed in for some debates, by debate, side and stage."""
    rows = store.rows(
        "SELECT debate_id, side, stage, text FROM drafts "
        "WHERE handed_in AND list_contains($ids, debate_id)",
        {"ids": list(debate_ids)},
    )
    found: dict[str, dict[Side, dict[Stage, str]]] = {}
    for row in rows:
        sides = found.setdefault(row["debate_id"], {side: {} for side in SIDES})
        sides[row["side"]][row["stage"]] = row["text"]
    return dict(found)


def is_person(participant: Participant) -> bool:
    """Whether a participant speaks without a language model."""
    name = participant.debater
    return name != IMPORTED and not debater_class(name).needs_model


def people(resolved: ResolvedConfig) -> tuple[Participant, ...]:
    """The participants of a tournament who are people."""
    return tuple(one for one in resolved.participants if is_person(one))


def open_debates(store: Store, resolved: ResolvedConfig) -> int:
    """How many debates of people are not over."""
    ids = [one.participant_id for one in people(resolved)]
    return int(store.rows(_OPEN, {"name": resolved.name, "people": ids})[0]["debates"])


def _due(
    debate: Debate,
    resolved: ResolvedConfig,
    disclosed: tuple[Speech, ...],
    drafts: Mapping[tuple[str, str, str], tuple[str, bool]],
) -> Iterable[Due]:
    said = {(one.side, one.stage) for one in disclosed}
    contest = resolved.config.tournament.contest
    stage, sides = next(
        (stage, sides)
        for stage, sides in ROUNDS[contest]
        if not said >= {(side, stage) for side in sides}
    )
    participants = {one.participant_id: one for one in resolved.participants}
    motions = {one.motion_id: one for one in resolved.motions}
    spoken = of_contest(language(debate.language), contest)
    wording = motions[debate.motion_id].wording(debate.language)
    for side in sides:
        speaker = participants.get(debate.pro if side == "pro" else debate.con)
        text, handed_in = drafts.get((debate.debate_id, side, stage), ("", False))
        if speaker is None or handed_in or not is_person(speaker):
            continue
        yield Due(
            debate_id=debate.debate_id,
            side=side,
            stage=stage,
            contest=contest,
            speaker=speaker.name,
            task=task_of(spoken, contest, wording.text),
            info_slide=wording.info_slide,
            disclosed=disclosed,
            language=spoken,
            limit=spoken.limit(resolved.config.limits.words),
            draft=text,
        )


def _drafts(
    store: Store, debate_ids: Iterable[str]
) -> dict[tuple[str, str, str], tuple[str, bool]]:
    rows = store.rows(
        "SELECT * FROM drafts WHERE list_contains($ids, debate_id)", {"ids": list(debate_ids)}
    )
    return {
        (row["debate_id"], row["side"], row["stage"]): (row["text"], bool(row["handed_in"]))
        for row in rows
    }


def _write(store: Store, due: Due, text: str, *, handed_in: bool) -> None:
    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        written = link.execute(
            "INSERT INTO drafts SELECT $debate, $side, $stage, $text, $handed, $now "
            "WHERE EXISTS (FROM debates WHERE debate_id = $debate AND status = 'waiting') "
            "ON CONFLICT DO UPDATE SET text = excluded.text, handed_in = excluded.handed_in, "
            "changed_at = excluded.changed_at WHERE NOT drafts.handed_in RETURNING debate_id",
            {
                "debate": due.debate_id,
                "side": due.side,
                "stage": due.stage,
                "text": text,
                "handed": handed_in,
                "now": pd.Timestamp(datetime.now(UTC)),
            },
        ).fetchall()
        if not written:
            raise ConfigError(
                f"debate {due.debate_id[:8]}: the {due.stage} of {due.side} was handed in "
                "already, and is not changed any more."
            )

    store.write(batch)


def length_unit(spoken: Language) -> str:
    """What the lengths of a language's speeches are counted in."""
    return "characters" if spoken.code == "zh" else "words"
