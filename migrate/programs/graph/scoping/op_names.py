"""The names that TF 1 gives: scopes, ops and summaries of one graph, each taken once.

A name that is asked for again gets a number, whoever had it before: a summary ``max`` beside
``tf.reduce_max`` (the op ``Max``: letters' case doesn't count) is ``max_1``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, fact, holds, outward, walk
from migrate.programs.graph import constants
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Inner, Region
from migrate.programs.graph.scoping import scope_patterns, scopes
from migrate.programs.graph.scoping.scope_patterns import Patterns

if TYPE_CHECKING:
    from migrate.programs.graph.state import State

SCOPES = frozenset({T + "name_scope", T + "variable_scope"})
GET = T + "get_variable"
PLAIN = frozenset({T + "device", T + "control_dependencies"})  # blocks that open no scope
# Functions that open a scope of their own name; the others are one op, written as one word.
SPELLED = frozenset(
    ("dropout", "moments", "clip_by_value", "clip_by_norm", "gradients", "dense", "conv2d")
)
SPELLED |= frozenset(("softmax_cross_entropy_with_logits", "l2_normalize", "norm"))

# Functions that are given their scope by that name, and what their own is called.
SCOPED = ("losses.", "contrib.losses.", "contrib.layers.")
OWN = {
    **dict.fromkeys(("fully_connected", "linear", "relu", "relu6"), "fully_connected"),
    **dict.fromkeys(("conv2d", "convolution2d", "convolution"), "conv"),
    "conv2d_transpose": "conv2d_transpose",
}

NOT_ONCE = (
    *(ast.FunctionDef, ast.Lambda, ast.For, ast.While, ast.Try),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def unique(state: State, full: str, node: ast.Call, key: object) -> str:
    """A name as TF 1 gives it to an op of a call; ``key`` tells its request from others."""
    requests = state.kept.setdefault("names", {})
    hidden = full.rpartition("/")[2].lower()
    perhaps = state.kept.get("names of branches", {}).get(full.lower(), node) is not node
    if perhaps or _perhaps_hidden(state, full) or hidden in _elsewhere(state):
        raise Blocked(node, f"whether the name `{hidden}` is free for a summary can't be told")
    earlier = [k for k, name in requests.items() if name == full.lower() and k != key]
    count = len(earlier) + sum(name == full.lower() for name in _earlier(state, node))
    requests[key] = full.lower()
    return f"{full}_{count}" if count else full


def _perhaps_hidden(state: State, full: str) -> bool:
    """Whether a loop or a function may have asked for a name, in a scope that may be this one."""
    outer, _, last = f"/{full.lower()}".rpartition("/")
    own = _unnumbered(outer)
    return any(inside in (None, own) for inside in _hidden(state).get(last, ()))


def _unnumbered(scope: str) -> str:
    """The last one of some scopes, without the number that TF 1 may give it."""
    return re.sub(r"_\d+$", "", scope.lower().rpartition("/")[2])


def _hidden(state: State) -> dict[str, set[str | None]]:
    """The names of ops that are made in loops or in functions: how often isn't known here.

    With the scopes that they may be made in, each by its own name; None where it isn't told.
    """
    walked = {id(s.function) for region in state.own_regions() for s in region.steps}
    followed = state.kept.get("followed", {})
    found: dict[str, set[str | None]] = {}
    for outer, calls in (each for tree in state.program() for each in fact(tree, _inside)):
        if isinstance(outer, ast.FunctionDef) and (id(outer) in walked or id(outer) in followed):
            continue
        for call in calls:
            name = op_name(state, call)
            if name is not None:
                head, _, last = name.lower().rpartition("/")
                found.setdefault(last, set()).add(
                    _unnumbered(head) if head else _scope_of(state, outer, call)
                )
    return found


def _inside(tree: ast.AST) -> list[tuple[ast.AST, Sequence[ast.Call]]]:
    """The loops and functions of a file, with the calls in them."""
    kinds = (ast.For, ast.While, ast.FunctionDef)
    return [(n, all_of(n, ast.Call)) for n in walk(tree) if isinstance(n, kinds)]


def _scope_of(state: State, outer: ast.AST, call: ast.Call) -> str | None:
    """The innermost scope in which a loop or a function makes an op; None where it isn't told."""
    kinds = {T + "variable_scope"} if state.endpoints.get(id(call.func)) == GET else SCOPES
    for block in outward(outer, call):
        if isinstance(block, ast.Lambda | ast.FunctionDef):
            return None
        for item in reversed(block.items) if isinstance(block, ast.With) else ():
            opener = item.context_expr
            if not isinstance(opener, ast.Call) or holds(opener, call):
                return None
            endpoint = state.endpoints.get(id(opener.func))
            if endpoint in kinds:
                first = opener.args[0] if opener.args else None
                name = constants.text_of(first, state.program()) if first is not None else None
                apart = any(k.arg == "auxiliary_name_scope" for k in opener.keywords)
                return _unnumbered(name) if name and name[-1] != "/" and not apart else None
            if endpoint not in SCOPES | PLAIN:
                return None  # it may open one
    return None


