"""The addresses of a site's pages, the same from publication to publication.

An address is made of what it names alone, so that a link to it stays good while others come and go.
"""

from __future__ import annotations

import re
from typing import Final

from arena.records import digest

#: What addresses have none of: they are file names on every system, and need no quoting in links.
_OTHER: Final = re.compile(r"[^a-z0-9._]+")
#: Names of devices, of which Windows makes no files.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_MOST_LETTERS: Final = 60
_DIGITS: Final = 8

INDEX: Final = "index.html"
PARTICIPANTS: Final = "participants.html"
WIN_RATES: Final = "win-rates.html"
DEBATES: Final = "debates.html"
MOTIONS: Final = "motions.html"
JUDGES: Final = "judges.html"
COSTS: Final = "costs.html"
REPORT: Final = "report.html"
ABOUT: Final = "about.html"
CHANGES: Final = "changes.html"
FEED: Final = "feed.xml"


def slug(name: str) -> str:
    """Return a name as a part of an address; where letters are lost, a hash tells it from others.

    >>> slug("a4d-good"), slug("Ärzte"), slug("con")
    ('a4d-good', 'rzte-355e6f05', 'x-con-c7f22b58')
    """
    kept = _OTHER.sub("-", name.lower())[:_MOST_LETTERS].strip("-.")
    if _DEVICES.fullmatch(kept):
        kept = f"x-{kept}"
    elif kept and kept == name:
        return kept
    return "-".join(filter(None, (kept, digest(name)[:_DIGITS])))


def board_page(bench: str, dimension: str, category: str) -> str:
    """Return the address of a board."""
    return f"boards/{slug(bench)}/{slug(dimension)}-{slug(category)}.html"


def participant_page(name: str) -> str:
    """Return the address of a participant's profile."""
    return f"participants/{slug(name)}.html"


def pair_page(first: str, second: str) -> str:
    """Return the address of two participants against each other, in either order."""
    earlier, later = sorted((first, second))
    return f"pairs/{slug(earlier)}/{slug(later)}.html"


def debate_page(debate_id: str) -> str:
    """Return the address of a debate."""
    return f"debates/{slug(debate_id)}.html"


def motion_page(motion_id: str) -> str:
    """Return the address of a motion, in all its languages."""
    return f"motions/{slug(motion_id)}.html"


def judge_page(bench: str) -> str:
    """Return the address of a bench."""
    return f"judges/{slug(bench)}.html"


def to_root(page: str) -> str:
    """Return what leads from a page to the folder of the site.

    >>> to_root("index.html"), to_root("pairs/a/b.html")
    ('', '../../')
    """
    return "../" * page.count("/")
