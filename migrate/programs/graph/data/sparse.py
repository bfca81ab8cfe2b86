"""Sparse tensors: what is fed for one, and what gives one.

A sparse placeholder is fed its indices, values and shape; it is read as the three placeholders that
TF 1 makes of it, and the sparse tensor of them. What a run gives of one: see `sparse_fetches`.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/sparse/placeholder
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding import placeholder_dicts
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.optimizing.training_helpers import shadowed
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, free, word

SPARSE = "sparse"  # a value's data
PARTS = ("indices", "values", "shape")
READ = ("indices", "values", "dense_shape")
# Ops that give a sparse tensor where they are given one, and those that always do.
KEEPING = frozenset(T + name for name in ("cast", "identity", "to_int32", "to_int64", "to_float"))
GIVING = frozenset(
    T + name
    for name in (
        *("SparseTensor", "sparse_concat", "sparse_retain", "sparse_reorder", "sparse_reshape"),
        *("sparse_slice", "sparse_transpose", "sparse_softmax", "sparse_maximum"),
        *("sparse_minimum", "sparse_merge", "string_split", "sparse.concat", "sparse.retain"),
        *("sparse.reorder", "sparse.reshape", "sparse.slice", "sparse.transpose"),
        *(
            "sparse.softmax",
            "sparse.maximum",
            "sparse.minimum",
            "sparse.merge",
            "sparse.expand_dims",
        ),
        *("sets.set_difference", "sets.set_intersection", "sets.set_union", "sets.difference"),
        *("sets.intersection", "sets.union", "strings.split"),
    )
)
# What ops call a sparse tensor that they are given, which for TF 1 may be a run's value of one.
TAKEN = {
    T + name: frozenset(taken.split())
    for taken, names in (
        ("sp_input", "sparse_tensor_to_dense sparse.to_dense sparse_to_indicator"),
        ("sp_input", "sparse_reduce_sum sparse.reduce_sum sparse_reduce_max sparse.to_indicator"),
        ("sp_input", "sparse_retain sparse.retain sparse_reorder sparse.reorder sparse_reshape"),
        ("sp_input", "sparse.reshape sparse_slice sparse.slice sparse_transpose sparse.transpose"),
        ("sp_input", "sparse.reduce_max"),
        ("sp_a", "sparse_tensor_dense_matmul sparse.matmul sparse.sparse_dense_matmul"),
        ("sp_ids", "nn.embedding_lookup_sparse"),
        ("hypothesis truth", "edit_distance"),
    )
    for name in names.split()
}
SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript)
Before = tuple[ast.stmt, Callable[[Source], list[str]]]
Written = tuple[ast.AST, Callable[[Source], str | None]]


@family(T + "sparse_placeholder", T + "sparse.placeholder")
def placeholder(walker: Any, name: str, node: ast.Call) -> Value:
    """A sparse placeholder.

    Raises:
        Spelled: it may be written as placeholders of its parts.
        Blocked: where it is fed isn't seen, or it has a shape.
    """
    reason = "a sparse placeholder isn't followed here"
    given = walker.bound(T + "sparse_placeholder", node)
    if not isinstance(walker.stmt, ast.Assign) or walker.stmt.value is not node:
        placeholder_dicts.check(walker, node, reason)
    shape, stmt = given.get("shape"), walker.stmt
    if shape is not None and not (isinstance(shape, ast.Constant) and shape.value is None):
        raise Blocked(node, "a sparse placeholder with a shape")
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        raise Blocked(node, reason)
    target = stmt.targets[0]
    own = target.id if isinstance(target, ast.Name) else getattr(target, "attr", None)
    if own is None or walker.nested or not isinstance(node.func, ast.Attribute):
        raise Blocked(node, reason)
    root = next(n for n in all_of(node.func, ast.Name))
    names = _names(walker, own, attribute=isinstance(target, ast.Attribute))
    replaced, before = _fed(walker, node, own, names, isinstance(target, ast.Attribute))

    def lines(source: Source) -> list[str]:
        head, tf = source(target).removesuffix(own), source(root)
        kinds: tuple[str, ...] = (f"{tf}.int64, [None, None]", f"{source(given['dtype'])}, [None]")
        kinds = (*kinds, f"{tf}.int64, [None]")
        return [f"{head}{n} = {tf}.placeholder({k})" for n, k in zip(names, kinds, strict=True)]

    def made(source: Source) -> str:
        head = source(target).removesuffix(own)
        return f"{source(root)}.SparseTensor({', '.join(head + n for n in names)})"

    raise Spelled(node, reason, [(node, made), *replaced], [(stmt, lines), *before])


def _names(walker: Any, own: str, *, attribute: bool) -> tuple[str, ...]:
    """The names of the three parts."""
    taken = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    names = tuple(f"{own}_{part}" for part in PARTS)
    if attribute and not taken & set(names):
        return names
    return tuple(free(walker, name) for name in names)


def _fed(
    walker: Any, made: ast.Call, own: str, names: tuple[str, ...], attribute: bool
) -> tuple[list[Written], list[Before]]:
    """What is fed for a placeholder, as what is fed for its parts.

    Raises:
        Blocked: it is fed in another way.
    """
    replaced: list[Written] = []
    before: list[Before] = []
    statements = {
        id(n): s
        for s in walk(walker.tree)
        if isinstance(s, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign))
        for n in walk(s)
    }
    for node in walk(walker.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if _is(node.slice, own, attribute):
                raise Blocked(node, "a sparse placeholder that is fed in steps")
        for key, value in zip(node.keys, node.values, strict=True) if _dict(node) else ():
            if key is None or not _is(key, own, attribute):
                continue
            other = walker.files.at(key) is not walker.files.at(made)
            if other and not (attribute and _only(walker, own)):
                replaced += _handed(walker, made, key, own, names, {id(w) for w, _ in replaced})
            said = None
            if not isinstance(value, SIMPLE):
                stmt = statements.get(id(node))
                inside = [n for n in walk(stmt) if n is not stmt] if stmt is not None else []
                lazy = (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp, ast.NamedExpr)
                if stmt is None or any(isinstance(n, lazy) for n in inside):
                    raise Blocked(value, "what is fed for a sparse placeholder has no name")
                said = free(walker, f"{own}_value")
                before.append((stmt, _line(said, value)))
            replaced += [
                (key, _key(key, names[0], own)),
                (value, _value(value, said, key, own, names)),
            ]
    return replaced, before


def _only(walker: Any, own: str) -> bool:
    """Whether one statement sets that attribute: an object of another file has no other one."""
    stored = (n for n in all_of(walker.tree, ast.Attribute) if isinstance(n.ctx, ast.Store))
    return sum(n.attr == own for n in stored) == 1


def _handed(
    walker: Any,
    made: ast.Call,
    key: ast.expr,
    own: str,
    names: tuple[str, ...],
    done: set[int],
) -> list[Written]:
    """``feed({…}, features)`` of another file, which feeds its parameter: it is given the parts.

    Raises:
        Blocked: that isn't how the other file has the placeholder.
    """
    error = Blocked(key, "a sparse placeholder that is fed in another file")
    target = function_around(walker.tree, key)
    home = walker.files.at(made).tree
    keys = [k for n in walk(target or key) if _dict(n) for k in n.keys if k is not None]
    uses = [n for n in all_of(target or key, ast.Name) if n.id == own]
    place = next((a for a in target.args.args if a.arg == own), None) if target else None
    if target is None or place is None or target not in walker.files.at(key).tree.body:
        raise error
    if target.args.args.index(place) >= len(target.args.args) - len(target.args.defaults):
        raise error
    calls = known_branches.every(walker, target)
    if not calls or any(all(n is not k for k in keys) for n in uses):
        raise error
    if id(place) in done:
        return []
    found: list[Written] = [(place, word(", ".join(names)))]
    for call in calls:
        given = known_branches.place(target, call, own)
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        if not isinstance(given, ast.Name) or given.id != own or hidden:
            raise error
        if walker.files.at(call).tree is not home or id(given) in shadowed(home, own):
            raise error
        told = next((k for k in call.keywords if k.value is given), None)
        said = [f"{name}={name}" for name in names] if told is not None else names
        found.append((told or given, word(", ".join(said))))
    return found


def _line(name: str, value: ast.expr) -> Callable[[Source], list[str]]:
    return lambda source: [f"{name} = {source(value)}"]


def _key(key: ast.expr, name: str, own: str) -> Callable[[Source], str]:
    return lambda source: source(key).removesuffix(own) + name


def _value(
    value: ast.expr, said: str | None, key: ast.expr, own: str, names: tuple[str, ...]
) -> Callable[[Source], str]:
    def written(source: Source) -> str:
        head, text = source(key).removesuffix(own), said or source(value)
        rest = [f"{head}{names[i]}: {text}[{i}]" for i in (1, 2)]
        return ", ".join([f"{text}[0]", *rest])

    return written


@family(T + "SparseTensor")
def tensor(walker: Any, name: str, node: ast.Call) -> Value:
    """A sparse tensor of its parts."""
    kind = walker.join(walker.arguments(node), node).kind
    return Value(Kind.CONST if kind is Kind.HOST else kind, SPARSE)


@family(T + "nn.ctc_greedy_decoder", T + "nn.ctc_beam_search_decoder")
def decoder(walker: Any, name: str, node: ast.Call) -> Value:
    """The best labels of sequences, each a sparse tensor, and how likely they are."""
    walker.join(walker.arguments(node), node)
    paths = walker.bound(name, node).get("top_paths", ast.Constant(1))
    number = paths.value if isinstance(paths, ast.Constant) else None
    if not isinstance(number, int):
        raise Blocked(node, "how many paths are decoded isn't seen")
    decoded = [(i, Value(Kind.TENSOR, SPARSE)) for i in range(number)]
    items = [(0, Value(Kind.TENSOR, "container", decoded)), (1, Value(Kind.TENSOR))]
    return Value(Kind.TENSOR, "container", items)


def given(name: str, values: list[Value]) -> str | None:
    """What is told of an op's value: that it is sparse."""
    kept = name in KEEPING and any(v.data == SPARSE for v in values)
    return SPARSE if kept or name in GIVING else None


