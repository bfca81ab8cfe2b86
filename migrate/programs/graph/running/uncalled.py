"""Functions that run a session and that nobody calls, classes nobody makes objects of.

Each is a program of its own, called once by someone who isn't seen: what it is given is data. A
session, or a part of a graph, that it would have to be given isn't followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from migrate.engine.trees import all_of, fact, named, walk
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import HOST, Blocked, Kind, Region, Value
from migrate.programs.graph.modules import Module
from migrate.programs.graph.objects import bases
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.running import lent_objects, lent_sessions
from migrate.programs.graph.wording.spelled import Source, Spelled

PLAIN = (Kind.HOST, Kind.NONE, Kind.FUNCTION, Kind.CLASS, Kind.ENDPOINT, Kind.CONST)


def lent(walker: Any) -> None:
    """Enter functions that nobody calls, which want an object of the program and its session."""
    for module in walker.files.order:
        known = set(read(walker, module))
        for node in module.tree.body if module.tree is not None else ():
            if not isinstance(node, ast.FunctionDef) or node.name in known or module.frame is None:
                continue
            if id(node) in walker.entered or node.decorator_list:
                continue
            if found := lent_objects.given(walker, node):
                walker.frame, call = module.frame, _call(node)
                given = _given(walker, node, call) | found
                walker.enter(Function(node, module.frame), given, call)


def served(walker: Any, module: Module) -> None:
    """Enter functions that run the session of the file, ``sess.run(y, {x: image})``.

    Someone who isn't seen calls them when all is built: a web server, or who imports the file.
    """
    if module.tree is None or module.frame is None:
        return
    reached = _reached(walker, module)
    for node in module.tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name in reached:
            continue
        runs = walker.runs(node) or _hands_on(module, node)
        if id(node) in walker.entered or not runs or _builds(walker, node):
            continue
        evaluated(walker, node)
        walker.frame, call = module.frame, _call(node)
        walker.enter(Function(node, module.frame), _given(walker, node, call), call)


def _hands_on(module: Module, node: ast.FunctionDef) -> bool:
    """Whether a function gives the file's session to another one, ``model.encode(sess, x)``."""
    assert module.frame is not None
    env, own = module.frame.env, {a.arg for a in all_of(node.args, ast.arg)}
    own |= {n.id for n in all_of(node, ast.Name) if not isinstance(n.ctx, ast.Load)}
    given = {a.id for c in all_of(node, ast.Call) for a in c.args if isinstance(a, ast.Name)} - own
    return any(n in env and env[n].value.kind is Kind.SESSION for n in given)


def _reached(walker: Any, module: Module) -> set[str]:
    """What a file's statements, or others of its program, read; and what such functions read."""
    tree = module.tree
    assert tree is not None
    functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
    inside = {id(n) for f in functions.values() for n in walk(f)}
    found = {n.id for n in all_of(tree, ast.Name) if id(n) not in inside} | fact(tree, _by_text)
    for other in walker.program():
        if other is not tree:
            found |= {*fact(other, _names), *(a.name for a in all_of(other, ast.alias))}
    for other in walker.files.order:
        for n in all_of(other.tree, ast.ImportFrom) if other.tree is not None else ():
            found |= {a.name for a in n.names}
    while True:
        more = {
            n.id for name in found & functions.keys() for n in all_of(functions[name], ast.Name)
        }
        if more <= found:
            return found
        found |= more


def _builds(walker: Any, node: ast.FunctionDef) -> bool:
    """Whether a function makes parts of a graph, or sets what others read."""
    odd = (ast.Global, ast.Nonlocal, ast.ClassDef, ast.AsyncFunctionDef, ast.Yield, ast.YieldFrom)
    return any(isinstance(n, odd) or id(n) in walker.endpoints for n in walk(node))


