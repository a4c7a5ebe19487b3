# SPDX-License-Identifier: Apache-2.0
"""Parts that every command shares: the application, its errors, options and stages of work."""

import ast
import dataclasses
import errno
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info

from wideblock import __version__
from wideblock.cli.conversion import converting_lightly
from wideblock.errors import UserError

__all__ = ["app", "as_json", "one_form", "progress", "settings", "stages"]
__all__ += ["AcceptBroken", "Csv", "Directory", "Force", "ForceDirectory", "Json", "Preset", "Set", "Store"]
__all__ += ["Everything", "Presets", "complete_device", "named", "multiple_settings", "setting"]

GROUPS = {
    "Choose a core": ("list", "info", "compare", "report", "schedule"),
    "Make its files": ("generate", "vectors", "native"),
    "Run it": ("demo", "encrypt", "decrypt", "nbd", "ublk", "aead"),
    "Check it": ("verify", "prove", "mutate", "attack", "measure", "vectors check", "evidence"),
    "Measure its area and clock": ("synth", "sweep", "clock", "measure-peer"),
}
"""The commands by the work that they do."""

COMMANDS = {
    command: {"encrypt": "crypt", "decrypt": "crypt"}.get(command, command.replace("-", "_").replace(" ", "_"))
    for group in GROUPS.values()
    for command in group
}
"""The module of each command; the module is imported when the command runs; the module's EXAMPLE is below the help."""

JUDGING = ("vectors check", "verify", "prove", "mutate", "attack", "measure")
"""Commands that check a core: 2 is their exit status where it could not be checked."""


UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer has no public name for it


