"""Variable scopes: their names, and whether the variables in them are made or found again."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, Literal

from migrate.engine.trees import all_of, named, walk
from migrate.programs.graph import reasons
from migrate.programs.graph.made import family
from migrate.programs.graph.making import given_defaults
from migrate.programs.graph.meaning import VARIABLES, T
from migrate.programs.graph.model import Blocked, Kind, Symbol, Value
from migrate.programs.graph.objects import own_attributes, properties
from migrate.programs.graph.scoping import handed_scopes

AUTO: Literal["auto"] = "auto"
Reuse = bool | Literal["auto"]
# Parameters by which functions are told.
REUSE = frozenset({"reuse"})
# What scopes give to variables without one of their own.
DEFAULTS = ("initializer", "regularizer")


def said(walker: Any, node: ast.AST) -> bool:
    """Whether the file that a function stands in uses any variables again."""
    tree = walker.files.at(node).tree
    return said_in(walker.tree if tree is None else tree)


def said_in(tree: ast.AST) -> bool:
    """Whether a file uses any variables again."""
    said = [*named(tree, "reuse_variables"), *named(tree, "AUTO_REUSE")]
    given = {n.arg for n in all_of(tree, ast.keyword)} | {n.arg for n in all_of(tree, ast.arg)}
    return any(isinstance(n, ast.Attribute) for n in said) or not given.isdisjoint(REUSE)


def mode(node: ast.expr | None) -> Reuse:
    """What a ``reuse`` says.

    What is computed is as good as ``tf.AUTO_REUSE``: a program that runs says False for variables
    that aren't there and True for those that are (1.15.5's tensorflow/python/ops/variable_scope.py,
    `_get_single_variable`, raises ValueError for others).
    """
    if node is None or isinstance(node, ast.Constant):
        return bool(node is not None and node.value)
    return AUTO


def agreed(walker: Any, value: ast.expr, function: ast.AST | None = None) -> ast.expr:
    """What all calls give a parameter that a ``reuse`` is, where it is the same; or what it is.

    ``def __init__(self, size, reuse=None):`` of a class that nobody tells, which may keep it,
    ``self.reuse = reuse``. ``function``: where it is read; the one at hand.
    """
    function = function or walker.frame.node
    if not isinstance(function, ast.FunctionDef):
        return value
    if isinstance(value, ast.Attribute):
        function, kept = _kept(walker, function, value)
        if not isinstance(kept, ast.Name) or function is None:
            return kept if isinstance(kept, ast.Constant) else value
        return _agreed(walker, function, kept) or value
    return (isinstance(value, ast.Name) and _agreed(walker, function, value)) or value


def _agreed(walker: Any, function: ast.FunctionDef, value: ast.Name) -> ast.expr | None:
    from migrate.programs.graph.wording import known_branches

    uses = [n for n in all_of(function, ast.Name) if n.id == value.id]
    if any(not isinstance(n.ctx, ast.Load) for n in uses):
        return None
    calls = known_branches.every(walker, function)
    said = [known_branches.given_to(function, call, value.id) for call in calls]
    told = [node for node in said if node is not None]
    agree = len(told) == len(said) and len({bool(node.value) for node in told}) == 1
    return told[0] if agree else None


def _kept(
    walker: Any, method: ast.FunctionDef, value: ast.Attribute
) -> tuple[ast.FunctionDef | None, ast.expr | None]:
    """The one method that sets an attribute of its object, and what it gives it."""
    itself = method.args.args[0].arg if method.args.args else ""
    classes = [n for n in all_of(walker.tree, ast.ClassDef) if method in n.body]
    if not classes or not isinstance(value.value, ast.Name) or value.value.id != itself:
        return None, None
    stores = own_attributes.stores(walker, classes[0], value.attr)
    for member in classes[0].body:
        for stmt in member.body if isinstance(member, ast.FunctionDef) else ():
            if isinstance(stmt, ast.Assign) and len(stores) == 1 and stmt.targets == stores:
                assert isinstance(member, ast.FunctionDef)
                return member, stmt.value
    return None, None


def opening(walker: Any, stmt: ast.With) -> list[ast.withitem]:
    """What a block opens, but for devices, which make no names."""
    calls = [(i, i.context_expr) for i in stmt.items]
    return [
        item
        for item, call in calls
        if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "device"
    ]


def name_of(walker: Any, node: ast.Call, env: Mapping[str, Symbol]) -> str | None:
    """The name of the scope that a call opens: of its own, or of the scope that it is given.

    ``env``: what names mean where it is called.
    """
    own = node.args[0] if node.args else None
    own = next((k.value for k in node.keywords if k.arg in ("name", "name_or_scope")), own)
    if handed_scopes.current(walker, own):
        return ""  # no variable is named otherwise
    if isinstance(own, ast.Name):
        value = env.get(own.id)
        call = value.value.node if value is not None else None
        if value is not None and value.value.kind is Kind.SETTING and isinstance(call, ast.Call):
            if walker.kept.get("scope_depths", {}).get(id(call)) == 0 and not _open(walker):
                return name_of(walker, call, {})
            raise Blocked(node, "a scope inside others is opened again")
    found = scope_name(properties.constant(walker, own) or own)
    walker.kept.setdefault("scope_depths", {})[id(node)] = _open(walker)
    return found


def _open(walker: Any) -> int:
    return len([s for s in walker.scopes if not s.ops_only])


@family(T + "get_variable_scope")
def _current(walker: Any, name: str, node: ast.Call) -> Value:
    return Value(Kind.SETTING, name)


def told(walker: Any, stmt: ast.If) -> bool:
    """Whether ``if reuse: …reuse_variables()`` is all that a statement does: the calls say it."""
    region, test = walker.frame.region, again(stmt)
    if region is None or region.inputs is None or test is None:
        return False
    if isinstance(test, ast.Name):
        return test.id in REUSE or by_parameter(walker, region, test)
    if not computed(region, test):
        return False
    tell(walker, region, test)
    note(walker, region, AUTO)
    return True


def again(stmt: ast.AST) -> ast.expr | None:
    """What ``if reuse: …reuse_variables()`` asks, where that is all."""
    if not isinstance(stmt, ast.If) or len(stmt.body) != 1:
        return None
    if stmt.orelse and not _asserts(stmt.orelse):
        return None
    call = stmt.body[0].value if isinstance(stmt.body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return stmt.test if call.func.attr == "reuse_variables" else None


def _asserts(body: list[ast.stmt]) -> bool:
    """Whether all that is done is ``assert tf.get_variable_scope().reuse is False``."""
    test = body[0].test if len(body) == 1 and isinstance(body[0], ast.Assert) else None
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq)):
        said = test.comparators[0]
        test = test.left if isinstance(said, ast.Constant) and said.value is False else None
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    else:
        return False
    return test is not None and ast.unparse(test).endswith("get_variable_scope().reuse")


def checked(walker: Any, node: ast.Call) -> Reuse:
    """The ``reuse`` of a scope that is opened; only names, defaults and that are seen through."""
    from migrate.programs.graph.scoping import reuse_given

    given = walker.bound(T + "variable_scope", node)
    found: Reuse = False
    for argument, value in given.items():
        none = isinstance(value, ast.Constant) and value.value in (None, False)
        if argument == "reuse" and not none:
            region = walker.frame.region
            told = isinstance(value, ast.Name) and value.id in REUSE
            if region is not None and region.inputs is not None:
                if told or by_parameter(walker, region, value):
                    continue  # the calls say whether variables are used again
            if reuse_given.first(walker, value):
                continue
            found = mode(agreed(walker, value))
            if found == AUTO and region is not None and region.inputs is not None:
                if computed(region, value):
                    tell(walker, region, value)
        elif argument in DEFAULTS and not none:
            _default(walker, node, argument, value)
        elif argument == "dtype" and walker.expression(value).data == T + "float32":
            continue  # as without it
        elif argument not in ("name_or_scope", "default_name", "values") and not none:
            raise Blocked(value, f"a variable scope with `{argument}`{reasons.of(argument)}")
    region = walker.frame.region
    if found and region is not None and region.inputs is not None:
        note(walker, region, found, walker.stmt if isinstance(walker.stmt, ast.With) else None)
    return found


def note(walker: Any, region: Any, found: Reuse, block: ast.With | None = None) -> None:
    """A function's variables are found again."""
    known = walker.kept.setdefault("opened", {}).setdefault(id(region.node), [])
    known.append(_Mode(found, block))


