"""The commands of ``migrate``, one module each; ``migrate/cli.py`` imports them late."""
