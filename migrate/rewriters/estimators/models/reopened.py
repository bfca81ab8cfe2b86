"""Scopes around calls whose variables are used again: two towers that share their weights.

    with tf.variable_scope('tower') as scope:       left = self.net(one)
        left = net(one)
    with tf.variable_scope(scope, reuse=True):      right = self.net(two)
        right = net(two)

What is called again in a scope of the same name, once `reuse=True`, `AUTO_REUSE` or
`reuse_variables()` says so, computes with the same variables. It is the same function, or a layer
of the same name, with the same settings; all that the scopes have has names.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/variable_scope
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import auto_reuse, objects, weights
from migrate.rewriters.estimators.models.auto_reuse import AGAIN, BARE, DEFAULT, SCOPE
from migrate.rewriters.estimators.program import LAYERS
from migrate.rewriters.estimators.syntax import reads, walk_own
from migrate.rewriters.sessions import layers as keras

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.models.values import Values

SWITCH = "reuse_variables"
BRANCHES = (*auto_reuse.LOOPS, ast.If, ast.IfExp, ast.Try, ast.Lambda)
COUNTED, OTHER = "", "?"  # what has no name, and what has one that isn't seen
INPUTS = ("inputs", "ids", "reuse")
Path = tuple[str, ...]


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """A call that makes variables, or uses them again."""

    node: ast.Call
    function: ast.FunctionDef | None  # of the program
    given: dict[str, ast.expr]  # a layer's arguments
    name: str  # a layer's
    path: Path
    again: str  # whether the scope uses variables again: "must", "may" or nothing
    block: ast.AST | None  # the scope's

    def same(self, other: Call) -> bool:
        """Whether both are calls of one function, or of layers of one name, in one scope."""
        if self.path != other.path or self.function is not other.function:
            return False
        return self.function is not None or (bool(self.name) and self.name == other.name)


def found(owner: Values) -> dict[int, ast.Call]:
    """The calls of a function that use variables again, by id: which call made these.

    Raises:
        Blocked: it isn't seen whose variables these are.
    """
    key = ("reopened", id(owner.function))
    if key not in owner.program.kept:
        owner.program.kept[key] = {}
        owner.program.kept[key] = _found(owner)
    return cast("dict[int, ast.Call]", owner.program.kept[key])


def first(owner: Layers, call: ast.Call) -> ast.Call | None:
    """The call whose variables another one uses again.

    Raises:
        Blocked: it made others.
    """
    made, function = found(owner).get(id(call)), owner.maker(call)
    if made is not None and function is not None:
        from migrate.rewriters.estimators.models import parts

        if not parts.same_host(owner, made, call, function):
            raise Blocked(call, AGAIN)
    return made


def switches(stmt: ast.AST) -> bool:
    """Whether a statement says that a scope's variables are used again from here on."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == SWITCH


def _found(owner: Values) -> dict[int, ast.Call]:
    calls, twice = list[Call](), dict[int, ast.Call]()
    for node in walk_own(owner.function):
        if isinstance(node, ast.Call) and owner.makes(node) and not _bare(owner, node):
            calls.append(_call(owner, node))
    if not any(c.again for c in calls):
        return {}
    for at, call in enumerate(calls):
        before = [c for c in calls[:at] if c.same(call) and not _either(owner, c, call)]
        if call.again and before:
            twice[id(call.node)] = before[0].node
    if not twice and all(c.again != "must" for c in calls):
        return {}  # each is made once: `auto_reuse` sees to that
    for at, call in enumerate(calls):
        if call.again:
            _checked(owner, call, calls[:at], twice)
    return twice


def _either(owner: Values, one: Call, other: Call) -> bool:
    """Whether two calls stand in branches of one test, of which a graph has one."""
    around = owner.program.scopes.around(other.node)
    for above in owner.program.scopes.around(one.node):
        if above is owner.function:
            return False
        if isinstance(above, ast.If) and any(above is a for a in around):
            sides = [any(one.node is n for s in above.body for n in walk(s))]
            sides.append(any(other.node is n for s in above.body for n in walk(s)))
            if sides[0] is not sides[1]:
                return not any(n in (one.node, other.node) for n in walk(above.test))
    return False


def _bare(owner: Values, node: ast.Call) -> bool:
    """Whether a call makes nothing that a scope could have twice."""
    return BARE.search(owner.program.called(node)) is not None


def _call(owner: Values, node: ast.Call) -> Call:
    """A call, and the scopes around it."""
    program = owner.program
    function = owner.maker(node)
    given: dict[str, ast.expr] = {}
    called = program.called(node)
    if function is None and (keras.known(called) or called in (weights.GET, *LAYERS)):
        given = dict(owner.walker.bound(program.called(node), node))
    said = given.get("name", given.get("scope"))
    name = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
    path, again, block = _scope(owner, node)
    reuse = given.get("reuse")
    if auto_reuse.is_auto(program, reuse):
        again = again or "may"
    elif isinstance(reuse, ast.Constant) and reuse.value:
        again = "must"
    return Call(node, function, given, name, path, again, block)


