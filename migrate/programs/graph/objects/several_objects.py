"""Several objects of a class in one graph: what they share there, objects of TF 2 wouldn't.

Variables that a scope with `reuse` gives to the second one, too, the graph's one global step, and
what is asked of the whole graph: its collections, losses and summaries.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, named, outward, walk
from migrate.programs.graph.listing import listing_methods, update_ops
from migrate.programs.graph.making import variable_properties
from migrate.programs.graph.making.repeated import chain, loads, stores
from migrate.programs.graph.meaning import GLOBAL_STEPS, SCOPES, T
from migrate.programs.graph.model import Blocked, Instance
from migrate.programs.graph.objects import bases
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.scoping import scopes

# What looks at all that the graph has. Lists of variables are `again.alike`'s.
WHOLE = frozenset(
    (
        *(T + "losses.get_losses", T + "losses.get_total_loss"),
        *(T + "losses.get_regularization_loss", T + "losses.get_regularization_losses"),
        *(T + "get_collection", T + "get_collection_ref"),
    )
)


def check(walker: Any, instance: Instance, call: ast.Call) -> None:
    """See that one more object, in the graph that the first one is in, shares nothing with it.

    Raises:
        Blocked: it may.
    """
    if instance.left is None or instance.left.graph != walker.graph:
        return
    calls = walker.kept.setdefault(("calls", id(instance)), [instance.left.call])
    alone = all(instead(walker, call, one) for one in calls)
    calls.append(call)
    if alone:  # there is only one of them in a process
        walker.kept["alone", id(call)] = True
        return
    apart = _in_own_graph(walker, instance)
    summaries = [
        node
        for node in reached(walker, instance)
        if walker.endpoints.get(id(node.func), "").startswith(T + "summary.")
        if not walker.endpoints[id(node.func)].startswith(T + "summary.FileWriter")
    ]
    if apart and all(id(node) in apart for node in summaries):
        walker.kept["own graph", id(instance.region)] = True
    for node in reached(walker, instance):
        name = walker.endpoints.get(id(node.func), "")
        if id(node) in apart:
            continue
        if name in GLOBAL_STEPS and not _outside(walker, instance):
            if sum(_gets_to(walker, instance, node, one) for one in calls) == 1:
                continue  # PTB's language model: the one that trains
            raise Blocked(node, "a global step of several objects")
        own = id(node) in walker.trainable or id(node) in walker.kept.get(update_ops.OWN, ())
        if name in WHOLE and not own and not variable_properties.is_one(walker, node):
            reason = "what an object finds in the graph is of all objects"
            listing_methods.check(walker, node, reason)
            raise Blocked(node, reason)
        if name in SCOPES and _again(walker, instance, node):
            if not _apart(walker, instance, node, calls):
                raise Blocked(node, "objects that may share their variables")
        if getattr(node.func, "attr", "") == "reuse_variables" and _decided(walker, node):
            raise Blocked(node, "objects that may share their variables")


def instead(walker: Any, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand on the two ways of a branch that a process goes through once."""
    around = list(outward(walker.tree, one))
    for place, branch in enumerate(around):
        if not isinstance(branch, ast.If) or not place:
            continue
        ways = [branch.body, branch.orelse]
        mine = next((way for way in ways if around[place - 1] in way), [])
        theirs = next((way for way in ways if any(holds(s, other) for s in way)), [])
        if not mine or not theirs or mine is theirs:
            continue
        return _once(walker, branch)
    return False


def _once(walker: Any, node: ast.AST, calls: frozenset[int] = frozenset()) -> bool:
    """Whether a process gets to a node at most once: by no loop, and no second call."""
    loops = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
    for outer in list(outward(walker.tree, node))[1:]:
        if isinstance(outer, loops):
            return False
        if isinstance(outer, (ast.Lambda, ast.AsyncFunctionDef)):
            return False
        if isinstance(outer, ast.FunctionDef):
            uses = named(walker.tree, outer.name)
            if len(uses) > 1 or id(outer) in calls or outer.decorator_list:
                return False
            return all(_once(walker, use, calls | {id(outer)}) for use in uses)
    return True