def by_parameter(walker: Any, region: Any, value: ast.expr) -> bool:
    """Whether ``reuse=not is_train`` is what a function is given, or the opposite; it is noted."""
    negated = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    name = value.operand if isinstance(value, ast.UnaryOp) else value
    args = region.node.args.args
    if not (negated or isinstance(value, ast.Name)) or not isinstance(name, ast.Name):
        return False
    stored = any(
        isinstance(n, ast.Name) and n.id == name.id and not isinstance(n.ctx, ast.Load)
        for n in walk(region.node)
    )
    if stored or name.id not in {a.arg for a in args}:
        return False
    ways = walker.kept.setdefault(("reuse by",), {}).setdefault(id(region), set())
    ways.add((name.id, negated))
    return True


def computed(region: Any, value: ast.expr) -> bool:
    """Whether a function computes from its parameters alone what is used again: ``i > 0``."""
    names = {n.id for n in all_of(value, ast.Name)}
    stored = {n.id for n in all_of(region.node, ast.Name) if not isinstance(n.ctx, ast.Load)}
    parts = (ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.expr_context)
    plain = all(isinstance(n, (*parts, ast.cmpop, ast.boolop, ast.unaryop)) for n in walk(value))
    return plain and bool(names) and names <= {a.arg for a in region.node.args.args} - stored


