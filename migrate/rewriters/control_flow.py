"""TFM212 legacy-control-flow: tf.cond and tf.while_loop unpack a list of one in TF 1 only.

https://www.tensorflow.org/api_docs/python/tf/cond

TF 1's `tf.cond` gave the element where a branch returned a list of one, and its `tf.while_loop` the
value of a single loop variable; TF 2's give the list. Where the branches provably return something
else, and with two loop variables or more, the calls stay (`fn1` and `fn2` are `true_fn` and
`false_fn`). Otherwise `tf.compat.v1.cond` and `tf.compat.v1.while_loop` do as before.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import BoundCall, Unbound
from migrate.engine.names import Scope
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import children
from migrate.engine.values import values_of
from migrate.rewriters.arguments import change_to
from migrate.rewriters.kept import keep
from migrate.symbols.outcomes import ALWAYS, Arguments

CONTROL = Rule(
    "TFM212",
    "legacy-control-flow",
    "tf.cond or tf.while_loop that may give a list of one",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/cond",
)
COND = Arguments(
    "tensorflow.cond",
    {"fn1": "true_fn", "fn2": "false_fn"},
    {"strict": ("TF 2 is always strict", ALWAYS)},
    3,
)
LOOP = Arguments(
    "tensorflow.while_loop",
    removed={"return_same_structure": ("it is always the same", ALWAYS)},
    keyword_from=7,
)
# Functions that give one thing, by the modules that have them; all of tf.image but a few.
ROOT = ("", "random", "strings", "train")
ONE = dict.fromkeys(
    ("no_op", "group", "assign", "assign_add", "assign_sub", "Print", "SparseTensor", "substr"),
    ROOT,
)
ONE.update(
    dict.fromkeys(("random_crop", "normal", "uniform", "shuffle", "as_string", "join"), ROOT)
)
SEVERAL = frozenset({"sample_distorted_bounding_box", "non_max_suppression_padded"})
EFFECTS = frozenset({"assign", "assign_add", "assign_sub", "numpy"})


def never_single(site: Site, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression provably isn't a list or tuple of one."""
    match node:
        case ast.Constant() | ast.Compare() | ast.JoinedStr() | ast.Dict() | ast.UnaryOp():
            return True
        case ast.List() | ast.Tuple():
            return len(node.elts) != 1 and not any(isinstance(e, ast.Starred) for e in node.elts)
        case ast.BinOp() if not isinstance(node.op, (ast.Add, ast.Mult)):
            return True
        case ast.BinOp(op=ast.Mult()) if any(map(_float, (node.left, node.right))):
            return True  # no list takes part
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in EFFECTS:
            return True
        case ast.IfExp():
            return never_single(site, node.body, scope) and never_single(site, node.orelse, scope)
    values = values_of(site.file)
    if isinstance(node, ast.Call):
        module, _, name = values.endpoint(node.func).rpartition(".")
        if module in ONE.get(name, ()) or (module == "image" and name not in SEVERAL):
            return True
        if values.elementwise(node):
            return True
    return values.kind(node, scope) in ("tensor", "variable", "number")


def _float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _branch(site: Site, node: ast.expr) -> bool:
    """Whether a branch of a cond provably gives no list of one."""
    scope = site.ref.scope
    if isinstance(node, ast.Lambda):
        # Its body is judged in the scope around it: a parameter could only hide a name there.
        return not node.args.args and never_single(site, node.body, scope)
    if not isinstance(node, ast.Name):
        return False
    found = values_of(site.file).function(node.id, scope)
    if found is None or isinstance(found, ast.AsyncFunctionDef) or found.decorator_list:
        return False
    inner = Scope("function", scope, found)
    returns, generator = _returns(found)
    return not generator and all(never_single(site, value, inner) for value in returns)


def _single(node: ast.expr) -> bool:
    """Whether a branch is written as a list or tuple of one."""
    body = node.body if isinstance(node, ast.Lambda) else None
    return isinstance(body, (ast.List, ast.Tuple)) and len(body.elts) == 1


def _returns(function: ast.FunctionDef) -> tuple[list[ast.expr], bool]:
    """What a function returns, and whether it is a generator."""
    found: list[ast.expr] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return found, True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        stack.extend(children(node))
    return found, False


@CONTROL.endpoint("tensorflow.cond")
def cond(site: Site) -> Result | None:
    """Name the branches as TF 2 does; keep TF 1's where a branch may give a list of one."""
    call = _bound(site)
    if isinstance(call, Result):
        return call
    branches = [call.get(name) for name in ("true_fn", "false_fn", "fn1", "fn2")]
    given = [branch for branch in branches if branch is not None]
    strict = call.get("strict")
    if strict is not None and isinstance(strict.value, ast.Constant) and strict.value.value is True:
        return change_to(site, COND, COND.target)
    # The branches give the same: beside one that surely isn't a list of one, the other isn't.
    values = [branch.value for branch in given]
    sure = any(_branch(site, value) for value in values) and not any(map(_single, values))
    if len(given) == 2 and sure:
        return change_to(site, COND, COND.target)
    return keep(site, CONTROL, "a branch may return a list of one, which TF 2 doesn't unpack")


@CONTROL.endpoint("tensorflow.while_loop")
def while_loop(site: Site) -> Result | None:
    """Leave loops of several variables; keep TF 1's for the others where that is right."""
    call = _bound(site)
    if isinstance(call, Result):
        return call
    start, body = call.get("loop_vars"), call.get("body")
    if start is None or body is None:
        return keep(site, CONTROL, "its arguments can't be seen")
    items = start.value.elts if isinstance(start.value, (ast.List, ast.Tuple)) else []
    if len(items) > 1 and not any(isinstance(item, ast.Starred) for item in items):
        return change_to(site, LOOP, LOOP.target)
    single = isinstance(body.value, ast.Lambda) and isinstance(body.value.body, ast.BinOp)
    if site.file.eager or single:
        return keep(site, CONTROL, "TF 2 takes and gives a single loop variable as a list")
    return site.result(
        CONTROL,
        f"{site.shown}: a single loop variable comes back in a list in TF 2, and how many there "
        f"are can't be seen",
        blocks=True,
    )


def _bound(site: Site) -> BoundCall | Result:
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, CONTROL, str(error))
    return keep(site, CONTROL, "`**` hides some arguments") if call.hidden else call
