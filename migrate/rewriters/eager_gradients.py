"""TFM411 eager-gradients: `tfe.implicit_gradients` and its kin, as functions with a `GradientTape`.

`tfe.implicit_gradients(f)` returned a function that calls `f` and gives pairs of gradient and
variable, for the variables that `f` used, in the order in which they were made;
`tfe.gradients_function(f)` one that gives the gradients with respect to the arguments. TF 2 has no
such functions: `grad = tfe.implicit_gradients(f)` becomes the definition of `grad`, with a tape
that watches the same. Where the result isn't given a name at once it is reported.

https://www.tensorflow.org/guide/autodiff
"""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit, Level
from migrate.engine.names import dotted
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import all_of, holds, walk

GRADIENTS = Rule(
    "TFM411",
    "eager-gradients",
    "tf.contrib.eager's functions that make gradient functions",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/autodiff",
)
MODULE = "tensorflow.contrib.eager"
NAMES = (
    "implicit_gradients",
    "implicit_value_and_gradients",
    "gradients_function",
    "value_and_gradients_function",
)
MAKES = re.compile(rf"=.*\b(?:{'|'.join(NAMES)})\(")
OWN = frozenset({"args", "kwargs", "tape", "value", "variables", "arg"})


def _body(kind: str, name: str, function: str, tape: str, identity: str) -> list[str]:
    pair = "value, " if "value" in kind else ""
    if kind.startswith("implicit"):
        gradients = "list(zip(tape.gradient(value, variables), variables))"
        return [
            f"def {name}(*args, **kwargs):",
            f"    with {tape}() as tape:",
            f"        value = {function}(*args, **kwargs)",
            "    variables = tape.watched_variables()",
            f"    return {pair}{gradients}",
        ]
    return [
        f"def {name}(*args):",
        f"    args = [{identity}(arg) for arg in args]",
        f"    with {tape}() as tape:",
        "        tape.watch(args)",
        f"        value = {function}(*args)",
        f"    return {pair}tape.gradient(value, args)",
    ]


@GRADIENTS.endpoint(*(f"{MODULE}.{name}" for name in NAMES))
@GRADIENTS.compat(*(f"{MODULE}.{name}" for name in NAMES))
def define(site: Site) -> Result | None:
    """Write the function that was returned."""
    kind = site.endpoint.rpartition(".")[2]
    why = _why_not(site)
    if why:
        return site.result(
            GRADIENTS, f"{site.shown} is gone ({why}); instead: tf.GradientTape", blocks=True
        )
    stmt = site.ref.stmt
    assert isinstance(stmt, ast.Assign)
    assert isinstance(stmt.targets[0], ast.Name)
    assert site.call is not None
    function = site.file.source(site.call.args[0])
    if isinstance(site.call.args[0], ast.Lambda):
        function = f"({function})"
    tape, imports = site.spell("tensorflow.GradientTape")
    identity, more = site.spell("tensorflow.identity")
    imports = [*imports, *(i for i in more if i not in imports)]
    start, end = site.file.index.span(stmt)
    line = site.file.index.line_start(site.file.index.position(start)[0])
    newline = "\r\n" if "\r\n" in site.file.text else "\n"
    lines = _body(kind, stmt.targets[0].id, function, tape, identity)
    text = (newline + site.file.text[line:start]).join(lines)
    text = _spaced(site.file.text, line, start, end, text, newline)
    result = site.result(
        GRADIENTS,
        f"{site.shown} is gone; a function with a tape does the same",
        fix="tf.GradientTape",
        edits=[Edit(line, end, text)],
        imports=imports,
        drops=tape.partition(".")[0] != site.ref.root.id,
    )
    result.switch = site.level is Level.COMPAT
    return result


def _spaced(source: str, line: int, start: int, end: int, text: str, newline: str) -> str:
    """The definition with blank lines around it, where its neighbours leave none."""
    gap = newline * (1 if start > line else 2)
    above = source[:line].rpartition("\n")[0].rpartition("\n")[2].strip()
    rest, _, following = source[end:].partition("\n")
    below = following.partition("\n")[0].strip()
    before = gap if above and not above.endswith(":") else ""
    # Another one brings its own blank lines; a comment behind the call stays behind it.
    after = gap if below and not rest.strip() and not MAKES.search(below) else ""
    return before + source[line:start] + text + after


def _why_not(site: Site) -> str:
    """Why the definition can't stand here; "" if it can."""
    stmt, call = site.ref.stmt, site.call
    if call is None or not isinstance(stmt, ast.Assign) or stmt.value is not call:
        return "what it returns isn't given a name at once"
    if len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return "what it returns isn't given a plain name"
    if call.keywords or len(call.args) != 1:
        return "it is told its parameters"
    start, end = site.file.index.span(stmt)
    line = site.file.index.line_start(site.file.index.position(start)[0])
    text = site.file.text
    if text[line:start].strip() or "\n" in text[start:end] or "#" in text[start:end]:
        return "another statement or a comment stands there"
    rest = text[end:].split("\n", 1)[0].strip()
    if rest and not rest.startswith("#"):
        return "another statement stands there"
    argument = call.args[0]
    used = {n.id for n in all_of(argument, ast.Name)}
    if isinstance(argument, ast.Lambda):
        used -= {a.arg for a in all_of(argument, ast.arg)}
    elif dotted(argument) is None:
        return "what it differentiates has no name"
    if used & OWN or stmt.targets[0].id in used:
        return "a name would be taken twice"
    for name in used:
        if _bindings(site.file.tree, name) > 1:
            return f"`{name}` has several meanings"
    if any(r is not site.ref and holds(argument, r.node) for r in site.file.names.references):
        return "what it differentiates is itself rewritten"
    return ""


def _bindings(tree: ast.Module, name: str) -> int:
    count = 0
    for node in walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            count += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            count += node.name == name
        elif isinstance(node, ast.arg):
            count += node.arg == name
    return count
