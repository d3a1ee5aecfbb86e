"""`arena speak`: a person's speeches, from the first that is waited for to the last."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.config.stored import stored_config
from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.debates.protocol import ROUNDS
from arena.languages import Side
from arena.llm.budget import Budget
from arena.people.sessions import PersonSession
from arena.people.speeches import due_speeches
from arena.people.submissions import hand_in, save_draft
from arena.store.database import Store
from arena.tournament.models import Models
from arena.tournament.plan import make_plan, store_plan
from arena.tournament.results import RunTally
from arena.tournament.run import Run
from tests.servers.threads import in_thread
from tests.servers.whisper_server import MODEL, WhisperServer, sound
from tests.support.command_line import arena, done, refused
from tests.support.played_tournaments import played_once

pytestmark = pytest.mark.usefixtures("no_stored_boards")

CONFIG = """
[tournament]
name = "people"
languages = ["en"]
motions = "arena66"
categories = ["fact"]
seed = 7
[limits]
words = 60
[[participants]]
name = "somebody"
debater = "human"
[[participants]]
name = "direct-fair"
debater = "direct"
model = "offline/fair"
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/strong"
runs = 1
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament of one matchup that waits for its person."""

    def play(folder: Path) -> None:
        (folder / "people.toml").write_text(CONFIG, encoding="utf-8")
        printed = done("run", folder / "people.toml", "--yes", "--db", folder / "people.duckdb")
        assert "2 debates wait for a person's speech: arena speak" in printed

    return played_once(tmp_path_factory, "speaking", play)


@pytest.fixture
def db(played: Path, tmp_path: Path) -> Path:
    """A copy of it, the journals of its debates beside it."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path / "people.duckdb"


def words(text: str, folder: Path) -> Path:
    file = folder / "speech.txt"
    file.write_text(text, encoding="utf-8")
    return file


def session(store: Store) -> PersonSession:
    """Everybody's session in the newest tournament."""
    return PersonSession(store=store, resolved=stored_config(store, None))


def waiting(db: Path) -> dict[str, Side]:
    """The debates that wait, and as which side the person speaks there."""
    store = Store(db)
    return {one.debate_id: one.side for one in due_speeches(session(store))}


def test_the_opponents_constructive_is_not_disclosed_to_who_has_not_spoken(db: Path) -> None:
    listed = done("speak", "--db", db)
    assert listed.count("somebody: ") == 2 and listed.count(", constructive: ") == 2
    for debate in waiting(db):
        printed = done("speak", debate[:8], "--db", db)
        assert printed.startswith("Motion: ") and "At most 60 words." in printed
        assert "── Pro, " not in printed and "── Con, " not in printed
    asked = Store(db).rows("SELECT count(*) AS n FROM speeches")
    assert asked[0]["n"] == 0, "the other constructive stands in the journal only"
    assert "Pro: somebody (a person)" in done("show", _first(db, "pro"), "--db", db)


def _first(db: Path, side: Side) -> str:
    return next(debate for debate, speaks in waiting(db).items() if speaks == side)


def test_a_person_debates_to_the_end_and_is_judged(db: Path, tmp_path: Path) -> None:
    rounds = [stage for stage, sides in ROUNDS["debate"] if "pro" in sides]
    for stage in rounds:
        for debate, side in waiting(db).items():
            file = words(f"What I say as {side} in the {stage}.", tmp_path)
            assert "Submitted (" in done("speak", debate, "--file", file, "--db", db)
        printed = done("resume", "--yes", "--db", db)
    assert "Played 2 debates, 0 forfeits; took 2 ballots." in printed
    assert done("speak", "--db", db) == "No debate is waiting for a person.\n"
    store = Store(db)
    spoken = store.rows(
        "SELECT side, stage, text, trace FROM speeches JOIN debates d USING (debate_id) "
        "JOIN participants p ON p.participant_id = if(side = 'pro', d.pro, d.con) "
        "WHERE p.debater = 'human'"
    )
    assert {one["text"] for one in spoken} == {
        f"What I say as {side} in the {stage}." for side in ("pro", "con") for stage in rounds
    }
    assert store.rows("SELECT count(*) AS n FROM speeches")[0]["n"] == 12
    assert store.rows("SELECT DISTINCT status FROM debates")[0]["status"] == "finished"
    assert not list(store.journal_folder.glob("*")), "a journal was left"


