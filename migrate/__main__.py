"""``python -m migrate`` and the ``migrate`` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line; ``sys.exit`` carries the exit code."""
    from migrate.cli import cli

    cli(prog_name="migrate")


if __name__ == "__main__":
    main()
