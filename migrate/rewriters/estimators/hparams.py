"""`HParams` that are only read, as `types.SimpleNamespace`; others are a class in the file.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/training/python/training/hparam.py
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording import hparams
from migrate.rewriters import own_hparams
from migrate.rewriters.estimators.program import READERS, Program

ENDPOINT = "tensorflow.contrib.training.HParams"
# What a namespace can't do.
METHODS = frozenset(
    {
        *("add_hparam", "set_hparam", "del_hparam", "parse", "parse_json", "override_from_dict"),
        "to_json",
    }
)
OTHERS = frozenset({*hparams.OTHERS, "hparam_def"})  # what the class can't, either


def namespace(program: Program, call: ast.Call) -> None:
    """Make a namespace of an `HParams`.

    Raises:
        Blocked: the program may ask more of it than its attributes.
    """
    hidden = [k.value for k in call.keywords if k.arg is None]
    if (
        call.args
        or any(k.arg == "model_structure" for k in call.keywords)
        or not all(_attributes(program, value) for value in hidden)
    ):
        raise Blocked(call, "how HParams are made")
    stmt = program.scopes.parents[id(call)]
    name = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    own = name.id if isinstance(name, ast.Name) else ""
    edits: list[tuple[ast.AST, str]] = []
    for node in program.scopes.walk():
        if isinstance(node, ast.Attribute) and node.attr in OTHERS:
            raise Blocked(node, f"`.{node.attr}`, which may be an HParams'")
        more = isinstance(node, ast.Attribute) and node.attr in METHODS
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            more = _asked(node.comparators[0], own)
        elif isinstance(node, ast.Attribute) and node.attr in ("values", "get"):
            above = program.scopes.parents[id(node)]
            asked = isinstance(above, ast.Call) and not above.args and not above.keywords
            if node.attr == "values" and asked and program.scopes.value(node.value) is call:
                edits.append((above, f"dict(vars({program.text.source(node.value)}))"))
                continue
            more = _asked(node.value, own)
        if more:
            _class(program, call)
            return
    for node, new in edits:
        program.edit(node, new)
    program.bring(call, "from types import SimpleNamespace")
    program.edit(call.func, "SimpleNamespace", "a namespace")


def _class(program: Program, call: ast.Call) -> None:
    """Make one of a class of the file, which does what the program asks for."""
    trees = [page.part.document.tree for page in program.pages]
    name, text, imports = own_hparams.definition(trees)
    program.need(call, name, text, imports)
    program.edit(call.func, name, "a class of the file")


def _attributes(program: Program, node: ast.expr) -> bool:
    """Whether a dict has the arguments of a command line, or those of a function around it.

    `args.__dict__`, `vars(args)`, or `hparams` of a `def main(**hparams)`.
    """
    if isinstance(node, ast.Name):
        function = program.scopes.scope(node)
        more = function.args.kwarg if isinstance(function, ast.FunctionDef) else None
        here = program.scopes.statement(node)
        others = [b.value for b in program.scopes.bindings(node.id, node) if b.kind != "param"]
        known = more is not None and more.arg == node.id and not _says_structure(program)
        return known and all(v is not None and v in walk(here) for v in others)
    owner = node.value if isinstance(node, ast.Attribute) and node.attr == "__dict__" else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        owner = node.args[0] if len(node.args) == 1 else None
    made = program.scopes.value(owner) if owner is not None else None
    return (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and made.func.attr == "parse_args"
    )


def _says_structure(program: Program) -> bool:
    """Whether the program has a word for what HParams alone are made with."""
    words = ("model_structure", "hparam_def", "--model-structure", "--hparam-def")
    nodes = program.scopes.walk()
    return any(getattr(n, name, None) in words for n in nodes for name in ("value", "arg"))


def _asked(node: ast.expr, own: str) -> bool:
    """Whether what is looked into may be the HParams, as far as its name tells."""
    return isinstance(node, ast.Name) and node.id in ("params", "hparams", "hps", "hp", own)


READERS[ENDPOINT] = namespace
