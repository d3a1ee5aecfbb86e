"""Motions: the shipped sets, their records, and the loader for a user's own files."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from motions.loader import find_near_repeats as find_near_repeats
    from motions.loader import load as load
    from motions.loader import shipped as shipped
    from motions.published_questions import PublishedQuestions as PublishedQuestions
    from motions.published_questions import read_published_questions as read_published_questions
    from motions.question_sets import load_questions as load_questions
    from motions.question_sets import shipped_questions as shipped_questions
    from motions.records import Answers as Answers
    from motions.records import Brief as Brief
    from motions.records import BriefPoint as BriefPoint
    from motions.records import Category as Category
    from motions.records import Fault as Fault
    from motions.records import Language as Language
    from motions.records import Motion as Motion
    from motions.records import MotionError as MotionError
    from motions.records import MotionSet as MotionSet
    from motions.records import Wording as Wording
    from motions.schema import derived_id as derived_id
    from motions.schema import language_of as language_of

#: The public names by their modules, which are imported at first use: who reads results needs the
#: records alone, and the forms of files take longer than what most commands print.
_MODULES: Final = {
    "loader": "find_near_repeats load shipped",
    "published_questions": "PublishedQuestions read_published_questions",
    "question_sets": "load_questions shipped_questions",
    "records": "Answers Brief BriefPoint Category Fault Language Motion MotionError MotionSet "
    "Wording",
    "schema": "derived_id language_of",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # so that a misspelt name is found

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
