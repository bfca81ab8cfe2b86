"""A function that a setting chooses in a dict, as branches: each calls one that is seen.

models = {'dnn': dnn, 'cnn': cnn}           if params['model'] == 'dnn':
model = models[params['model']]                 logits = dnn(x, mode)
logits = model(x, mode)                     elif params['model'] == 'cnn':
                                                logits = cnn(x, mode)
                                            else:
                                                raise KeyError(params['model'])
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.text import Text

#: What looks a setting up.
PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], others: str
) -> Iterator[Edit]:
    """The edits of one file: of model_fns whose table is used for one call.

    ``others``: the texts of the program's other files, which may change a module's table.
    """
    defined = {s.name for s in tree.body if isinstance(s, ast.FunctionDef)}
    for function in all_of(tree, ast.FunctionDef):
        if not any(called(n).endswith("EstimatorSpec") for n in walk(function)):
            continue
        for stmt in function.body:
            yield from _statement(tree, function, stmt, defined, text, others)


def _statement(
    tree: ast.Module,
    function: ast.FunctionDef,
    stmt: ast.stmt,
    defined: set[str],
    text: Text,
    others: str,
) -> Iterator[Edit]:
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not isinstance(call, ast.Call) or not alone(stmt, text):
        return
    gone: list[ast.stmt] = []
    chosen: ast.expr = call.func
    if isinstance(chosen, ast.Name):
        named = _once(function, chosen.id, chosen)
        if named is None or named not in function.body:
            return
        gone.append(named)
        chosen = named.value
    if not isinstance(chosen, ast.Subscript) or not isinstance(chosen.value, ast.Name):
        return
    key = chosen.slice
    if not all(isinstance(n, PLAIN) for n in walk(key)) or isinstance(key, ast.Constant):
        return
    table = _once(function, chosen.value.id, chosen.value)
    if table is not None and table in function.body:
        gone.append(table)
    else:
        table = _once(tree, chosen.value.id, chosen.value)
        if table is None or table not in tree.body:
            return
        if re.search(rf"\b{chosen.value.id}\b", others):
            return
        gone.append(table)
    options = _options(table.value, defined)
    own = {n.arg for n in all_of(function, ast.arg)}
    own |= {n.id for n in all_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    changed = {n.id for n in all_of(key, ast.Name)} & {
        n.id for n in all_of(function, ast.Name) if isinstance(n.ctx, ast.Store)
    }
    if not options or changed or own & {name for _, name in options}:
        return
    if not all(alone(s, text) for s in gone):
        return
    piece = text.piece(stmt)
    said, inner = text.source(key), piece.indent + text.unit
    start, end = text.index.span(call.func)
    whole = text.index.span(stmt)
    before, after = text.text[whole[0] : start], text.text[end : whole[1]]
    out = ""
    for place, (word, name) in enumerate(options):
        test = "elif" if place else "if"
        out += f"{piece.indent}{test} {said} == {word!r}:\n{inner}{before}{name}{after}\n"
    out += f"{piece.indent}else:\n{inner}raise KeyError({said})\n"
    for each in gone:
        lines = text.piece(each)
        yield Edit(text.start(lines.line), text.start(lines.last + 1), "")
    yield Edit(text.start(piece.line), text.start(piece.last + 1), out)


def _options(node: ast.expr, defined: set[str]) -> list[tuple[str, str]]:
    """The words and functions of a dict; nothing where it has something else, or a word twice."""
    found: list[tuple[str, str]] = []
    for key, value in (
        zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    ):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return []
        if not isinstance(value, ast.Name) or value.id not in defined:
            return []
        found.append((key.value, value.id))
    return found if len({word for word, _ in found}) == len(found) else []


def _once(scope: ast.AST, name: str, use: ast.Name) -> ast.Assign | None:
    """The statement that gives a name its value, where nothing else does and one place reads it."""
    names = [n for n in all_of(scope, ast.Name) if n.id == name]
    if [n for n in names if isinstance(n.ctx, ast.Load)] != [use] or len(names) != 2:
        return None
    found = [n for n in all_of(scope, ast.Assign) if len(n.targets) == 1 and n.targets[0] in names]
    return found[0] if len(found) == 1 else None