def tell(walker: Any, region: Any, value: ast.expr) -> None:
    """Note the parameters from which a function computes what is used again."""
    ways = walker.kept.setdefault(("reuse by",), {}).setdefault(id(region), set())
    ways |= {(n.id, None) for n in all_of(value, ast.Name)}


def by_parameters(walker: Any, region: Any) -> frozenset[str]:
    """The parameters that say whether a function's variables are used again."""
    ways = walker.kept.get(("reuse by",), {}).get(id(region), ())
    return REUSE | {name for name, _ in ways}


def only_told(walker: Any, region: Any, node: ast.AST) -> set[str]:
    """The parameters that a part of a function reads for its ``reuse`` alone."""
    ways = walker.kept.get(("reuse by",), {}).get(id(region), ())
    return {name for name, _ in ways} - _read(node)


def spent(walker: Any, target: ast.AST) -> frozenset[str]:
    """The parameters of a function that only a scope's ``reuse`` reads, or ``collections``."""
    told = only_told(walker, walker.entered.get(id(target)), target)
    collections: set[str] = walker.kept.get("collections given", {}).get(id(target), set())
    return REUSE | told | collections


def _read(node: ast.AST) -> set[str]:
    """The names that are read for more than what is used again."""
    tests = [test for part in walk(node) if (test := again(part)) is not None]
    hidden = {id(n) for test in tests for n in walk(test)} | {
        id(n) for part in all_of(node, ast.keyword) if part.arg == "reuse" for n in walk(part)
    }
    return {n.id for n in all_of(node, ast.Name) if id(n) not in hidden}


def _default(walker: Any, node: ast.Call, argument: str, value: ast.expr) -> None:
    """What the variables in a scope get that say nothing themselves.

    Raises:
        Blocked: it isn't Python's.
    """
    found = walker.expression(value)
    kind = found.kind
    if isinstance(value, ast.Name) and isinstance(found.data, tuple) and _plain(found.data[1]):
        _unread(walker, value.id)
        value = found.data[1]  # under a name that others don't see
    if kind not in (Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION):
        raise Blocked(value, f"`{argument}` of a variable scope is a {kind.value}")
    walker.kept.setdefault("scope defaults", {}).setdefault(id(node), {})[argument] = value