def _scope(owner: Values, node: ast.AST) -> tuple[Path, str, ast.AST | None]:
    """The scopes of variables that a node stands in.

    A name that isn't seen is one that no other scope has.
    """
    program, path, again = owner.program, list[str](), ""
    block: ast.AST | None = None
    inner: ast.AST = node
    for above in program.scopes.around(node):
        body = getattr(above, "body", [])
        before = body[: body.index(inner)] if isinstance(body, list) and inner in body else []
        scopes = _opens(owner, above)
        if (scopes or above is owner.function) and any(map(switches, before)):
            again = "must"
        for item in scopes:
            block = block or above
            call = cast("ast.Call", item.context_expr)
            given = program.given(call)
            if auto_reuse.is_auto(program, given.get("reuse")):
                again = again or "may"
            elif isinstance(reuse := given.get("reuse"), ast.Constant):
                again = "must" if reuse.value else again
            elif "reuse" in given:
                again, path = again or "may", [*path, f"?{id(item)}"]
            said = given.get("name_or_scope")
            value = program.scopes.value(said) if said is not None else None
            opened = _opened(owner, said)
            if opened is not None:
                whole, _, _ = _scope(owner, opened.context_expr)
                outer = program.scopes.around(above)
                if any(_opens(owner, n) for n in outer):
                    path.append(f"?{id(item)}")
                return (*whole, *reversed(path)), again, block
            text = value.value if isinstance(value, ast.Constant) else f"?{id(item)}"
            path.append(str(text))
        if above is owner.function:
            break
        inner = above
    return tuple(reversed(path)), again, block


def _opens(owner: Values, node: ast.AST) -> list[ast.withitem]:
    """The scopes of variables that a block opens, the innermost first."""
    items = reversed(node.items) if isinstance(node, ast.With) else ()
    return [i for i in items if owner.program.called(i.context_expr) == SCOPE]


def _opened(owner: Values, node: ast.expr | None) -> ast.withitem | None:
    """The scope that a name was given where it was opened, in the same function."""
    if not isinstance(node, ast.Name):
        return None
    items = [
        i
        for n in all_of(owner.function, ast.With)
        for i in n.items
        if isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == node.id
    ]
    stores = [n for n in all_of(owner.function, ast.Name) if n.id == node.id]
    once = sum(not isinstance(n.ctx, ast.Load) for n in stores) == 1
    plain = len(items) == 1 and once and owner.program.called(items[0].context_expr) == SCOPE
    return items[0] if plain and items[0].context_expr is not None else None


def _checked(owner: Values, call: Call, before: list[Call], twice: dict[int, ast.Call]) -> None:
    """See to it that a call in a scope that may use variables again has those that are seen.

    Raises:
        Blocked: it may have others.
    """
    node, program = call.node, owner.program
    for above in program.scopes.around(node):
        if above is owner.function:
            break
        if isinstance(above, (*BRANCHES, ast.FunctionDef)):
            raise Blocked(node, AGAIN)
    again, own = id(node) in twice, program.called(node)
    if own == weights.VARIABLE or objects.makes(program, node):
        raise Blocked(node, AGAIN)  # another one each time
    if (call.again == "must" and not again) or any(part.startswith("?") for part in call.path):
        raise Blocked(node, AGAIN)
    names = _names(owner, call)
    for other in before:
        if not other.same(call) and _clash((call.path, names), (other.path, _names(owner, other))):
            raise Blocked(node, AGAIN)
    if not again:
        return
    made = next(c for c in before if c.node is twice[id(node)])
    if call.function is not None:
        # What has no name is counted, from the first on where the scope is opened again.
        alone = [c for c in before if c.block is call.block or c.block is made.block]
        if COUNTED in names and (call.block is made.block or alone != [made]):
            raise Blocked(node, AGAIN)
        return
    one, two = ({k: v for k, v in c.given.items() if k not in INPUTS} for c in (made, call))
    bound = program.scopes.bound(owner.function)
    changed = any(len(bound.get(n, ())) > 1 for v in two.values() for n in reads(v))
    if changed or {k: ast.dump(v) for k, v in one.items()} != {
        k: ast.dump(v) for k, v in two.items()
    }:
        raise Blocked(node, AGAIN)


def _clash(*both: tuple[Path, set[str]]) -> bool:
    """Whether variables of two scopes, under their names, may be the same."""
    (outer, names), (inner, more) = sorted(both, key=lambda b: len(b[0]))
    if inner[: len(outer)] != outer:
        return False
    more = {inner[len(outer)]} if len(inner) > len(outer) else more
    counted = [n for n in (names, more) if COUNTED in n]
    others = more if counted and counted[0] is names else names
    return (
        bool(names & more)
        or OTHER in names | more
        or (bool(counted) and any(map(DEFAULT.match, others)))
    )


def _names(owner: Values, call: Call) -> set[str]:
    """The names that a call may make variables under.

    Raises:
        Blocked: it moves averages, or says itself what is used again.
    """
    program = owner.program
    if call.function is None:
        if "batch_norm" in program.called(call.node) or "normalizer_fn" in call.given:
            raise Blocked(call.node, AGAIN)
        return {call.name.partition("/")[0] or (OTHER if "name" in call.given else COUNTED)}
    found = set[str]()
    functions = [call.function, *auto_reuse.reached(program, call.function)]
    for node in (n for f in functions for n in walk(f)):
        if not isinstance(node, ast.Call):
            continue
        endpoint = program.called(node)
        given = dict(owner.walker.bound(endpoint, node)) if endpoint else {}
        if switches(ast.Expr(node)) or "batch_norm" in endpoint or "normalizer_fn" in given:
            raise Blocked(call.node, AGAIN)  # averages that two calls move
        if endpoint == weights.VARIABLE or objects.makes(program, node):
            raise Blocked(call.node, AGAIN)
        reuse = given.get("reuse")
        if reuse is not None and not (isinstance(reuse, ast.Constant) and not reuse.value):
            raise Blocked(call.node, AGAIN)
        if endpoint != SCOPE and (_bare(owner, node) or not owner.makes(node)):
            continue
        if not endpoint:
            continue  # a function, which is looked at
        said = given.get("name", given.get("scope", given.get("name_or_scope")))
        value = program.scopes.value(said) if said is not None else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.add(value.value.partition("/")[0])
        else:
            found.add(COUNTED if said is None else OTHER)
    return found
