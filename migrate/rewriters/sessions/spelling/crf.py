"""`crf_log_likelihood` that makes its own transitions, with a variable that it is given."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The variable, above the call's statement, under the author's name for the transitions."""
    node, tags = error.node, error.found["tags"]
    assert isinstance(node, ast.Call)
    stmt = source.statement(node)
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return None
    if not source.tf or not source.alone(stmt):
        return None
    (target,) = stmt.targets
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return None
    likelihood, transitions = target.elts
    if not all(isinstance(t, (ast.Name, ast.Attribute)) for t in target.elts):
        return None
    name = source.of(transitions)
    if name == "_":
        free = source.free(("transitions", "transition_params", "crf_transitions"), node)
        if free is None:
            return None
        name = free
    # `_` may be something that is read: then the likelihood is the first of two.
    names = [n for n in all_of(source.scope(node), ast.Name) if n.id == "_"]
    unused = source.of(transitions) == "_" or all(not isinstance(n.ctx, ast.Load) for n in names)
    indent, nl = source.indent(stmt), "\r\n" if "\r\n" in source.document.text else "\n"
    made = f'{source.tf}.get_variable("transitions", shape=[{tags}, {tags}])'
    high = source.span(target)[1]
    start, end = source.span(stmt)
    own = source.document.text
    named = [k for k in node.keywords if k.arg == "transition_params"]
    if named or len(node.args) > 3:
        at = source.span(named[0].value if named else node.args[3])
        call = own[high : at[0]] + name + own[at[1] : end]
    else:
        # A comma may stand behind the last argument.
        last = max(source.span(a)[1] for a in (*node.args, *(k.value for k in node.keywords)))
        given = f", transition_params={name}" if node.keywords else f", {name}"
        call = own[high:last] + given + own[last:end]
    both = f"{source.of(likelihood)}, _{call}"
    if not unused:
        both = f"{source.of(likelihood)}{call}[0]"
    branch = _branch(source, stmt)
    if branch is None:
        return [Edit(start, end, f"{name} = {made}{nl}{indent}{both}")]
    # Runs that only read the transitions do without what the branch computes.
    outer = source.indent(branch)
    above = [f"if {source.of(branch.test)}:{nl}", f"{indent}{name} = {made}{nl}"]
    found = [Edit(start, end, both)]
    kept = branch.body[1]
    if isinstance(kept, ast.Assign) and source.of(kept.value) == name and source.alone(kept):
        line = own.rfind("\n", 0, source.span(kept)[0]) + 1
        below = own.find("\n", source.span(kept)[1]) + 1 or len(own)
        above.append(own[line:below])
        found.append(Edit(line, below, ""))
    head = own.rfind("\n", 0, source.span(branch)[0]) + 1
    return [Edit(head, head, outer + "".join(above)), *found]


def _branch(source: Source, stmt: ast.stmt) -> ast.If | None:
    """The branch of a setting that a statement begins, where more follows."""
    for node in walk(source.tree):
        if isinstance(node, ast.If) and node.body[0] is stmt and len(node.body) > 1:
            plain = all(
                isinstance(n, (ast.Name, ast.Attribute, ast.expr_context)) for n in walk(node.test)
            )
            first = source.of(node).startswith("if")
            return node if plain and first and source.alone(node) else None
    return None
