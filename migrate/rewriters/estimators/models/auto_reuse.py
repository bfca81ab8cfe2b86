"""Scopes with `reuse=tf.AUTO_REUSE`: which variables are asked for once, and which again.

    def tower(x):                                            self.tower = Tower()
        with tf.variable_scope('tower', reuse=tf.AUTO_REUSE):  one = self.tower(a)
            return tf.layers.dense(x, 3)                     two = self.tower(b)
    one, two = tower(a), tower(b)

A graph of an Estimator begins without variables, so that such a scope makes what it is asked for
first. What has no name of its own gets the next one that is free, from the first on when the scope
is opened again.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/AUTO_REUSE
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import tables
from migrate.rewriters.estimators.models import arg_scopes, objects, own_layers, weights
from migrate.rewriters.estimators.program import LAYERS
from migrate.rewriters.estimators.recurrence import recurrent
from migrate.rewriters.sessions import layers as keras

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.models.values import Values
    from migrate.rewriters.estimators.program import Program

AUTO = "tensorflow.AUTO_REUSE"
SCOPE = "tensorflow.variable_scope"
AGAIN = "a scope whose variables are used again"
#: Functions of layers that make no variables.
BARE = re.compile(r"(dropout|flatten|(max|avg|average)_?pool(ing)?(\dd)?)$")
#: What a layer without a name may be called.
DEFAULT = re.compile(
    r"(dense|conv|batch_norm|fully_connected|separable|layer_norm|embed|input_layer|linear_model)"
    r"\w*$",
    re.IGNORECASE,
)
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Words = Mapping[str, str]


def is_auto(program: Program, node: ast.expr | None) -> bool:
    """Whether an argument says that variables are made first, and used again afterwards."""
    if isinstance(node, ast.Name) and program.endpoint(node) != AUTO:
        said = _all_given(program, node)
        return bool(said) and all(program.endpoint(s) == AUTO for s in said)
    return node is not None and program.endpoint(node) == AUTO


def scopes(program: Program, function: ast.AST) -> list[ast.Call]:
    """The scopes of a function that make variables first, and use them again afterwards."""
    found = [n for n in all_of(function, ast.Call) if program.called(n) == SCOPE]
    return [n for n in found if is_auto(program, program.given(n).get("reuse"))]


def check(owner: Values, call: ast.Call) -> None:
    """See to it that a scope asks for nothing twice, by one call of its function.

    Raises:
        Blocked: it may.
    """
    program, function = owner.program, owner.function
    if any(isinstance(a, LOOPS) for a in program.scopes.around(call)):
        raise Blocked(call, AGAIN)
    above = [a for a in program.scopes.around(call) if isinstance(a, ast.With)]
    if any(_opens(program, a) for a in above[1:]):
        raise Blocked(call, AGAIN)
    names: list[str] = []
    for site in _sites(program, function):
        words = {} if site is None else _words(program, function, site)
        for one in scopes(program, function):
            said = _name(program, one, words)
            if said is None:
                raise Blocked(one, AGAIN)
            names.append(said) if site is None or said not in names else None
            seen = _Asked(owner, words)
            opened = next(a for a in program.scopes.around(one) if isinstance(a, ast.With))
            seen.body(opened.body, "", ())
    if len(names) != len(set(names)):
        raise Blocked(call, AGAIN)
    own = scopes(program, function)
    for other in program.calls():
        if any(other is one for one in own):
            continue
        if program.called(other) != SCOPE:
            given = {k.arg: k.value for k in other.keywords}
            layer = given.get("name", given.get("scope"))
            named = isinstance(layer, ast.Constant) and layer.value in names
            if named and program.called(other):
                raise Blocked(call, AGAIN)  # whose variables may have the same paths
            continue
        said = _name(program, other, {})
        if said in names or (said is None and not _elsewhere(program, other, names)):
            raise Blocked(call, AGAIN)


def again(owner: Layers, function: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a function's variables are those that an earlier call of it has made.

    Raises:
        Blocked: that isn't seen.
    """
    program = owner.program
    opened = scopes(program, function)
    calls = [s for s in _sites(program, function) if s is not None]
    if not opened:
        if len(calls) > 1 and any(scopes(program, f) for f in reached(program, function)):
            raise Blocked(call, AGAIN)
        return False
    if any(isinstance(a, LOOPS) for a in program.scopes.around(call)):
        raise Blocked(call, AGAIN)
    here = [c for c in calls if any(c is n for n in walk(owner.function))]
    if len(calls) == 1 and _once(program, owner.function):
        return False
    if hasattr(owner, "kinds") or len(here) != len(calls):
        # Another function's: who asks for them first isn't seen.
        raise Blocked(call, AGAIN)
    if len({_around(program, c) for c in calls}) > 1:
        raise Blocked(call, AGAIN)
    inside = {id(n) for o in opened for n in _with(program, o)}
    for node in all_of(function, ast.Call):
        if not owner.makes(node):
            continue
        called = program.called(node)
        fresh = called == weights.VARIABLE or objects.makes(program, node)
        # Averages that two calls move are what threads make of them.
        given = arg_scopes.given(program, called, node) | program.given(node)
        moved = "batch_norm" in called or "normalizer_fn" in given
        if fresh or moved or id(node) not in inside or called in LAYERS:
            raise Blocked(node, AGAIN)
    said = [_name(program, o, _words(program, function, call)) for o in opened]
    for other in owner.calls.values():
        if other.factory is function:
            words = _words(program, function, other.call)
            theirs = [_name(program, o, words) for o in opened]
            if theirs == said:
                return True
            if set(theirs) & set(said):
                raise Blocked(call, AGAIN)
    return False


