"""The speeches of people that debates wait for; `arena.people.submissions` takes them.

The times are those of `[speaking]` in the file. They count from what is stored, so that neither a
run that ends nor the next one changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from arena.config.resolved import ResolvedConfig
from arena.config.section import SpeakingSection
from arena.debates.protocol import ROUNDS
from arena.errors import ConfigError
from arena.languages import ANSWER, ENGLISH, Contest, Language, Side, Stage, language
from arena.languages.language import contest_language, task_text
from arena.people.sessions import PersonSession
from arena.people.speakers import is_person, people, read_pools
from arena.records import Debate, Speech
from arena.store.people import (
    DraftedSpeech,
    SpeechPlace,
    Wait,
    Waits,
    count_unfinished,
    read_drafts,
    read_waiting,
    read_waits,
)
from arena.store.rows import read_debates, read_speeches
from arena.text import format_duration

#: The first stages of contests.
_OPENINGS = ("constructive", ANSWER)


def find_due_time(wait: Wait, stage: Stage, times: SpeakingSection | None) -> datetime | None:
    """Return until when a speech can be submitted; `None` where nothing limits it (yet)."""
    if times is None:
        return None
    start, seconds = wait.since, times.deadline
    if stage in _OPENINGS and times.preparation is not None:
        start, seconds = wait.opened_at, times.preparation
    ends = [times.last_moment]
    if start is not None and isinstance(seconds, float):
        ends.append(start + timedelta(seconds=seconds))
    return min((end for end in ends if end is not None), default=None)


def must_be_opened(wait: Wait, stage: Stage, times: SpeakingSection | None) -> bool:
    """Return whether the speaker has yet to open the motion, which starts the preparation."""
    prepared = times is not None and times.preparation is not None and stage in _OPENINGS
    return prepared and wait.opened_at is None


def is_over(due_time: datetime | None) -> bool:
    """Return whether the time for a speech has passed."""
    return due_time is not None and datetime.now(UTC) > due_time


def format_due_time(due_time: datetime) -> str:
    """Format until when a speech can be submitted, in UTC and as the time that is left."""
    seconds = (due_time - datetime.now(UTC)).total_seconds()
    left = f"{format_duration(max(60, seconds // 60 * 60))} left" if seconds > 0 else "over"
    return f"{due_time.astimezone(UTC):%Y-%m-%d %H:%M} UTC ({left})"


#: The heading of a contest's task.
TASKS: Mapping[Contest, str] = {"debate": "Motion", "essay": "Task", "question": "Question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A speech that a debate waits for; in other contests, an answer or an essay.

    Attributes:
        task: the motion or the question; of an essay, what is to be written.
        disclosed: the speeches that its speaker may see, in speaking order.
        language: with the words of the contest for the sides.
        limit: the maximum length, in words, or in characters in Chinese.
        draft: the text that was saved; '' where none was.
        speakers: the people who may give it, where several speak for the participant: all of
            them, or the one who has begun. Empty where the participant is one person.
        due_time: until when it can be submitted; `None` for no limit.
        closed: whether the speaker has yet to open the motion, which starts the preparation.
        preparation: the seconds of that, where it is closed.
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
    speakers: tuple[str, ...] = ()
    due_time: datetime | None = None
    closed: bool = False
    preparation: float = 0.0

    @property
    def called(self) -> str:
        """The English word for it: speech or answer."""
        return contest_language(ENGLISH, self.contest).terms["speech"]

    @property
    def at(self) -> SpeechPlace:
        """Its debate, side and stage."""
        return SpeechPlace(self.debate_id, self.side, self.stage)

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
    waiting = read_waiting(store, resolved.name)
    speeches = read_speeches(store, sorted(waiting))
    drafts = read_drafts(store, waiting)
    waits = read_waits(store, waiting)
    return tuple(
        due
        for debate in read_debates(store, resolved.name)
        if debate.debate_id in waiting
        for due in _find_due(debate, resolved, speeches.get(debate.debate_id, ()), drafts, waits)
        if session.person in ("", *(due.speakers or (due.speaker,)))
    )


def find_due(due: Sequence[Due], prefix: str, side: str | None = None) -> Due:
    """Return the speech that waits in the debate whose id begins with a prefix.

    Args:
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


def count_open_debates(session: PersonSession) -> int:
    """Return the number of debates with people that are not over."""
    ids = [person.participant_id for person in people(session.resolved)]
    return count_unfinished(session.store, session.resolved.name, ids)


def length_unit(spoken: Language) -> str:
    """Return the unit in which a language's speeches are measured: words or characters."""
    return "characters" if spoken.code == "zh" else "words"


def _find_due(
    debate: Debate,
    resolved: ResolvedConfig,
    disclosed: tuple[Speech, ...],
    drafts: Mapping[SpeechPlace, DraftedSpeech],
    waits: Waits,
) -> Iterable[Due]:
    """Yield the speeches of people that a waiting debate waits for."""
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
    pools, times = read_pools(resolved), resolved.config.speaking
    for side in sides:
        speaker = participants.get(debate.pro if side == "pro" else debate.con)
        place = SpeechPlace(debate.debate_id, side, stage)
        draft, wait = drafts.get(place, DraftedSpeech()), waits.get(place, Wait())
        if speaker is None or draft.handed_in or not is_person(speaker):
            continue
        pool = pools.get(speaker.name, ())
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
            draft=draft.text,
            speakers=(wait.speaker,) if pool and wait.speaker else pool,
            due_time=find_due_time(wait, stage, times),
            closed=must_be_opened(wait, stage, times),
            preparation=(times.preparation or 0.0) if times else 0.0,
        )
