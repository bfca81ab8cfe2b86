"""Elements of queues that have no names of their own, before queues become datasets.

image = read(queue.dequeue(), size)                  filename = queue.dequeue()
                                                     image = read(filename, size)

x, y = tf.train.batch([rows, marks], 8,              row, mark = tf.train.slice_input_producer(
                      enqueue_many=True)                 [rows, marks], shuffle=False)
                                                     x, y = tf.train.batch([row, mark], 8)
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import all_of, holds, walk
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues import batches
from migrate.rewriters.sessions.queues.beginnings import is_method
from migrate.rewriters.sessions.queues.module import Module, blocks
from migrate.rewriters.sessions.queues.sources import FILES, ITEMS, NUMBERS

NAMES = {FILES: "filename", ITEMS: "item", NUMBERS: "number"}
PLAIN = (ast.Assign, ast.Return, ast.Expr)


def with_named_elements(document: Document, names: Names, others: str = "") -> Document:
    """The document with names for such elements; itself where there are none."""
    said = {r.name.rpartition(".")[2] for r in names.references}
    if not said & {"batch", "shuffle_batch", "string_input_producer", "input_producer"}:
        return document
    module = Module(document, names)
    for node, body in blocks(document.tree):
        for stmt in body:
            if isinstance(stmt, PLAIN) and stmt.value is not None:
                _dequeued(module, node, stmt)
                if not _arrays(module, stmt):
                    _shapes(module, stmt)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits) if edits else document


def _dequeued(module: Module, home: ast.AST, stmt: ast.stmt) -> None:
    """What a call is given of a queue gets a name."""
    value = stmt.value  # type: ignore[attr-defined]
    taken = [n for n in all_of(value, ast.Call) if n is not value and is_method(n, "dequeue")]
    for call in taken:
        kind = _producer(module, call.func.value)  # type: ignore[attr-defined]
        if kind is None or len(taken) > 1 or _inside(value, call):
            continue
        name = _free(module, stmt, NAMES[kind])
        _above(module, stmt, f"{name} = {module.source(call)}")
        module.replace(call, name)


def _producer(module: Module, queue: ast.expr) -> str | None:
    """What makes a queue that has a name."""
    if not isinstance(queue, ast.Name):
        return None
    scope = module.scope(queue)
    made = [
        s.value
        for s in all_of(scope, ast.Assign)
        if any(isinstance(t, ast.Name) and t.id == queue.id for t in s.targets)
    ]
    kind = module.endpoint(made[0]) if len(made) == 1 else ""
    return kind if kind in NAMES else None


def _inside(value: ast.expr, call: ast.Call) -> bool:
    """Whether an expression computes a part of it each time, or not at all."""
    odd = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.DictComp)
    return any(isinstance(n, (*odd, ast.SetComp)) and holds(n, call) for n in walk(value))


def _arrays(module: Module, stmt: ast.stmt) -> bool:
    """Whether it is batches of arrays' rows: their own queue is one of rows, then."""
    call = stmt.value  # type: ignore[attr-defined]
    if module.endpoint(call) not in batches.BATCHES:
        return False
    given = module.bound(call)
    many = given.get("enqueue_many")
    tensors = given["tensors"]
    if not (isinstance(many, ast.Constant) and many.value is True):
        return False
    if not isinstance(tensors, (ast.List, ast.Tuple)) or len(tensors.elts) < 2:
        return False
    if not all(_array(module, stmt, p) or _constant(module, stmt, p) for p in tensors.elts):
        return False
    rows: list[str] = []
    for part in tensors.elts:
        wish = f"{part.id}_row" if isinstance(part, ast.Name) else "row"
        rows.append(_free(module, stmt, wish, rows))
    listed = module.source(tensors)
    made = f"{module.tf}.train.slice_input_producer({listed}, shuffle=False)"
    _above(module, stmt, f"{', '.join(rows)} = {made}")
    module.replace(tensors, f"[{', '.join(rows)}]")
    module.replace(many, "False")
    said = next((k for k in call.keywords if k.arg == "shapes"), None)
    if said is not None:  # the arrays tell them
        _without(module, call, said)
    return True


