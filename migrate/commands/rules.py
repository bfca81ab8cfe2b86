"""``migrate rules``: the list of all rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from migrate.commands import shared
from migrate.reports import RuleInfo


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
)
def rules(format_: str) -> None:
    """List the rules: id, name, what upgrade does about it, summary."""
    known = list(shared.rules().values())
    render = {"text": _text, "json": _json, "markdown": markdown}[format_]
    shared.write_out(render(known))


def _text(known: Sequence[RuleInfo]) -> Iterator[str]:
    width = max((len(rule.name) for rule in known), default=0)
    for rule in known:
        yield f"{rule.id}  {rule.name:<{width}}  {rule.applicability.value:<6}  {rule.summary}\n"


def _json(known: Sequence[RuleInfo]) -> Iterator[str]:
    described = [
        {
            "id": rule.id,
            "name": rule.name,
            "family": rule.family,
            "applicability": rule.applicability.value,
            "since": rule.since,
            "summary": rule.summary,
            "url": rule.url,
        }
        for rule in known
    ]
    yield json.dumps(described, indent=1) + "\n"


def markdown(known: Sequence[RuleInfo], link: str = "") -> Iterator[str]:
    """A table; with ``link`` each id leads to its page below that folder."""
    yield "| rule | name | upgrade | what it finds |\n| --- | --- | --- | --- |\n"
    for rule in known:
        label = f"[{rule.id}]({link}{rule.id}.md)" if link else rule.id
        summary = rule.summary.replace("|", "\\|")
        yield f"| {label} | {rule.name} | {rule.applicability.value} | {summary} |\n"
