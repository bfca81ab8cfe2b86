"""`tf.Print` and assertions in a function, where they run in the order in which they stand.

`tf.Print` gave its first argument and printed as a side effect; `tf.print` only prints. It writes
values with spaces between them, where TF 1 has each in brackets.

https://www.tensorflow.org/api_docs/python/tf/print
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Step

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources


def written(step: Step, writer: Sources, indent: str) -> str | None:
    """A statement that prints or checks, as TF 2 has it; None where it does neither."""
    node = step.node
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return None
    name = writer.walker.endpoints.get(id(node.value.func), "").removeprefix(T)
    if name.rpartition(".")[2].startswith(("Assert", "assert_")):
        if _read(step, writer):
            return None
        span = writer.text.index.span(node.value)
        return writer.bare(step, indent, span, writer.source(node.value))
    return _printed(step, node, node.value, writer, indent) if name == "Print" else None


def _read(step: Step, writer: Sources) -> bool:
    """Whether anything reads the name that a statement binds."""
    own = set(step.defs)
    if any(own & set(s.uses) for s in writer.module.moving if s is not step):
        return True
    sites = writer.module.sites
    return any(own & set(leaf.uses) for site in sites for leaf in site.fetch.leaves())


def _printed(
    step: Step, node: ast.Assign, call: ast.Call, writer: Sources, indent: str
) -> str | None:
    given = writer.walker.bound(T + "Print", call)
    first, data = given.get("input_"), given.get("data")
    plain = isinstance(data, (ast.List, ast.Tuple)) and len(node.targets) == 1
    plain = plain and len(step.defs) == 1 and first is not None
    if not plain or set(given) - {"input_", "data", "message", "summarize", "name"}:
        return None
    assert isinstance(data, (ast.List, ast.Tuple))
    assert first is not None
    parts = [writer.source(n) for n in data.elts]
    message = given.get("message")
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        said = writer.text.source(message)
        parts.insert(0, f"{said[:-1].rstrip()}{said[-1]}" if said[-2:-1] == " " else said)
    elif message is not None:
        parts.insert(0, writer.source(message))
    if "summarize" in given:
        parts.append(f"summarize={writer.source(given['summarize'])}")
    span = writer.text.index.span(call)
    text = writer.bare(step, indent, span, f"{writer.tf}.print({', '.join(parts)})")
    target, value = step.defs[0].name, writer.source(first)
    if value != target:
        text += f"{indent}{target} = {value}{writer.text.newline}"
    return text
