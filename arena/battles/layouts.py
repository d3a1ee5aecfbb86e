"""Published layouts of battle logs: which column holds what, and what has to be computed of it.

Heads are compared by their letters and digits alone: `Model A`, `modelA` and `MODEL_A` are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from arena.battles.source import Source, head_key, sql_text

#: The word for the winner of rows that hold no verdict: they are left out, and counted.
SKIP: Final = "(no verdict)"

#: The keys of columns that others name otherwise, by our names; the first that is there is taken.
#: A column of times is taken only if it holds some.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "model_a": ("model1", "playera", "player1", "systema", "system1", "generator1", "modelaname",
                "participanta", "participant1", "white"),
    "model_b": ("model2", "playerb", "player2", "systemb", "system2", "generator2", "modelbname",
                "participantb", "participant2", "black"),
    "winner": ("preference", "verdict", "result", "outcome"),
    "judge": ("annotator", "judgename", "judgemodel"),
    "timestamp": ("tstamp", "ts", "time", "datetime", "date", "createdat", "created",
                  "finishedat", "judgedat", "votedat", "submittedat", "utctime", "unixtime"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleLayout:
    """A layout whose cells have to be computed.

    Attributes:
        needs: the keys of the columns by which it is known.
        lacks: the keys of columns that it does not have.
        cells: by our name, the column that messages name, and the SQL of its cell, in which
            `{key}` stands for a column of the file, and for NULL where it has none.
        games: SQL of how many rows a row holds; empty for one. They are counted from 0 by `game`.
    """

    needs: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    cells: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    games: str = ""

    def fits(self, keys: Iterable[str]) -> bool:
        """Return whether the columns of a file are those of the layout."""
        return set(self.needs) <= set(keys) and not set(self.lacks) & set(keys)

    def convert(self, source: Source) -> tuple[Source, dict[str, str]]:
        """Return the source with the computed columns, and their heads by our names."""
        named = {head_key(head): name for head, name in source.columns.items()}
        names = defaultdict(lambda: "NULL", named)
        heads = {ours: head for ours, (head, _) in self.cells.items()}
        if self.games:
            games = f"range(CAST({self.games.format_map(names)} AS BIGINT))"
            source = source.compute({"game": f"unnest({games})"})
        computed = source.compute(
            {f"made_{ours}": sql.format_map(names) for ours, (_, sql) in self.cells.items()}
        )
        templates = " ".join(sql for _, sql in self.cells.values())
        kept = {
            head: name
            for head, name in source.columns.items()
            if f"{{{head_key(head)}}}" not in templates
        }
        columns = {**{head: f"made_{ours}" for ours, head in heads.items()}, **kept}
        return replace(computed, columns=columns), heads


def _json(key: str, path: str) -> str:
    """Return the SQL of a part of a column with JSON; NULL where it holds none.

    Args:
        key: that of the column.
        path: of the part; `GAME` in it stands for the number of the game.
    """
    place = sql_text(path).replace("GAME", "' || game || '")
    return f"CASE WHEN json_valid({{{key}}}) THEN json_extract_string({{{key}}}, {place}) END"


def _hidden_name(number: int) -> str:
    """Return the SQL of a model's name in FastChat's log."""
    shown, hidden = _json("models", f"$[{number}]"), _json("states", f"$[{number}].model_name")
    return f"coalesce({hidden}, {shown})"


def _choice(subject: str, words: Mapping[str, str], otherwise: str) -> str:
    cases = " ".join(f"WHEN {sql_text(word)} THEN {value}" for word, value in words.items())
    return f"CASE {subject} {cases} ELSE {otherwise} END"


def _winner_and_loser(winner: str, loser: str) -> BattleLayout:
    """Return the layout of a log that names who won: who was named first is not known."""
    return BattleLayout(
        needs=(winner, loser),
        lacks=("modela", "modelb", "left", "right"),
        cells={
            "model_a": (f"{winner}, {loser}", f"least({{{winner}}}, {{{loser}}})"),
            "model_b": (loser, f"greatest({{{winner}}}, {{{loser}}})"),
            "winner": (winner, f"{{{winner}}}"),
        },
    )


def _one_hot(words: Mapping[str, str]) -> str:
    """Return the SQL of the word whose column is 1, or of all values where it is not just one."""
    marks = {key: f"coalesce(lower({{{key}}}) IN ('1', '1.0', 'true'), FALSE)" for key in words}
    chosen = " ".join(f"WHEN {marks[key]} THEN {sql_text(word)}" for key, word in words.items())
    number = " + ".join(f"CAST({mark} AS INTEGER)" for mark in marks.values())
    every = ", ".join(f"{{{key}}}" for key in words)
    return f"CASE WHEN {number} <> 1 THEN concat_ws(', ', {every}) {chosen} END"


_PREFERENCE = "TRY_CAST({preference} AS DOUBLE)"
_SKIPPED = sql_text(SKIP)
_FIRST_GAME = "game % 2 = 0"

LAYOUTS: Final = (
    # Kaggle's "LMSYS - Chatbot Arena Human Preference Predictions", and its data on Hugging Face.
    BattleLayout(
        needs=("winnermodela", "winnermodelb", "winnertie"),
        lacks=("winner",),
        cells={
            "winner": (
                "winner_model_a, winner_model_b, winner_tie",
                _one_hot(
                    {
                        "winnermodela": "model_a",
                        "winnermodelb": "model_b",
                        "winnertie": "tie",
                        "winnertiebothbad": "tie",
                    }
                ),
            )
        },
    ),  # fmt: skip
    # AlpacaEval's annotations: 1 and 2, or what lies between as a weight; 1.5 and 0 are ties.
    BattleLayout(
        needs=("generator1", "generator2", "preference"),
        lacks=("winner",),
        cells={
            "winner": (
                "preference",
                f"CASE WHEN coalesce(nullif(lower(trim({{preference}})), ''), 'null') "
                f"IN ('null', 'none', 'nan') THEN {_SKIPPED} "
                f"WHEN {_PREFERENCE} IN (0, 1.5) THEN 'tie' "
                f"WHEN {_PREFERENCE} >= 1 AND {_PREFERENCE} < 1.5 THEN 'model_a' "
                f"WHEN {_PREFERENCE} > 1.5 AND {_PREFERENCE} <= 2 THEN 'model_b' "
                "ELSE {preference} END",
            )
        },
    ),
    # FastChat's log of its arena. Where the models were hidden, their names are in the states.
    BattleLayout(
        needs=("type", "models"),
        lacks=("winner",),
        cells={
            "model_a": ("models[0]", _hidden_name(0)),
            "model_b": ("models[1]", _hidden_name(1)),
            "winner": (
                "type",
                _choice(
                    "{type}",
                    {
                        "leftvote": "'model_a'",
                        "rightvote": "'model_b'",
                        "tievote": "'tie'",
                        "bothbad_vote": "'tie'",
                    },
                    _SKIPPED,
                ),
            ),
        },
    ),  # fmt: skip
    # Arena-Hard's judgments: two games, the baseline named first in the first.
    BattleLayout(
        needs=("model", "baseline", "games"),
        lacks=("winner",),
        cells={
            "model_a": ("model", f"CASE WHEN {_FIRST_GAME} THEN {{baseline}} ELSE {{model}} END"),
            "model_b": (
                "baseline",
                f"CASE WHEN {_FIRST_GAME} THEN {{model}} ELSE {{baseline}} END",
            ),
            "winner": (
                "games.score",
                f"coalesce({_json('games', '$[GAME].score')}, {_SKIPPED})",
            ),
            "group": ("uid or question_id", "coalesce({uid}, {questionid})"),
        },
        games="CASE WHEN json_valid({games}) THEN greatest(json_array_length({games}), 1) "
        "ELSE 1 END",
    ),
    # MT-bench's pairwise judgments: two games, the sides swapped; the winner is named.
    BattleLayout(
        needs=("model1", "model2", "g1winner", "g2winner"),
        cells={
            "model_a": ("model_1", f"CASE WHEN {_FIRST_GAME} THEN {{model1}} ELSE {{model2}} END"),
            "model_b": ("model_2", f"CASE WHEN {_FIRST_GAME} THEN {{model2}} ELSE {{model1}} END"),
            "winner": (
                "g1_winner, g2_winner",
                _choice(
                    f"CASE WHEN {_FIRST_GAME} THEN {{g1winner}} ELSE {{g2winner}} END",
                    {
                        "model_1": "{model1}",
                        "model_2": "{model2}",
                        "tie": "'tie'",
                        "error": _SKIPPED,
                    },
                    f"CASE WHEN {_FIRST_GAME} THEN {{g1winner}} ELSE {{g2winner}} END",
                ),
            ),
            "judge": ("judge", f"coalesce({_json('judge', '$[0]')}, {{judge}})"),
        },
        games="2",
    ),  # fmt: skip
    # ComparIA's votes.
    BattleLayout(
        needs=("chosenmodelname", "bothequal"),
        lacks=("winner",),
        cells={
            "winner": (
                "chosen_model_name",
                "CASE WHEN lower({bothequal}) IN ('1', '1.0', 'true') THEN 'tie' "
                f"ELSE coalesce({{chosenmodelname}}, {_SKIPPED}) END",
            )
        },
    ),
    _winner_and_loser("winner", "loser"),
    _winner_and_loser("chosenmodel", "rejectedmodel"),
)

#: The keys by which the line with the names of columns is known.
KNOWN_HEADS: Final = frozenset(
    {"modela", "modelb", "winner", "left", "right"}.union(
        *ALIASES.values(), *(layout.needs for layout in LAYOUTS)
    )
)

#: Files of neighbours without comparisons of two participants: the keys of some columns, and whose.
NEIGHBOURS: Final = (
    (("docid", "doc", "target"), "lm-eval: the answers of one model"),
    (("eval", "samples"), "Inspect: the log of one model"),
    (("evalid", "results"), "promptfoo: tests of prompts"),
    (("promptid", "vars"), "promptfoo: tests of prompts"),
    (("promptidx", "vars"), "promptfoo: tests of prompts"),
    (("results", "prompts", "stats"), "promptfoo: tests of prompts"),
    (("pairid", "responsemodel", "label"), "JudgeBench: verdicts on two answers of one model"),
    (("contestants", "winner"), "deepeval: contestants in one cell, none of them as a column"),
    (("testresults",), "deepeval: tests of one system"),
    (("testcases",), "deepeval: tests of one system"),
    (("testrunid", "metricsdata"), "deepeval: tests of one system"),
    (("results", "configs", "versions"), "lm-eval: the scores of one model"),
    (("resultsall", "configgeneral"), "lighteval: the scores of one model"),
    (("adapterspec", "scenariostate"), "HELM: the answers of one model"),
    (("accuracy", "details"), "OpenCompass: the scores of one model"),
    (("prediction", "originprompt"), "OpenCompass: the answers of one model"),
    (("traceid", "observationid"), "Langfuse: scores of single traces"),
    (("traceid", "value"), "Langfuse: scores of single traces"),
    (("userinput", "response"), "Ragas: scores of single answers"),
)


def find_neighbour(keys: Iterable[str]) -> str:
    """Return whose results a file with these columns holds, if they compare nobody; else ''."""
    known = set(keys)
    return next((meaning for needs, meaning in NEIGHBOURS if set(needs) <= known), "")
