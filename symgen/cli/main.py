"""``symgen VERB``: finds the verb, runs it, turns what went wrong into a message and an exit status.

Exit status: 0 done; 1 the answer is "no"; 2 bad input or usage, or a place that
cannot be written; 3 an internal fault. Beside these, the shell's own: 130 stopped
by Ctrl-C, 143 by SIGTERM, 141 the reader of the output went away.

A verb is one module with a click command named `command`; the module is
imported only when the verb is used or its own help is asked for, so that
``symgen --help`` loads neither NumPy nor SymPy.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import click

import symgen
from symgen.errors import SymgenError
from symgen.naming import nearest
from symgen.signals import Interrupted, passing_on_sigterm

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Verb -> (module that holds its `command`, summary for the list of verbs).
VERBS: dict[str, tuple[str, str]] = {
    "analyse": ("symgen.cli.analyse", "Divide a mechanism into structural groups: types, order, mobility."),
    "graph": ("symgen.cli.graph", "Topological graph: spanning tree, fundamental cycles, generic mobility."),
    "transform": ("symgen.cli.transform", "Rank all choices of joints to drive."),
    "generate": ("symgen.cli.generate", "Derive structural groups and write their solvers in C and NumPy."),
    "library": ("symgen.cli.library", "Solved types: list, show and build them; solve one group."),
    "solve": ("symgen.cli.solve", "Kinematics of a mechanism over time, group by group."),
    "simulate": ("symgen.cli.simulate", "Motion of a mechanism under its forces."),
    "accelerations": ("symgen.cli.accelerations", "Accelerations and joint reactions in the initial state."),
    "reactions": ("symgen.cli.reactions", "Show which joint reactions are unique where constraints are redundant."),
    "vibrations": ("symgen.cli.vibrations", "Eigenfrequencies and mode shapes about rest, also with flexible beams."),
    "schedule": ("symgen.cli.schedule", "Plan the order in which groups are solved, in parallel on several cores."),
    "report": ("symgen.cli.report", "Write a derivation as a document: overall transfer equation, solved type."),
    "check": ("symgen.cli.check", "Check printed formulas against derived objects, with proof."),
    "synthesise": ("symgen.cli.synthesise", "Enumerate chains, mechanisms, trusses and structural groups."),
    "import": ("symgen.cli.import_file", "Make a mechanism file from a URDF or a User_Data.m of MBSSA3D."),
    "export": ("symgen.cli.export", "Write a mechanism or a type for another system: controllers, simulators."),
    "demo": ("symgen.cli.demo", "Run two mechanisms from file to pictures."),
    "doctor": ("symgen.cli.doctor", "Show which tools are installed and what you lose without the others."),
    "schema": ("symgen.cli.schema", "Print the JSON Schema of the mechanism file."),
}

#: The variable by which a shell asks for completions, as click names it after the program.
_COMPLETING = "_SYMGEN_COMPLETE"
EXIT_USAGE, EXIT_FAULT, EXIT_INTERRUPTED, EXIT_BROKEN_PIPE = 2, 3, 130, 141

# Where the environment refuses, not the program: say so instead of asking for a bug report.
_ENVIRONMENT_ERRORS = (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError, FileExistsError)
# What a write can meet whoever writes: no space, a quota, too large a file, a device that fails.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class LazyGroup(click.Group):
    """The group of verbs; a verb's module is imported when the verb is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command; None if there is no such verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(VERBS[cmd_name][0]).command
        if _COMPLETING in os.environ:
            from symgen.cli.terminal.completion import complete_arguments

            complete_arguments(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs that begin so, without importing them; options where one is begun."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(verb, help=summary) for verb, (_, summary) in VERBS.items() if verb.startswith(incomplete)
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; an unknown one is refused with the nearest."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            near = nearest(args[0], VERBS)
            hint = f"did you mean {near!r}?" if near else f"verbs: {', '.join(VERBS)}"
            raise click.UsageError(f"no verb {args[0]!r}; {hint}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs from the table, without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, summary) for verb, (_, summary) in VERBS.items()])


@click.command(cls=LazyGroup, subcommand_metavar="VERB ...", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(symgen.__version__, prog_name="symgen")
def cli() -> None:
    """Symbolic code generator for mechanisms.

    symgen divides a mechanism into structural groups, derives and proves their
    equations, and writes readable C and NumPy. `symgen VERB --help` explains a
    verb.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : the words after ``symgen``; those of the process by default.
    """
    _open_missing_streams()
    # A name the terminal cannot show must not end the program.
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")
    with _whole_writes():
        return _run_and_flush(arguments)


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    try:
        with passing_on_sigterm():
            status = _run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _silence(sys.stdout)
        return EXIT_BROKEN_PIPE
    except OSError as error:
        return _unwritable(error)
    except (KeyboardInterrupt, click.Abort) as stop:
        _say("stopped")
        return stop.exit_status if isinstance(stop, Interrupted) else EXIT_INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    if _COMPLETING in os.environ:  # a shell asks for completions; click answers and leaves
        cli.main(prog_name="symgen")
    try:
        # Not `cli.main`: click would turn a broken pipe into its own exit status 1, which here means "no".
        with cli.make_context("symgen", list(sys.argv[1:] if arguments is None else arguments)) as context:
            result: Any = cli.invoke(context)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # a verb whose answer is "no"
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except (BrokenPipeError, click.Abort):
        raise
    except click.ClickException as error:
        return _usage(error)
    except SymgenError as error:
        _error(str(error))
        _traceback_if_asked()
        return error.exit_status
    except _ENVIRONMENT_ERRORS as error:
        if error.filename is None:
            return _fault(error)
        _error(f"{error.filename}: {error.strerror}")
        _traceback_if_asked()
        return EXIT_USAGE
    except _OutputError:
        raise
    except OSError as error:
        if error.errno not in _FULL:
            return _fault(error)
        where = error.filename or "a required file"
        _error(f"{where}: {(error.strerror or str(error)).lower()}; free space there, or write to another place")
        _traceback_if_asked()
        return EXIT_USAGE
    except MemoryError as error:  # no fault of the program: the task is larger than the machine
        from symgen.cli.terminal.memory import memory_words

        _error(memory_words(error))
        _traceback_if_asked()
        return EXIT_USAGE
    except Exception as error:  # the last net: nobody should see a traceback unasked
        return _fault(error)


def _open_missing_streams() -> None:
    """Give a stream that the shell has closed (``>&-``) a place to go: nobody wants to see it."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


class _OutputError(OSError):
    """Standard output cannot be written, rather than a file."""


class _Output(io.FileIO):
    """Standard output below its buffer: says that it is standard output which fails."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _OutputError(error.errno, error.strerror) from error


@contextlib.contextmanager
def _whole_writes() -> Iterator[None]:
    """Write standard output through a buffer of our own.

    Without a buffer (``python -u``) Python's text streams do not look at how much of a text a file took: on a disk that
    fills up, the end of a document would be missing without an error. A buffer writes the rest, and so meets the error.
    """
    plain = sys.stdout
    if plain is not sys.__stdout__ or not isinstance(plain, io.TextIOWrapper):  # somebody's own, as in a test
        yield
        return
    plain.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(plain.fileno(), "w", closefd=False)),
        encoding=plain.encoding,
        errors=plain.errors,
        line_buffering=plain.isatty() or isinstance(plain.buffer, io.RawIOBase),
    )
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # what could not be written has been said; it is dropped here
            sys.stdout.close()
        sys.stdout = plain


def _unwritable(error: OSError) -> int:
    """Say that standard output cannot be written; who writes a file names it when that fails."""
    _silence(sys.stdout)
    _error(f"standard output: {(error.strerror or str(error)).lower()}")
    _traceback_if_asked()
    return EXIT_USAGE


def _usage(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # the message is the whole help text
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    _error(error.format_message())
    if context is not None:
        _say(f"{context.get_usage()}\nTry '{context.command_path} --help'.")
    return EXIT_USAGE


def _fault(error: Exception) -> int:
    first = (str(error).splitlines() or [""])[0]
    _error(f"internal fault: {type(error).__name__}: {first}")
    _say(
        f"This is a fault of symgen {symgen.__version__}. Please report it with this message and the input; "
        "SYMGEN_TRACEBACK=1 shows the traceback."
    )
    _traceback_if_asked()
    return EXIT_FAULT


def _traceback_if_asked() -> None:
    if os.environ.get("SYMGEN_TRACEBACK", "0") not in ("", "0"):
        _say(traceback.format_exc().rstrip())


def _error(message: str) -> None:
    colour = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    prefix = click.style("error:", fg="red", bold=True) if colour else "error:"
    _say(f"{prefix} {message}")


def _say(text: str) -> None:
    # Nobody may be reading standard error either; there is then no one left to tell.
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _silence(stream: IO[str]) -> None:
    """Point a stream whose reader is gone at nothing, so that the interpreter's last flush does not fail."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