def test_nothing_is_asked_again_while_a_debate_waits(db: Path, tmp_path: Path) -> None:
    done("resume", "--yes", "--db", db)
    pro = _first(db, "pro")
    done("speak", pro, "--file", words("A constructive.", tmp_path), "--db", db)
    done("resume", "--yes", "--db", db)
    printed = done("speak", pro, "--db", db)
    assert "── Pro, constructive (2) ──\nA constructive." in printed and "── Con, constr" in printed
    assert "somebody speaks: pro, rebuttal" in printed
    charged = Store(db).rows("SELECT count(*) AS n FROM calls")[0]["n"]
    assert charged == 0, "calls are stored once the debate has ended"


def test_a_draft_may_change_until_it_is_handed_in(db: Path, tmp_path: Path) -> None:
    debate = _first(db, "pro")
    for text in ("First thoughts.", "Second thoughts are better."):
        kept = done("speak", debate, "--file", words(text, tmp_path), "--draft", "--db", db)
        assert "Saved as a draft" in kept and "--draft" not in kept
        assert f"Submit it with: arena speak {debate} --file " in kept
    assert "Second thoughts are better." in done("speak", debate, "--db", db)
    assert "a draft is saved" in done("speak", "--db", db)
    store = Store(db)
    due = next(one for one in due_speeches(session(store)) if one.debate_id == debate)
    hand_in(store, due, due.draft)
    for change in (save_draft, hand_in):
        with pytest.raises(Exception, match="was already submitted"):
            change(store, due, "Too late.")
    assert debate not in waiting(db)
    assert "waits for a speech" in refused("speak", debate, "--db", db)


@pytest.mark.parametrize(
    ("text", "message"),
    [(" \n", "the speech is empty"), ("word " * 61, "61 words; 60 are accepted")],
)
def test_what_is_no_speech_is_refused(db: Path, tmp_path: Path, text: str, message: str) -> None:
    debate = _first(db, "con")
    assert message in refused("speak", debate, "--file", words(text, tmp_path), "--db", db)
    missing = refused("speak", debate, "--file", tmp_path / "none.txt", "--db", db)
    assert "none.txt: cannot be read: No such file" in missing
    assert debate in waiting(db)


def test_an_unknown_debate_and_an_ambiguous_one_are_refused(db: Path) -> None:
    assert "no debate 'zzz' waits" in refused("speak", "zzz", "--db", db)
    message = refused("speak", _first(db, "pro"), "--side", "con", "--db", db)
    assert "waits for a speech of con" in message
    assert "fits more than one speech" in refused("speak", "", "--db", db)


OTHERS = {
    "essay": ("arena66", 'judge = "single"\nmodel = "offline/strong"', "Task: Write an essay that"),
    "question": ("puzzles10", 'judge = "correctness"', "Question: "),
}


