"""Metrics that functions of a program compute of one confusion matrix of all batches.

    def precision(labels, ids, count, classes):     … functions of a matrix stay
        cm, op = _streaming_confusion_matrix(       self.precision = ConfusionMatrix(count)
            labels, ids, count)                     self.precision.update_state(tags, ids)
        value, _ = score(cm, classes)               return {'precision': score(
        op, _ = score(op, classes)                      self.precision.result(), classes)[0]}
        return value, op

TF 2 has no `_streaming_confusion_matrix`: what only gave a value and its update goes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Page, Program
from migrate.rewriters.estimators.syntax import docstring, reads

STREAMING = "_streaming_confusion_matrix"
MODULE = "tensorflow.python.ops.metrics_impl"
ARGUMENTS = ("labels", "predictions", "num_classes", "weights")
NAME = "ConfusionMatrix"
SOURCE = '''class ConfusionMatrix({tf}.keras.metrics.Metric):
    """The confusion matrix of all batches: a row for each class of the labels."""

    def __init__(self, num_classes):
        super().__init__()
        shape = [num_classes, num_classes]
        self.matrix = self.add_weight(
            shape=shape, initializer="zeros", dtype="float64", name="matrix")

    def update_state(self, labels, predictions, sample_weight=None):
        labels, predictions = {tf}.reshape(labels, [-1]), {tf}.reshape(predictions, [-1])
        if sample_weight is not None:
            sample_weight = {tf}.reshape(sample_weight, [-1])
        self.matrix.assign_add({tf}.math.confusion_matrix(
            labels, predictions, self.matrix.shape[0], sample_weight, {tf}.float64))

    def result(self):
        return {tf}.convert_to_tensor(self.matrix)
'''


@dataclass(slots=True, eq=False, repr=False)
class Matrix:
    """What a call of such a function is made of."""

    function: ast.FunctionDef
    parts: dict[str, ast.expr]  # arguments of the matrix, as the call gives them
    scored: ast.Call  # what computes the value of the matrix
    number: int | None  # which part of that
    given: dict[str, ast.expr]  # the function's arguments, as the call gives them
    matrix: str  # what the function calls it


def of(program: Program, call: ast.AST | None) -> Matrix | None:
    """What a call is of, where it gives a value of a confusion matrix, and its update."""
    function = program.scopes.function(call.func) if isinstance(call, ast.Call) else None
    if function is None or function.decorator_list or not isinstance(call, ast.Call):
        return None
    body = [s for s in function.body if not docstring(s)]
    first, last = body[0], body[-1]
    if len(body) != 4 or not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
        return None
    both, made = _names(first), getattr(first, "value", None)
    if len(both) != 2 or not isinstance(made, ast.Call) or not _streams(program, made):
        return None
    value, update = body[1:3]
    ends = [e.id if isinstance(e, ast.Name) else "" for e in last.value.elts]
    if len(ends) != 2 or both[0] == both[1]:
        return None
    scored, number = _scored(program, value, both[0], ends[0])
    other, same = _scored(program, update, both[1], ends[1])
    if scored is None or other is None or number != same or both[1] in _names(value):
        return None
    like = [ast.unparse(_said(c, n)) for c, n in ((scored, both[0]), (other, both[1]))]
    given = _given(function, call)
    if like[0] != like[1] or given is None:
        return None
    asked = dict(zip(ARGUMENTS, made.args, strict=False))
    asked |= {str(k.arg): k.value for k in made.keywords}
    known = set(given)
    inner = set().union(*map(reads, asked.values())) | _read(scored)
    whole = (isinstance(v, ast.Name) and v.id in known for v in asked.values())
    if asked.keys() - set(ARGUMENTS) or not all(whole) or inner - known - {both[0]}:
        return None
    parts = {k: given[v.id] for k, v in asked.items() if isinstance(v, ast.Name)}
    if _none(parts.get("weights")):
        del parts["weights"]
    return Matrix(function, parts, scored, number, given, both[0])


def read(program: Program, call: ast.Call, found: Matrix) -> Callable[[str], str]:
    """Get the class into the file, and say what the value of a matrix is.

    Raises:
        Blocked: what the value is computed by can't be called where the metric is.
    """
    if len(found.parts) < 3:
        raise Blocked(call, f"the arguments of `{found.function.name}`")
    program.need(call, NAME, SOURCE)
    said = _called(program, call, found)
    gone = program.kept.setdefault("matrix metrics", {})
    assert isinstance(gone, dict)
    if not gone:
        program.finish.append(partial(_gone, program, gone))
    gone.setdefault(id(found.function), (found.function, []))[1].append(call)

    def source(matrix: str) -> str:
        say = partial(_value, program, found, matrix)
        given = [say(argument) for argument in found.scored.args]
        given += [f"{word.arg}={say(word.value)}" for word in found.scored.keywords]
        number = "" if found.number is None else f"[{found.number}]"
        return f"{said}({', '.join(given)}){number}"

    return source


def _called(program: Program, call: ast.Call, found: Matrix) -> str:
    """What computes the value is called where a metric is made.

    Raises:
        Blocked: it can't be reached there.
    """
    name = found.scored.func
    assert isinstance(name, ast.Name)
    home, page = program.page(found.function), program.page(call)
    if home is page:
        return name.id
    if isinstance(call.func, ast.Attribute):
        return f"{program.source(call.func.value)}.{name.id}"
    tree = home.part.document.tree
    for stmt in page.part.document.tree.body:
        if isinstance(stmt, ast.ImportFrom) and program.scopes.looked_into(stmt) is tree:
            if any(a.name == found.function.name and not a.asname for a in stmt.names):
                there = any(a.name == name.id and not a.asname for a in stmt.names)
                if name.id in page.bound and not there:
                    raise Blocked(call, f"another `{name.id}` of the file")
                imports = program.kept.setdefault("matrix imports", {})
                assert isinstance(imports, dict)
                imports.setdefault(id(stmt), (stmt, set()))[1].add(name.id)
                return name.id
    raise Blocked(call, f"`{found.function.name}`, whose import isn't seen")


def settings(found: Matrix) -> list[ast.expr]:
    """What the value is computed with, beside the matrix."""
    names = _read(found.scored) - {found.matrix}
    return [v for k, v in found.given.items() if k in names]


def _value(program: Program, found: Matrix, matrix: str, node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return matrix if node.id == found.matrix else program.source(found.given[node.id])
    return ast.unparse(node)


def _streams(program: Program, call: ast.Call) -> bool:
    """Whether a call is of TF 1's matrix of all batches."""
    if program.endpoint(call.func) == f"{MODULE}.{STREAMING}":
        return True
    func = call.func
    bound = program.scopes.lookup(func) if isinstance(func, ast.Name) else None
    node = bound.node if bound is not None else None
    if not isinstance(node, ast.ImportFrom) or not isinstance(func, ast.Name):
        return False
    names = {a.asname or a.name for a in node.names if a.name == STREAMING}
    return node.module == MODULE and func.id in names


