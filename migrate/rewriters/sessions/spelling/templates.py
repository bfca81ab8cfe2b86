"""`tf.make_template` as a function that opens its scope and finds its variables again.

A template's scope is below the one in which it is called first. Here all its calls stand in the
module, in no scope, so that the scope is the template's name.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/make_template
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import children, walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source, unit

SCOPES = frozenset({"tensorflow.variable_scope", "tensorflow.variable_op_scope"})


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The function, where the template was made."""
    node = error.node
    stmt = next((s for s in source.tree.body if getattr(s, "value", None) is node), None)
    if not isinstance(stmt, ast.Assign) or not isinstance(node, ast.Call) or not source.tf:
        return None
    (target, *more) = stmt.targets
    if more or not isinstance(target, ast.Name) or len(node.args) != 2 or not source.alone(stmt):
        return None
    scope, function = node.args
    made = function if isinstance(function, ast.Lambda) else walker._module_function(function)
    if not isinstance(scope, ast.Constant) or not isinstance(scope.value, str) or made is None:
        return None
    args = made.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return None
    if getattr(made, "decorator_list", ()):
        return None
    names = [a.arg for a in args.args]
    # When its scope begins to be makes no difference: nothing else has the name.
    given = {k.arg: k.value for k in node.keywords if k.arg != "create_scope_now_"}
    if isinstance(made, ast.Lambda) and given:
        return None
    if not set(given) <= set(names) or not _called_here(source, walker, target, scope):
        return None
    defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    if any(not isinstance(d, ast.Constant) for d in defaults.values()):
        return None
    left = [n for n in names if n not in given]
    header = ", ".join(f"{n}={ast.unparse(defaults[n])}" if n in defaults else n for n in left)
    passed = [n if names[: i + 1] == left[: i + 1] else f"{n}={n}" for i, n in enumerate(left)]
    passed += [f"{n}={source.of(v)}" for n, v in given.items() if n is not None]
    one, nl = unit(source), "\r\n" if "\r\n" in source.document.text else "\n"
    whole = f"{source.of(function)}({', '.join(passed)})"
    if isinstance(made, ast.Lambda):
        whole = source.of(made.body)
        whole = f"({whole})" if "\n" in whole else whole
    lines = [
        f"def {target.id}({header}):",
        f"{one}with {source.tf}.variable_scope({source.of(scope)}, reuse={source.tf}.AUTO_REUSE):",
        f"{one}{one}return {whole}",
    ]
    above, below = _blank(source, stmt)
    text = nl * max(0, 2 - above) + nl.join(lines) + nl * max(0, 2 - below)
    return [Edit(*source.span(stmt), text)]


def _blank(source: Source, stmt: ast.stmt) -> tuple[int, int]:
    """The empty lines above and below a statement, two where nothing else stands."""
    first = stmt.lineno - source.part.line - 1
    last = (stmt.end_lineno or stmt.lineno) - source.part.line
    found = []
    for lines in (source.lines[:first][::-1], source.lines[last:]):
        full = next((i for i, line in enumerate(lines) if line.strip()), 2)
        found.append(full)
    return found[0], found[1]


def _called_here(source: Source, walker: Walker, target: ast.Name, scope: ast.Constant) -> bool:
    """Whether a template is only called, in the module and in no scope, and has its name alone."""
    loads = 0
    calls = 0
    stack: list[ast.AST] = list(source.tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.With) and any(
            isinstance(i.context_expr, ast.Call)
            and walker.endpoints.get(id(i.context_expr.func)) in SCOPES
            for i in node.items
        ):
            continue
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        calls += named and node.func.id == target.id  # type: ignore[attr-defined]
        stack.extend(children(node))
    for part in source.parts:
        for node in walk(part.document.tree):
            if isinstance(node, ast.Name) and node.id == target.id:
                loads += node is not target
            elif isinstance(node, ast.alias) and node.name in ("*", target.id):
                return False
            elif isinstance(node, ast.Constant) and node.value == scope.value:
                if node is not scope:
                    return False
    return 0 < calls == loads