@pytest.mark.slow
@pytest.mark.parametrize("contest", OTHERS)
def test_a_person_takes_part_in_the_other_contests(contest: str, tmp_path: Path) -> None:
    motions, judge, task = OTHERS[contest]
    text = CONFIG.replace('name = "people"', f'name = "people"\ncontest = "{contest}"')
    text = text.replace("arena66", motions).replace('categories = ["fact"]\n', "")
    text = text.replace('judge = "debatrix"\nmodel = "offline/strong"', judge)
    file, db = tmp_path / "people.toml", tmp_path / "people.duckdb"
    file.write_text(text, "utf-8")
    printed = done("run", file, "--yes", "--db", db)
    assert "2 debates wait for a person" in printed and "Next:" not in printed, (
        "nothing can be read yet"
    )
    assert done("speak", "--db", db).count("  somebody: answer: ") == 2
    for debate in waiting(db):
        shown = done("speak", debate, "--db", db)
        assert shown.startswith(task) and "── somebody speaks: answer ──" in shown
        empty = refused("speak", debate, "--file", words(" ", tmp_path), "--db", db)
        assert "the answer is empty" in empty
        done("speak", debate, "--file", words("Mine: 96.", tmp_path), "--db", db)
    printed = done("resume", "--yes", "--db", db)
    assert "Played 2 debates, 0 forfeits; took 2 ballots." in printed
    spoken = Store(db).rows(
        "SELECT s.text FROM speeches s JOIN debates d USING (debate_id) JOIN participants p "
        "ON p.participant_id = if(s.side = 'pro', d.pro, d.con) "
        "WHERE p.debater = 'human' AND s.stage = 'answer'"
    )
    assert [one["text"] for one in spoken] == ["Mine: 96."] * 2


