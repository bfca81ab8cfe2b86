"""Sparse tensors: what is fed for one, and what a run gives of one.

A sparse placeholder is fed its indices, values and shape; it is read as the three placeholders that
TF 1 makes of it, and the sparse tensor of them. A sparse tensor that is fetched is its three parts.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/sparse/placeholder
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import known_branches, placeholder_dicts
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Value
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.spelled import Source, Spelled, free, word
from migrate.programs.graph.training_helpers import shadowed

SPARSE = "sparse"  # a value's data
VALUE = "SparseTensorValue"
TUPLE = f"{VALUE} = collections.namedtuple('{VALUE}', ['indices', 'values', 'dense_shape'])"
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
            if walker.files.at(key) is not walker.files.at(made):
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


def fetched(walker: Any, call: ast.Call, fetch: Fetch) -> None:
    """See whether a sparse tensor is fetched.

    Raises:
        Spelled: its parts may be fetched instead.
        Blocked: it stands among other fetches.
    """
    if not any(_has(leaf.value) for leaf in fetch.leaves()):
        return
    node, reason = fetch.node, "a sparse tensor is fetched beside others"
    run = isinstance(call.func, ast.Attribute) and call.func.attr == "run"
    if not run:
        _evaluated(walker, call, fetch, reason)
    if not run or not call.args or call.args[0] is not node:
        raise Blocked(node, reason)
    one: ast.expr = node
    if isinstance(node, (ast.List, ast.Tuple)):
        if _several(fetch):
            _among(walker, call, node, fetch, reason)
        one = node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else node
    value = fetch.items[0].value if one is not node and fetch.items else fetch.value
    if value.data != SPARSE or not isinstance(one, SIMPLE):
        raise Blocked(node, reason)
    before = _defined(walker, call)

    def written(source: Source) -> str:
        func, own = source(call.func), source(node)
        tail = source(call)[len(func) :]
        rest = tail[tail.index(own) + len(own) :]
        text = f"{VALUE}(*{func}({_parts(source(one))}{rest})"
        return text if one is node else f"[{text}]"

    raise Spelled(call, reason, [(call, written)], before)


def _parts(own: str) -> str:
    """What is fetched of a sparse tensor."""
    return f"[{', '.join(f'{own}.{part}' for part in READ)}]"


def _parts_of(node: ast.expr) -> Callable[[Source], str]:
    """The same, as what is written for a sparse tensor."""
    return lambda source: _parts(source(node))


def _several(fetch: Fetch) -> bool:
    """Whether a run computes something: constants are read one by one, and not in inner lists."""
    return any(leaf.value.kind is not Kind.CONST for leaf in fetch.leaves())


def _evaluated(walker: Any, call: ast.Call, fetch: Fetch, reason: str) -> None:
    """``sparse.eval()`` of a constant: so are its parts.

    Raises:
        Spelled: it is that.
    """
    node = fetch.node
    constant = fetch.value.data == SPARSE and fetch.value.kind is Kind.CONST
    if not constant or not isinstance(node, SIMPLE) or call.args or call.keywords:
        return

    def written(source: Source) -> str:
        return f"{VALUE}({', '.join(f'{source(node)}.{part}.eval()' for part in READ)})"

    raise Spelled(call, reason, [(call, written)], _defined(walker, call))


def _among(
    walker: Any, call: ast.Call, node: ast.List | ast.Tuple, fetch: Fetch, reason: str
) -> None:
    """``loss, found = sess.run([loss_op, sparse])``: its parts are fetched, and made one behind it.

    Raises:
        Spelled: the sparse tensors get names of their own.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.Assign) or stmt.value is not call or len(stmt.targets) > 1:
        return
    target, items = stmt.targets[0], fetch.items or []
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if len(names) != len(node.elts) or len(items) != len(names):
        return
    written: list[Written] = []
    lines = []
    for name, at, item in zip(names, node.elts, items, strict=True):
        if not _has(item.value):
            continue
        if (
            item.value.data != SPARSE
            or not isinstance(at, SIMPLE)
            or not isinstance(name, ast.Name)
        ):
            return
        written.append((at, _parts_of(at)))
        lines.append(f"{name.id} = {VALUE}(*{name.id})")
    if any(isinstance(n, ast.Starred) for n in names) or len({*lines}) < len(lines):
        return
    text = "".join(f"\n{' ' * stmt.col_offset}{line}" for line in lines)
    end = (stmt.end_lineno or stmt.lineno, stmt.end_col_offset or 0)
    written.append((known_branches.span(end, end), lambda _: text))
    raise Spelled(call, reason, written, _defined(walker, call))


def _defined(walker: Any, call: ast.Call) -> list[Before]:
    """What a session gave for a sparse tensor, as a tuple of the module's own.

    Raises:
        Blocked: the module has that name for something else.
    """
    body = walker.files.at(call).tree.body
    made = [s for s in body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == VALUE]
    if made and ast.unparse(made[0]) == TUPLE:
        return []
    if made or free(walker, VALUE) != VALUE:
        raise Blocked(call, f"the module has a `{VALUE}` of its own")
    imports = [s for s in body if isinstance(s, (ast.Import, ast.ImportFrom))]
    first = next((s for s in imports if getattr(s, "module", "") != "__future__"), None)
    rest = body[body.index(imports[-1]) + 1 :] if imports else []
    if first is None or not rest:
        raise Blocked(call, "a sparse tensor is fetched where nothing is imported")
    has = any(a.name == "collections" and not a.asname for s in imports for a in s.names)
    apart = ["", ""] if isinstance(rest[0], (ast.FunctionDef, ast.ClassDef)) else []
    found: list[Before] = [(rest[0], lambda _: [TUPLE, *apart])]
    return found if has else [(first, lambda _: ["import collections"]), *found]


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


def _has(value: Value) -> bool:
    """Whether a value is a sparse tensor, or has one in it."""
    return value.data == SPARSE or any(_has(item) for _, item in value.items or ())


def _dict(node: ast.AST) -> TypeGuard[ast.Dict]:
    return isinstance(node, ast.Dict)


def _is(node: ast.expr, own: str, attribute: bool) -> bool:
    """Whether an expression is the placeholder."""
    if attribute:
        return isinstance(node, ast.Attribute) and node.attr == own
    return isinstance(node, ast.Name) and node.id == own
