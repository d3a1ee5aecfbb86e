"""Several people who are one participant: who speaks where, when, and what is missed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from arena.debater import Submission
from arena.errors import ConfigError
from arena.people.sessions import PersonSession
from arena.people.speakers import check_speaker_name, speaker_names
from arena.people.speeches import Due, due_speeches
from arena.people.submissions import hand_in, open_due, read_submitted, save_draft
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import commit, content, planned, played, resolved_of

Place = tuple[Store, TournamentPlan]


def config(**speaking: Any) -> dict[str, Any]:  # noqa: ANN401
    """Ann and Bob are "Human", who meets a machine; sixty words are accepted."""
    made = content("Human", "machine")
    human = {"name": "Human", "debater": "human", "speakers": ["ann", "bob"]}
    made["participants"][0] = human
    return {**made, "limits": {"words": 60}} | ({"speaking": speaking} if speaking else {})


def waiting(folder: Path, since: datetime | None = None, **speaking: Any) -> Place:  # noqa: ANN401
    """Both debates wait for Human's constructive."""
    store, plan = planned(folder / "own.duckdb", config(**speaking))
    human = plan.resolved.participants[0].participant_id
    commit(
        store,
        *(
            replace(
                played(debate, "waiting"),
                finished_at=since or datetime.now(UTC),
                awaited=(("pro" if debate.pro == human else "con", "constructive"),),
            )
            for debate in plan.debates
        ),
    )
    return store, plan


def due(place: Place, person: str = "") -> tuple[Due, ...]:
    store, plan = place
    return due_speeches(PersonSession(store=store, resolved=plan.resolved, person=person))


def submitted(place: Place, debate_id: str) -> dict[str, Submission]:
    store, plan = place
    sides = read_submitted(store, plan.resolved, [debate_id]).get(debate_id, {})
    return {side: stages["constructive"] for side, stages in sides.items() if stages}


def test_whoever_begins_a_debate_speaks_in_it_to_its_end(tmp_path: Path) -> None:
    place = store, _ = waiting(tmp_path)
    first, second = due(place)
    assert first.speakers == ("ann", "bob") and first.speaker == "Human"
    save_draft(store, first, "A draft.", speaker="ann")
    assert {one.debate_id for one in due(place, "ann")} == {first.debate_id, second.debate_id}
    assert [one.debate_id for one in due(place, "bob")] == [second.debate_id]
    taken = next(one for one in due(place) if one.debate_id == first.debate_id)
    assert taken.speakers == ("ann",)
    for stale in (first, taken):
        with pytest.raises(ConfigError, match=r"ann"):
            hand_in(store, stale, "Mine.", speaker="bob")
    hand_in(store, taken, "Ann's words.", speaker="ann", making={"recording": "a.wav"})
    (submission,) = submitted(place, first.debate_id).values()
    assert submission.text == "Ann's words."
    assert submission.making == {"speaker": "ann", "recording": "a.wav"}


def test_a_corrected_transcript_is_still_one_and_says_so(tmp_path: Path) -> None:
    place = store, _ = waiting(tmp_path)
    first, second = due(place)
    recorded = {"recording": "a.wav", "transcribed_by": "whisper-1"}
    for speech in (first, second):
        save_draft(store, speech, "A transcript.", speaker="ann", making=recorded)
    hand_in(store, first, "A transcript.", speaker="ann")
    save_draft(store, second, "A better text.", speaker="ann")
    hand_in(store, second, "A better text.", speaker="ann")
    (kept,) = submitted(place, first.debate_id).values()
    assert kept.making == {"speaker": "ann", **recorded}
    (edited,) = submitted(place, second.debate_id).values()
    assert edited.making == {"speaker": "ann", **recorded, "edited": True}


@pytest.mark.parametrize("speaker", ["", "eve", "Human"])
def test_a_speech_of_several_people_needs_its_speaker(tmp_path: Path, speaker: str) -> None:
    place = store, _ = waiting(tmp_path)
    with pytest.raises(ConfigError, match=r"Name the speaker \(--speaker\): ann, bob"):
        hand_in(store, due(place)[0], "Words.", speaker=speaker)
    assert store.rows("SELECT count(*) AS n FROM drafts")[0]["n"] == 0


def test_preparation_starts_when_the_speaker_opens_the_motion(tmp_path: Path) -> None:
    place = store, _ = waiting(tmp_path, preparation="2d", deadline="12h")
    first, second = due(place)
    assert first.closed and first.due_time is None
    opened = open_due(store, first, "bob")
    assert not opened.closed and opened.speakers == ("bob",)
    stored = {one.debate_id: one for one in due(place)}
    assert stored[second.debate_id].closed
    again = stored[first.debate_id]
    assert again.due_time is not None and opened.due_time is not None
    assert abs(again.due_time - opened.due_time) < timedelta(milliseconds=1)
    left = again.due_time - datetime.now(UTC)
    assert timedelta(days=1.9) < left <= timedelta(days=2)
    assert open_due(store, again, "bob") == again, "it does not start a second time"


def test_a_speech_that_is_late_is_missed_and_can_be_submitted_no_more(tmp_path: Path) -> None:
    since = datetime.now(UTC) - timedelta(hours=13)
    place = store, _ = waiting(tmp_path, since=since, deadline="12h")
    first, second = due(place)
    with pytest.raises(ConfigError, match=r"the time for this speech ended at .* UTC; nothing"):
        hand_in(store, first, "Too late.", speaker="ann")
    (missed,) = submitted(place, first.debate_id).values()
    assert missed.text == "" and missed.missed.startswith("the time for this speech ended at")
    in_time = replace(second, due_time=None)
    hand_in(store, in_time, "In time.", speaker="ann")
    (kept,) = submitted(place, second.debate_id).values()
    assert (kept.text, kept.missed) == ("In time.", ""), "a speech in time stays one"


def test_debates_that_waited_in_an_older_file_take_speeches(tmp_path: Path) -> None:
    place = store, _ = waiting(tmp_path, deadline="12h")
    with duckdb.connect(str(store.path)) as link:
        link.execute("DROP TABLE awaited")
    store.check()
    first, _ = due(place)
    assert first.due_time is None, "its time begins with the next run"
    hand_in(store, first, "Words.", speaker="ann")
    (submission,) = submitted(place, first.debate_id).values()
    assert submission.making == {"speaker": "ann"}


def test_another_speaker_does_not_make_another_participant() -> None:
    one, other = config(), config()
    other["participants"][0]["speakers"] = ["ann", "bob", "cyd"]
    alone = config()
    del alone["participants"][0]["speakers"]
    ids = {resolved_of(made).participants[0].participant_id for made in (one, other, alone)}
    assert len(ids) == 1
    assert speaker_names(resolved_of(other)) == ("ann", "bob", "cyd")
    assert speaker_names(resolved_of(alone)) == ("Human",)
    with pytest.raises(ConfigError, match="nobody named 'eve' speaks in 'small'. Speakers: ann"):
        check_speaker_name(resolved_of(one), "eve")


@pytest.mark.parametrize(
    ("place", "speakers", "message"),
    [
        (1, ["ann"], "participants[2].speakers: the debater 'direct' is no person"),
        (0, ["ann", "ann"], "`speakers` lists a name twice"),
        (0, [], "participants[1].speakers: at least 1 required, 0 given"),
    ],
)
def test_speakers_that_cannot_be_are_refused(place: int, speakers: list[str], message: str) -> None:
    made = config()
    made["participants"][place]["speakers"] = speakers
    with pytest.raises(ConfigError) as refused:
        resolved_of(made)
    assert message in str(refused.value)
