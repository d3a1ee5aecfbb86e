"""The command line; every error of the project becomes one message and exit code 2."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from arena.console.repetition import WORDS
from arena.console.streams import keep_streams
from arena.errors import ArenaError, ConfigError, DatabaseGone, Untrusted
from arena.llm.keys import clean_environment
from arena.registered import registered

#: The commands as `arena --help` groups them; those of other packages follow as "Other commands".
SECTIONS: Final = {
    "Set up and play": ("init", "check", "run", "resume", "status", "add", "plan", "simulate"),
    "Read the results": (
        *(
            "serve",
            "report",
            "publish",
            "leaderboard",
            "matrix",
            "versus",
            "debates",
            "show",
            "trace",
        ),
        *("influence", "calibrate", "models", "paper-tables"),
    ),
    "Judges": ("judges", "rejudge"),
    "People": ("vote", "rank", "speak"),
    "Essays, questions and inner debates": ("marks", "diversity", "accuracy", "mad"),
    "Motions and prompts": ("motions", "questions", "prompts"),
    "Debaters and judges of your own": ("new",),
    "Databases": ("list", "verify", "reproduce", "export", "import"),
}


#: Where it is kept that `--trust` was given: any command that reads a file takes it.
_TRUST: Final = "arena.trust"
#: Click's message where there are more arguments than a command takes; the first of them.
_EXTRA: Final = re.compile(r"Got unexpected extra argument(?: \((.+)|s \((\S+) .*)\)", re.DOTALL)


#: The commands that begin with a tournament's file. What they are loaded with takes seconds, so
#: that a mistake in the file is found first.
_READ_FIRST: Final = ("check", "plan", "prompts", "run")


class _Failure(click.ClickException):
    exit_code = 2


class _Stopped(_Failure):
    exit_code = 4


class _Commands(click.Group):
    """The registered commands; an error of the project is shown as a message, not a traceback.

    Each command is loaded when it is called: importing all of them would take seconds.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_TRUST] = "--trust" in args
        args = [word for word in args if word != "--trust"]
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(registered("arena.commands"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        point = registered("arena.commands").get(cmd_name)
        if point is None:
            return None
        try:
            command: click.Command = point.load()
        except (ImportError, AttributeError) as error:  # the other commands still work
            return _broken(cmd_name, f"{point.value} cannot be loaded: {error}.")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        listed = {name for section in SECTIONS.values() for name in section}
        others = tuple(name for name in names if name not in listed)
        wide = max(map(len, names), default=0)
        room = formatter.width - wide - 6
        for title, section in {**SECTIONS, "Other commands": others}.items():
            commands = [
                _described(name) or self.get_command(ctx, name) for name in section if name in names
            ]
            rows = [
                (str(command.name).ljust(wide), command.get_short_help_str(room))
                for command in commands
                if command is not None
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in _READ_FIRST and not {"-h", "--help"} & {*args}:
            _check_files(args[1:])
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if told := _option_for_name(error):
                raise click.UsageError(f"{error.message}{told}", error.ctx) from None
            raise
        except Untrusted as request:
            if not ctx.meta[_TRUST] and not (
                sys.stdin.isatty() and click.confirm(request.question, default=False)
            ):
                raise _Failure(str(request)) from request
            try:
                request.remember()
            except ConfigError as error:
                raise _Failure(str(error)) from error
            again = self.make_context(str(ctx.info_name), list(ctx.meta[WORDS]))
            again.meta[_TRUST] = ctx.meta[_TRUST]
            with again:
                return self.invoke(again)
        except Exception as error:
            if isinstance(error, ArenaError) or isinstance(error, _own_errors()):
                failure = _Stopped if isinstance(error, DatabaseGone) else _Failure
                raise failure(str(error)) from error
            raise


def _check_files(words: list[str]) -> None:
    """Check the tournament's file that a command line names, where it names one.

    Raises:
        ConfigError: it is not valid.
    """
    files = [word for word in words if word.endswith(".toml") and Path(word).is_file()]
    if len(files) != 1:  # an option may name one, too
        return
    from arena.config.load import config_text, parse_file  # noqa: PLC0415 - few commands need it

    text = config_text(files[0])
    parse_file(text, where=files[0])
    from arena.config.resolve import check_names  # noqa: PLC0415 - the debaters and judges of it

    check_names(text, where=files[0])


def _option_for_name(error: click.UsageError) -> str:
    """Return how a tournament is named, where it was named without the option; else ''."""
    extra = _EXTRA.fullmatch(error.message)
    if (
        not extra
        or error.ctx is None
        or all(p.name not in ("tournament", "tournaments") for p in error.ctx.command.params)
    ):
        return ""
    again = f"{error.ctx.command_path} -t {shlex.quote(extra[1] or extra[2])}"
    return f". A tournament is named with -t: {again}"


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: arena run (plays a tournament of simulated models; no key is needed)\n\n"
    "A file that would send more of this machine than usual is refused: --trust, with any command "
    "that reads it, allows that once and for all.",
)
@click.version_option(package_name="debate-arena", prog_name="arena")
def cli() -> None:
    """Tournaments and leaderboards for debate systems.

    They show which framework on which language model argues better, with confidence intervals and
    costs.
    """
    for line in clean_environment():
        click.echo(line, err=True)


def main() -> None:
    """Run the command line (the entry point of the console script)."""
    if sys.platform == "win32":  # without fcntl and resource, which files that are shared need
        click.echo(
            "Error: debate-arena runs on Linux and macOS, and this is Windows. Install it in the "
            "Windows Subsystem for Linux: wsl --install, then as in the README.",
            err=True,
        )
        raise SystemExit(2)
    # Arrow's own allocator, which pandas takes, gives nothing back to the system.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    outputs = keep_streams()
    try:
        cli()
    except SystemExit as end:
        sys.stdout.flush()
        if fault := next((output.fault for output in outputs if output.fault), ""):
            click.echo(f"Error: not everything could be printed: {fault}.", err=True)
            raise SystemExit(end.code or 1) from None
        raise


def _described(name: str) -> click.Command | None:
    """Return a command that has its help alone, read from its source; None where there is none.

    Loading all commands takes seconds, and a list of them should not.
    """
    point = registered("arena.commands")[name]
    try:
        spec = find_spec(point.module)
        source = Path(spec.origin or "").read_text("utf-8") if spec else ""
    except (ImportError, OSError):
        return None
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == point.attr:
            options = [
                option
                for decorator in node.decorator_list
                for option in getattr(decorator, "keywords", ())
            ]
            short = {option.arg: option.value for option in options}.get("short_help")
            text = ast.get_docstring(node)
            summary = ast.literal_eval(short) if short else None
            return click.Command(name, help=text, short_help=summary) if text else None
    return None


def _own_errors() -> tuple[type[Exception], ...]:
    """Return the bases of the project's errors; to import them loads NumPy, which help spares."""
    from motions import MotionError  # noqa: PLC0415
    from ratings import RatingError  # noqa: PLC0415

    return (ArenaError, MotionError, RatingError)


def _broken(name: str, problem: str) -> click.Command:
    def fail() -> None:
        raise ConfigError(f"the command {name!r}: {problem}")

    return click.Command(name, help=problem, callback=fail)


if __name__ == "__main__":
    main()
