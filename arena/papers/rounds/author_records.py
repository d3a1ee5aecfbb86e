"""The translations and debates that the authors of the multi-agent debate published, measured anew.

Liang et al. 2023, arXiv 2305.19118: the folder `data/CommonMT/Lexical_Ambiguity` of their
repository (github.com/Skytliang/Multi-Agents-Debate) has a file of translations of each method in
`output`, a line for each sentence, and the debate about sentence N in `MAD_Debate_Process/N.json`.
They are read from a copy that the user has.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.answers import chrf, is_correct, normalise
from arena.config.load import read_text
from arena.debaters.mad import diversity
from arena.errors import ConfigError
from arena.languages import ENGLISH
from arena.output.tables import Column
from arena.papers.metrics import with_estimates
from arena.papers.paper_table import PaperTable, interval, measure, name
from arena.papers.published import published_table
from arena.text import counted
from arena.translation.estimators import CandidateTranslation, Estimator
from motions import Answers
from ratings import clustered_share

#: What parts the texts of both sides in the judge's first request.
_NEGATIVE: Final = "Negative side arguing:"
_DEBATES, _TRANSLATIONS = "MAD_Debate_Process", "output"
#: Methods by the names of their files, and as the published table names them.
_METHODS: Final = {
    "gpt4": "GPT-4",
    "baseline": "GPT-3.5-Turbo",
    "rerank": "rerank",
    "maps": "maps",
    "self_reflect": "self_reflect",
    "mad": "mad",
}


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    role: str
    content: str


class AuthorDebate(BaseModel):
    """One published debate; `players` are the conversations by agent."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    source: str
    right: str = Field(alias="correct reference")
    wrong: str = Field(alias="incorrect reference")
    first: str = Field(alias="base translation")
    final: str = Field(alias="debate translation")
    players: Mapping[str, tuple[_Message, ...]]

    @property
    def expected(self) -> Answers:
        """The references of the sentence."""
        return Answers(accepted=(self.right,), wrong=(self.wrong,), translation=True)

    @property
    def decisions(self) -> list[str]:
        """What the moderator replied, a text for each round."""
        turns = self.players.get("Moderator", ())
        return [turn.content for turn in turns if turn.role == "assistant"]

    @property
    def is_extracted(self) -> bool:
        """Whether a judge took the translation from the debate because no round settled it."""
        return "Judge" in self.players

    @property
    def supported(self) -> str:
        """The side that the moderator's last reply supports, in lower case; empty for none.

        A judge who extracts the translation names no side: supported are the sides in whose text,
        as the judge was shown it, the translation stands.
        """
        if self.is_extracted:
            taken = normalise(self.final)
            return " ".join(side for side, text in self._shown() if taken in text.casefold())
        try:
            reply = ast.literal_eval(self.decisions[-1])
        except (ValueError, SyntaxError, IndexError):
            return ""
        return str(reply.get("Supported Side", "")).strip("- ").lower() if reply else ""

    def _shown(self) -> tuple[tuple[str, str], ...]:
        """Return the last text of each side as the judge's first request shows it."""
        asked = (turn.content for turn in self.players["Judge"] if turn.role == "user")
        affirmative, _, negative = next(asked, "").partition(_NEGATIVE)
        return (("affirmative", affirmative), ("negative", negative))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRecords:
    """What was published: the debates in order, and the translations by method, in the same."""

    debates: tuple[AuthorDebate, ...]
    translations: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """How good the translations of one method are.

    Attributes:
        accuracy: share that is closer to the right than to the wrong reference by chrF, 0 to 1.
        lower, upper: 95 % interval.
        chrf: mean, 0 to 100.
        estimates: mean score by each estimator, by the estimator's label.
        published: by column of the paper's table.
    """

    method: str
    accuracy: float
    lower: float
    upper: float
    chrf: float
    estimates: Mapping[str, float]
    published: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRow:
    """How many debates ended in one way, and which side the moderator or the judge supported."""

    end: str
    debates: int
    affirmative: int
    negative: int
    both: int