def _scored(
    program: Program, stmt: ast.stmt, matrix: str, end: str
) -> tuple[ast.Call | None, int | None]:
    """The call that computes a value of the matrix, and which part of it a name is."""
    names, call = _names(stmt), getattr(stmt, "value", None)
    if end not in names or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None, None
    function = program.scopes.function(call.func)
    plain = [*call.args, *(k.value for k in call.keywords)]
    own = [a for a in plain if isinstance(a, ast.Name) and a.id == matrix]
    simple = all(isinstance(a, (ast.Name, ast.Constant)) for a in plain)
    if function is None or len(own) != 1 or not simple or any(k.arg is None for k in call.keywords):
        return None, None
    assert isinstance(stmt, ast.Assign)
    whole = isinstance(stmt.targets[0], ast.Name)
    return call, None if whole else names.index(end)


def _names(stmt: ast.stmt) -> list[str]:
    """The names that an assignment gives."""
    to = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    items = to.elts if isinstance(to, ast.Tuple) else [to]
    names = [i.id for i in items if isinstance(i, ast.Name)]
    return names if len(names) == len(items) else []


def _said(call: ast.Call, matrix: str) -> ast.expr:
    """A call with another name for the matrix."""

    class Other(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.Name("matrix") if node.id == matrix else node

    other: ast.expr = Other().visit(ast.parse(ast.unparse(call), mode="eval").body)
    return other


def _read(call: ast.Call) -> set[str]:
    """The names among a call's arguments."""
    plain = [*call.args, *(k.value for k in call.keywords)]
    return {a.id for a in plain if isinstance(a, ast.Name)}


def _given(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a function as a call gives them, those that it has anyway too."""
    args = function.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return None
    names = [a.arg for a in args.args]
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(names):
        return None
    said = dict(zip(names, call.args, strict=False))
    words = {str(k.arg): k.value for k in call.keywords}
    if words.keys() & said.keys() or words.keys() - set(names):
        return None
    own = names[len(names) - len(args.defaults) :]
    default = dict(zip(own, args.defaults, strict=True))
    found = default | said | words
    if any(not isinstance(v, ast.Constant) for k, v in default.items() if k not in said | words):
        return None
    return found if set(names) == found.keys() else None


def _none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _gone(program: Program, found: dict[int, tuple[ast.FunctionDef, list[ast.Call]]]) -> None:
    """Take away what gave such metrics, and what else of a file does that nobody calls.

    Raises:
        Blocked: one is used for something else.
    """
    for function, calls in list(found.values()):
        for use in program.readers(function):
            if not any(use is c.func for c in calls):
                raise Blocked(use, f"`{function.name}`, which gives a metric, is used elsewhere")
        page = program.page(function)
        alike = [
            f
            for f in page.part.document.tree.body
            if isinstance(f, ast.FunctionDef)
            and any(_streams(program, c) for c in all_of(f, ast.Call))
        ]
        for each in alike:
            if id(each) in program.removed:
                continue
            if id(each) not in found and program.readers(each):
                raise Blocked(each, f"`{each.name}`, which gives a metric, is used elsewhere")
            _removed(program, each)
        names = {f.name for f in alike}
        _imports(program, page, names)
        for stmt in page.part.document.tree.body:
            if isinstance(stmt, ast.ImportFrom) and stmt.module == MODULE:
                if [a.name for a in stmt.names] != [STREAMING]:
                    raise Blocked(stmt, f"names of `{MODULE}`")
                if id(stmt) not in program.removed:
                    program.remove(stmt)
            to = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            if isinstance(to, ast.Name) and to.id == "__all__" and isinstance(stmt, ast.Assign):
                said = {n.value for n in walk(stmt.value) if isinstance(n, ast.Constant)}
                if said & names and id(stmt) not in program.removed:
                    if said - names:
                        raise Blocked(stmt, "`__all__` with the name of a metric")
                    program.remove(stmt)


def _imports(program: Program, home: Page, gone: set[str]) -> None:
    """Take names that are gone out of imports, and put in what is called instead."""
    wanted = program.kept.setdefault("matrix imports", {})
    assert isinstance(wanted, dict)
    for page in program.pages:
        for stmt in page.part.document.tree.body:
            if not isinstance(stmt, ast.ImportFrom) or page is home:
                continue
            if program.scopes.looked_into(stmt) is not home.part.document.tree:
                continue
            if not any(a.name in gone for a in stmt.names) or id(stmt) in program.removed:
                continue
            kept = [ast.unparse(a) for a in stmt.names if a.name not in gone]
            _, more = wanted.get(id(stmt), (stmt, set()))
            kept += sorted(more - set(kept))
            if not kept:
                program.remove(stmt)
                continue
            program.removed.add(id(stmt))
            span = program.text.index.span
            first, last = span(stmt.names[0])[0], span(stmt.names[-1])[1]
            program.edits.append(Edit(first, last, ", ".join(kept)))


def _removed(program: Program, function: ast.FunctionDef) -> None:
    program.remove(function)
    program.say(function, "this gave a value and an update: the model has a metric for it")
    if program.page(function).part.document.path.endswith(".ipynb"):
        return
    last = program.text.piece(function).last
    below = program.text.lines[last:]
    blank = next((i for i, line in enumerate(below) if line.strip()), 0)
    start, end = program.text.start(last + 1), program.text.start(last + 1 + blank)
    program.edits.append(Edit(start, end, ""))  # the lines between it and what follows
