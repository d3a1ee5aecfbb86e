"""A site as a whole: its pages, and what is new since it was last published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.boards.selection import format_moment
from arena.errors import ConfigError
from arena.publish import addresses
from arena.publish.board_pages import board_files, win_rate_files
from arena.publish.content import SiteContent, Wanted
from arena.publish.debate_pages import debate_files
from arena.publish.folder import Manifest, Publication, SiteFolder
from arena.publish.frame import Frame, environment, seal, site_files
from arena.publish.record_pages import list_files, pair_files, participant_files
from arena.read.run_status import read_status
from arena.report.overview.changes import changes_since
from arena.report.overview.page import write_page
from arena.store.command_lines import command_line
from arena.text import counted, plain

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: What a report quotes that may be left out of a site.
_QUOTED: Final = frozenset({"speeches", "rationales", "costs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a publication did.

    Attributes:
        sentences: what is new in it.
        size: of all files, in bytes.
    """

    files: int
    written: int
    removed: int
    size: int
    sentences: tuple[str, ...]


def publish(
    store: Store,
    resolved: ResolvedConfig,
    path: Path,
    wanted: Wanted,
    *,
    at: datetime | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Published:
    """Write a tournament as a static site, or bring one up to date.

    Args:
        at: the time of publication; now by default.
        watch: is told how many files are made so far.

    Raises:
        ConfigError: the folder is not ours, nothing is rated yet, a run is under way, or a file
            cannot be written; the folder is then as it was.
    """
    folder = SiteFolder(path, resolved.name)
    _check_idle(store, resolved)
    with store.one_state():
        content = SiteContent(store, resolved, wanted)
        manifest = _add_publication(folder.before, content, at or datetime.now(UTC))
        frame = _make_frame(content)
        with folder.update():
            for number, (address, text) in enumerate(_files(content, frame, manifest), start=1):
                folder.add(address, text)
                watch(number)
            folder.finish(manifest)
    return Published(
        files=folder.files,
        written=folder.written,
        removed=folder.removed,
        size=folder.size,
        sentences=manifest.publications[-1].sentences,
    )


def _check_idle(store: Store, resolved: ResolvedConfig) -> None:
    if not resolved.imported and read_status(store, resolved, rated=False).outcome == "running":
        status = command_line("status", resolved.name, db=store.path)
        raise ConfigError(
            f"tournament {resolved.name!r} is being played. Publish it when the run has ended; how "
            f"far it is: {status}"
        )


def _add_publication(before: Manifest, content: SiteContent, at: datetime) -> Manifest:
    """Return what a folder will hold: with what is new, unless the results are the same."""
    now = content.report.state
    if before.state is not None and before.state.has_same_results(now):
        return before
    if before.state is None:
        sentences: tuple[str, ...] = (f"First publication: {content.main.size}.",)
    else:
        sentences = changes_since(before.state, now, is_date=False).sentences
        if "costs" not in content.wanted:
            sentences = sentences[1:] or ("New results.",)
    new = Publication(at=at, data_hash=now.data_hash, sentences=sentences)
    state = now.model_copy(update={"at": at} | ({} if "costs" in content.wanted else {"usd": 0.0}))
    return Manifest(
        tournament=content.resolved.name,
        files=before.files,
        publications=(*before.publications, new),
        state=state,
    )


def _make_frame(content: SiteContent) -> Frame:
    wanted, resolved = content.wanted, content.resolved
    sections = [
        ("Board", addresses.INDEX),
        ("Participants", addresses.PARTICIPANTS),
        ("Win rates", addresses.WIN_RATES),
    ]
    if content.debates:
        sections += [("Debates", addresses.DEBATES)]
        sections += [("Motions", addresses.MOTIONS)] * (content.report.motions is not None)
        sections += [("Judges", addresses.JUDGES)]
        sections += [("Costs", addresses.COSTS)] * content.has_costs
    sections += [("Report", addresses.REPORT)] * _has_report(content)
    sections += [("What it rests on", addresses.ABOUT), ("Changes", addresses.CHANGES)]
    return Frame(
        name=resolved.name,
        marks=tuple(mark for mark in resolved.caveat.split(" · ") if mark),
        sections=tuple(sections),
        as_of="" if content.as_of is None else f"{format_moment(content.as_of)} UTC",
        url=wanted.url,
        origin=f"made by debate-arena {version('debate-arena')}",
    )


def _has_report(content: SiteContent) -> bool:
    """Return whether the report is published: not where it would quote what is left out."""
    return "report" in content.wanted and not content.wanted.without & _QUOTED


def _files(content: SiteContent, frame: Frame, manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    yield from site_files().items()
    yield from board_files(content, frame)
    yield from participant_files(content, frame)
    yield from win_rate_files(content, frame)
    yield from pair_files(content, frame)
    if content.debates:
        yield from list_files(content, frame)
        yield from debate_files(content, frame)
    if _has_report(content):
        yield addresses.REPORT, _report_page(content, manifest)
    yield addresses.ABOUT, _about_page(content, frame)
    yield from _change_files(frame, manifest)


def _report_page(content: SiteContent, manifest: Manifest) -> bytes:
    """Return the report, which tells what is new since the publication before."""
    last = manifest.publications[-1]
    changes = replace(
        content.report.changes,
        title="What changed since the last publication",
        sentences=last.sentences,
        by_participant={},
    )
    text = write_page(replace(content.report, changes=changes, at=last.at))
    return seal(text.replace(str(content.store.path), content.db.name))


def _about_page(content: SiteContent, frame: Frame) -> bytes:
    """Return the page that says what the ratings rest on."""
    return frame.page(
        "tables",
        addresses.ABOUT,
        title="What these ratings rest on",
        sentences=list(_describe(content)),
        tables=[],
        further=[],
    )


def _describe(content: SiteContent) -> Iterator[str]:
    board, resolved = content.main, content.resolved
    yield from content.report.asked
    if resolved.caveat:
        yield f"Take note: {resolved.caveat}."
    yield (
        f"The main board rests on {board.size}. Ratings are those of the Bradley-Terry model in "
        "Elo points, with 95 % intervals; debates of one matchup count as one observation. An "
        "order is called settled where it holds at 95 % for all pairs at once."
    )
    if board.motions is None:
        yield "The ratings are for the motions that were debated, not for motions in general."
    yield content.report.sides.sentence
    yield content.report.agreement.sentence
    yield from content.report.agreement.correlations
    yield from _describe_people(content)
    yield from (f"{plain(note[:1].upper())}{note[1:]}." for note in board.notes)
    yield (
        f"This site was made from the database of the tournament by {content.command('publish')}; "
        f"its main board has the digest {content.boards[0].digest}. The SHA-256 of every file "
        "stands in site.json."
    )


def _describe_people(content: SiteContent) -> Iterator[str]:
    resolved = content.resolved
    people = {bench.name for bench in resolved.people_benches}
    if resolved.imported:
        return
    votes = sum(row.valid for row in content.judges if row.bench in people)
    if votes:
        yield (
            f"{counted(votes, 'vote')} of people {'was' if votes == 1 else 'were'} taken; their "
            "boards stand beside those of the judges."
        )
    else:
        yield (
            "No person has voted: how far these judges are from what people would say was never "
            "measured here."
        )


def _change_files(frame: Frame, manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    """Yield the page of changes, and the feed of it."""
    publications = [
        {
            "number": number,
            "at": f"{publication.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
            "sentences": publication.sentences,
            "data_hash": publication.data_hash,
        }
        for number, publication in enumerate(manifest.publications, start=1)
    ][::-1]
    yield (
        addresses.CHANGES,
        frame.page("changes", addresses.CHANGES, title="Changes", publications=publications),
    )
    yield addresses.FEED, _feed(frame, manifest)


def _feed(frame: Frame, manifest: Manifest) -> bytes:
    """Return the feed of changes in Atom (RFC 4287)."""
    entries: list[dict[str, Any]] = [
        {
            "number": number,
            "at": f"{publication.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "sentences": [plain(sentence) for sentence in publication.sentences],
        }
        for number, publication in enumerate(manifest.publications, start=1)
    ][::-1]
    text = (
        environment()
        .get_template("feed.xml")
        .render(
            name=plain(frame.name),
            id=f"urn:debate-arena:{addresses.slug(frame.name)}",
            url=frame.url,
            entries=entries,
        )
    )
    return text.encode(errors="replace")
