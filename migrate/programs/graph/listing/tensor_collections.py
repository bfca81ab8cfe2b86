"""Collections of the program's own that hold tensors: `tf.add_to_collection('losses', …)`.

What one holds is written where it is read, before the program is followed: `sessions/collected.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T, is_op
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, word

# What TensorFlow's own functions fill whatever a program says.
FILLED = frozenset(
    (
        *("variables", "local_variables", "model_variables", "trainable_variables"),
        *("metric_variables", "summaries", "queue_runners", "table_initializer", "update_ops"),
        *("savers", "global_step", "cond_context", "while_context"),
    )
)
BINDS = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
DEPTH = 8  # of functions that hand a regularizer on
REGULARIZERS = ("layers.l1_regularizer", "layers.l2_regularizer", "layers.l1_l2_regularizer")
PUT = T + "add_to_collection"
OF_LAYERS = "variables_collections"  # an argument of theirs, or a key of what they are given
GETTERS = frozenset({T + "get_collection", T + "get_collection_ref"})


class Collected(Blocked):
    """A tensor is put into a collection, which is read elsewhere."""

    def __init__(self, node: ast.Call, key: str) -> None:
        super().__init__(node, "a tensor in a collection that functions or loops fill")
        self.key = key
        self.instead: training_helpers.Inlinable | None = None  # of a function with it


@family(T + "add_to_collection")
def put(walker: Any, name: str, node: ast.Call) -> Value:
    """A tensor goes into a collection.

    Raises:
        Collected: something reads it.
        Blocked: or that isn't told, or it is one of TensorFlow's.
    """
    given = walker.bound(name, node)
    key, item = given.get("name"), given.get("value")
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        raise Blocked(node, "a collection whose name isn't the program's own")
    if _shared(walker, key.value):
        raise Blocked(node, f"the collection '{key.value}', into which TensorFlow puts things, too")
    if _read(walker, key.value, walker.program()) or _read_elsewhere(walker, key.value, node):
        error = Collected(node, key.value)
        _alike(walker, error)
        error.instead = _instead(walker, error)
        raise error
    if not isinstance(item, (ast.Name, ast.Attribute)) and not _only_computed(walker, item):
        raise Blocked(node, "what is computed for a collection that nothing reads")
    _alone(walker, node)
    return Value(Kind.SETTING, "collection", node=node)


def _alone(walker: Any, node: ast.Call) -> None:
    """A branch in which only this stands goes: ``if regularizer is not None:``.

    Raises:
        Spelled: it is in one, whose condition does nothing.
    """
    for tree in walker.program():
        for branch in all_of(tree, ast.If):
            match branch.body, branch.orelse:
                case [ast.Expr(value=value)], [] if value is node:
                    if not any(isinstance(n, (ast.Call, *BINDS)) for n in walk(branch.test)):
                        reason = "a branch that only fills a collection which nothing reads"
                        raise Spelled(node, reason, [(branch, word(""))])


def _only_computed(walker: Any, item: ast.expr | None) -> bool:
    """Whether an expression does nothing but compute: ops of TensorFlow, and regularizers."""
    if item is None or any(isinstance(n, BINDS) for n in walk(item)):
        return False
    for call in all_of(item, ast.Call):
        endpoint = walker.endpoints.get(id(call.func), "")
        if not is_op(endpoint) and not endpoint.endswith(REGULARIZERS):
            if endpoint or not _regularizes(walker, call.func):
                return False
    return True


def _regularizes(walker: Any, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is a regularizer of TensorFlow's, or None, whoever gives it."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Call):
        return bool(walker.endpoints.get(id(node.func), "").endswith(REGULARIZERS))
    if not isinstance(node, ast.Name) or depth > DEPTH:
        return False
    tree = next((t for t in walker.program() if holds(t, node)), None)
    if tree is None:
        return False
    scope = function_around(tree, node)
    args = [a.arg for a in scope.args.args] if scope is not None else []
    names = [n for n in all_of(scope or tree, ast.Name) if n.id == node.id]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    if scope is None or node.id not in args:
        if scope is not None and not stores:
            names = [n for n in all_of(tree, ast.Name) if n.id == node.id]
            stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
        made = [s for s in all_of(tree, ast.Assign) if any(t in stores for t in s.targets)]
        return (
            bool(stores)
            and len(made) == len(stores)
            and all(_regularizes(walker, s.value, depth + 1) for s in made)
        )
    if stores or scope.args.kwarg is not None or scope.args.vararg is not None:
        return False
    return _given(walker, scope, node.id, depth)


def _given(walker: Any, target: ast.FunctionDef, name: str, depth: int) -> bool:
    """Whether all calls of a function give a parameter a regularizer, or none."""
    calls, others = [], 0
    for tree in walker.program():
        home = next((c for c in all_of(tree, ast.ClassDef) if target in c.body), None)
        if home is not None:
            return False
        nodes = [n for n in walk(tree) if target.name == getattr(n, "id", getattr(n, "attr", None))]
        nodes = [n for n in nodes if id(n) not in walker.endpoints]
        found = [c for c in all_of(tree, ast.Call) if c.func in nodes]
        calls += found
        others += len(nodes) - len(found)
    if others or not calls:
        return False
    defaults = dict(zip(reversed(target.args.args), reversed(target.args.defaults), strict=False))
    default = next((v for a, v in defaults.items() if a.arg == name), None)
    given = [known_branches.place(target, call, name) or default for call in calls]
    return all(g is not None and _regularizes(walker, g, depth + 1) for g in given)


def _shared(walker: Any, key: str) -> bool:
    """Whether a collection is one into which TF 1 puts something in this program by itself.

    The values of `tf.GraphKeys`, measured on 1.15.5: ``tf.losses.mean_squared_error`` is in
    ``'losses'``, what a ``regularizer=`` gives in ``'regularization_losses'``.
    """
    if key == "losses":
        calls = (n for tree in walker.program() for n in all_of(tree, ast.Call))
        names = (walker.endpoints.get(id(n.func), "") for n in calls)
        return any("losses." in n and not n.rpartition(".")[2].startswith("get_") for n in names)
    if key == "regularization_losses":
        said = {n.arg or "" for tree in walker.program() for n in all_of(tree, ast.keyword)}
        return any("regularizer" in word for word in said)
    return key in FILLED or _layers_fill(walker, key)


def _layers_fill(walker: Any, key: str) -> bool:
    """Whether layers may put their variables into a collection that is named elsewhere, too."""
    nodes = [n for tree in walker.program() for n in walk(tree)]
    if not any(getattr(n, "arg", getattr(n, "value", None)) == OF_LAYERS for n in nodes):
        return False
    own = {
        id(a)
        for n in nodes
        if walker.endpoints.get(id(getattr(n, "func", None))) in (*GETTERS, PUT)
        for a in walk(n)
    }
    return any(isinstance(n, ast.Constant) and n.value == key and id(n) not in own for n in nodes)


def _alike(walker: Any, error: Collected) -> None:
    """``if with_w: return h, w`` `else: return h`, where the list is to be returned, too.

    Raises:
        Spelled: all calls decide it.
    """
    for target in (n for n in walker.tree.body if isinstance(n, ast.FunctionDef)):
        returns = [n.value for n in all_of(target, ast.Return)]
        sizes = {len(n.elts) if isinstance(n, ast.Tuple) else 0 for n in returns}
        if len(sizes) > 1 and any(_puts(walker, n, error.key) for n in walk(target)):
            for stmt in reversed(all_of(target, ast.If)):
                if any(isinstance(n, ast.Return) for n in walk(stmt)):
                    known_branches.everywhere(walker, stmt, target, error)


def _instead(walker: Any, error: Collected) -> training_helpers.Inlinable | None:
    """A function that only fills a collection, or reads it once, and may stand at its calls."""
    for target in (n for n in walker.tree.body if isinstance(n, ast.FunctionDef)):
        reads = len(training_helpers.named(walker, target)) == 1 and any(
            _gets(walker, n, error.key) for n in walk(target)
        )
        if reads or _only_puts(walker, target):
            try:
                training_helpers.summarized(walker, target, error)
            except training_helpers.Inlinable as found:
                return found
    return None


def _only_puts(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function only puts what it is given into collections."""
    said = ast.get_docstring(target) is not None
    calls = [getattr(s, "value", None) for s in target.body[said:] if isinstance(s, ast.Expr)]
    return len(calls) == len(target.body) - said and all(
        isinstance(c, ast.Call) and walker.endpoints.get(id(c.func)) == T + "add_to_collection"
        for c in calls
    )


