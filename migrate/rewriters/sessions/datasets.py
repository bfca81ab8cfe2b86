"""Iterators as TF 2 has them: the specs of their elements, the next one as arguments.

https://www.tensorflow.org/guide/data#dataset_structure
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from migrate.programs.graph.iterators import Element, element_of
from migrate.programs.graph.model import Blocked, Site, Symbol
from migrate.programs.graph.object_iterators import called


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
        if element_of(symbol) is None:
            out.append(ref(symbol))
        elif symbol in at:
            spec = at[symbol].iterator.spec
            if not spec and any(element_of(s) is not at[symbol] for s in params):
                raise Blocked(at[symbol].call, "an iterator over what is fed, beside other feeds")
            if not spec:
                return "reduce_retracing=True"
            out.append(f"{'*' if at[symbol].several else ''}{spec}")
    if len(out) == 1 and out[0].startswith("*"):
        return f"input_signature={out[0][1:]}"
    return f"input_signature=[{', '.join(out)}]"


def arguments(params: Iterable[Symbol], site: Site) -> dict[Symbol, list[str]]:
    """The next elements as arguments, by the parameter that they begin at."""
    return {
        symbol: [f"{'*' if element.several else ''}{_next(site, element)}"]
        for symbol, element in firsts(params).items()
    }


def _next(site: Site, element: Element) -> str:
    return f"next({called(element.iterator.drawn(site).name, site)})"


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
