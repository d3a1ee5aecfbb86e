"""The speeches of people: those that debates wait for, their drafts, and handing them in.

`arena speak` and the dashboard's page use this module. A draft may be changed until it is handed
in, never after; then the next run, or the one in progress, continues the debate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.config.resolve import ResolvedConfig
from arena.debates.protocol import ROUNDS
from arena.errors import ConfigError
from arena.languages import ANSWER, ENGLISH, SIDES, Contest, Language, Side, Stage, language
from arena.languages.pair_words import contest_language, task_text
from arena.people.sessions import PersonSession
from arena.plugins import debater_class
from arena.records import IMPORTED, Debate, Participant, Speech
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches

SubmittedSpeeches = Mapping[Side, Mapping[Stage, str]]

#: The heading of a contest's task.
TASKS: Mapping[Contest, str] = {"debate": "Motion", "essay": "Task", "question": "Question"}

_OPEN = """
    SELECT count(*) AS debates FROM debates
    WHERE tournament = $name AND status NOT IN ('finished', 'forfeit')
      AND (list_contains($people, pro) OR list_contains($people, con))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A speech that a debate waits for; in other contests, an answer or an essay.

    Attributes:
        speaker: the name of the participant.
        task: the motion or the question; of an essay, what is to be written.
        disclosed: the speeches that its speaker may see, in speaking order.
        language: with the words of the contest for the sides.
        limit: the maximum length, in words, or in characters in Chinese.
        draft: the text that was saved; '' where none was.
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
        """The English word for it: speech or answer."""
        return contest_language(ENGLISH, self.contest).terms["speech"]

    @property
    def place(self) -> str:
        """The side and stage; `answer` alone in a contest without stages."""
        return self.stage if self.stage == ANSWER else f"{self.side}, {self.stage}"

    def length(self, text: str) -> str:
        """Format the length of a text against the limit: `12 of 600 words`."""
        return f"{self.language.count(text)} of {self.limit} {length_unit(self.language)}"


def due_speeches(session: PersonSession) -> tuple[Due, ...]:
    """Return the speeches of the person of a session that debates wait for, by debate and side."""
    store, resolved = session.store, session.resolved
    frame = store.read(
        "SELECT debate_id FROM debates WHERE tournament = $name AND status = 'waiting'",
        {"name": resolved.name},
    )
    waiting = set(frame["debate_id"])
    speeches = read_speeches(store, sorted(waiting))
    drafts = _read_drafts(store, waiting)
    return tuple(
        due
        for debate in read_debates(store, resolved.name)
        if debate.debate_id in waiting
        for due in _find_due(debate, resolved, speeches.get(debate.debate_id, ()), drafts)
        if session.person in ("", due.speaker)
    )


def find_due(due: Sequence[Due], prefix: str, side: str | None = None) -> Due:
    """Return the speech that waits in the debate whose id begins with a prefix.

    Args:
        due: all that wait.
        prefix: of a debate's id.
        side: pro or con, where both sides are people.

    Raises:
        ConfigError: no such speech waits, or more than one.
    """
    matches = [
        speech
        for speech in due
        if speech.debate_id.startswith(prefix) and side in (None, speech.side)
    ]
    if not matches:
        whose = f" of {side}" if side else ""
        raise ConfigError(
            f"no debate {prefix!r} waits for a speech{whose}. `arena speak` lists the speeches "
            "that are due."
        )
    if len(matches) > 1:
        listed = ", ".join(f"{speech.debate_id} ({speech.side})" for speech in matches[:3])
        raise ConfigError(
            f"{prefix!r} fits more than one speech: {listed}. Give more digits, or --side."
        )
    return matches[0]


def save_draft(store: Store, due: Due, text: str) -> None:
    """Store an unfinished text; it replaces an earlier draft.

    Raises:
        ConfigError: the speech was handed in meanwhile.
    """
    _write_text(store, due, text, handed_in=False)