def test_a_person_has_no_model(tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    file.write_text(CONFIG.replace('"human"', '"human"\nmodel = "offline/good"'), "utf-8")
    assert "'human' uses no model. Remove the key" in refused(
        "run", file, "--db", tmp_path / "x.duckdb"
    )
    file.write_text(CONFIG.replace('model = "offline/fair"', ""), "utf-8")
    assert "participants[2].model: missing" in refused("run", file, "--db", tmp_path / "x.duckdb")


def test_people_who_debate_and_people_who_judge_are_not_one_model(tmp_path: Path) -> None:
    bench = CONFIG.partition("[[benches]]")[2]
    text = CONFIG.replace(bench, '\nname = "people"\njudge = "human"\n')
    (tmp_path / "people.toml").write_text(text, "utf-8")
    db = ("--db", tmp_path / "x.duckdb")
    printed = done("run", tmp_path / "people.toml", "--dry-run", *db)
    assert "benches: people (human, 3 votes)" in printed
    assert "in which it takes part" not in printed


class Person:
    """Watches a run, and hands a speech in as soon as one is waited for."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def debate(self, record: DebateRecord) -> None:
        if record.status == "waiting":
            for due in due_speeches(session(self.store)):
                hand_in(self.store, due, f"The {due.stage} of {due.side}.")

    def ballot(self, record: BallotRecord) -> None:
        pass

    def note(self, text: str) -> None:
        raise AssertionError(text)


def test_a_run_plays_on_what_is_handed_in_meanwhile(db: Path) -> None:
    store = Store(db)
    resolved = stored_config(store, None)
    plan = make_plan(resolved, store)
    store_plan(plan, store)
    models = Models(resolved.config, resolved.motions, budget=Budget())

    async def play() -> RunTally:
        return await Run(plan, store, models, Person(store), concurrency=2).play()

    tally = asyncio.run(play())
    assert (tally.finished, tally.ballots, tally.waiting) == (2, 2, {})


POOLED = CONFIG.replace('debater = "human"', 'debater = "human"\nspeakers = ["ann", "bob"]')
TIMES = """
[speaking]
preparation = "2d"
deadline = "{}"
[transcription]
model = "whisper-1"
api_base = "{}"
"""


def started(folder: Path, text: str) -> Path:
    """A tournament that waits for its people; its database."""
    (folder / "pool.toml").write_text(text, encoding="utf-8")
    done("run", folder / "pool.toml", "--yes", "--db", folder / "pool.duckdb")
    return folder / "pool.duckdb"


@pytest.mark.slow
def test_recordings_of_several_people_are_one_participants_speeches(tmp_path: Path) -> None:
    with in_thread(WhisperServer(key="")) as server:
        db = started(tmp_path, POOLED + TIMES.format("12h", server.api_base))
        listed = done("speak", "--db", db)
        assert listed.count("somebody (ann, bob): constructive") == 0
        assert listed.count("(opening the motion starts the preparation of 2 d)") == 2
        assert "--speaker NAME" in listed
        speakers = dict(zip(waiting(db), ("ann", "bob"), strict=True))
        (tmp_path / "speech.wav").write_bytes(sound())
        (tmp_path / "none.wav").write_text("no sound")
        for debate, speaker in speakers.items():
            opened = ("speak", debate[:8], "--speaker", speaker, "--db", db)
            recorded = (*opened, "--audio", tmp_path / "speech.wav")
            assert "was not opened yet" in refused(*recorded)
            assert "Motion: " in done(*opened) and "Until " in done(*opened)
            assert "is no audio file" in refused(*opened, "--audio", tmp_path / "none.wav")
            server.text = "word " * 61
            too_long = arena(*recorded)
            assert too_long.exit_code == 2
            assert "The transcript is saved as a draft" in too_long.stderr
            server.text = f"Said by {speaker}."
            printed = done(*recorded)
            assert f"Transcript:\nSaid by {speaker}." in printed and "Submitted (3 of 60" in printed
        assert "nobody named 'eve'" in refused("speak", "--speaker", "eve", "--db", db)
        done("resume", "--yes", "--db", db)
        (rebuttal,) = (debate for debate, side in waiting(db).items() if side == "pro")
        other = next(name for debate, name in speakers.items() if debate != rebuttal)
        words_of_other = ("--speaker", other, "--file", words("Mine.", tmp_path))
        message = refused("speak", rebuttal, *words_of_other, "--db", db)
        assert f"'{other}' does not speak for 'somebody' here" in message
        _finish(db, speakers, tmp_path)
    spoken = done("show", rebuttal, "--db", db)
    assert f"Pro: somebody (a person, {speakers[rebuttal]}, transcribed by {MODEL})" in spoken
    assert "Said by" in done("show", rebuttal, "--trace", "--db", db)
    tables = done("paper-tables", "--db", db, "--format", "markdown")
    section = tables.partition("all people against each framework (Table 5)")[2]
    assert "| direct | Human |" in section or "| Human | direct |" in section
    section = tables.partition("each speaker against all opponents")[2]
    assert "| ann | all opponents |" in section and "| bob | all opponents |" in section


def _finish(db: Path, speakers: Mapping[str, str], folder: Path) -> None:
    """Hand in texts until all debates are over."""
    while due := waiting(db):
        for debate in due:
            file = words("The last words.", folder)
            done("speak", debate, "--file", file, "--speaker", speakers[debate], "--db", db)
        done("resume", "--yes", "--db", db)


def _let_thirteen_hours_pass(link: Any) -> None:  # noqa: ANN401 - an open connection
    link.execute("UPDATE awaited SET since = since - INTERVAL 13 HOUR")


def test_who_is_late_forfeits(tmp_path: Path) -> None:
    db = started(tmp_path, CONFIG + '[speaking]\ndeadline = "12h"\n')
    debate = _first(db, "con")
    assert "(11 h 59 min left)" in done("speak", "--db", db)
    Store(db).write(_let_thirteen_hours_pass)
    late = refused("speak", debate, "--file", words("Too late.", tmp_path), "--db", db)
    assert "the time for this speech ended at" in late and "nothing was submitted" in late
    assert "2 forfeits" in done("resume", "--yes", "--db", db)
    shown = done("show", debate, "--db", db)
    assert "Reason: con, constructive: SpeechMissed: the time for this speech ended at" in shown
    rows = Store(db).rows("SELECT DISTINCT status FROM debates")
    assert [row["status"] for row in rows] == ["forfeit"]


def test_a_text_and_a_recording_are_not_one_speech(db: Path, tmp_path: Path) -> None:
    both = ("--file", tmp_path / "a.txt", "--audio", tmp_path / "a.wav")
    assert "--file and --audio were both given" in refused("speak", "1", *both, "--db", db)
    (tmp_path / "a.wav").write_bytes(sound())
    message = refused("speak", _first(db, "pro"), "--audio", tmp_path / "a.wav", "--db", db)
    assert "names no service that transcribes recordings" in message
