"""A function that leaves early, as one that doesn't: what follows stands in a branch.

    if ckpt:                                   if ckpt:
      saver.restore(sess, ckpt)                  saver.restore(sess, ckpt)
    else:                                        print(sess.run(top_k))
      print('No checkpoint file found')        else:
      return                                     print('No checkpoint file found')
    print(sess.run(top_k))

Its statements can stand where it is called then.
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.making.owned_branches import negated


def folded(document: Document, function: ast.FunctionDef, above: int) -> list[Edit] | None:
    """The edits of a function without its first early return; None where that can't be.

    ``above``: the lines of other files before the document's.
    """
    nodes = list(walk(function))
    returns = [n for n in nodes if isinstance(n, ast.Return)]
    inner = [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not function]
    odd = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes)
    if inner or odd or any(n.value is not None for n in returns):
        return None
    block = function.body
    while True:
        found = next((i for i, s in enumerate(block[:-1]) if _leaves(s)), None)
        if found is not None:
            break
        last = block[-1]
        if not isinstance(last, ast.With):
            return None
        block = last.body
    branch, rest = block[found], block[found + 1 :]
    assert isinstance(branch, ast.If)
    texts = (n for s in rest for n in walk(s) if isinstance(n, (ast.Constant, ast.JoinedStr)))
    if any(n.lineno != n.end_lineno for n in texts):
        return None  # its lines would be others
    return _edits(document, branch, rest, above)


def _leaves(stmt: ast.stmt) -> bool:
    """Whether one way of a branch ends with a return, and the other one goes on."""
    if not isinstance(stmt, ast.If) or stmt.body[0].lineno == stmt.lineno:
        return False
    ways = [isinstance(way[-1], ast.Return) for way in (stmt.body, stmt.orelse) if way]
    chained = len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If)
    return sum(ways) == 1 and not chained and (ways[0] or len(ways) > 1)


def _edits(
    document: Document, branch: ast.If, rest: list[ast.stmt], above: int
) -> list[Edit] | None:
    lines = document.text.split("\n")

    def text(first: int, last: int) -> list[str]:
        return lines[first - above - 1 : last - above]

    end = rest[-1].end_lineno or rest[-1].lineno
    indent = text(branch.lineno, branch.lineno)[0][: branch.col_offset]
    unit = text(branch.body[0].lineno, branch.body[0].lineno)[0][: branch.body[0].col_offset]
    if indent.strip() or unit.strip() or not unit.startswith(indent):
        return None
    deeper = unit[len(indent) :]
    after = [deeper + line if line.strip() else line for line in text(_last(branch) + 1, end)]
    while after and not after[0].strip():
        after.pop(0)
    head = text(branch.lineno, branch.body[0].lineno - 1)
    between = text(_last(branch.body[-1]) + 1, branch.orelse[0].lineno - 1) if branch.orelse else []
    remarks = any(line.strip() not in ("", "else:") for line in between)
    way = branch.body if isinstance(branch.body[-1], ast.Return) else branch.orelse
    if "#" in text(way[-1].lineno, way[-1].lineno)[0]:
        return None  # what is said of the return would go with it
    if way is branch.body:
        leaving = text(branch.body[0].lineno, branch.body[-1].lineno - 1)
        going = text(branch.orelse[0].lineno, _last(branch)) if branch.orelse else []
        if remarks or len(head) > 1 or branch.test.end_lineno != branch.lineno:
            return None
        if len(branch.body) == 1:
            if any(line.strip() for line in leaving):
                return None  # a comment
            new = [f"{indent}if {ast.unparse(negated(branch.test))}:", *going, *after]
        else:
            new = [*head, *leaving, f"{indent}else:", *going, *after]
    else:
        stop = branch.orelse[-1].lineno - 1
        first = branch.orelse[0].lineno
        leaving = text(first, stop)
        new = [*head, *text(branch.body[0].lineno, branch.body[-1].end_lineno or 0), *after]
        if len(branch.orelse) > 1:
            new += [*between, *leaving]
        elif remarks:
            return None
    start = document.index.offset(branch.lineno - above, 0)
    stop = document.index.offset(end - above + 1, 0)
    ends = "\n" if document.text[stop - 1 : stop] == "\n" else ""
    return [Edit(start, stop, "\n".join(new) + ends)]


def _last(stmt: ast.stmt) -> int:
    return stmt.end_lineno or stmt.lineno