def evaluated(walker: Any, node: ast.FunctionDef) -> None:
    """See whether what nobody calls only asks what it is given for values: ``w.eval()``.

    DCGAN's ``to_json(path, *layers)``, whose one call is a comment: of variables TF 2 gives
    ``w.numpy()``.

    Raises:
        Spelled: it does.
    """
    for module in walker.files.order:
        tree = module.tree
        if tree is not None and (node.name in fact(tree, _by_text) or named(tree, node.name)):
            return
    own = {a.arg for a in all_of(node.args, ast.arg)}
    own |= {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}
    found: list[ast.Attribute] = []
    for n in all_of(node, ast.Call):
        if not isinstance(n.func, ast.Attribute) or n.func.attr not in ("eval", "run"):
            continue
        root: ast.expr = n.func
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        mine = isinstance(root, ast.Name) and root.id in own
        if n.func.attr == "run" or n.args or n.keywords or not mine:
            return
        found.append(n.func)
    if not found or _builds(walker, node):
        return

    def numpy(func: ast.Attribute) -> Callable[[Source], str]:
        return lambda source: f"{source(func.value)}.numpy"

    raise Spelled(node, "a function that nobody calls", [(f, numpy(f)) for f in found])


def follow(walker: Any) -> None:
    """Enter each of them, as the only thing of its program.

    Raises:
        Blocked: one isn't a program of its own.
    """
    for module in walker.files.order:
        known = set(read(walker, module))
        for node in module.tree.body if module.tree is not None else ():
            if getattr(node, "name", None) in known or module.frame is None:
                continue
            if isinstance(node, ast.FunctionDef):
                alone = id(node) not in walker.entered and not node.decorator_list
                if alone and walker.runs(node):
                    evaluated(walker, node)
                    _enter(walker, module, node)
            elif isinstance(node, ast.ClassDef) and id(node) not in walker.instances:
                members = list(bases.methods(node))
                if not any(id(m) in walker.entered for m in members) and any(
                    walker.runs(m) for m in members
                ):
                    _make(walker, module, node)


def apart(walker: Any, method: ast.FunctionDef) -> bool:
    """Whether a method makes a graph of its own: another program, as no object has parts of one."""
    plain = all(
        symbol.value.kind in PLAIN
        for instance in walker.instances.values()
        for symbol in instance.attrs.values()
    )
    if not plain or not training_helpers.trains(walker, method):
        return False
    return not any(
        region.sites
        or any(
            s.value.kind not in (*PLAIN, Kind.OBJECT) for step in region.steps for s in step.defs
        )
        for region in walker.regions
        if isinstance(region.node, ast.Module)
    )


def called(walker: Any) -> set[str]:
    """The methods that such functions call, of objects that they make."""
    found: set[str] = set()
    for module in walker.files.order:
        known = set(read(walker, module))
        for node in module.tree.body if module.tree is not None else ():
            if not isinstance(node, ast.FunctionDef) or node.name in known:
                continue
            if id(node) in walker.entered or module.frame is None or not walker.runs(node):
                continue
            calls = all_of(node, ast.Call)
            if any(walker._module_function(n.func, ast.ClassDef) is not None for n in calls):
                found |= {n.func.attr for n in calls if isinstance(n.func, ast.Attribute)}
    return found


def read(walker: Any, home: Module) -> Iterator[str]:
    """The names that a program reads of what a module has, in whichever way."""
    for module in walker.files.order:
        if module.tree is None:
            continue
        yield from fact(module.tree, _by_text)
        yield from _imported(module.tree, home)
        if module is home or fact(module.tree, _all_of_another):
            yield from fact(module.tree, _names)
        aliases = set(module.aliases())
        owners = fact(module.tree, _owners)  # `tf.train` of `tf.train.Saver` reads no `train`
        for n, root in fact(module.tree, _rooted):
            if root in aliases and id(n) not in walker.endpoints and id(n) not in owners:
                yield n.attr


def _imported(tree: ast.Module, home: Module) -> Iterator[str]:
    """The names that a file's imports may mean of a module: not those of another one."""
    *_, folder, file = ("", *re.split(r"[/\\]", home.path))
    stem = folder if file == "__init__.py" else file.removesuffix(".py")
    for whole in all_of(tree, ast.Import):
        yield from (alias.name for alias in whole.names)
    for node in all_of(tree, ast.ImportFrom):
        if node.module is None or node.module.rpartition(".")[2] == stem:
            yield from (alias.name for alias in node.names)