def read_records(folder: Path) -> AuthorRecords:
    """Read a folder of published records.

    Raises:
        ConfigError: it is another folder, or a file cannot be used.
    """
    files = {path.stem: path for path in (folder / _DEBATES).glob("*.json")}
    if not files or not all(map(str.isdecimal, files)):
        raise ConfigError(
            f"{folder}: there are no debates {_DEBATES}/0.json, 1.json and so on. Name the folder "
            "data/CommonMT/Lexical_Ambiguity of a copy of github.com/Skytliang/Multi-Agents-Debate."
        )
    debates = tuple(_read_debate(files[number]) for number in sorted(files, key=int))
    translations = {
        method: tuple(read_text(path).splitlines())
        for method in _METHODS
        if (path := folder / _TRANSLATIONS / method).is_file()
    }
    for method, lines in translations.items():
        if len(lines) != len(debates):
            raise ConfigError(
                f"{folder / _TRANSLATIONS / method}: {counted(len(lines), 'line')} for "
                f"{counted(len(debates), 'debate')} in {_DEBATES}; there must be one for each. "
                "Copy the folder anew."
            )
    return AuthorRecords(debates=debates, translations=translations)


def _read_debate(path: Path) -> AuthorDebate:
    try:
        return AuthorDebate.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigError(f"{path}: {place}: {first['msg']}. Copy the file anew.") from None


def measure_methods(records: AuthorRecords, estimators: Sequence[Estimator]) -> list[MethodRow]:
    """Return the quality of each method's translations, in the order of the paper's table."""
    table = published_table("mad", "T3")
    columns = {column: table.numbers(column) for column in table.columns[1:]}
    rows = []
    for method, texts in records.translations.items():
        pairs = list(zip(records.debates, texts, strict=True))
        translations = [
            CandidateTranslation(source=debate.source, text=text, references=(debate.right,))
            for debate, text in pairs
        ]
        hits = [is_correct(text, debate.expected) for debate, text in pairs]
        share = clustered_share(hits, range(len(hits)))
        label = _METHODS[method]
        rows.append(
            MethodRow(
                method=label,
                accuracy=share.mean,
                lower=share.lower,
                upper=share.upper,
                chrf=fmean(chrf(text, [debate.right]) for debate, text in pairs),
                estimates={one.label: fmean(one.score(translations)) for one in estimators},
                published={column: values[label] for column, values in columns.items()},
            )
        )
    return rows


def count_ends(records: AuthorRecords) -> list[EndRow]:
    """Return how the debates ended: by the moderator after each round, or by an extraction."""
    most = max(len(debate.decisions) for debate in records.debates)
    ends = [(f"settled after round {number}", number, False) for number in range(1, most + 1)]
    ends.append(("extracted after the last round", 0, True))
    rows = []
    for end, number, is_extracted in ends:
        sides = [
            debate.supported
            for debate in records.debates
            if debate.is_extracted == is_extracted
            and (is_extracted or len(debate.decisions) == number)
        ]
        one_sided = {side: sides.count(side) for side in ("affirmative", "negative")}
        both = sum("affirmative" in side and "negative" in side for side in sides)
        rows.append(EndRow(end=end, debates=len(sides), both=both, **one_sided))
    return rows


def describe_changes(records: AuthorRecords) -> str:
    """Return how far the debates changed the first translation, as a sentence."""
    pairs = [(debate.first, debate.final) for debate in records.debates]
    same = sum(normalise(first) == normalise(final) for first, final in pairs)
    moved = fmean(diversity(first, final, ENGLISH) for first, final in pairs)
    return (
        f"Final translations that equal the first one: {same} of {len(pairs)}. Diversity (100 - "
        f"BLEU) of the first and the final one: {moved:.1f}."
    )


def _published(column: str) -> Column[MethodRow]:
    return Column(
        head=f"published {column}",
        key=f"published_{column}",
        read=lambda row: row.published[column],
    )


def methods_table(estimators: Sequence[Estimator]) -> PaperTable[MethodRow]:
    """Return the layout of the methods' quality, with the published figures beside."""
    return PaperTable(
        columns=(
            name("method"),
            measure("accuracy", ".1%", digits=6),
            *interval(".0%", digits=6),
            measure("chrf", ".1f", head="chrF", digits=6),
            *with_estimates((), estimators, digits=6),
            *map(_published, ("COMET", "BLEURT", "score", "accuracy")),
        ),
        notes=(
            "Accuracy: closer to the right than to the wrong reference by chrF; published, by "
            "people, in percent, as the score, from 1 to 5. The paper names wmt22-cometkiwi-da and "
            "BLEURT-20.",
        ),
    )


#: How the published debates ended.
ENDS: PaperTable[EndRow] = PaperTable(
    columns=(name("end"), *map(measure, ("debates", "affirmative", "negative", "both"))),
    notes=(
        "Affirmative, negative, both: whom the moderator supported in its last reply; after an "
        "extraction, in whose last text the translation stands. In the other debates, neither. "
        "{changes}",
    ),
)