def _shapes(module: Module, stmt: ast.stmt) -> None:
    """``shapes=[[28, 28], []]`` of a batch is said of its elements."""
    call = stmt.value  # type: ignore[attr-defined]
    if module.endpoint(call) not in batches.BATCHES:
        return
    keyword = next((k for k in call.keywords if k.arg == "shapes"), None)
    tensors = module.bound(call)["tensors"]
    if keyword is None or not isinstance(tensors, (ast.List, ast.Tuple)):
        return
    if any(k.arg == "enqueue_many" for k in call.keywords):
        return  # they are those of rows
    shapes, parts = keyword.value, tensors.elts
    if not isinstance(shapes, (ast.List, ast.Tuple)) or len(shapes.elts) != len(parts):
        return
    if not all(isinstance(n, ast.Name) for n in parts):
        return
    if not all(isinstance(n, (ast.List, ast.Tuple)) for n in shapes.elts):
        return
    for part, shape in zip(parts, shapes.elts, strict=True):
        _above(module, stmt, f"{module.source(part)}.set_shape({module.source(shape)})")
    _without(module, call, keyword)


def _without(module: Module, call: ast.Call, keyword: ast.keyword) -> None:
    """A call without an argument, which stands behind another one or before one."""
    every: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    every.sort(key=lambda n: (n.lineno, n.col_offset))
    place = every.index(keyword)
    start, end = module.text.index.span(keyword)
    if place:
        start = module.text.index.span(every[place - 1])[1]
    elif len(every) > 1:
        end = module.text.index.span(every[1])[0]
    module.changes.append(Edit(start, end, ""))


def _array(module: Module, stmt: ast.stmt, node: ast.expr, depth: int = 4) -> bool:
    """Whether a name means one value of Python or of NumPy for the whole program."""
    made = _made(module, stmt, node)
    return made is not None and _plain(module, made, depth)


def _made(module: Module, stmt: ast.stmt, node: ast.expr) -> ast.Assign | None:
    """The one statement that gives a name its value, above another one."""
    if not isinstance(node, ast.Name):
        return None
    scope = module.scope(stmt)
    names = [n for n in all_of(scope, ast.Name) if n.id == node.id]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    made = [
        s for s in all_of(scope, ast.Assign) if any(n in walk(t) for t in s.targets for n in stores)
    ]
    if len(stores) != 1 or len(made) != 1 or made[0].lineno >= stmt.lineno:
        return None
    return made[0]


def _constant(module: Module, stmt: ast.stmt, node: ast.expr) -> bool:
    """Whether it is a constant tensor, or a name for one: TF 1 takes nothing but arrays for it."""
    made = _made(module, stmt, node)
    if made is not None and isinstance(made.targets[0], ast.Name):
        node = made.value
    if module.endpoint(node) != "constant":
        return False
    assert isinstance(node, ast.Call)
    array = module.bound(node).get("value")
    return array is not None and not any(module.walker.endpoints.get(id(n)) for n in walk(array))


def _plain(module: Module, made: ast.Assign, depth: int) -> bool:
    """Whether nothing of TensorFlow's has a part in what a statement computes."""
    imported = {
        a.asname or a.name.partition(".")[0]
        for s in walk(module.tree)
        if isinstance(s, (ast.Import, ast.ImportFrom))
        for a in s.names
    }
    functions = {f.name: f for f in module.tree.body if isinstance(f, ast.FunctionDef)}
    for n in walk(made.value):
        if module.walker.endpoints.get(id(n)):
            return False  # other numbers each time, it may be
        if not isinstance(n, ast.Name) or n.id in imported or hasattr(builtins, n.id):
            continue
        if n.id in functions:
            if any(module.walker.endpoints.get(id(m)) for m in walk(functions[n.id])):
                return False
        elif not depth or not _array(module, made, n, depth - 1):
            return False
    return True


def _above(module: Module, stmt: ast.stmt, line: str) -> None:
    start = module.text.index.span(stmt)[0]
    module.changes.append(Edit(start, start, f"{line}{module.text.newline}{module.indent(stmt)}"))


def _free(module: Module, stmt: ast.stmt, wish: str, more: Iterable[str] = ()) -> str:
    scope = module.scope(stmt)
    taken = {n.id for n in all_of(scope, ast.Name)} | set(more)
    taken |= {n.arg for n in all_of(scope, ast.arg)}
    taken |= {n.name for n in walk(scope) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    return next(name for name in _wishes(wish) if name not in taken)


def _wishes(wish: str) -> Iterator[str]:
    yield wish
    for i in range(2, 99):
        yield f"{wish}_{i}"
