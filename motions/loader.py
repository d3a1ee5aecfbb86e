"""The loader of motion sets: shipped ones by name, and users' own by path."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

from motions.formats import FORMATS, parse, read_text
from motions.records import Entry, Fault, FieldPath, Motion, MotionError, MotionSet, field_name
from motions.schema import Built, build, plain

#: Marks at the end of a text that make no other motion of it.
_FINAL = ".。!！?？…"
_BLANKS = re.compile(r"\s+")


def shipped() -> tuple[str, ...]:
    """Return the names of the shipped sets, in alphabetical order."""
    folders = (item for item in files("motions").iterdir() if item.is_dir())
    return tuple(sorted(folder.name for folder in folders if _motion_files(folder)))


def load(source: str | Path, *, languages: Sequence[str] = ()) -> MotionSet:
    """Load a motion set.

    Args:
        source: The name of a shipped set (a string without suffix or slash), or the path of a
            motion file or of a folder of them. A folder's files are read in alphabetical order.
        languages: Those in which each motion must have a text.

    Raises:
        MotionError: The set is unknown, or its files cannot be read or have faults; all faults
            are listed.
    """
    if isinstance(source, str) and _is_name(source):
        return _read_shipped(source, tuple(languages))
    path = Path(source)
    return _read_set(_files_at(path), name=path.resolve().stem, languages=languages)


@cache
def _read_shipped(name: str, languages: tuple[str, ...]) -> MotionSet:
    """Read a shipped set, whose files do not change while the program runs."""
    return _read_set(_shipped_files(name), name=name, languages=languages)


def _is_name(source: str) -> bool:
    return not (set(source) & {"/", "\\"} or PurePath(source).suffix or source in {".", ".."})


def _shipped_files(name: str) -> list[Traversable]:
    if name not in shipped():
        near = get_close_matches(name, shipped(), n=1, cutoff=0.75)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise MotionError(
            f"Unknown motion set {name!r}; shipped sets: {', '.join(shipped())}.{meant} "
            f"Choose one of these, or give the path of your own file or folder (./{name})."
        )
    return _motion_files(files("motions") / name)


def _files_at(path: Path) -> list[Traversable]:
    if not path.exists():
        raise MotionError(
            f"Motion file {path} does not exist; accepted: a {', '.join(FORMATS)} file, a folder "
            f"of them, or a shipped set ({', '.join(shipped())}). Correct the path."
        )
    if not path.is_dir():
        return [path]
    if sources := _motion_files(path):
        return sources
    raise MotionError(
        f"Motion folder {path} is empty: it holds no {', '.join(FORMATS)} file. "
        "Put one into it, or correct the path."
    )


def _motion_files(folder: Traversable) -> list[Traversable]:
    sources = (item for item in folder.iterdir() if PurePath(item.name).suffix.lower() in FORMATS)
    return sorted(sources, key=lambda item: item.name)


def _read_set(sources: Iterable[Traversable], *, name: str, languages: Sequence[str]) -> MotionSet:
    built: list[Built] = []
    faults: list[Fault] = []
    for source in sources:
        for entry in _read_entries(source):
            if isinstance(entry, Fault):
                faults.append(entry)
                continue
            try:
                built.append(build(entry, name))
            except MotionError as error:
                faults += error.faults
    faults += _find_repeats(built)
    faults += _find_missing_languages(built, languages)
    if faults:
        raise MotionError.of(sorted(faults, key=lambda fault: (fault.file, fault.line)))
    return MotionSet(name=name, motions=tuple(item.motion for item in built))


def _read_entries(source: Traversable) -> Iterator[Entry | Fault]:
    text = read_text(source)
    if isinstance(text, Fault):
        yield text
        return
    empty = True
    for entry in parse(text, suffix=PurePath(source.name).suffix, file=str(source)):
        empty = False
        yield entry
    if empty:
        yield Fault(
            file=str(source),
            line=1,
            problem="the file contains no motion; accepted: at least one. Add a motion "
            "(docs/motions.md shows how), or check that the path is the right one.",
        )


def _find_repeats(built: Iterable[Built]) -> Iterator[Fault]:
    """Yield a fault for each repeated id or text; case and spacing make no difference."""
    texts: dict[str, tuple[Built, FieldPath]] = {}
    ids: dict[str, tuple[Built, FieldPath]] = {}
    for item in built:
        motion = item.motion
        repeats = [
            _find_repeat(item, path, plain(motion.wordings[code].text), texts)
            for code, path in item.texts.items()
        ]
        if item.own_id or not any(repeats):
            repeats.append(_find_repeat(item, ("id",), motion.motion_id, ids))
        yield from (fault for fault in repeats if fault)


def _find_repeat(
    item: Built, path: FieldPath, key: str, seen: dict[str, tuple[Built, FieldPath]]
) -> Fault | None:
    """Return the fault of a text or id that an earlier motion has; remember it in `seen`."""
    first, known = seen.setdefault(key, (item, path))
    if first is item:
        return None
    return item.entry.fault(
        path,
        f"{key!r} is also that of {first.entry.fault(known, '').place}; accepted: each {path[-1]} "
        "once in a set. Change or remove one of the two (the texts of a motion in two languages "
        "belong in one entry).",
    )


def find_near_repeats(motions: Iterable[Motion]) -> list[tuple[str, ...]]:
    """Return the texts that differ only in case, blanks, width or a final mark, each group once.

    Equal ones are no set at all: `load` refuses them.
    """
    alike: dict[str, dict[str, None]] = {}
    for motion in motions:
        for wording in motion.wordings.values():
            text = _BLANKS.sub("", unicodedata.normalize("NFKC", wording.text)).casefold()
            alike.setdefault(text.rstrip(_FINAL), {})[wording.text] = None
    return [tuple(texts) for texts in alike.values() if len(texts) > 1]


def _find_missing_languages(built: Iterable[Built], languages: Sequence[str]) -> Iterator[Fault]:
    for item in built:
        for code in languages:
            if code not in item.motion.wordings:
                path = item.text_field(code)
                yield item.entry.fault(
                    path,
                    f"no text in {code!r}; the motion has: {', '.join(item.motion.wordings)}. "
                    f"Add {field_name(path)}, or leave the language out.",
                )
