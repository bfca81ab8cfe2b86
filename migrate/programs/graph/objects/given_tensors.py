"""Tensors of one object that another one is given: it is given the object, and takes them from it.

``critic = Critic(sess, actor.a, actor.a_)`` is ``Critic(sess, actor)``, whose class reads
``actor.a``; ``actor.add_gradients(critic.a_grads)`` is ``actor.add_gradients(critic)``. Functions
of TF 2 have no tensors to hand on, but objects have functions.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Instance, Kind, Value
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.wording import known_branches, spelled

NESTED = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr)


def check(
    walker: Any, instance: Instance, target: ast.FunctionDef, name: str, call: ast.AST | None
) -> None:
    """See whether what a method is given is another object's tensor.

    Raises:
        Spelled: it is, the method is called here only, and its argument means it throughout.
    """
    if not isinstance(call, ast.Call) or len(known_branches.every(walker, target)) != 1:
        return
    itself = ast.copy_location(ast.Name("self", ast.Load()), call.func)
    bound = ast.Call(call.func, [itself, *call.args], call.keywords)
    given = known_branches.place(target, bound, name)
    if not isinstance(given, ast.Attribute) or given.attr.startswith("__"):
        return
    owner: Value = walker.expression(given.value)
    other = owner.data
    if owner.kind is not Kind.OBJECT or not isinstance(other, Instance) or other is instance:
        return
    if len(own_attributes.stores(walker, other.node, given.attr)) != 1:
        return
    uses = [n for n in all_of(target, ast.Name) if n.id == name]
    inner = [n for n in walk(target) if isinstance(n, NESTED) and n is not target]
    if any(not isinstance(n.ctx, ast.Load) for n in uses) or any(
        getattr(n, "id", getattr(n, "arg", "")) == name for part in inner for n in walk(part)
    ):
        return
    said = ast.unparse(given.value)
    reason = f"`{target.name}` is given a tensor"
    for param in [a.arg for a in target.args.args[1:]]:
        there = known_branches.place(target, bound, param)
        if there is None or ast.unparse(there) != said or _bound(target, param):
            continue
        text = f"{param}.{given.attr}"
        written = [*((n, spelled.word(text)) for n in uses), *_cuts(target, call, name, bound)]
        raise spelled.Spelled(call, reason, written)
    wish = said.rpartition(".")[2]
    if wish in {n.id for n in all_of(target, ast.Name)} | {a.arg for a in target.args.args}:
        return
    (param_node,) = [a for a in target.args.args if a.arg == name]
    text = f"{wish}.{given.attr}"
    keyword = next((k for k in call.keywords if k.value is given), None)
    written = [(n, spelled.word(text)) for n in uses]
    written += [(param_node, spelled.word(wish))]
    written += [(keyword or given, spelled.word(f"{wish}={said}" if keyword else said))]
    raise spelled.Spelled(call, reason, written)


def _bound(target: ast.FunctionDef, name: str) -> bool:
    return any(n.id == name and not isinstance(n.ctx, ast.Load) for n in all_of(target, ast.Name))


def _cuts(
    target: ast.FunctionDef, call: ast.Call, name: str, bound: ast.Call
) -> list[spelled.Written]:
    """A method and its call without a parameter that isn't needed any more."""
    params = target.args.args
    defaults: list[ast.expr | None] = [None] * (len(params) - len(target.args.defaults))
    defaults += target.args.defaults
    items = [(a, d or a) for a, d in zip(params, defaults, strict=True)]
    given: list[Any] = [*call.args, *call.keywords]
    value = known_branches.place(target, bound, name)
    mine = next(i for i, n in enumerate(given) if n is value or getattr(n, "value", n) is value)
    place = [a.arg for a in params].index(name)
    return [known_branches.cut(items, place), known_branches.cut([(n, n) for n in given], mine)]
