"""Functions that make variables and apply them to placeholders of their module or their object.

``output = cnn()``, which reads the module's `X` and `keep_prob`, is ``output = cnn(X, keep_prob)``:
a function that is given what it is applied to. ``block(x, 32)``, which reads `is_training`, is
``block(x, 32, is_training)``, and so is a method that reads ``self.is_training``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import INPUT, RUNTIME, Reading, Region
from migrate.programs.graph.names import free_names
from migrate.programs.graph.wording.spelled import Source, Spelled, first

NAMED = (ast.FunctionDef, ast.ClassDef)
SCOPES = (
    *(*NAMED, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def read(walker: Any, region: Region, target: ast.FunctionDef, call: ast.Call) -> None:
    """See whether a function that is given tensors reads more of them outside of it.

    Raises:
        Spelled: names of its module, which it may be given, too.
        Reading: attributes of its object.
    """
    assert region.result is not None
    used = [symbol for step in region.steps if step.moves for symbol in step.uses]
    used += [symbol for leaf in region.result[1].leaves() for symbol in leaf.uses]
    outside = {
        symbol
        for symbol in used
        if symbol.value.kind in RUNTIME and symbol.step.region not in (None, region)
    }
    if not outside:
        return
    if not any(symbol.attribute for symbol in outside):
        check(walker, target, call)
    for node in walk(target):
        if isinstance(node, ast.Attribute) and walker.attributes.get(id(node)) in outside:
            raise Reading(node, last=True)


def check(walker: Any, target: ast.AST, call: ast.Call) -> None:
    """See whether a function that makes variables finds its inputs in its module.

    Raises:
        Spelled: it does, and may be given them.
    """
    home = walker.files.at(target)
    if not isinstance(target, ast.FunctionDef) or home.tree is None or home.frame is None:
        return
    around = walker.frame.node
    inner = isinstance(around, ast.FunctionDef) and target in around.body
    if (not inner and target not in home.tree.body) or walker.files.at(call) is not home:
        return
    if target.decorator_list or any(
        isinstance(n, (ast.Global, ast.Nonlocal)) for n in walk(target)
    ):
        return
    env = walker.frame.env if inner else home.frame.env
    found = [
        symbol
        for name in free_names(target)
        if (symbol := env.get(name)) is not None
        and (symbol.value.kind in RUNTIME or symbol.step.moves)
        and (symbol.value.data == INPUT or not isinstance(symbol.step.node, NAMED))
    ]
    names = [s.name for s in sorted(found, key=lambda s: s.step.order)]
    args = target.args
    if not names or args.posonlyargs or args.vararg:
        return
    calls = _inside(around, target, set(names)) if inner else None
    calls = calls_of(walker, target, set(names)) if not inner else calls
    if calls is None:
        _first(walker, target, call)
        return
    given = ", ".join(names)
    head = ast.Pass(
        lineno=target.lineno,
        col_offset=target.col_offset + len("def "),
        end_lineno=target.lineno,
        end_col_offset=target.col_offset + len("def ") + len(target.name) + 1,
    )
    bare = not (args.args or args.kwonlyargs or args.kwarg)
    if args.args and not (args.defaults or args.kwonlyargs or args.kwarg):
        _last(target, call, names, calls)

    def header(source: Source) -> str | None:
        if source(head) != f"{target.name}(":
            return None
        return f"{target.name}({given}{'' if bare else ', '}"

    def called(node: ast.Call) -> Any:
        def written(source: Source) -> str | None:
            rest = source(node).removeprefix(target.name).lstrip()
            if not rest.startswith("("):
                return None
            more = ", " if node.args or node.keywords else ""
            return f"{target.name}({given}{more}{rest[1:]}"

        return written

    raise Spelled(
        call,
        f"`{target.name}` makes variables and reads the `{names[0]}` of its module",
        [(head, header), *((n, called(n)) for n in calls)],
    )


def _first(walker: Any, target: ast.FunctionDef, call: ast.Call) -> None:
    """``block(block(x))``: the inner call gets a name, so that each may be given more.

    Raises:
        Spelled: it is called before anything else of its statement.
    """
    alike = [n for n in all_of(walker.stmt, ast.Call) if _calls(n, target)]
    if not any(n is not call and holds(n, call) for n in alike):
        return
    if not walker.nested and not walker.loops:
        first(walker, walker.stmt, call, "h", f"calls of `{target.name}` inside of others")


def _calls(node: ast.Call, target: ast.FunctionDef) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == target.name


def _last(target: ast.FunctionDef, call: ast.Call, names: list[str], calls: list[ast.Call]) -> None:
    """Give a function more after all that it is given.

    Raises:
        Spelled: always.
    """

    def written(node: ast.Call) -> tuple[ast.AST, Any]:
        more = ", ".join(f"{n}={n}" if node.keywords else n for n in names)

        def longer(source: Source) -> str | None:
            text = source(node)[:-1].rstrip()
            if "#" in text.rpartition("\n")[2]:
                return None
            return f"{text}{' ' if text.endswith(',') else ', '}{more})"

        return node, longer

    parameter = target.args.args[-1]
    given = ", ".join(names)
    raise Spelled(
        call,
        f"`{target.name}` makes variables and reads the `{names[0]}` of its module",
        [
            (parameter, lambda source: f"{source(parameter)}, {given}"),
            *(written(n) for n in calls),
        ],
    )


def _inside(
    around: ast.FunctionDef, target: ast.FunctionDef, names: set[str]
) -> list[ast.Call] | None:
    """The calls of a function that stands in another one, where they see the same names.

    None: it is used otherwise.
    """
    own = {id(n) for n in walk(target)}
    nodes = [n for n in walk(around) if id(n) not in own]
    used = [n for n in nodes if isinstance(n, ast.Name) and n.id == target.name]
    calls = [n for n in nodes if isinstance(n, ast.Call) and n.func in used]
    if len(used) != len(calls) or any(getattr(n, "name", "") == target.name for n in nodes):
        return None
    for scope in nodes:
        if isinstance(scope, SCOPES) and scope is not around:
            inside = list(walk(scope))
            said = {getattr(n, "id", getattr(n, "arg", "")) for n in inside}
            if said & names and any(c in inside for c in calls):
                return None
    if any(isinstance(a, ast.Starred) for c in calls for a in c.args):
        return None
    if any(c in walk(other) for c in calls for other in calls if other is not c):
        return None
    return calls


def calls_of(walker: Any, target: ast.FunctionDef, names: set[str]) -> list[ast.Call] | None:
    """The calls of a function; None where it is used otherwise, or the names aren't seen there."""
    found: list[ast.Call] = []
    for module in walker.files.order:
        if module.tree is None:
            continue
        for node in walk(module.tree):
            mentioned = target.name in (getattr(node, "attr", ""), getattr(node, "name", ""))
            if mentioned and node is not target:
                return None
        found += [
            n
            for n in all_of(module.tree, ast.Call)
            if isinstance(n.func, ast.Name) and n.func.id == target.name
        ]
        used = [n for n in all_of(module.tree, ast.Name) if n.id == target.name]
        if {id(n) for n in used} != {id(c.func) for c in found}:
            return None
        for scope in walk(module.tree):
            if not isinstance(scope, (ast.FunctionDef, ast.Lambda)) or scope is target:
                continue
            inside = list(walk(scope))
            bound = {n.arg for n in inside if isinstance(n, ast.arg)}
            bound |= {
                n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
            }
            if bound & names and any(c in inside for c in found):
                return None
    if any(c in walk(other) for c in found for other in found if other is not c):
        return None
    if any(isinstance(a, ast.Starred) for c in found for a in c.args):
        return None
    if any(c in walk(target) for c in found):
        return None
    return found
