"""Moving averages of tensors, ``ema.apply([loss])``: each is a variable that follows its tensor.

TF 1 starts them at zero, trains and corrects none of them, and counts in float32. TF 2's object
keeps averages of variables alone, so the variables and what moves them are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.making import written_lists
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.sizing import same_types
from migrate.programs.graph.sizing.size_texts import trees
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

REASON = "moving averages of a tensor"
REDUCED = frozenset(f"{T}reduce_{name}" for name in ("mean", "sum", "max", "min"))
NUMBERS = frozenset(
    f"{T}{name}" for name in ("add", "subtract", "multiply", "negative", "identity")
)
# What saves or lists all variables of a graph: these need TF 1's names.
SAVING = frozenset(
    """
    Saver Supervisor MonitoredSession MonitoredTrainingSession SingularMonitoredSession
    global_variables all_variables GLOBAL_VARIABLES VARIABLES
    """.split()  # noqa: SIM905
)
# What asks for the averages' own names.
ASKING = frozenset(
    """
    average_name export_meta_graph variables_to_restore moving_average_variables
    MOVING_AVERAGE_VARIABLES
    """.split()  # noqa: SIM905
)


def check(walker: Any, made: ast.Call, node: ast.Call) -> None:
    """See whether the averages of tensors may be written as variables.

    Raises:
        Spelled: each tensor is one number, and nothing asks for the averages' names that aren't
            told.
    """
    listed = node.args[0] if len(node.args) == 1 and not node.keywords else None
    parents = parents_of(walker.tree)
    start, stmt = parents.get(id(made)), walker.stmt
    plain = isinstance(start, ast.Assign) and len(start.targets) == 1 and start.value is made
    parts = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else None
    parts = written_lists.elements(walker, listed) if parts is None else parts
    if not parts or not plain or not _decay(walker, made):
        return
    owner = start.targets[0]  # type: ignore[union-attr]
    home = function_around(walker.tree, node)
    apart = isinstance(owner, ast.Name) and function_around(walker.tree, made) is not home
    if apart or not _alone(walker, owner):
        return
    tensors = [ast.unparse(e) for e in parts]
    if len(set(tensors)) < len(tensors) or not all(_number(walker, e) for e in parts):
        return
    dtypes = same_types.of(walker, parts)
    saved = _saved(walker, made, parts)
    if dtypes is None or saved is None:
        return
    names: dict[str, str] = {}
    for part, tensor in zip(parts, tensors, strict=True):
        if not _once(walker, part):
            return
        names[tensor] = _name(walker, owner, part, names.values())
    replaced: list[Written] = []
    for use in _uses(walker, owner):
        method = parents.get(id(use))
        call = parents.get(id(method))
        if use is owner or (isinstance(method, ast.Attribute) and call is node):
            continue
        match call:
            case ast.Call(ast.Attribute(attr="average"), [asked], []) if call.func is method:
                if call.lineno > node.lineno and (loop := written_lists.around(walker, call)):
                    written_lists.check(walker, loop.target, REASON)
                name = names.get(ast.unparse(asked))
                local = isinstance(owner, ast.Name) or isinstance(asked, ast.Name)
                if name is None or call.lineno <= node.lineno:
                    return
                if local and function_around(walker.tree, use) is not home:
                    return
                replaced.append((call, word(name)))
            case _:
                return
    root = made.func.value.value  # type: ignore[attr-defined]
    decay = made.args[0] if made.args else made.keywords[0].value

    def variables(source: Source) -> list[str]:
        return [
            f"{name} = {source(root)}.Variable(0.0, trainable=False{_told(dtype, own)})"
            for name, dtype, own in zip(names.values(), dtypes, saved, strict=True)
        ]

    def moved(source: Source) -> str:
        tf, rate = source(root), f"{source(root)}.subtract(1.0, {source(decay)})"
        each = []
        for part, name, dtype in zip(parts, names.values(), dtypes, strict=True):
            own = f"{tf}.cast({rate}, {dtype})" if dtype else rate
            each.append(f"{tf}.assign_sub({name}, ({name} - {source(part)}) * {own})")
        return f"{tf}.group({', '.join(each)})"

    assert start is not None
    replaced += [(start, word("")), (node, moved)]
    raise Spelled(node, REASON, replaced, [(stmt, variables)])


def _told(dtype: str, name: str) -> str:
    """What a variable is told beside where it starts."""
    return (f", dtype={dtype}" if dtype else "") + (f', name="{name}"' if name else "")


def _saved(walker: Any, made: ast.Call, parts: Sequence[ast.expr]) -> list[str] | None:
    """The averages' names in TF 1, where all variables are asked for; None: they aren't told."""
    asks = any(
        getattr(n, "attr", getattr(n, "id", None)) in SAVING
        for tree in walker.program()
        for n in walk(tree)
    )
    if not asks:
        return [""] * len(parts)
    own = walker.bound(T + "train.ExponentialMovingAverage", made).get("name")
    last = own.value if isinstance(own, ast.Constant) else "ExponentialMovingAverage"
    if not isinstance(last, str) or not (own is None or isinstance(own, ast.Constant)):
        return None
    ops = [written_lists.op_name(walker, part) for part in parts]
    return None if None in ops else [f"{op}/{last}" for op in ops]


def _decay(walker: Any, made: ast.Call) -> bool:
    """Whether an object has nothing but a decay that stays what it is."""
    given = walker.bound(T + "train.ExponentialMovingAverage", made)
    named = isinstance(made.func, ast.Attribute) and isinstance(made.func.value, ast.Attribute)
    decay = given.get("decay")
    if not named or set(given) - {"decay", "name"} or decay is None:
        return False
    if decay is not (made.args[0] if made.args else made.keywords[0].value):
        return False
    if isinstance(decay, ast.Name):
        return _once(walker, decay)
    return isinstance(decay, ast.Constant)


def _alone(walker: Any, owner: ast.expr) -> bool:
    """Whether only its own file reads an object's name, and nothing asks for all variables."""
    itself = isinstance(owner, ast.Attribute) and ast.unparse(owner.value) == "self"
    if not isinstance(owner, ast.Name) and not itself:
        return False
    called = getattr(owner, "id", getattr(owner, "attr", ""))
    for tree in walker.program():
        if any(getattr(n, "attr", getattr(n, "id", None)) in ASKING for n in walk(tree)):
            return False
    for tree in (walker.tree, *trees(walker)):
        for n in walk(tree):
            if (
                isinstance(n, ast.Attribute)
                and n.attr == called
                and ast.unparse(n) != f"self.{called}"
            ):
                return False
            odd = isinstance(n, (ast.Global, ast.Nonlocal)) and called in n.names
            if odd or (isinstance(n, ast.alias) and n.name == called):
                return False
    stores = [n for n in _uses(walker, owner) if not isinstance(n.ctx, ast.Load)]
    return len(stores) == 1