def opened(state: State, block: ast.With) -> str | None:
    """The name of the scope that a block opens; None where it opens none."""
    for item in block.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and state.endpoints.get(id(call.func)) in SCOPES:
            first = call.args[0] if call.args else None
            name = constants.text_of(first, state.program()) if first is not None else None
            if name is None:
                raise Blocked(call, "a scope around a summary whose name is computed")
            if len(scopes.opening(state, block)) > 1:
                raise Blocked(block, "scopes opened together")
            return name
    return None


def scope_at(state: State, outer: list[ast.stmt]) -> str:
    """The name scope at a place: the last one of the scopes that were opened.

    Raises:
        Blocked: it isn't sure how often the names were asked for, or a call stands in a scope.
    """
    named = _scopes(state)
    _called_in_scope(state, outer)
    inside = [b for b in outer if isinstance(b, ast.With) and id(b) in named]
    for block in inside:
        # In another scope it is only what is called there that may open one of the same name.
        elsewhere = _elsewhere(state, None if block is inside[0] else _reached(state, inside[0]))
        if str(opened(state, block)).lower() in elsewhere:
            raise Blocked(block, "a scope around a summary, whose name functions use as well")
    return named[id(inside[-1])][1] if inside else ""


def _called_in_scope(state: State, outer: list[ast.stmt]) -> None:
    """See that no function that is being followed was called in a scope."""
    while isinstance(outer, Inner):
        outer = outer.call
        for block in outer:
            if isinstance(block, ast.With) and opened(state, block) is not None:
                raise Blocked(block, "a scope around a call of what makes summaries")


def _reached(state: State, block: ast.AST) -> set[str]:
    """The names of what is called in a block, and of what that calls."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    defined: dict[str, list[ast.AST]] = {}
    for n in (n for tree in state.program() for n in walk(tree)):
        if isinstance(n, kinds):
            defined.setdefault(n.name, []).append(n)
    found: set[str] = set()
    todo: list[ast.AST] = [block]
    while todo:
        for n in walk(todo.pop()):
            name = getattr(n, "id", getattr(n, "attr", ""))
            if name in defined and name not in found:
                found.add(name)
                todo += defined[name]
    return found


def _elsewhere(state: State, among: set[str] | None = None) -> Patterns:
    """The names of scopes that other functions and classes open: in which order isn't known.

    ``among``: those of these names.
    """
    found = Patterns()
    for region in state.own_regions():
        if among is not None and region.name not in among:
            continue
        for block in region.flat if _unordered(state, region) else ():
            computed = _computed(state, block)
            if computed is not None:
                found.add(scope_patterns.of(state, computed, _function(region, block)))
            elif (name := opened(state, block)) is not None:
                found.names.add(name.lower())
    return found


def _function(region: Region, block: ast.With) -> ast.AST:
    """The method of a class in which a block stands, or a region's own function."""
    methods = all_of(region.node, ast.FunctionDef)
    inside = [n for n in methods if holds(n, block)]
    return inside[-1] if isinstance(region.node, ast.ClassDef) and inside else region.node


def _unordered(state: State, region: Region) -> bool:
    """Whether a region's scopes are opened where isn't known from here."""
    return region is not state.frame.region and not made_once(state, region.node)


def _computed(state: State, block: ast.With) -> ast.expr | None:
    """The name of a block's one scope, where it is computed."""
    calls = [
        i.context_expr
        for i in block.items
        if isinstance(i.context_expr, ast.Call)
        and state.endpoints.get(id(i.context_expr.func)) in SCOPES
    ]
    name = calls[0].args[0] if len(calls) == 1 and calls[0].args else None
    told = name is None or constants.text_of(name, state.program()) is not None
    return None if told else name


def made_once(state: State, cls: ast.AST) -> bool:
    """Whether a class has one object, made once: its scopes were opened before what asks."""
    if not isinstance(cls, ast.ClassDef) or any(k[0] == "calls" for k in _pairs(state)):
        return False
    inside: set[int] = set()
    found: list[ast.Name] = []
    for node in (n for tree in state.program() for n in walk(tree)):
        if isinstance(node, NOT_ONCE):
            inside |= set(map(id, walk(node)))
        elif isinstance(node, ast.Name) and node.id == cls.name:
            found.append(node)
        elif isinstance(node, ast.Attribute) and node.attr == cls.name:
            return False
    return len(found) == 1 and id(found[0]) not in inside