def _unread(walker: Any, name: str) -> None:
    """An initializer under a name that only scopes are given goes with them."""
    symbol = walker.frame.env.get(name)
    node = symbol.step.node if symbol is not None else None
    if not isinstance(node, ast.Assign) or len(node.targets) > 1 or walker.nested:
        return
    told = {
        id(k.value)
        for n in all_of(walker.frame.node, ast.Call)
        if walker.endpoints.get(id(n.func)) == T + "variable_scope"
        for k in n.keywords
        if k.arg == "initializer"
    }
    reads = [n for n in walk(walker.frame.node) if getattr(n, "id", "") == name]
    spare = [n for n in reads if id(n) not in told]
    plain = isinstance(node.targets[0], ast.Name)
    if len(spare) == 1 and plain and isinstance(walker.frame.node, ast.FunctionDef):
        walker.unneeded.add(id(node))


def _plain(call: ast.AST | None) -> bool:
    """Whether an initializer is made of nothing but numbers."""
    parts = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    return isinstance(call, ast.Call) and all(
        isinstance(n, (ast.Constant, ast.UnaryOp, ast.operator, ast.unaryop, ast.BinOp))
        for part in parts
        for n in walk(part)
    )


def default(walker: Any, argument: str, node: ast.AST) -> ast.expr | None:
    """What the open scopes give to a variable, or a layer, that has none of its own.

    Raises:
        Blocked: its names may mean something else there.
    """
    known = walker.kept.get("scope defaults", {})
    for scope in reversed(walker.scopes):
        value: ast.expr | None = known.get(id(scope.opened), {}).get(argument)
        if value is None:
            continue
        here, module = walker.files.at(node), walker.module_frame(value).env
        for n in walk(value):
            name = n.id if isinstance(n, ast.Name) else None
            if name is None or (name in here.aliases() and name in walker.files.at(n).aliases()):
                continue
            local = walker.frame.env.get(name)
            if here is walker.files.at(n) and given_defaults.carried(walker, name):
                continue  # an argument that is just that
            if here is not walker.files.at(n) or local is not walker.meant.get(id(n), local):
                raise Blocked(node, f"`{name}`, which a variable scope gives, isn't seen here")
            if local is None and name not in module:
                raise Blocked(node, f"`{name}`, which a variable scope gives, isn't seen here")
        return value
    return None


def filled(walker: Any, given: dict[str, ast.expr], node: ast.Call) -> dict[str, ast.expr]:
    """A variable's arguments, with those that the open scopes give it."""
    found = dict(given)
    for argument in DEFAULTS:
        own = given.get(argument)
        if own is None or (isinstance(own, ast.Constant) and own.value is None):
            try:
                value = default(walker, argument, node)
            except Blocked as error:
                if own is None:
                    given_defaults.passed(walker, node, error)
                raise
            if value is not None:
                found[argument] = value
    return found


def plain(walker: Any, node: ast.AST, *arguments: str) -> None:
    """See to it that no open scope gives what isn't followed at a place.

    Raises:
        Blocked: one does.
    """
    known = walker.kept.get("scope defaults", {})
    for scope in walker.scopes:
        for argument in known.get(id(scope.opened), {}):
            if argument in (arguments or DEFAULTS):
                raise Blocked(node, f"a variable scope gives this its `{argument}`")


def within(walker: Any, function: ast.AST, name: str) -> set[int]:
    """What stands in those of a function's variable scopes that have a parameter in their name."""
    return {
        id(n)
        for block in all_of(function, ast.With)
        for call in (i.context_expr for i in block.items)
        if isinstance(call, ast.Call) and call.args
        if walker.endpoints.get(id(call.func)) == T + "variable_scope"
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(call.args[0]))
        for n in walk(block)
    }


def makes(endpoint: str) -> bool:
    """Whether an endpoint makes variables that no call of a layer or a function stands for."""
    return endpoint in VARIABLES or "rnn" in endpoint or "get_collection" in endpoint


def _maker(owned: Any) -> ast.AST | None:
    """Where something was made."""
    place: ast.AST | None = owned.layer or owned.cell or getattr(owned.value, "node", None)
    return place if place is not None or owned.place is None else owned.place[1]