class _Asked:
    """The variables that a scope asks for, by their paths."""

    def __init__(self, owner: Values, words: Words) -> None:
        self.owner, self.program = owner, owner.program
        self.words = words
        # Path, name, whether it is a beginning: of the branches that come here,
        self.named: list[tuple[str, str, bool]] = []
        self.left: list[tuple[str, str, bool]] = []  # of those that have returned,
        self.ever: list[tuple[str, str, bool]] = []  # and of all.
        self.unnamed: set[str] = set()
        self.depth = 0

    def body(self, body: Iterable[ast.AST], path: str, loops: tuple[ast.AST, ...]) -> None:
        """Look at statements, or other syntax.

        Raises:
            Blocked: something is asked for twice, or may be.
        """
        for node in body:
            self.node(node, path, loops)
        for where, name, _ in self.ever:
            if where in self.unnamed and DEFAULT.match(name):
                raise Blocked(self.owner.function, AGAIN)

    def branches(self, node: ast.If, path: str, loops: tuple[ast.AST, ...]) -> None:
        """Look at the branches of a test, of which one is taken; a graph has no other."""
        self.node(node.test, path, loops)
        before, ends = self.named, []
        for body in (node.body, node.orelse):
            self.named = list(before)
            for stmt in body:
                self.node(stmt, path, loops)
            if body and isinstance(body[-1], ast.Return):
                self.left += self.named
            elif not body or not isinstance(body[-1], ast.Raise):
                ends += self.named
        self.named = list(dict.fromkeys(ends))

    def node(self, node: ast.AST, path: str, loops: tuple[ast.AST, ...]) -> None:
        """Look at a piece of syntax."""
        inner = path
        if isinstance(node, ast.With):
            for item in node.items:
                call = item.context_expr
                if self.program.called(call) == SCOPE:
                    assert isinstance(call, ast.Call)
                    given = self.program.given(call)
                    if set(given) - {"name_or_scope", "values", "reuse"}:
                        raise Blocked(call, AGAIN)
                    name = self.add(call, given.get("name_or_scope"), inner, loops)
                    inner = f"{inner}/{name}"
            for stmt in node.body:
                self.node(stmt, inner, loops)
            return
        if isinstance(node, ast.If) and not loops:
            self.branches(node, path, loops)
            return
        if isinstance(node, ast.Call):
            self.call(node, path, loops)
        deeper = (*loops, node) if isinstance(node, LOOPS) else loops
        for child in children(node):
            self.node(child, inner, deeper)

    def call(self, node: ast.Call, path: str, loops: tuple[ast.AST, ...]) -> None:
        """Look at a call."""
        program = self.program
        endpoint = program.called(node)
        if endpoint in recurrent.LOOPS:
            said = program.given(node).get("scope")
            default = recurrent.LOOPS[endpoint].replace("dynamic_", "")
            self.add(node, said, path, loops, default)
        elif endpoint in recurrent.CELLS or endpoint in recurrent.WRAPPERS:
            pass  # their variables are those of what runs them
        elif endpoint == recurrent.TURNS or recurrent.runs(program, node):
            raise Blocked(node, AGAIN)
        elif keras.known(endpoint) or endpoint in LAYERS or endpoint == weights.GET:
            if BARE.search(endpoint):
                return
            given = dict(self.owner.walker.bound(endpoint, node))
            if not isinstance(given.get("reuse", ast.Constant(None)), ast.Constant):
                raise Blocked(node, AGAIN)
            said = given.get("name", given.get("scope"))
            if said is None or (isinstance(said, ast.Constant) and said.value is None):
                self.unnamed.add(path)
            else:
                self.add(node, said, path, loops)
        elif endpoint in tables.KNOWN or own_layers.of(program, node) is not None:
            raise Blocked(node, AGAIN)
        elif endpoint in objects.CLASSES:
            raise Blocked(node, AGAIN)  # their scope is that of the first call
        else:
            maker = self.owner.maker(node) if not endpoint else None
            if maker is not None:
                self.function(maker, node, path, loops)

    def function(
        self, made: ast.FunctionDef, call: ast.Call, path: str, loops: tuple[ast.AST, ...]
    ) -> None:
        """Look at a function that is called, with the words that it is given."""
        self.depth += 1
        if self.depth > 9:
            raise Blocked(call, AGAIN)
        outer, self.words = self.words, _words(self.program, made, call, self.words)
        left, self.left = self.left, []
        for stmt in made.body:
            self.node(stmt, path, loops)
        self.named = list(dict.fromkeys([*self.left, *self.named]))
        self.words, self.left = outer, left
        self.depth -= 1

    def add(
        self,
        call: ast.Call,
        said: ast.expr | None,
        path: str,
        loops: tuple[ast.AST, ...],
        default: str = "",
    ) -> str:
        """A name that is asked for; it, or what it begins with where a loop counts."""
        name = default if said is None else _text(self.program, said, self.words)
        counted = False
        if loops:
            counted = name is None and len(loops) == 1
            name = _beginning(self.program, said, loops[0], self.words) if counted else None
        if not name:
            raise Blocked(call, AGAIN)
        for where, other, theirs in self.named:
            if where != path:
                continue
            same = other == name or (theirs and name.startswith(other))
            if same or (counted and other.startswith(name)):
                raise Blocked(call, AGAIN)
        self.named.append((path, name, counted))
        self.ever.append((path, name, counted))
        return f"{name}*" if counted else name