def _uses(walker: Any, owner: ast.expr) -> list[Any]:
    said = ast.unparse(owner)
    return [n for n in all_of(walker.tree, type(owner)) if ast.unparse(n) == said]


def _once(walker: Any, node: ast.expr) -> bool:
    """Whether an attribute is bound once in its file, or a name in its function or its file."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    bound = [n for n in _uses(walker, node) if not isinstance(n.ctx, ast.Load)]
    if isinstance(node, ast.Name) and len(bound) > 1:
        home = function_around(walker.tree, node)
        bound = [n for n in bound if function_around(walker.tree, n) is home]
    return len(bound) == 1


def _name(walker: Any, owner: ast.expr, tensor: ast.expr, more: Any) -> str:
    """What an average is called: beside the object that keeps it."""
    called = getattr(tensor, "id", getattr(tensor, "attr", ""))
    if isinstance(owner, ast.Name):
        return free(walker, f"{called}_average", more)
    taken = {n.attr for tree in (walker.tree, *trees(walker)) for n in all_of(tree, ast.Attribute)}
    wish, number = f"{called}_average", 2
    while wish in taken or f"self.{wish}" in more:
        wish, number = f"{called}_average_{number}", number + 1
    return f"self.{wish}"


def _number(walker: Any, node: ast.expr) -> bool:
    """Whether a tensor surely is one number."""
    value = walker.expression(node)
    symbol = value.symbol or walker.symbol_of(node)
    made = symbol.step.node if symbol is not None else None
    if value.kind is not Kind.TENSOR or symbol is None or not isinstance(made, ast.Assign):
        return False
    env = {s.name: s for s in symbol.step.uses}
    return _scalar(walker, made.value, env)


def _scalar(walker: Any, node: ast.expr, env: dict[str, Any]) -> bool:
    """Whether an expression has no dimensions; ``env``: what names meant there."""
    if isinstance(node, ast.BinOp):
        return _scalar(walker, node.left, env) and _scalar(walker, node.right, env)
    if isinstance(node, ast.UnaryOp):
        return _scalar(walker, node.operand, env)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, (ast.Name, ast.Attribute)):
        symbol = env.get(getattr(node, "id", "")) or walker.symbol_of(node)
        made = symbol.step.node if symbol is not None else None
        if symbol is None or not isinstance(made, ast.Assign) or len(made.targets) != 1:
            return False
        if not isinstance(made.targets[0], (ast.Name, ast.Attribute)):
            return False
        return _scalar(walker, made.value, {s.name: s for s in symbol.step.uses})
    if not isinstance(node, ast.Call):
        return False
    endpoint = walker.endpoints.get(id(node.func), "")
    given = walker.bound(endpoint, node) if endpoint else {}
    if endpoint == T + "nn.l2_loss":
        return True
    if endpoint == T + "add_n":
        parts = written_lists.elements(walker, given.get("inputs"))
        return parts is not None and all(_scalar(walker, part, {}) for part in parts)
    if endpoint in REDUCED:
        return set(given) <= {"input_tensor", "name"}
    if endpoint.startswith(T + "losses."):
        return "reduction" not in given and not endpoint.endswith("get_losses")
    if endpoint in NUMBERS:
        return all(_scalar(walker, v, env) for k, v in given.items() if k != "name")
    return False