def _gets(walker: Any, node: ast.AST, key: str) -> bool:
    if walker.endpoints.get(id(getattr(node, "func", None))) not in GETTERS:
        return False
    asked = walker.bound(T + "get_collection", node).get("key")
    return isinstance(asked, ast.Constant) and asked.value == key


def _puts(walker: Any, node: ast.AST, key: str) -> bool:
    if walker.endpoints.get(id(getattr(node, "func", None))) != T + "add_to_collection":
        return False
    given = walker.bound(T + "add_to_collection", node).get("name")
    return isinstance(given, ast.Constant) and given.value == key


def _read_elsewhere(walker: Any, key: str, node: ast.Call) -> bool:
    """Whether another program may read what this file, which both import, puts in."""
    own = walker.files.at(node)
    if own is walker.entry:
        return False
    seen = set(map(id, walker.program()))
    return _read(walker, key, [m.tree for m in walker.files.order if id(m.tree) not in seen])


def _read(walker: Any, key: str, trees: Iterable[ast.Module]) -> bool:
    """Whether some files may read a collection."""
    for node in (n for tree in trees for n in walk(tree)):
        name = walker.endpoints.get(id(getattr(node, "func", None)), "")
        if name.endswith("_meta_graph"):
            return True
        if name in GETTERS and isinstance(node, ast.Call):
            asked = walker.bound(name, node).get("key")
            known = isinstance(asked, ast.Constant) or walker.endpoints.get(id(asked)) is not None
            if not known or getattr(asked, "value", None) == key:
                return True
    return False