def _pairs(state: State) -> list[tuple[object, ...]]:
    return [key for key in state.kept if isinstance(key, tuple)]


def default_name(endpoint: str) -> str:
    """The name of a function's op where it is given none, in small letters."""
    name = endpoint.rpartition(".")[2]
    if endpoint.startswith(T + "contrib.layers.") and name in OWN:
        return OWN[name]
    if name in SPELLED or endpoint.startswith(T + "losses."):
        return name
    return name.removeprefix("reduce_").replace("_", "").lower()


def _scopes(state: State) -> dict[int, tuple[str, str]]:
    """The name scopes of all blocks: as asked for, and unique."""
    found: dict[int, tuple[str, str]] = {}
    blocks = [b for region in state.own_regions() for b in region.flat]
    named = list(_named(state)) if any(map(_is_scope(state), blocks)) else []
    for region in state.own_regions():
        for block in region.flat:
            calls = [i.context_expr for i in block.items if isinstance(i.context_expr, ast.Call)]
            if not any(state.endpoints.get(id(c.func)) in SCOPES for c in calls):
                continue
            if _unordered(state, region) and _computed(state, block) is not None:
                continue  # `_elsewhere` has what it may be called
            own = opened(state, block)
            parents = [
                found[id(b)][1]
                for b in region.flat
                if id(b) in found and b is not block and holds(b, block)
            ]
            full = f"{parents[-1]}/{own}" if parents else str(own)
            count = sum(asked.lower() == full.lower() for asked, _ in found.values())
            count += sum(
                _in_scope(found, blocks, call, name) == full.lower()
                for call, name in named
                if name == str(own).lower() and call.lineno < block.lineno
            )
            found[id(block)] = (full, f"{full}_{count}" if count else full)
    return found


def _is_scope(state: State) -> Callable[[ast.AST], bool]:
    """Whether a block opens a scope."""
    return lambda block: any(
        state.endpoints.get(id(getattr(i.context_expr, "func", None))) in SCOPES
        for i in getattr(block, "items", ())
    )


def _named(state: State) -> Iterator[tuple[ast.Call, str]]:
    """The program's ops that the author named, in small letters."""
    for call in (n for tree in state.program() for n in all_of(tree, ast.Call)):
        said = any(k.arg in ("name", "scope") for k in call.keywords)
        said = said or state.endpoints.get(id(call.func)) == T + "get_variable"
        name = op_name(state, call) if said else None
        if name is not None:
            yield call, name.lower()


def _in_scope(
    found: dict[int, tuple[str, str]], blocks: Sequence[ast.AST], call: ast.Call, name: str
) -> str:
    """An op's name with the scope that it stands in, as asked for."""
    around = [found[id(b)][1] for b in blocks if id(b) in found and holds(b, call)]
    return f"{around[-1]}/{name}".lower() if around else name


def _earlier(state: State, node: ast.Call) -> Iterator[str]:
    """The names that scopes and ops before a call asked for."""
    scopes = _scopes(state)
    for asked, _ in scopes.values():
        yield asked.lower()
    blocks = [b for region in state.own_regions() for b in region.flat if id(b) in scopes]
    inside = set(map(id, walk(node)))
    for tree, call in ((t, n) for t in state.program() for n in all_of(t, ast.Call)):
        if call is node:
            continue
        if call.lineno >= node.lineno and id(call) not in inside:
            continue
        name = op_name(state, call)
        if name is not None:
            above = set(map(id, outward(tree, call))) if blocks else ()
            around = [scopes[id(b)][1] for b in blocks if id(b) in above]
            yield f"{around[-1]}/{name}".lower() if around else name.lower()


def op_name(state: State, call: ast.Call) -> str | None:
    """The name that a call of TensorFlow asks for; None where it makes no op."""
    endpoint = state.endpoints.get(id(call.func), "")
    first = endpoint.removeprefix(T)
    if first.startswith("metrics."):
        return first.rpartition(".")[2]
    if not endpoint or endpoint in SCOPES or first.startswith(("summary.", "train.", "app.")):
        return None
    named = [k.value for k in call.keywords if k.arg == "name"]
    if endpoint == T + "get_variable":
        named += call.args[:1]
    if first.startswith(SCOPED):
        if first.startswith(("losses.get_", "losses.add_")) or "regulariz" in first:
            return None  # the scope is a question, or one of what is made later
        named += [k.value for k in call.keywords if k.arg == "scope"]
        named += call.args[3:5] if "losses." in first else []
    for name in named:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return name.value
    return default_name(endpoint)
