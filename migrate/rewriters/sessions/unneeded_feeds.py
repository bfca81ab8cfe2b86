"""What runs are fed and don't need: whether it may go, and when it is computed otherwise."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Feed, Site
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled

# NumPy's functions that only compute: none draws, and none reads on in a file or an iterator.
COMPUTES = frozenset({
    *("arange", "array", "asarray", "concatenate", "expand_dims", "eye", "float32", "float64"),
    *("full", "hstack", "int32", "int64", "linspace", "ones", "ones_like", "reshape", "squeeze"),
    *("stack", "transpose", "vstack", "zeros", "zeros_like"),
})  # fmt: skip
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def droppable(node: ast.expr) -> bool:
    """Whether an expression only reads, `len` included."""
    sizes = {id(n) for n in all_of(node, ast.Call) if getattr(n.func, "id", "") == "len"}
    return not any(
        isinstance(n, (ast.Call, ast.NamedExpr, ast.Await)) and id(n) not in sizes
        for n in walk(node)
    )


def timeless(node: ast.expr) -> bool:
    """Whether it doesn't matter when an expression is computed."""
    calls = [n.func for n in all_of(node, ast.Call)]
    return not any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in walk(node)) and all(
        (isinstance(f, ast.Name) and f.id in ("float", "int", "len", "range"))
        or (
            isinstance(f, ast.Attribute)
            and isinstance(f.value, ast.Name)
            and f.value.id in ("np", "numpy")
            and f.attr in COMPUTES
        )
        for f in calls
    )


def computed_before(site: Site, feed: Feed) -> None:
    """What is fed and not needed is computed as before, as it may draw: in a statement above.

    Where other feeds are computed ahead of it, and none behind it, the statement stands below.

    Raises:
        Spelled: it is the first or the last that is computed.
    """
    calls = [f for f in site.feeds if not timeless(f.node)]
    shown = all_of(site.stmt, ast.Dict)
    display = next((d for d in shown if any(v is feed.node for v in d.values)), None)
    first, last = calls[:1] == [feed], calls[-1:] == [feed]
    if display is None or not isinstance(site.stmt, (ast.Assign, ast.Expr)):
        return
    if not first and not last:
        return
    if any(isinstance(n, (ast.Lambda, *COMPREHENSIONS, ast.IfExp)) for n in walk(site.stmt)):
        return
    reads = {id(n) for n in walk(site.node)}
    if any(isinstance(n, ast.Call) and id(n) not in reads for n in walk(site.stmt)):
        return  # another call of the statement may come first
    place = [v is feed.node for v in display.values].index(True)
    kept = [
        (k, v)
        for i, (k, v) in enumerate(zip(display.keys, display.values, strict=True))
        if i != place
    ]
    if any(k is None for k, _ in kept):
        return

    def rest(source: Source) -> str:
        return f"{{{', '.join(f'{source(k)}: {source(v)}' for k, v in kept if k is not None)}}}"

    def before(source: Source) -> list[str]:
        return [f"{source(feed.node)}  # fed in TF 1, and not needed: it may draw"]

    def after(source: Source) -> str | None:
        text, old = source(site.stmt), source(display)
        head = source(span((site.stmt.lineno, 0), (site.stmt.lineno, site.stmt.col_offset)))
        if head.strip() or text.count(old) != 1:
            return None
        return "\n".join([text.replace(old, rest(source)), *(f"{head}{n}" for n in before(source))])

    reason = f"`{feed.symbol.name}` is fed and not needed"
    if first:
        raise Spelled(feed.node, reason, [(display, rest)], [(site.stmt, before)])
    raise Spelled(feed.node, reason, [(site.stmt, after)])
