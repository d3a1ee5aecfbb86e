"""The public interface for packages that add a debater, a judge or a command.

Import everything from here: this module stays stable while the modules behind it move. A package
registers what it adds by an entry point in the group `arena.debaters`, `arena.judges` or
`arena.commands`; `CONTRIBUTING.md` walks through one of each.

* A debater subclasses `Debater` and returns a `Draft` for each `Turn`.
* A debater whose speeches a function or another framework makes subclasses `FunctionDebater`; its
  calls go through `Chat`, or are marked as not seen.
* A judge subclasses `Judge` and returns a `Judgement` for a `Hearing`.
* A command is a `click` command; with the options `database` and `tournament` and the function
  `open_stored` it reads a stored tournament, and `print_tables` prints its `Table`s as text,
  Markdown or JSON.
* Prompts are files, rendered by `Prompts`; text that a model or a person wrote must pass through
  `quote`. A structured answer is a pydantic model; `schema_of` returns the schema that its prompt
  shows, and its validators raise `contradiction` where fields contradict each other. A model's
  `write` returns a text, `ask` a structured answer, and `compose` a short structured answer with
  the text that follows it (a `Composition`), the form for speeches.
* `try_debater` and `try_judge` run a class once with a simulated model, for its tests.
"""

from arena.console.options import database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.debater import Debater, Draft, Forecast, NoOptions, Seat, Turn
from arena.debaters.function import Chat, FunctionDebater, Messages
from arena.debates.transcript import render_reference, render_speech, render_transcript
from arena.errors import (
    ArenaError,
    ConfigError,
    ContentFault,
    InfrastructureFault,
    StoreError,
)
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, STAGES, Contest, Language, Side, Stage, language, other_side
from arena.llm.answers import Composition
from arena.llm.concurrency import together
from arena.llm.model import LanguageModel
from arena.llm.repair import contradiction
from arena.llm.schemas import schema_of
from arena.output.formats import form, print_tables, titled
from arena.output.tables import Table
from arena.prompts import Prompts, quote
from arena.records import Reference, Sampling, Speech, Step, Verdict
from arena.search.tool import Finding, Results, Search
from arena.store.database import Store
from arena.tournament.tryout import try_debater, try_judge

__all__ = [
    "SIDES",
    "STAGES",
    "ArenaError",
    "Chat",
    "Composition",
    "ConfigError",
    "ContentFault",
    "Contest",
    "Debater",
    "Draft",
    "Finding",
    "Forecast",
    "FunctionDebater",
    "Hearing",
    "InfrastructureFault",
    "Judge",
    "Judgement",
    "Language",
    "LanguageModel",
    "Messages",
    "NoOptions",
    "Prompts",
    "Reference",
    "Results",
    "Sampling",
    "Search",
    "Seat",
    "Side",
    "Speech",
    "Stage",
    "Step",
    "Store",
    "StoreError",
    "Table",
    "Turn",
    "Verdict",
    "contradiction",
    "database",
    "examples",
    "form",
    "language",
    "open_stored",
    "other_side",
    "print_tables",
    "quote",
    "render_reference",
    "render_speech",
    "render_transcript",
    "schema_of",
    "titled",
    "together",
    "tournament",
    "try_debater",
    "try_judge",
]