def _in_own_graph(walker: Any, instance: Instance) -> set[int]:
    """What stands in a graph that each object makes for itself: ``with self.graph.as_default():``.

    With the methods that are called there, and nowhere else.
    """
    member = bases.find(walker, instance.node, "__init__")
    if member is None or len(bases.lineage(walker, instance.node)) > 1:
        return set()
    graphs = {
        ast.unparse(t)
        for s in member.body
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
        if walker.endpoints.get(id(s.value.func)) == T + "Graph"
        for t in s.targets
    }
    todo: list[ast.AST] = [
        block
        for block in member.body
        if isinstance(block, ast.With)
        for call in (item.context_expr for item in block.items)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "as_default" and ast.unparse(call.func.value) in graphs
    ]
    found: set[int] = set()
    methods = {m.name: m for m in bases.methods(instance.node)}
    while todo:
        inside = list(walk(todo.pop()))
        found |= set(map(id, inside))
        for node in inside:
            if not isinstance(node, ast.Attribute) or node.attr not in methods:
                continue
            reads = [n for n in all_of(walker.tree, ast.Attribute) if n.attr == node.attr]
            target = methods[node.attr]
            if all(id(n) in found for n in reads) and id(target) not in found:
                todo.append(target)
    return found


def _gets_to(walker: Any, instance: Instance, node: ast.Call, call: ast.Call) -> bool:
    """Whether an object that a call makes may come to a place: ``if not is_training: return``."""
    member = bases.find(walker, instance.node, "__init__")
    if member is None or not holds(member, node):
        return True
    args = member.args
    if args.vararg or args.kwarg or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    names = [a.arg for a in args.args[1:]]
    given = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    given.update(zip(names, call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    stored = {n.id for n in all_of(member, ast.Name) if isinstance(n.ctx, ast.Store)}

    def told(test: ast.expr) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = told(test.operand)
            return None if inner is None else not inner
        if not isinstance(test, ast.Name) or test.id in stored:
            return None
        value = given.get(test.id)
        return bool(value.value) if isinstance(value, ast.Constant) else None

    for stmt in member.body:
        if holds(stmt, node):
            return True
        if isinstance(stmt, ast.If) and any(isinstance(s, ast.Return) for s in stmt.body):
            if told(stmt.test) is True:
                return False
    return True


def _outside(walker: Any, instance: Instance) -> bool:
    """Whether the global step is a variable that the module made: all objects find that one."""
    step = walker.found_step()
    if step is None or (step.value.path is not None and step.value.path != "global_step"):
        return False
    return not holds(instance.node, step.value.node)


def reached(walker: Any, instance: Instance) -> Iterator[ast.Call]:
    """The calls in a class, and in the functions that it calls by name."""
    todo: list[ast.AST] = list(bases.lineage(walker, instance.node))
    seen = set(map(id, todo))
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, ast.Call):
                yield node
                callee = walker._module_function(node.func)
                if callee is not None and id(callee) not in seen:
                    seen.add(id(callee))
                    todo.append(callee)


def _again(walker: Any, instance: Instance, node: ast.Call) -> bool:
    """Whether a scope finds variables where there are some and makes them where there are none.

    Where a parameter says it, and nothing else reads that, `reuse_given` sees to it.
    """
    if ("reuse by parameter", id(instance.region)) in walker.kept:
        return False
    told = [k.value for k in node.keywords if k.arg == "reuse"]
    function = function_around(walker.tree, node)
    if function is not None and function.name != "__init__":
        own = {a.arg for a in function.args.args}  # its calls say it, and of which object they are
        told = [v for v in told if not isinstance(v, ast.Name) or v.id not in own]
    at = function or walker.tree
    return any(scopes.mode(scopes.agreed(walker, v, at)) == scopes.AUTO for v in told)


def _decided(walker: Any, node: ast.Call) -> bool:
    """Whether a branch of a function decides upon a call, by more than the round of a loop."""
    around = chain(function_around(walker.tree, node) or walker.tree, node) or ()
    bound: set[str] = set()
    for block in around:
        if isinstance(block, (ast.For, ast.While)):
            bound |= stores(block)
        elif isinstance(block, ast.If) and not bound & loads(block.test):
            return True
    return False


def _apart(walker: Any, instance: Instance, node: ast.Call, calls: list[ast.Call]) -> bool:
    """Whether a scope has another name for each object: one that each is given as a constant."""
    member = bases.find(walker, instance.node, "__init__")
    if member is None or not node.args:
        return False
    itself, *params = (a.arg for a in member.args.args)
    kept = {
        f"{itself}.{t.attr}": s.value.id
        for s in all_of(member, ast.Assign)
        if isinstance(s.value, ast.Name)
        for t in s.targets
        if isinstance(t, ast.Attribute)
    }
    said = ast.unparse(node.args[0])
    inside = holds(member, node)
    param = kept.get(said, said if inside else "")
    if param not in params:
        return False
    place = params.index(param)
    given = [
        *(c.args[place] for c in calls if place < len(c.args)),
        *(k.value for c in calls for k in c.keywords if k.arg == param),
    ]
    values = [g.value for g in given if isinstance(g, ast.Constant)]
    return len(values) == len(calls) == len(set(values))