def handed(walker: Any, name: str, node: ast.Call, values: list[Value]) -> None:
    """See whether an op is given a run's value of a sparse tensor, a tuple that TF 2 doesn't take.

    Raises:
        Spelled: a sparse tensor of its parts may be given.
    """
    hidden = [*node.args, *(k.arg for k in node.keywords)]
    if name not in TAKEN or any(a is None or isinstance(a, ast.Starred) for a in hidden):
        return
    sparse = {id(v) for k, v in walker.bound(name, node).items() if k in TAKEN[name]}
    nodes = [*node.args, *(k.value for k in node.keywords)]
    found = [
        given
        for given, value in zip(nodes, values, strict=False)
        if id(given) in sparse and value.kind is Kind.HOST and not isinstance(given, ast.Constant)
    ]
    if not found:
        return
    reason = "a sparse tensor's value is given to an op"
    tf = next((n for n in all_of(node.func, ast.Name)), None)
    if tf is None or not isinstance(node.func, ast.Attribute):
        raise Blocked(node, reason)

    def written(value: ast.expr) -> Written:
        return value, lambda source: f"{source(tf)}.SparseTensor(*{source(value)})"

    raise Spelled(node, reason, [written(value) for value in found])


@family(T + "nn.ctc_loss")
def ctc_loss(walker: Any, name: str, node: ast.Call) -> Value:
    """CTC's loss of sparse labels, which TF 2 computes as TF 1 did."""
    joined = walker.join(walker.arguments(node), node)
    given = walker.bound(name, node)
    logits = given.get("inputs", given.get("logits"))
    extra = set(given) - {"labels", "inputs", "logits", "sequence_length", "time_major"}
    if not extra and logits is not None and {"labels", "sequence_length"} <= set(given):

        def written(writer: Any) -> str:
            parts = [writer.source(given["labels"]), writer.source(logits), "None"]
            parts.append(writer.source(given["sequence_length"]))
            if "time_major" in given:
                parts.append(f"logits_time_major={writer.source(given['time_major'])}")
            return f"{writer.tf}.nn.ctc_loss({', '.join(parts)}, blank_index=-1)"

        walker.rewrites[id(node)] = written
    return Value(joined.kind)


def _dict(node: ast.AST) -> TypeGuard[ast.Dict]:
    return isinstance(node, ast.Dict)


def _is(node: ast.expr, own: str, attribute: bool) -> bool:
    """Whether an expression is the placeholder."""
    if attribute:
        return isinstance(node, ast.Attribute) and node.attr == own
    return isinstance(node, ast.Name) and node.id == own