def hand_in(store: Store, due: Due, text: str) -> None:
    """Store a text as the speech, for good.

    Raises:
        ConfigError: the text is empty or too long, or the speech was handed in meanwhile.
    """
    length = due.language.count(text)
    if not text.strip():
        raise ConfigError(f"the {due.called} is empty; nothing was submitted.")
    if length > due.limit:
        raise ConfigError(
            f"the {due.called} has {length} {length_unit(due.language)}; {due.limit} are accepted. "
            "Nothing was submitted; shorten it and try again."
        )
    _write_text(store, due, text, handed_in=True)


def read_submitted(store: Store, debate_ids: Iterable[str]) -> dict[str, SubmittedSpeeches]:
    """Return the speeches that were handed in for debates, by debate, side and stage."""
    rows = store.rows(
        "SELECT debate_id, side, stage, text FROM drafts "
        "WHERE handed_in AND list_contains($ids, debate_id)",
        {"ids": list(debate_ids)},
    )
    submitted: dict[str, dict[Side, dict[Stage, str]]] = {}
    for row in rows:
        sides = submitted.setdefault(row["debate_id"], {side: {} for side in SIDES})
        sides[row["side"]][row["stage"]] = row["text"]
    return dict(submitted)


def is_person(participant: Participant) -> bool:
    """Return whether a participant is a person: one who speaks without a language model."""
    name = participant.debater
    return name != IMPORTED and not debater_class(name).needs_model


def people(resolved: ResolvedConfig) -> tuple[Participant, ...]:
    """Return the participants of a tournament who are people."""
    return tuple(participant for participant in resolved.participants if is_person(participant))


def count_open_debates(session: PersonSession) -> int:
    """Return the number of debates with people that are not over."""
    resolved = session.resolved
    ids = [person.participant_id for person in people(resolved)]
    return int(session.store.rows(_OPEN, {"name": resolved.name, "people": ids})[0]["debates"])


def length_unit(spoken: Language) -> str:
    """Return the unit in which a language's speeches are measured: words or characters."""
    return "characters" if spoken.code == "zh" else "words"


def _find_due(
    debate: Debate,
    resolved: ResolvedConfig,
    disclosed: tuple[Speech, ...],
    drafts: Mapping[tuple[str, str, str], tuple[str, bool]],
) -> Iterable[Due]:
    """Yield the speeches of people that a waiting debate waits for.

    Args:
        debate: that waits.
        resolved: its tournament.
        disclosed: its speeches so far.
        drafts: text and whether it was handed in, by debate, side and stage.
    """
    spoken = {(speech.side, speech.stage) for speech in disclosed}
    contest = resolved.config.tournament.contest
    stage, sides = next(
        (stage, sides)
        for stage, sides in ROUNDS[contest]
        if not spoken >= {(side, stage) for side in sides}
    )
    participants = {speaker.participant_id: speaker for speaker in resolved.participants}
    motions = {motion.motion_id: motion for motion in resolved.motions}
    worded = contest_language(language(debate.language), contest)
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
            task=task_text(worded, contest, wording.text),
            info_slide=wording.info_slide,
            disclosed=disclosed,
            language=worded,
            limit=worded.limit(resolved.config.limits.words),
            draft=text,
        )


def _read_drafts(
    store: Store, debate_ids: Iterable[str]
) -> dict[tuple[str, str, str], tuple[str, bool]]:
    """Return text and whether it was handed in, by debate, side and stage."""
    rows = store.rows(
        "SELECT * FROM drafts WHERE list_contains($ids, debate_id)", {"ids": list(debate_ids)}
    )
    return {
        (row["debate_id"], row["side"], row["stage"]): (row["text"], bool(row["handed_in"]))
        for row in rows
    }


def _write_text(store: Store, due: Due, text: str, *, handed_in: bool) -> None:
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
                f"debate {due.debate_id[:8]}: the {due.stage} of {due.side} was already submitted "
                "and can no longer be changed."
            )

    store.write(batch)