def _names(tree: ast.Module) -> set[str]:
    """The names that a file reads or sets, but for the variables of its functions."""
    local = _local(tree)
    return {n.id for n in all_of(tree, ast.Name) if id(n) not in local}


def _rooted(tree: ast.Module) -> list[tuple[ast.Attribute, str]]:
    """The attributes of names, of their attributes and so on; with the names."""
    found = []
    for n in all_of(tree, ast.Attribute):
        root: ast.expr = n
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            found.append((n, root.id))
    return found


def _owners(tree: ast.Module) -> set[int]:
    """The expressions of which a file reads attributes."""
    return {id(n.value) for n in all_of(tree, ast.Attribute)}


def _by_text(tree: ast.Module) -> set[str]:
    """The words of a file that looks names up by their text."""
    looks = ("getattr", "globals", "locals", "vars", "eval", "exec", "__import__", "__dict__")
    if any(named(tree, name) for name in looks):
        return {str(n.value) for n in all_of(tree, ast.Constant)}
    return set()


def _all_of_another(tree: ast.Module) -> bool:
    return any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in walk(tree))


def _local(tree: ast.Module) -> set[int]:
    """The names that a function means by itself, as one of its variables."""
    found: set[int] = set()
    for function in all_of(tree, ast.FunctionDef):
        nodes = list(walk(function))
        own = {a.arg for a in all_of(function.args, ast.arg)}
        own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own -= {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
        found |= {id(n) for n in nodes if isinstance(n, ast.Name) and n.id in own}
    return found


def _enter(walker: Any, module: Module, node: ast.FunctionDef) -> None:
    """A function, given data where it wants something."""
    walker.begin(module)
    assert module.frame is not None
    walker.frame = module.frame
    call = _call(node)
    before = len(walker.regions)
    given = _given(walker, node, call) | lent_sessions.of_function(walker, node)
    walker.enter(Function(node, module.frame), given, call)
    _apart(walker, walker.regions[before:], node)


def _make(walker: Any, module: Module, node: ast.ClassDef) -> None:
    """An object of a class, and a call of each of its methods that runs a session."""
    walker.begin(module)
    walker.frame = module.frame
    call = _call(node)
    before = len(walker.regions)
    member = bases.find(walker, node, "__init__")
    given = _given(walker, member, call) if member is not None else {}
    if member is not None:
        given |= lent_sessions.kept(walker, node, member)
    walker.instantiate(node, call, dict(list(given.items())[1:]))
    instance = walker.instances[id(node)]
    for method in bases.own(walker, node):
        if method.name != "__init__" and id(method) not in walker.entered and walker.runs(method):
            lent = lent_sessions.given(walker, instance, method)
            walker.method_of(instance, method, lent, None)
    _apart(walker, walker.regions[before:], node)


def _given(walker: Any, node: ast.FunctionDef, call: ast.Call) -> dict[str, Value]:
    """What it is given: data that isn't known, its own defaults where these are no data."""
    given = walker.given(Function(node, walker.module_frame(node)), call)
    plain = (Kind.HOST, Kind.NONE)
    return {name: HOST if v.kind in plain else v for name, v in given.items()}


def _call(node: ast.FunctionDef | ast.ClassDef) -> ast.Call:
    name = ast.copy_location(ast.Name(node.name, ast.Load()), node)
    return ast.copy_location(ast.Call(name, [], []), node)


def _apart(walker: Any, regions: list[Region], node: ast.FunctionDef | ast.ClassDef) -> None:
    """A program of its own has nothing of another one's graph.

    Raises:
        Blocked: it has, and when it runs isn't known.
    """
    fetched = [leaf for r in regions for s in r.sites for leaf in s.fetch.leaves()]
    uses = [symbol for leaf in fetched for symbol in leaf.uses]
    uses += [symbol for r in regions for step in r.steps for symbol in step.uses]
    for symbol in uses:
        home = symbol.step.region
        if home is None or home in regions or isinstance(home.node, ast.ClassDef):
            continue
        if symbol.value.kind not in PLAIN and not isinstance(symbol.value.data, Module):
            raise Blocked(node, f"`{node.name}` runs a session, but no call of it is seen")
