"""``python -m migrate`` and the ``migrate`` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line; ``sys.exit`` carries the exit code."""
    import gc

    # What starting makes stays to the end: looking for garbage in it only costs time.
    gc.set_threshold(300_000, 50, 50)
    from migrate.cli import cli

    cli(prog_name="migrate")


if __name__ == "__main__":
    main()
