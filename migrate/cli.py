"""The command line; the module of a command is imported when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from migrate import __version__

EXIT_USAGE = 2
EXIT_INTERNAL = 3
EXIT_INTERRUPTED = 130

# name -> (module, attribute, one line for --help)
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "check": ("migrate.commands.check", "check", "Report what TF 2 no longer takes as it stands."),
    "upgrade": ("migrate.commands.upgrade", "upgrade", "Rewrite TF 1 code for TF 2.21."),
    "undo": ("migrate.commands.undo", "undo", "Take an upgrade back."),
    "explain": ("migrate.commands.explain", "explain", "Explain a rule."),
    "rules": ("migrate.commands.rules", "rules", "List the rules."),
    "checkpoint": (
        "migrate.commands.checkpoint",
        "checkpoint",
        "Convert and compare checkpoints and SavedModels.",
    ),
    "parity": ("migrate.parity.command", "parity", "Compare a program on TF 1.15.5 and TF 2.21."),
}


class _Lazy(click.Group):
    """A group that imports a command's module only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(_COMMANDS)}."
            ctx.fail(f"No such command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, _, words) in _COMMANDS.items()])

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,
    ) -> NoReturn:
        """Run, and leave by ``sys.exit``: 0 clean, 1 findings or changes, 2 usage, 3 internal."""
        extra.pop("standalone_mode", None)
        try:
            code = super().main(args, prog_name=prog_name, standalone_mode=False, **extra)
        except click.exceptions.Abort:  # click's name for KeyboardInterrupt
            print("Interrupted.", file=sys.stderr)
            code = EXIT_INTERRUPTED
        except click.UsageError as error:
            error.show()
            code = EXIT_USAGE
        except click.ClickException as error:
            error.show()
            code = EXIT_INTERNAL
        except BrokenPipeError:
            _forget_stdout()
            code = 1
        except Exception:
            import traceback

            traceback.print_exc()
            print(
                f"migrate {__version__}: internal error, not a fault of your code. "
                "Please report it with the lines above.",
                file=sys.stderr,
            )
            code = EXIT_INTERNAL
        sys.exit(code if isinstance(code, int) else 0)


def _forget_stdout() -> None:
    """Keep the interpreter from writing to a closed pipe when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="migrate")
def cli() -> None:
    """Migrate TensorFlow 1 code to TensorFlow 2.21 and Keras 3.

    \b
    migrate check src/      what TF 2 no longer takes, and what became of it
    migrate upgrade src/    rewrite it in place; `migrate undo` takes it back

    Exit codes: 0 clean, 1 findings or changes, 2 usage, 3 internal or a file that failed.
    """
