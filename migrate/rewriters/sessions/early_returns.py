"""A function's last branch, which trains: ``if training: self.step = …`` leaves early instead.

``if not training: return`` goes before what the branch had. An object that doesn't train builds
what stands above, and what trains is built as in a function without branches.
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.owned_branches import negated
from migrate.rewriters.sessions.apart import rewritten


def leaving(document: Document, branch: ast.If | None) -> Document | None:
    """The document with a return before what a branch does; None where that can't be."""
    if branch is None:
        return None
    for function in all_of(document.tree, ast.FunctionDef):
        last = function.body[-1]
        alike = isinstance(last, ast.If) and ast.dump(last) == ast.dump(branch)
        if isinstance(last, ast.If) and alike and last.lineno == branch.lineno:
            edit = _edit(document, function, last)
            return rewritten(document, [edit]) if edit is not None else None
    return None


def _edit(document: Document, function: ast.FunctionDef, branch: ast.If) -> Edit | None:
    leaves = [n for n in walk(function) if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    texts = [n for n in walk(branch) if isinstance(n, (ast.Constant, ast.JoinedStr))]
    if (
        branch.orelse
        or any(not isinstance(n, ast.Return) or n.value is not None for n in leaves)
        or any(n.lineno != n.end_lineno for n in texts)
        or branch.test.end_lineno != branch.lineno
        or branch.body[0].lineno == branch.lineno
    ):
        return None
    start, end = document.index.span(branch)
    lines = document.text[document.index.offset(branch.lineno, 0) : end].split("\n")
    indent = lines[0][: branch.col_offset]
    deeper = branch.body[0].col_offset - branch.col_offset
    if indent.strip() or not lines[0].lstrip().startswith("if"):
        return None
    out = [f"if {ast.unparse(negated(branch.test))}:", f"{indent}{' ' * deeper}return"]
    for line in lines[1:]:
        if line.strip() and not line.startswith(indent + " " * deeper):
            return None
        out.append(indent + line[len(indent) + deeper :] if line.strip() else line)
    return Edit(start, end, "\n".join(out))