class CommandGroup(TyperGroup):
    """Commands by name, imported when needed, and their errors.

    An expected error is one line on stderr and exit status 1, as is a wrong command line. If a core could not be
    checked, the status is 2. Any other error is a fault of the code.
    """

    _listing = False

    def list_commands(self, ctx):
        return list(COMMANDS)

    def resolve_command(self, ctx, args):
        words = " ".join(args[:2])
        return super().resolve_command(ctx, [words, *args[2:]] if words in COMMANDS else args)

    def get_command(self, ctx, cmd_name):
        if cmd_name not in COMMANDS:
            return None
        if self._listing:
            panel = next(title for title, group in GROUPS.items() if cmd_name in group)
            return TyperCommand(cmd_name, help=help_line(cmd_name), rich_help_panel=panel)
        commands, module = typer.Typer(), import_module(f"wideblock.cli.{COMMANDS[cmd_name]}")
        commands.command(cmd_name, epilog=module.EXAMPLE.format(command=cmd_name))(getattr(module, function(cmd_name)))
        (info,) = commands.registered_commands
        command = get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode="rich")
        return typeless_flags(converting_lightly(command, ctx), ctx)

    def format_help(self, ctx, formatter):
        self._listing = True
        typeless_flags(self, ctx)
        super().format_help(ctx, formatter)

    def make_context(self, info_name, args, parent=None, **extra):
        given = bool(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except UsageError as error:
            if not given:  # its text is the help
                error.exit_code = 1  # pyright: ignore[reportAttributeAccessIssue]
                raise
            raise misused(error) from None
        except BrokenPipeError:
            raise
        except OSError as error:  # no room for the help, or for the version
            raise failed(error) from None

    def parse_args(self, ctx, args):
        converting_lightly(self, ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except UsageError as error:
            raise misused(error) from None
        except Exception as error:
            if not isinstance(error, expected()):
                raise
            unchecked = ctx.invoked_subcommand in JUDGING and not isinstance(error, UserError)
            raise failed(error, 2 if unchecked else 1) from None


def function(command: str) -> str:
    """The name of the function that is ``command``: an underscore tells it from a builtin."""
    return {"list": "list_"}.get(command, command.replace("-", "_").replace(" ", "_"))


def help_line(command: str) -> str:
    """The first paragraph of the docstring of a command's function, from its source: nothing is imported."""
    source = Path(__file__).with_name(f"{COMMANDS[command]}.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    (found,) = (node for node in functions if node.name == function(command))
    return " ".join((ast.get_docstring(found) or "").partition("\n\n")[0].split())


def misused(error: Any) -> typer.Exit:
    """Says in one line what is wrong with the command line; returns the end of the program."""
    command = error.ctx.command_path if error.ctx else "wideblock"
    message = _told(error.format_message()).rstrip(".")
    typer.echo(f"wideblock: {message[:1].lower()}{message[1:]}; see {command} -h", err=True)
    return typer.Exit(1)


def failed(error: Exception, status: int = 1) -> typer.Exit:
    """Says an expected ``error`` in one line; returns the end of the program."""
    typer.echo(f"wideblock: {one_line(error)}", err=True)
    return typer.Exit(status)


def typeless_flags(command: Any, ctx: Any) -> Any:
    """``command``, with help that shows no type for an option without a value."""
    for parameter in command.get_params(ctx):
        if getattr(parameter, "is_flag", False):
            parameter.display_type_rich = lambda ctx: None
    return command


def expected() -> tuple[type[Exception], ...]:
    """Errors that the user or the machine causes, not the code; known only after an error, for fast imports."""
    from wideblock.simulation.bench import SimulationError
    from wideblock.simulation.verilator import BuildError
    from wideblock.synth.process import FlowError

    return UserError, OSError, MemoryError, BuildError, SimulationError, FlowError


def one_line(error: BaseException) -> str:
    """Returns the message and the notes of ``error`` in a line; a system error with the file."""
    message = str(error)
    if isinstance(error, MemoryError):
        message = "the memory is not enough for such numbers; give smaller ones"
    elif isinstance(error, OSError) and error.errno == errno.EBADF:
        message = "standard input or output is needed, and closed; open it, or name a file"
    elif isinstance(error, OSError) and error.strerror:
        about = f"{error.filename or 'an empty name'}: " if error.filename is not None else ""
        message = f"{about}{error.strerror[0].lower()}{error.strerror[1:]}"
    return _told("; ".join([message, *getattr(error, "__notes__", ())]))


def _told(message: str) -> str:
    """A ``message`` in a line, without hexadecimal digits of a key, which may stand where a file's name belongs."""
    return re.sub(r"[0-9A-Fa-f]{32,}", "(hexadecimal digits)", " ".join(message.split()))


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Generates, verifies and measures hardware cores for wide-block storage encryption.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(f"wideblock {__version__}, amaranth {metadata.version('amaranth')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


def complete_preset(incomplete: str) -> list[str]:
    """The presets with the given beginning, for the shell."""
    from wideblock.catalog import PRESETS

    return [name for name in PRESETS if name.startswith(incomplete)]


def complete_setting(context: typer.Context, incomplete: str) -> list[str]:
    """The settings of the line's preset with the given beginning: each value of a parameter that has choices."""
    from wideblock.catalog import PRESETS

    words = (context.params.get("preset"), *context.args)  # the line is not taken apart before its last word is whole
    fields = next((dataclasses.fields(PRESETS[word].parameters) for word in words if word in PRESETS), ())
    settings = (f"{field.name}={value}" for field in fields for value in field.metadata["choices"] or ("",))
    return [setting for setting in settings if setting.startswith(incomplete)]


def complete_device(incomplete: str) -> list[str]:
    """The targets whose netlists can be simulated, for the shell."""
    from wideblock.synth.targets import fpgas

    return [name for name in fpgas if name.startswith(incomplete)]


def setting(metavar: str, help: str) -> Any:
    """The option --set, whose settings the shell completes."""
    return typer.Option("--set", metavar=metavar, help=help, autocompletion=complete_setting)


PRESET_HELP = "Name of a preset; [b]wideblock list[/b] shows them."
PRESETS_HELP = "Presets; [b]wideblock list[/b] shows them."
Preset = Annotated[str, typer.Argument(metavar="PRESET", help=PRESET_HELP, autocompletion=complete_preset)]
Presets = Annotated[
    list[str] | None, typer.Argument(metavar="PRESET...", help=PRESETS_HELP, autocompletion=complete_preset)
]
Everything = Annotated[bool, typer.Option("--all", help="Every preset.")]
Set = Annotated[list[str] | None, setting("NAME=VALUE", "Change a parameter of the preset; may be repeated.")]
AcceptBroken = Annotated[
    bool, typer.Option("--accept-broken", help="Use of a scheme whose status is broken, for research and benchmarks.")
]
Store = Annotated[
    Path, typer.Option(metavar="FILE", help="Store of measured points; default: the package's.", show_default=False)
]
Directory = Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Output directory; created if missing.")]
ForceDirectory = Annotated[bool, typer.Option("--force", help="Replace files in a directory that is not empty.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")]


def named(presets: list[str] | None, everything: bool) -> list[str]:
    """The presets of :data:`Presets` and :data:`Everything`. Raises UserError for none."""
    from wideblock.catalog import PRESETS

    names = list(PRESETS) if everything else presets or []
    if not names:
        raise UserError("no preset is given; name one or say --all")
    return names


def one_form(csv: bool, json: bool) -> None:
    """Raises UserError if both forms of output are wanted."""
    if csv and json:
        raise UserError("--csv and --json exclude each other; give one of them")


def settings(changes: list[str] | None) -> dict[str, str]:
    """Splits every NAME=VALUE of ``changes``."""
    result = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not (name and equals and value):
            raise UserError(f"--set {change} is not a setting; write --set NAME=VALUE, such as --set lanes=4")
        name = name.strip().replace("-", "_")
        if name in result:
            raise UserError(f"--set {name} is given twice, {result[name]} and {value.strip()}; give it once")
        result[name] = value.strip()
    return result


def multiple_settings(changes: list[str] | None) -> dict[str, list[str]]:
    """:func:`settings` with several values each, with commas between them."""
    return {name: [value.strip() for value in values.split(",")] for name, values in settings(changes).items()}


def as_json(value: Any) -> None:
    """Prints ``value`` as JSON on stdout."""
    typer.echo(json.dumps(value, indent=2))


@contextmanager
def stages(what: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Gives a function to call with (stage, done, total) as work proceeds; shows progress on stderr if a terminal.

    A total of None is unknown. What the program logs is shown, too: as the stage, or in a file or pipe as a line.
    """
    if not sys.stderr.isatty():
        with _listening(lambda message: typer.echo(f"wideblock: {message}", err=True)):
            yield lambda stage, done, total: None
        return
    from wideblock.cli.display import err, progress_bar

    with progress_bar(err) as bar:
        task = bar.add_task(what, total=None)
        with _listening(lambda message: bar.update(task, description=message)):
            yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)


@contextmanager
def _listening(told: Callable[[str], None]) -> Iterator[None]:
    """Calls ``told`` with what the program logs of its work."""
    logger, handler = logging.getLogger("wideblock"), logging.Handler()
    handler.emit = lambda record: told(record.getMessage())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def progress(what: str, *, before: str | None = None) -> Iterator[Callable[[int, int | None], None]]:
    """:func:`stages` for work of one stage: a function to call with (done, total); ``before`` is shown until then."""
    with stages(before or what) as report:
        yield lambda done, total: report(what, done, total)
