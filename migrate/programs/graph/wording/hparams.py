"""`tf.contrib.training.HParams`: values of Python by name; the program gets a class of its own."""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.walk import T, Walker, family

# Methods that the class hasn't, for what only TF 1 has.
OTHERS = ("set_from_map", "set_model_structure", "get_model_structure", "to_proto", "from_proto")


@family(T + "contrib.training.HParams")
def hparams(walker: Walker, name: str, node: ast.Call) -> Value:
    """New hyperparameters, by the same names."""
    if node.args:
        raise Blocked(node.args[0], "HParams of a protocol buffer")
    for keyword in node.keywords:
        if keyword.arg in ("hparam_def", "model_structure"):
            raise Blocked(keyword.value, f"`{keyword.arg}` of HParams")
        value = walker.expression(keyword.value)
        if value.kind not in (Kind.HOST, Kind.NONE):
            raise Blocked(keyword.value, "HParams are given more than values of Python")
    for n in (n for tree in _trees(walker) for n in walk(tree)):
        if isinstance(n, ast.Attribute) and n.attr in OTHERS:
            raise Blocked(n, f"`.{n.attr}`, which may be of HParams")
    walker.wants("hparams", node)
    walker.rewrites[id(node.func)] = lambda _: "HParams"
    return HOST


def readers(walker: Walker) -> list[ast.AST] | None:
    """The files that may call their methods; None: files that aren't seen may, too."""
    seen = len(walker.files.known) <= len(walker.files.order)
    return _trees(walker) if seen else None


def _trees(walker: Walker) -> list[ast.AST]:
    return [module.tree or walker.tree for module in walker.files.order]