def _text(program: Program, node: ast.expr, words: Words) -> str | None:
    """What an expression of text comes to, as far as constants say it."""
    if isinstance(node, ast.Name) and node.id in words:
        return words[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        one, two = _text(program, node.left, words), _text(program, node.right, words)
        return None if one is None or two is None else one + two
    value = program.scopes.value(node)
    return value.value if isinstance(value, ast.Constant) and type(value.value) is str else None


def _beginning(program: Program, node: ast.expr | None, loop: ast.AST, words: Words) -> str | None:
    """What a name begins with that has the number of a loop's round at its end."""
    if not isinstance(loop, ast.For) or node is None:
        return None
    counter, called = loop.target, loop.iter
    kind = (
        called.func.id if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) else ""
    )
    if kind == "enumerate" and isinstance(counter, ast.Tuple):
        counter = counter.elts[0]
    if kind not in ("enumerate", "range") or not isinstance(counter, ast.Name):
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        said, number, ends = _text(program, node.left, words), node.right, "%d"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        said, number, ends = _text(program, node.left, words), node.right, ""
        if isinstance(number, ast.Call) and ast.unparse(number.func) == "str" and number.args:
            number = number.args[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr != "format" or len(node.args) != 1:
            return None
        said, number, ends = _text(program, node.func.value, words), node.args[0], "{}"
    elif isinstance(node, ast.JoinedStr) and len(node.values) == 2:
        first, second = node.values
        if not isinstance(first, ast.Constant) or not isinstance(second, ast.FormattedValue):
            return None
        said, number, ends = str(first.value), second.value, ""
    else:
        return None
    if isinstance(number, ast.BinOp) and isinstance(number.right, ast.Constant):
        number = number.left if isinstance(number.op, ast.Add) else number  # i + 1
    if not isinstance(number, ast.Name) or number.id != counter.id or said is None:
        return None
    return said.removesuffix(ends) if said.endswith(ends) else None


def _name(program: Program, scope: ast.Call, words: Words) -> str | None:
    said = program.given(scope).get("name_or_scope")
    return None if said is None else _text(program, said, words)


def _sites(program: Program, function: ast.FunctionDef) -> list[ast.Call | None]:
    """The calls of a function; None for whoever calls a model_fn."""
    found: list[ast.Call | None] = []
    for use in program.readers(function):
        above = program.scopes.parents[id(use)]
        called = isinstance(above, ast.Call) and above.func is use
        found.append(above if called and isinstance(above, ast.Call) else None)
    return found or [None]


def by_default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What an argument of a function is where a call doesn't give it."""
    names = [a.arg for a in reversed(function.args.args)]
    return dict(zip(names, reversed(function.args.defaults), strict=False)).get(name)


def _all_given(program: Program, node: ast.Name) -> list[ast.expr]:
    """What the calls of a function give one of its arguments; nothing where one isn't seen."""
    bound = program.scopes.bindings(node.id, node)
    function = bound[0].scope if len(bound) == 1 and bound[0].kind == "param" else None
    if not isinstance(function, ast.FunctionDef):
        return []
    names = [a.arg for a in function.args.args]
    found: list[ast.expr] = []
    for site in _sites(program, function):
        given: dict[str | None, ast.expr] = {}
        if site is not None:
            given = dict(zip(names, site.args, strict=False))
            given |= {k.arg: k.value for k in site.keywords}
        said = given.get(node.id) or by_default(function, node.id)
        hidden = site is None or None in given or any(isinstance(a, ast.Starred) for a in site.args)
        if said is None or hidden:
            return []
        found.append(said)
    return found


def _elsewhere(program: Program, scope: ast.Call, names: list[str]) -> bool:
    """Whether a scope whose name isn't one text is seen to be none of some names."""
    said = program.given(scope).get("name_or_scope")
    begins = "" if said is None else _first(said)
    if begins and not any(n.startswith(begins) for n in names):
        return True
    function = program.scopes.scope(scope)
    if not isinstance(function, ast.FunctionDef):
        return False
    for site in _sites(program, function):
        words = {} if site is None else _words(program, function, site)
        found = _name(program, scope, words)
        if found is None or found in names:
            return False
    return True


def _first(node: ast.expr) -> str:
    """The text that a name begins with, which has something behind it."""
    inner, ends = node, ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner, ends = node.func.value, "{"
    elif isinstance(node, ast.BinOp):
        inner, ends = node.left, "%" if isinstance(node.op, ast.Mod) else ""
    elif isinstance(node, ast.JoinedStr):
        inner = node.values[0]
    else:
        return ""
    text = inner.value if isinstance(inner, ast.Constant) and type(inner.value) is str else ""
    return text.partition(ends)[0] if ends else text


def _words(
    program: Program, function: ast.FunctionDef, call: ast.Call, outer: Words | None = None
) -> dict[str, str]:
    """The words that a call gives a function's arguments, or that these have by default."""
    args = function.args
    names = [a.arg for a in args.args]
    given: dict[str, ast.expr] = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    given |= dict(zip(names, call.args, strict=False))
    given |= {str(k.arg): k.value for k in call.keywords}
    bound = program.scopes.bound(function)
    found = {n: _text(program, v, outer or {}) for n, v in given.items() if n in bound}
    return {n: w for n, w in found.items() if w is not None and len(bound[n]) == 1}


def reached(program: Program, function: ast.FunctionDef, depth: int = 0) -> list[ast.FunctionDef]:
    """The functions that a function calls, and those that these call."""
    calls = all_of(function, ast.Call)
    found = [f for f in (program.scopes.function(c.func) for c in calls) if f is not None]
    more = [g for f in found for g in (reached(program, f, depth + 1) if depth < 5 else [])]
    return [*found, *more]


def _once(program: Program, function: ast.FunctionDef, depth: int = 0) -> bool:
    """Whether a graph has what a function computes once: a model_fn, or what one calls once."""
    sites = _sites(program, function)
    if all(s is None for s in sites):
        return True
    if len(sites) > 1 or depth > 9 or sites[0] is None:
        return False
    if any(isinstance(a, LOOPS) for a in program.scopes.around(sites[0])):
        return False
    outer = program.scopes.scope(sites[0])
    return isinstance(outer, ast.FunctionDef) and _once(program, outer, depth + 1)


def _opens(program: Program, stmt: ast.With) -> bool:
    return any(program.called(i.context_expr) == SCOPE for i in stmt.items)


def _with(program: Program, scope: ast.Call) -> Iterable[ast.AST]:
    opened = next(a for a in program.scopes.around(scope) if isinstance(a, ast.With))
    return (n for stmt in opened.body for n in walk(stmt))


def _around(program: Program, call: ast.Call) -> str:
    """The scopes of variables around a call."""
    above = [a for a in program.scopes.around(call) if isinstance(a, ast.With)]
    return "/".join(
        ast.unparse(i.context_expr)
        for a in above
        for i in a.items
        if program.called(i.context_expr) == SCOPE
    )