class _Mode:
    """A scope inside a function whose variables are found again."""

    def __init__(self, reuse: Reuse, block: ast.With | None = None) -> None:
        self.reuse = reuse
        self.block = block  # what it is opened for

    def inner(self, walker: Any, region: Any) -> bool:
        """Whether all that it finds again was made by the function itself, right before.

        ``one = net(a)`` and ``with tf.variable_scope(…, reuse=True): two = net(b)``.
        """
        if self.block is None:
            return False
        inside = {id(n) for n in walk(self.block)}
        own = {id(n) for n in walk(region.node)}
        layers = [layer for layer in walker.layers.values() if id(layer.call) in inside]
        made = [_maker(o) for o in region.owned]
        return (
            bool(layers)
            and all(layer.same is not None and id(layer.same) in own - inside for layer in layers)
            and not any(id(node) in inside for node in made)
            and not any(makes(walker.endpoints.get(id(n), "")) for n in walk(self.block))
        )


def reuse_variables(walker: Any, owner: Value, node: ast.Call) -> Value:
    """``scope.reuse_variables()``: from here on its variables are found again.

    In a loop or a branch these are those that are there, as `mode` says.
    """
    if node.args or node.keywords or all(s.ops_only for s in walker.scopes):
        raise Blocked(node, "`.reuse_variables()` here isn't followed")
    last = next(i for i in reversed(range(len(walker.scopes))) if not walker.scopes[i].ops_only)
    if owner.node is not None and owner.node is not walker.scopes[last].opened:
        raise Blocked(node, "`.reuse_variables()` of another scope")
    walker.scopes[last] = type(walker.scopes[last])(
        walker.scopes[last].name, False, AUTO if walker.nested else True, walker.scopes[last].opened
    )
    region = walker.frame.region
    if walker.nested and region is not None and region.inputs is not None:
        note(walker, region, AUTO)
    return Value(Kind.SETTING, "reuse", node=node)


def scope_name(node: ast.expr | None) -> str | None:
    """A scope's name; in braces where it is computed; None where it can't be written."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return None if set("{}\\\"'") & set(node.value) else node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return "{" + ast.unparse(node) + "}"
    return _formatted(node)


def _formatted(node: ast.expr | None) -> str | None:
    """A name that is put together, as the text of an f-string."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
        first, second = node.values
        said = scope_name(second) if isinstance(second, ast.Constant) else None
        known = isinstance(first, ast.Name) and said is not None
        return f"{{{ast.unparse(first)} or '{said}'}}" if known else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = map(_said, (node.left, node.right))
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(node.left, r"(%[sdi])", values)
    if isinstance(node, ast.JoinedStr):
        parts = [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values]
        plain = all(
            v.format_spec is None and v.conversion == -1
            for v in node.values
            if isinstance(v, ast.FormattedValue)
        )
        names = [_value(p) if p not in node.values else scope_name(p) for p in parts]
        return "".join(map(str, names)) if plain and None not in names else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        if node.func.attr == "format":
            return _filled(node.func.value, r"(\{\})", node.args)
    return None


def _said(node: ast.expr) -> str | None:
    """A part of a sum as text, which `str` may be called for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        if len(node.args) == 1 and not node.keywords:
            node = node.args[0]
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                return str(node.value)
            return _value(node) or scope_name(node)
    return scope_name(node)


def _filled(node: ast.expr, places: str, values: list[ast.expr]) -> str | None:
    """A template with its places filled."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    parts = re.split(places, node.value)
    if len(parts) != 2 * len(values) + 1 or set("{}%\\\"'") & set("".join(parts[::2])):
        return None
    written = list(map(_value, values))
    if None in written:
        return None
    return "".join(a + str(b) for a, b in zip(parts[::2], [*written, ""], strict=True))


def _value(node: ast.expr) -> str | None:
    """A value in the braces of an f-string."""
    known = (ast.Name, ast.Attribute, ast.BinOp, ast.operator, ast.Constant, ast.expr_context)
    if not all(isinstance(n, known) for n in walk(node)):
        return None
    text = ast.unparse(node)
    return None if set("{}\\\"'") & set(text) else "{" + text + "}"
