"""Loading a motion set: a shipped one by its name, or a user's own by its path."""

from collections.abc import Callable, Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

from motions.errors import MotionError
from motions.formats import FORMATS, Entry, parser_for
from motions.records import Motion, MotionSet
from motions.schema import build, place


def shipped() -> tuple[str, ...]:
    """Returns the names of the shipped sets, in alphabetical order."""
    folders = (item for item in files("motions").iterdir() if item.is_dir())
    return tuple(sorted(folder.name for folder in folders if _motion_files(folder)))


def load(source: str | Path) -> MotionSet:
    """Loads a motion set.

    Args:
        source: The name of a shipped set (a string without suffix or slash), or the path of a
            motion file or of a folder of them. A folder's files are read in alphabetical order.

    Raises:
        MotionError: The set is unknown, or its files cannot be read or are not right.
    """
    if isinstance(source, str) and _is_name(source):
        return _read_set(_shipped_files(source), name=source)
    path = Path(source)
    return _read_set(_files_at(path), name=path.resolve().stem)


def _is_name(source: str) -> bool:
    return not (set(source) & {"/", "\\"} or PurePath(source).suffix or source in {".", ".."})


def _shipped_files(name: str) -> list[Traversable]:
    if name not in shipped():
        raise MotionError(
            f"Unknown motion set {name!r}; shipped sets: {', '.join(shipped())}. "
            f"Choose one of these, or give the path of your own file or folder (./{name})."
        )
    return _motion_files(files("motions") / name)


def _files_at(path: Path) -> list[Traversable]:
    if not path.exists():
        raise MotionError(
            f"Motion file {path} does not exist; accepted: a {', '.join(FORMATS)} file, a folder "
            f"of them, or a shipped set ({', '.join(shipped())}). Correct the path."
        )
    return _motion_files(path) if path.is_dir() else [path]


def _motion_files(folder: Traversable) -> list[Traversable]:
    found = (item for item in folder.iterdir() if PurePath(item.name).suffix.lower() in FORMATS)
    return sorted(found, key=lambda item: item.name)


def _read_set(sources: Iterable[Traversable], *, name: str) -> MotionSet:
    entries = [entry for source in sources for entry in _read_entries(source)]
    if not entries:
        raise MotionError(
            f"Motion set {name!r} is empty; accepted is at least one motion. "
            "Add a [[motion]] to its file, or check that the path is the right one."
        )
    motions = [(build(entry, name), entry) for entry in entries]
    _refuse_repeats(motions, "id", lambda motion: [motion.motion_id])
    _refuse_repeats(motions, "text", _texts)
    return MotionSet(name=name, motions=tuple(motion for motion, _ in motions))


def _read_entries(source: Traversable) -> list[Entry]:
    parse = parser_for(PurePath(source.name).suffix, str(source))
    return parse(_read_text(source), str(source))


def _read_text(source: Traversable) -> str:
    try:
        content = source.read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MotionError(
            f"{source} is not UTF-8: line {line} has the byte 0x{content[error.start]:02x}; "
            "accepted is UTF-8 only. Save the file in that encoding."
        ) from error
    except OSError as error:
        raise MotionError(f"{source} cannot be read: {error.strerror}. Check the file.") from error


def _texts(motion: Motion) -> list[str]:
    """Returns the motion's texts as compared: without regard to case and spacing."""
    return [" ".join(item.text.casefold().split()) for item in motion.wordings.values()]


def _refuse_repeats(
    motions: Iterable[tuple[Motion, Entry]], field: str, keys: Callable[[Motion], list[str]]
) -> None:
    seen: dict[str, Entry] = {}
    for motion, entry in motions:
        for key in keys(motion):
            if key in seen:
                raise MotionError(
                    f"{place(entry)}: {field} {key!r} is already that of {place(seen[key])}; "
                    f"accepted is each {field} once in a set. Change or remove one of the two."
                )
            seen[key] = entry
