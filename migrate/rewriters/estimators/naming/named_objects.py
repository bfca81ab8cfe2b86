"""Objects of the program's classes in a model whose functions ask for weights by name.

    net = Net(params, training)                net = Net(self.params, training)
    logits = net.logits(features['x'])         logits = net.logits(features['x'])
    loss = net.loss(labels)                    loss = net.loss(labels)  # in a step

`call` makes them for each batch, as a model_fn does for each graph. A step that asks one for more
gets it from `call`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import guard, tested
from migrate.rewriters.estimators.naming.named_known import GET
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from migrate.rewriters.estimators.models.model_fn import Model
    from migrate.rewriters.estimators.naming.named import Named
    from migrate.rewriters.estimators.program import Program


def bases(program: Program, cls: ast.ClassDef, call: ast.Call) -> list[ast.ClassDef]:
    """The classes of the program above a class.

    Raises:
        Blocked: one is something else.
    """
    found = []
    for base in cls.bases:
        if ast.unparse(base) == "object":
            continue
        known = program.scopes.lookup(base)
        if known is None or not isinstance(known.node, ast.ClassDef):
            raise Blocked(call, f"`{cls.name}`, a class with others above it, in a model_fn")
        found.append(known.node)
    return found


def instance(program: Program, node: ast.expr, classes: Iterable[ast.AST]) -> ast.ClassDef | None:
    """The class that an object under a name is of, if it is one of these."""
    made = program.scopes.value(node)
    if not isinstance(made, ast.Call):
        return None
    found = program.scopes.lookup(made.func)
    cls = found.node if found is not None else None
    known = any(cls is c for c in classes)
    return cls if known and isinstance(cls, ast.ClassDef) else None


def method(program: Program, cls: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """A method of a class, or of one above it."""
    own = [s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == name]
    if own:
        return own[-1]
    for base in cls.bases:
        known = program.scopes.lookup(base)
        if known is not None and isinstance(known.node, ast.ClassDef):
            if (found := method(program, known.node, name)) is not None:
                return found
    return None


def kept(program: Program, name: str, classes: Sequence[ast.AST]) -> bool:
    """Whether only these classes give objects an attribute of a name."""
    places = [
        n
        for n in program.scopes.walk()
        if isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
    ]
    around = [[a for a in program.scopes.around(n) if isinstance(a, ast.ClassDef)] for n in places]
    return bool(places) and all(any(a is c for a in above for c in classes) for above in around)


def one_weight(program: Program, node: ast.expr) -> bool:
    """Whether an expression is one weight, whichever."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Call):
        return program.called(value) in (GET, "tensorflow.convert_to_tensor")
    if not isinstance(value, ast.Attribute):
        return False
    given = [
        s.value
        for s in program.scopes.walk()
        if isinstance(s, ast.Assign)
        for t in s.targets
        if isinstance(t, ast.Attribute) and t.attr == value.attr
    ]
    return bool(given) and all(v is not node and one_weight(program, v) for v in given)


def chosen(program: Program, node: ast.Name) -> bool:
    """Whether a name is a function of the program, whichever of several."""
    found = program.scopes.bindings(node.id, node)
    if not found or any(b.kind != "assign" or b.value is None for b in found):
        return False
    values = [b.value for b in found if b.value is not None]
    while any(isinstance(v, ast.IfExp) for v in values):
        inner = [[v.body, v.orelse] if isinstance(v, ast.IfExp) else [v] for v in values]
        values = [v for each in inner for v in each]
    plain = [v for v in values if not (isinstance(v, ast.Constant) and v.value is None)]
    return all(program.scopes.function(v) is not None for v in plain)


def under_names(program: Program, function: ast.FunctionDef) -> set[str]:
    """The names in a function that hold objects of the program's classes."""
    found = set()
    for name, bindings in program.scopes.bound(function).items():
        for made in (b.value for b in bindings if isinstance(b.value, ast.Call)):
            known = program.scopes.lookup(made.func)
            if known is not None and isinstance(known.node, ast.ClassDef):
                found.add(name)
    return found


def asks(stmt: ast.AST, names: set[str]) -> bool:
    """Whether a piece of syntax calls objects under these names or methods, or changes them."""
    for attribute in all_of(stmt, ast.Attribute):
        if isinstance(attribute.ctx, ast.Store) and ast.unparse(attribute.value) in names:
            return True
    for call in all_of(stmt, ast.Call):
        func = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        if isinstance(func, ast.Name) and func.id in names:
            return True
    return False


def in_order(model: Model, names: set[str]) -> None:
    """See to it that `call` and then a step ask objects in the order in which a graph did.

    Raises:
        Blocked: they don't; an object may be another one after each call.
    """
    for mode in model.modes:
        stepped = False
        for at, stmt in enumerate(model.bodies[mode]):
            if not reads(stmt) & names:
                continue
            if stmt in model.forward:
                if stepped:
                    raise Blocked(stmt, "an object that a step asks before `call` does")
            elif stmt in model.steps[mode]:
                stepped |= asks(stmt, names)
            elif asks(stmt, names):
                later = [*model.steps[mode], *model.forward]
                if any(reads(s) & names for s in model.bodies[mode][at + 1 :] if s in later):
                    raise Blocked(stmt, "an object that is asked for what nothing needs")


def in_steps(owner: Named, body: Iterable[ast.stmt]) -> None:
    """Look at what steps ask objects that `call` has made.

    Raises:
        Blocked: that asks for weights, or may not be asked for each batch.
    """
    program = owner.program
    classes = [v for v in owner.visited if isinstance(v, ast.ClassDef)]
    for call in (n for stmt in body for n in all_of(stmt, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or id(call) in owner.seen:
            continue
        cls = instance(program, call.func.value, classes)
        found = method(program, cls, call.func.attr) if cls is not None else None
        if found is None:
            continue
        if any(found is f for f in owner.asking()):
            raise Blocked(call, "an object that a step asks for more weights")
        guard.check(program, found.body)
        owner.seen.add(id(call))


def elsewhere(owner: Named) -> None:
    """See to it that only models call what asks for weights.

    Raises:
        Blocked: something else does.
    """
    program = owner.program
    inside: set[int] = set()
    for key, model in program.kept.items():
        if isinstance(key, tuple) and key[0] == "model":
            by_name = getattr(model, "by_name", None)
            parts = [getattr(model, "function")]  # noqa: B009  (an import would go in a circle)
            parts += by_name.visited if by_name is not None else []
            inside |= {id(n) for part in parts for n in walk(part)}
    for function in owner.asking():
        cls = program.scopes.parents[id(function)]
        known = cls if isinstance(cls, ast.ClassDef) else function
        for binding in program.scopes.bound(program.scopes.scope(known))[known.name]:
            uses = program.scopes.uses(binding, known.name) if binding.node is known else []
            for use in uses:
                if id(use) not in inside and not tested.built(owner, use):
                    raise Blocked(use, f"`{known.name}`, which asks for weights, is used elsewhere")
