"""``migrate explain``: what a rule means, with an example."""

from __future__ import annotations

import difflib

import click

from migrate.commands import shared
from migrate.reports import RuleInfo
from migrate.reports.rulepages import page


@click.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Explain a RULE, by id (TFM201) or by name (changed-arguments)."""
    shared.write_out([page(_find(rule))])


def _find(wanted: str) -> RuleInfo:
    known = shared.rules()
    by_name = {info.name: info for info in known.values()}
    found = known.get(wanted.upper()) or by_name.get(wanted.lower())
    if found is not None:
        return found
    close = [rule for rule in known if rule.startswith(wanted.upper())][:5]
    close = close or difflib.get_close_matches(wanted.upper(), known, n=3)
    close += difflib.get_close_matches(wanted.lower(), by_name, n=3)
    hint = f"Close: {', '.join(close)}." if close else "`migrate rules` lists them."
    raise click.UsageError(f"there is no rule {wanted!r}. {hint}")
