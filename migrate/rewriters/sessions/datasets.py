"""Iterators as TF 2 has them: the specs of their elements, the next one as arguments.

https://www.tensorflow.org/guide/data#dataset_structure
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from migrate.engine.trees import walk
from migrate.programs.graph.data.draws import begins
from migrate.programs.graph.data.iterators import Element, element_of
from migrate.programs.graph.data.object_iterators import called
from migrate.programs.graph.model import Blocked, Site, Symbol


def firsts(params: Iterable[Symbol]) -> dict[Symbol, Element]:
    """Each iterator's element at the first of its parts; they stand together."""
    found: dict[Symbol, Element] = {}
    for symbol in params:
        element = element_of(symbol)
        if element is not None and element not in found.values():
            found[symbol] = element
    return found


def specs(params: Iterable[Symbol], ref: Callable[[Symbol], str]) -> str:
    """What `tf.function` is given: placeholders' specs, those of the elements.

    Raises:
        Blocked: a spec that nothing says, among others.
    """
    params = list(params)
    at = firsts(params)
    out = []
    for symbol in params:
        element = element_of(symbol)
        if element is None:
            out.append(ref(symbol))
            continue
        spec, whole = element.iterator.spec, all(s in params for s in element.symbols)
        if not spec and any(element_of(s) is not element for s in params):
            raise Blocked(element.call, "an iterator over what is fed, beside other feeds")
        if not spec:
            return "reduce_retracing=True"
        if not whole:  # the others are fed and not needed
            out.append(f"{spec}[{element.symbols.index(symbol)}]")
        elif symbol in at:
            out.append(f"{'*' if element.several else ''}{spec}")
    if len(out) == 1 and out[0].startswith("*"):
        return f"input_signature={out[0][1:]}"
    return f"input_signature=[{', '.join(out)}]"


def given(symbol: Symbol, source: str, site: Site, tf: str) -> str:
    """A part of an element that a run is fed, as an argument.

    Raises:
        Blocked: what type it has isn't known before the iterator begins.
    """
    element = element_of(symbol)
    assert element is not None
    iterator = element.iterator
    if iterator.holder:
        raise Blocked(site.node, "a part of another object's next element is fed")
    if iterator.spec:
        return source
    starts = [s for s in element.walker.sites.values() if begins(s) is iterator]
    sure = any(_before(start, site) for start in starts)
    if not sure:
        raise Blocked(site.node, "a part of an iterator's next element is fed before it begins")
    part = f"[{element.symbols.index(symbol)}]" if element.several else ""
    return f"{tf}.constant({source}, {iterator.name}.element_spec{part}.dtype)"


def _before(first: Site, second: Site) -> bool:
    """Whether a run certainly stands before another one."""
    one, other = first.step, second.step
    if one is None or other is None or one.function is not other.function:
        return False
    if one is not other:
        flat = one.node is first.stmt and all(isinstance(n, ast.With) for n in one.outer)
        return flat and one.order < other.order
    for node in walk(one.node):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and first.stmt in body:
                rest = body[body.index(first.stmt) + 1 :]
                return any(n is second.stmt for stmt in rest for n in walk(stmt))
    return False


def arguments(params: Iterable[Symbol], site: Site) -> dict[Symbol, list[str]]:
    """The next elements as arguments, by the parameter that they begin at."""
    return {
        symbol: [f"{'*' if element.several else ''}{_next(site, element)}"]
        for symbol, element in firsts(params).items()
    }


def _next(site: Site, element: Element) -> str:
    held, name = element.iterator.holder, element.iterator.drawn(site).name
    if held and site.region is not element.symbols[0].step.region:
        return f"next({held}.{name.rpartition('.')[2]})"
    return f"next({called(name, site)})"


def drawn(site: Site, element: Element, tf: str) -> str:
    """A run that fetches an element and nothing else."""
    call = _next(site, element)
    if isinstance(site.stmt, ast.Expr) and site.stmt.value is site.node:
        return call
    if not element.iterator.arrays:
        call = f"{tf}.nest.map_structure(lambda t: t.numpy(), {call})"
    unpacked = (
        isinstance(site.stmt, ast.Assign)
        and site.stmt.value is site.node
        and isinstance(site.stmt.targets[0], (ast.Tuple, ast.List))
    )
    return f"list({call})" if site.fetch.shape == "list" and not unpacked else call
