"""A rule as a page of Markdown: for ``migrate explain`` and ``docs/rules/``."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from migrate.engine.findings import Applicability
from migrate.reports import RuleInfo

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "rules"

_SURE = {
    Applicability.SAFE: "What `migrate upgrade` rewrites here keeps its values.",
    Applicability.UNSAFE: "`migrate upgrade` changes it only with `--unsafe`: look at the result.",
    Applicability.MANUAL: "Reported only: someone has to decide.",
    Applicability.INFO: "For information: nothing has to be done.",
}


def page(rule: RuleInfo) -> str:
    """The rule's page."""
    parts = [
        f"# {rule.id} {rule.name}",
        _sentence(rule.summary),
        f"{_SURE[rule.applicability]} Family: `{rule.family}`. Since {rule.since}.",
    ]
    if body := _body(rule.doc):
        parts.append(body)
    for number, (before, after) in enumerate(examples(rule), 1):
        title = "## Example" if number == 1 else f"## Example {number}"
        parts += [title, _code(before), "becomes", _code(after)]
    parts.append(
        f"## Leave it alone\n\n`# noqa: {rule.id}` or `# migrate: ignore[{rule.id}]` at the "
        f'statement, `ignore = ["{rule.id}"]` in `[tool.migrate]` '
        "([configuration](../configuration.md))."
    )
    if rule.url:
        parts.append(f"More: <{rule.url}>")
    return "\n\n".join(parts) + "\n"


def examples(rule: RuleInfo) -> list[tuple[str, str]]:
    """(before, after) of two of the rule's cases; none in an installed package.

    A case is ``fixtures/rules/TFMnnn_name/*.py``: the text before, a line ``# output``, the text
    after; without that line it is one that must stay. Those that are run come first, short ones.
    """
    pairs = []
    for folder in sorted(CASES.glob(f"{rule.id}_*")):
        for case in sorted(folder.glob("*.py")):
            before, mark, after = case.read_text(encoding="utf-8").partition("\n# output\n")
            if mark:
                pairs.append((before, after))
    pairs.sort(key=lambda pair: (not pair[0].startswith("# run"), len(pair[0])))
    return [(_bare(before), _bare(after)) for before, after in pairs[:2]]


def _bare(case: str) -> str:
    """A case without what it says to the tests."""
    case = re.sub(r"\A(?:# (?:run|flags)\b[^\n]*\n)+", "", case)
    return re.sub(r"  # (?:finding|blocks|left): [^\n]*", "", case)


def _sentence(text: str) -> str:
    text = text.strip()
    if re.match(r"[a-z]+(?:\W*\s|-|$)", text):  # a word, not a name such as tf.nn
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith((".", "!", "?")) else ".")


def _body(doc: str) -> str:
    """A module's docstring without its first line, which is the summary; URLs alone go too."""
    _, _, rest = doc.strip().partition("\n")
    blocks = re.split(r"\n\s*\n", textwrap.dedent(rest).strip())
    return "\n\n".join(block for block in blocks if not re.fullmatch(r"https?://\S+", block))


def _code(text: str) -> str:
    return f"```python\n{text.strip()}\n```"
