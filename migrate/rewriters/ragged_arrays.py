"""TFM810 ragged-array: `np.array` of rows that may differ in length.

Up to NumPy 1.23 `np.array(list(zip(x, y)))` made an array of objects where the rows differ: so
programs of TF 1 shuffle examples together with their labels. Since 1.24 it raises ValueError. Where
examples are zipped, a generator makes an array of the data that it is given, or a column of the
array is stacked, `np.vstack(history[:, 0])`, the array of objects is asked for when the other one
can't be had. An agent's step in one row, `np.reshape(np.array([s, a, r, s1, d]), [1, 5])`, is made
of objects where the file stacks such a column; numbers stay equal, and Python's, if all are some.

https://numpy.org/doc/stable/release/1.24.0-notes.html#expired-deprecations
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import all_of, outward, walk
from migrate.rewriters.numpy_modules import uncopied

RAGGED = Rule(
    "TFM810",
    "ragged-array",
    "an array of rows that may differ in length",
    module=__name__,
    doc=__doc__,
    url="https://numpy.org/doc/stable/release/1.24.0-notes.html#expired-deprecations",
)
RAGGED.root("numpy", ["yield", "zip(", "stack(", "concatenate("], r"\w+\.(?:as)?array\(")
# A column of numbers needs none of them: it holds arrays.
STACKS = frozenset({"vstack", "stack", "concatenate", "row_stack"})
MESSAGE = "np.array raises where rows differ in length, and made an array of objects before"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@RAGGED.endpoint("numpy.array", "numpy.asarray")
def ragged(site: Site) -> Result | None:
    """Ask for an array of objects where the rows differ."""
    call, stmt = site.call, site.ref.stmt
    if call is not None and call.keywords and site.endpoint == "numpy.array":
        return uncopied(site)
    if call is None or len(call.args) != 1 or call.keywords:
        return None
    if _row(site.file.tree, call):
        end = site.file.index.span(call)[1] - 1
        edits = [Edit(end, end, ", dtype=object")]
        return site.result(RAGGED, MESSAGE, fix="dtype=object", edits=edits)
    if not _alone(stmt, call):
        return None
    (given,) = call.args
    around = [n for n in outward(site.file.tree, stmt) if n is not stmt and hasattr(n, "lineno")]
    if any(isinstance(n, ast.Try) for n in around):
        return None
    function = next((n for n in around if isinstance(n, Function)), None)
    if not (
        _zipped(given)
        or (function is not None and _batched(function, given, call))
        or _stacked(site.file.tree if function is None else function, stmt)
    ):
        return None
    text, index = site.file.text, site.file.index
    start, end = index.span(stmt)
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    indent, behind = text[first:start], text[end : last if last >= 0 else len(text)]
    if indent.strip() or behind.strip() or "\n" in text[start:end]:
        return site.result(RAGGED, f"{MESSAGE}; there: dtype=object")
    unit = _unit(text, around, first)
    inside = index.span(call)[1] - 1
    lines = (
        "try:",
        f"{unit}{text[start:end]}",
        "except ValueError:  # rows of different lengths",
        f"{unit}{text[start:inside]}, dtype=object{text[inside:end]}",
    )
    new = f"\n{indent}".join(lines)
    return site.result(RAGGED, MESSAGE, fix="dtype=object", edits=[Edit(start, end, new)])


def _alone(stmt: ast.stmt, call: ast.Call) -> bool:
    """Whether all that a statement does is to give the array a name."""
    return isinstance(stmt, ast.Assign) and stmt.value is call and len(stmt.targets) == 1


def _zipped(node: ast.expr) -> bool:
    """``list(zip(x, y))``."""
    match node:
        case ast.Call(ast.Name("list"), [ast.Call(ast.Name("zip"), [_, _, *_], [])], []):
            return True
    return False


def _columns(tree: ast.AST) -> list[tuple[str, int]]:
    """Columns of arrays that are stacked, ``np.vstack(history[:, 0])``: the array, and which."""
    found = []
    for call in all_of(tree, ast.Call):
        match call:
            case ast.Call(
                ast.Attribute(ast.Name(), name),
                [
                    ast.Subscript(
                        owner, ast.Tuple([ast.Slice(None, None, None), ast.Constant(int(n))])
                    )
                ],
            ) if name in STACKS:
                found.append((ast.unparse(owner), n))
    return found


def _stacked(scope: ast.AST, stmt: ast.stmt) -> bool:
    """Whether a column of the array that a statement names is stacked in its scope."""
    assert isinstance(stmt, ast.Assign)
    name = ast.unparse(stmt.targets[0])
    return any(name == owner for owner, _ in _columns(scope))


def _row(tree: ast.Module, call: ast.Call) -> bool:
    """Whether values of several kinds are an array's one row, of whose columns one is stacked."""
    items = call.args[0]
    if not isinstance(items, ast.List) or len(items.elts) < 3:
        return False
    if any(isinstance(e, (ast.Starred, ast.List, ast.Tuple)) for e in items.elts):
        return False
    row = f"[1, {len(items.elts)}]"
    shaped = any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr == "reshape"
        and [ast.unparse(a).replace("(", "[").replace(")", "]") for a in c.args[1:]] == [row]
        and c.args[0] is call
        for c in all_of(tree, ast.Call)
    )
    columns = {n for _, n in _columns(tree)} if shaped else set()
    return any(n < len(items.elts) and isinstance(items.elts[n], ast.Name) for n in columns)


def _batched(function: Function, node: ast.expr, call: ast.Call) -> bool:
    """Whether a generator makes its one array of what it is given."""
    params = {a.arg for a in (*function.args.posonlyargs, *function.args.args)}
    if not isinstance(node, ast.Name) or node.id not in params:
        return False
    if not any(isinstance(n, ast.Yield) for n in walk(function)):
        return False
    stores = [n for n in all_of(function, ast.Name) if n.id == node.id]
    before = [n for n in stores if isinstance(n.ctx, ast.Store) and n.lineno < call.lineno]
    arrays = [
        c
        for c in all_of(function, ast.Call)
        if ast.unparse(c.func) == ast.unparse(call.func)
        and len(c.args) == 1
        and isinstance(c.args[0], ast.Name)
        and c.args[0].id in params
    ]
    return not before and arrays == [call]


def _unit(text: str, around: list[ast.AST], first: int) -> str:
    """One level of indentation, as the file has it."""
    line = text[first:]
    own = line[: len(line) - len(line.lstrip())]
    outer = getattr(around[0], "col_offset", 0) if around else 0
    return own[outer:] or "    "
