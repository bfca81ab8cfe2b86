"""Functions that are given elements of a queue, and batch them: they are given the dataset.

    def batch_of(image, label, size):                    def batch_of(dataset, size):
        return tf.train.batch([image, label], size)          return dataset.batch(size, …)

Which of its parameters are parts of an element, a function's first call tells; all others must
say the same.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import flows
from migrate.rewriters.sessions.queues.flows import NOT_A_QUEUES, Flow
from migrate.rewriters.sessions.queues.module import loaded

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.pipelines import Pipelines
    from migrate.rewriters.sessions.queues.scope import Scope

WIDE = 90


def waits(pipelines: Pipelines, function: ast.FunctionDef, error: Blocked) -> bool:
    """Whether a function may be followed when it is called, after an error without its calls."""
    given = function.args
    return (
        error.reason.endswith(NOT_A_QUEUES)
        and bool(given.args)
        and not (given.vararg or given.kwarg or given.posonlyargs or given.kwonlyargs)
        and pipelines.module.definition(function.name) is function
        and not function.decorator_list
        # What came before was followed without knowing of it.
        and not re.search(rf"\b{function.name}\b", pipelines.before)
    )


def taker(pipelines: Pipelines, node: ast.AST | None) -> ast.FunctionDef | None:
    """The function of this kind that a call calls."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    name = node.func.id
    known = pipelines.gives.get(name)
    if name in pipelines.waiting or (known is not None and known.takes):
        return pipelines.module.definition(name)
    return None


def call(
    scope: Scope,
    function: ast.FunctionDef,
    node: ast.Call,
    open_: list[Flow],
    before: ast.stmt | None,
    last: bool,
) -> tuple[str, str, Flow]:
    """A call that is given a dataset: what stands before it, the call, whose elements they were.

    Raises:
        Blocked: what it is given isn't seen, or not what another call gives.
    """
    module = scope.module
    places, elements, flow = elements_of(scope, function, node, open_)
    text, source = scope.mapped(flow, elements, "", before, last)
    if not source.isidentifier() and len(source) + len(module.source(node)) > WIDE:
        name = source.partition(".")[0]  # its own, which nothing else reads
        name = name if name.isidentifier() else scope.free("dataset")
        text, source = f"{text}{scope.indent}{name} = {source}{module.text.newline}", name
    scope.done(node)
    return text, written(scope, node, function, places, source), flow


def elements_of(
    scope: Scope, function: ast.FunctionDef, node: ast.Call, open_: list[Flow]
) -> tuple[tuple[int, ...], str, Flow]:
    """What a call is given of elements, by place, as a function gives them, and whose they are.

    Raises:
        Blocked: what it is given isn't seen, or not what another call gives.
    """
    pipelines, module = scope.pipelines, scope.module
    given = _arguments(function, node)
    own = set().union(*(f.own for f in open_))
    places = tuple(i for i, value in sorted(given.items()) if loaded(value) & own)
    if not places:
        raise pipelines.waiting.get(function.name) or Blocked(node, f"a batch of {NOT_A_QUEUES}")
    flow = scope.flow_of(ast.Tuple([given[i] for i in places], ast.Load()), open_)
    if not all(loaded(given[i]) & flow.own for i in places):
        raise Blocked(node, "elements of several queues are given to one function")
    results = given[places[0]] if len(places) == 1 else None
    several: bool | None = True
    if results is None:
        elements = ", ".join(module.source(given[i]) for i in places)
    else:
        elements, several = flows.results(module, results, flow)
        if isinstance(results, (ast.List, ast.Tuple)) and not several:
            raise Blocked(node, "a batch of a list that has one tensor")
        if several is None and isinstance(results, ast.Name):
            several = False if _single(flow, results.id) else None
    known = pipelines.gives.get(function.name)
    if known is None:
        _follow(scope, function, places, several)
    elif known.takes != places or pipelines.widths[function.name] != several:
        raise Blocked(node, f"`{function.name}` is given elements in two ways")
    return places, elements, flow


def _single(flow: Flow, name: str) -> bool:
    """Whether a name is the one tensor that an element is."""
    return flow.several is False and flow.names == [name] and not flow.body and not flow.first


def _arguments(function: ast.FunctionDef, node: ast.Call) -> dict[int, ast.expr]:
    """What a call gives, by the parameters' places."""
    names = [a.arg for a in function.args.args]
    hidden = any(isinstance(a, ast.Starred) for a in node.args)
    if hidden or any(k.arg not in names for k in node.keywords) or len(node.args) > len(names):
        raise Blocked(node, f"what `{function.name}` is given is hidden")
    given = dict(enumerate(node.args))
    return given | {names.index(k.arg): k.value for k in node.keywords if k.arg}


def _follow(
    scope: Scope, function: ast.FunctionDef, places: tuple[int, ...], several: bool | None
) -> None:
    """The function's own statements, from its dataset to what it returns."""
    pipelines, module = scope.pipelines, scope.module
    arguments = function.args
    names = [arguments.args[i].arg for i in places]
    if len(arguments.args) - len(arguments.defaults) <= places[-1]:
        raise Blocked(function, f"`{function.name}` may be given no elements")
    del pipelines.waiting[function.name]
    name = pipelines.begin(function, names, several)
    given = pipelines.gives.get(function.name)
    if given is None:
        raise Blocked(function, f"`{function.name}` is given elements, and returns none")
    pipelines.takes(function.name, places, several)
    parts = []
    for i, argument in enumerate(arguments.args):
        if i in places:
            parts += [name] if i == places[0] else []
            continue
        text = module.source(argument)
        default = i - len(arguments.args) + len(arguments.defaults)
        parts.append(
            text if default < 0 else f"{text}={module.source(arguments.defaults[default])}"
        )
    ends = [*arguments.args, *arguments.defaults]
    start = module.text.index.span(arguments.args[0])[0]
    end = max(module.text.index.span(n)[1] for n in ends)
    module.changes.append(Edit(start, end, ", ".join(parts)))
    pipelines.datasets[function.name] = name


def written(
    scope: Scope, node: ast.Call, function: ast.FunctionDef, places: tuple[int, ...], source: str
) -> str:
    """The call with the dataset instead of its elements."""
    module = scope.module
    names = [a.arg for a in function.args.args]
    parts = []
    for i, value in enumerate(node.args):
        if i == places[0]:
            parts.append(source)
        elif i not in places:
            parts.append(module.source(value))
    for keyword in node.keywords:
        at = names.index(keyword.arg or "")
        if at == places[0]:
            parts.append(f"{scope.pipelines.datasets[function.name]}={source}")
        elif at not in places:
            parts.append(f"{keyword.arg}={module.source(keyword.value)}")
    return f"{module.source(node.func)}({', '.join(parts)})"


def uses(pipelines: Pipelines) -> None:
    """See that nothing else is done with such functions.

    Raises:
        Blocked: one isn't called, or in another way.
    """
    names = {name for name, given in pipelines.gives.items() if given.takes}
    for error in pipelines.waiting.values():
        raise error
    nodes = list(walk(pipelines.module.tree))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call) and id(n) in pipelines.done}
    for n in nodes:
        if isinstance(n, ast.Name) and n.id in names and id(n) not in called:
            raise Blocked(n, f"`{n.id}`, which is given a dataset, is used in another way")
