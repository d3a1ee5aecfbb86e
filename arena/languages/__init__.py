"""The languages of debates: words for sides and stages, and how length is counted."""

from arena.languages.language import (
    ANSWER,
    CHINESE,
    CONTESTS,
    ENGLISH,
    LANGUAGES,
    SIDES,
    SPEECHES,
    STAGES,
    Contest,
    Language,
    Side,
    Stage,
    language,
    leading_sentences,
    other_side,
    sentences,
)

__all__ = [
    "ANSWER",
    "CHINESE",
    "CONTESTS",
    "ENGLISH",
    "LANGUAGES",
    "SIDES",
    "SPEECHES",
    "STAGES",
    "Contest",
    "Language",
    "Side",
    "Stage",
    "language",
    "leading_sentences",
    "other_side",
    "sentences",
]
