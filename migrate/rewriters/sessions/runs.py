"""Session calls as calls of functions, and what their results were to the author."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.data import draws
from migrate.programs.graph.data.iterators import begun, element_of
from migrate.programs.graph.data.own_queues import OP as QUEUE
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site, Symbol, Value
from migrate.programs.graph.optimizing import schedule_lists
from migrate.programs.graph.slices import Plan, has_default, has_value, idle, is_direct, nested
from migrate.programs.graph.summarizing.summaries import Summaries
from migrate.programs.graph.walk import Gradient, Schedule
from migrate.programs.graph.wording import nested_dicts
from migrate.rewriters.sessions import datasets, listed_ops, scipy_minimizers
from migrate.rewriters.sessions.text import Text
from migrate.rewriters.sessions.unneeded_feeds import computed_before, droppable, timeless

Replacement = tuple[int, int, str]
ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def structured(fetch: Fetch) -> bool:
    """Whether a fetch is a list or a tuple of tensors under one name."""
    value = fetch.value
    gradient = isinstance(value.data, Gradient) and value.data.kind != "minimize"
    summaries = isinstance(value.data, Summaries)
    of_data = hasattr(value.data, "element")
    several = value.items is not None or isinstance(value.data, Structure)
    several = several or value.data in ("container", VARIABLES)
    return several or gradient or summaries or of_data


def _numpy(call: str, fetches: list[Fetch], tf: str) -> str:
    """A function's result as NumPy arrays."""
    if all(isinstance(f.value.data, Summaries) for f in fetches):
        return call  # they are only written
    if any(structured(f) for f in fetches):
        return f"{tf}.nest.map_structure(lambda t: t.numpy(), {call})"
    return f"{call}.numpy()"


def replace(
    site: Site,
    plan: Plan | None,
    text: Text,
    loads: dict[str, int],
    tf: str,
    here: Callable[[ast.AST], str],
) -> Replacement:
    """What stands for a session call: its span (or its statement's) and the new source.

    Raises:
        Blocked: what becomes of the results can't be written.
    """
    start, end = text.index.span(site.node)
    stmt = site.stmt
    element = draws.whole(site)
    if element is not None:
        fed = [f for f in site.feeds if not hasattr(f.value.data if f.value else None, "fed")]
        if fed or site.feed_name is not None:
            raise Blocked(site.node, "an iterator's next element is fetched and something is fed")
        return start, end, datasets.drawn(site, element, tf)
    if is_direct(site):
        return start, end, _direct(site, here, tf)
    assert plan is not None
    owner = f"{site.owner}." if site.owner else ""
    call = f"{owner}{plan.name}({_arguments(site, plan, here, tf)})"
    if site.minimized:
        return start, end, scipy_minimizers.written(site, call, here)
    starting = draws.begins(site)
    if starting is not None:
        return start, end, f"{starting.name} = {begun(starting, call)}"
    if isinstance(stmt, ast.Expr) and stmt.value is site.node:
        return start, end, call
    if _idle(site, stmt, loads):
        return (*text.index.span(stmt), call)
    if nested(site.fetch):
        array = "t if t is None else t.numpy()" if _inner_ops(site.fetch) else "t.numpy()"
        arrays = f"{tf}.nest.map_structure(lambda t: {array}, {call})"
        nones = _missed(site, text)
        return start, end, f"{{**{arrays}, {nones}}}" if nones else arrays
    if site.fetch.items is None:
        if not has_value(site.fetch):
            return _of_op(site, call, loads, text)
        return start, end, _numpy(call, [site.fetch], tf)
    if (
        isinstance(stmt, ast.Assign)
        and stmt.value is site.node
        and len(stmt.targets) == 1
        and isinstance(stmt.targets[0], (ast.Tuple, ast.List))
        and site.fetch.shape in ("list", "tuple")
        and len(stmt.targets[0].elts) == len(site.fetch.items)
        and all(f.items is None or not has_value(f) for f in site.fetch.items)
        and not any(isinstance(t, ast.Starred) for t in stmt.targets[0].elts)
    ):
        return _unpacked(site, stmt, stmt.targets[0], call, loads, text, tf)
    if isinstance(stmt, ast.Assign) and stmt.value is site.node:
        among = _among(site, stmt, call, text)
        if among is not None:
            return among
    return _item(site, call, text, tf) or (start, end, _structured(site, call, text, tf))


def _item(site: Site, call: str, text: Text, tf: str) -> Replacement | None:
    """The one result that is wanted of several, ``sess.run([train, loss], feed)[1]``."""
    fetches = site.fetch.items or []
    around = [n for n in all_of(site.stmt, ast.Subscript) if n.value is site.node]
    if not around or site.fetch.shape not in ("list", "tuple"):
        return None
    try:
        place = ast.literal_eval(around[0].slice)
    except ValueError:
        return None
    if not isinstance(place, int) or not -len(fetches) <= place < len(fetches):
        return None
    wanted = fetches[place]
    if any(f.items is not None for f in fetches) or not has_value(wanted):
        return None
    if any(structured(f) and not isinstance(f.value.data, Summaries) for f in fetches):
        return None
    kept = [f for f in fetches if has_value(f)]
    which = f"[{[f is wanted for f in kept].index(True)}]" if len(kept) > 1 else ""
    start, end = text.index.span(around[0])
    return start, end, _numpy(f"{call}{which}", [wanted], tf)


def _inner_ops(fetch: Fetch) -> bool:
    """Whether a function gives the None of an op: all but those of a dict as such."""
    items = fetch.items or []
    if fetch.shape == "dict":
        items = [f for f in items if has_value(f)]
    return any(not has_value(leaf) for f in items for leaf in f.leaves())


def _missed(site: Site, text: Text) -> str:
    """The ops of a dict of fetches, as entries with None; nothing where nobody looks at them."""
    fetch = site.fetch
    if fetch.shape != "dict" or not fetch.items or not fetch.keys:
        return ""
    missed = [(k, f) for k, f in zip(fetch.keys, fetch.items, strict=True) if not has_value(f)]
    ops = [k for k, _ in missed]
    stmt = site.stmt
    scope = site.step.function if site.step is not None else None
    if scope is not None and isinstance(stmt, ast.Assign) and stmt.value is site.node:
        target = stmt.targets[0]
        if len(stmt.targets) == 1 and isinstance(target, ast.Name):
            read = all_of(scope, ast.Subscript)
            items = {id(n.value): n.slice for n in read}
            said = {ast.dump(k) for k in fetch.keys if isinstance(k, ast.Constant)}
            said -= {ast.dump(k) for k in ops}
            if all(
                ast.dump(items.get(id(n), n)) in said
                for n in all_of(scope, ast.Name)
                if n.id == target.id and isinstance(n.ctx, ast.Load)
            ):
                return ""
    return ", ".join(f"{text.source(k)}: {_nothing(f, text)}" for k, f in missed)


def _nothing(fetch: Fetch, text: Text) -> str:
    """What ops alone give: a None for each, in the structure that the author gave them."""
    if fetch.items is None:
        return "None"
    parts = [_nothing(f, text) for f in fetch.items]
    if fetch.shape == "dict":
        keys = map(text.source, fetch.keys or ())
        return f"{{{', '.join(f'{k}: {v}' for k, v in zip(keys, parts, strict=True))}}}"
    if fetch.shape == "tuple":
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return f"[{', '.join(parts)}]"


def _among(site: Site, stmt: ast.Assign, call: str, text: Text) -> Replacement | None:
    """A list that is kept, with the None of one train op between values."""
    fetch = site.fetch
    if fetch.shape != "list" or not fetch.items or len(stmt.targets) != 1:
        return None
    values = [has_value(f) for f in fetch.items]
    target = stmt.targets[0]
    if values.count(False) != 1 or not (values[0] and values[-1]):
        return None
    if not isinstance(target, ast.Name) or any(structured(f) or f.items for f in fetch.items):
        return None
    start, end = text.index.span(stmt)
    indent = " " * (start - text.text.rfind("\n", 0, start) - 1)
    new = f"{target.id} = [t.numpy() for t in {call}]{text.newline}"
    return start, end, f"{new}{indent}{target.id}.insert({values.index(False)}, None)"


def _of_op(site: Site, call: str, loads: dict[str, int], text: Text) -> Replacement:
    stmt = site.stmt
    if isinstance(stmt, ast.Assign) and stmt.value is site.node:
        _unread(stmt.targets, loads)
        start, end = text.index.span(stmt)
        return start, end, call
    listed = stmt.value if isinstance(stmt, ast.Expr) else None
    start, end = text.index.span(site.node)
    if isinstance(listed, ast.ListComp) and listed.elt is site.node:  # nobody keeps the list
        return start, end, call
    return start, end, call  # None, as in TF 1


def _idle(site: Site, stmt: ast.stmt, loads: dict[str, int]) -> bool:
    """Whether train ops alone get a name that nobody reads, ``_ = sess.run([train])``."""
    fetch = site.fetch
    if not isinstance(stmt, ast.Assign) or stmt.value is not site.node or not fetch.items:
        return False
    if any(has_value(leaf) for item in fetch.items for leaf in item.leaves()):
        return False
    names = [t.id for t in stmt.targets if isinstance(t, ast.Name)]
    return len(names) == len(stmt.targets) and not any(loads.get(n) for n in names if n != "_")


def _unread(targets: list[ast.expr], loads: dict[str, int]) -> None:
    for target in targets:
        for name in walk(target):
            if isinstance(name, ast.Name) and loads.get(name.id, 0) and name.id != "_":
                raise Blocked(target, f"`{name.id}`, the None of a train op, is used")
            if isinstance(name, (ast.Attribute, ast.Subscript)):
                raise Blocked(target, "the None of a train op is kept")


def _unpacked(
    site: Site,
    stmt: ast.Assign,
    target: ast.Tuple | ast.List,
    call: str,
    loads: dict[str, int],
    text: Text,
    tf: str,
) -> Replacement:
    assert site.fetch.items is not None
    kept = []
    for place, leaf in zip(target.elts, site.fetch.items, strict=True):
        if has_value(leaf):
            kept.append(text.source(place))
        elif not (isinstance(place, ast.Name) and place.id in {"_", "__"}):
            _unread([place], loads)
    start, end = text.index.span(stmt)
    if not kept:
        return start, end, call
    if len(kept) == 1:
        only = [f for f in site.fetch.items if has_value(f)]
        return start, end, f"{kept[0]} = {_numpy(call, only, tf)}"
    if any(structured(f) for f in site.fetch.items):
        return start, end, f"{', '.join(kept)} = {_numpy(call, site.fetch.items, tf)}"
    return start, end, f"{', '.join(kept)} = [t.numpy() for t in {call}]"


def _structured(site: Site, call: str, text: Text, tf: str) -> str:
    """A structure of results, as the author had it."""
    fetch = site.fetch
    if fetch.items and any(structured(f) for f in fetch.items):
        inner = _numpy(call, fetch.items, tf)
        if len(fetch.items) == 1 and fetch.items[0].items is None and has_value(fetch.items[0]):
            return f"[{inner}]" if fetch.shape == "list" else f"({inner},)"
        values = [has_value(f) for f in fetch.items]
        if all(values) and len(values) > 1:
            return f"list({inner})" if fetch.shape == "list" else inner
        many = f"*{inner}" if values.count(True) > 1 else inner
        return _with_nones(site, values, many, "lists of tensors among other fetches")
    if fetch.items is None or any(f.items is not None for f in fetch.items):
        raise Blocked(site.node, "nested fetches")
    if any(isinstance(f.value.node, (ast.List, ast.Tuple, ast.Assign)) for f in fetch.items):
        why = "the values of ops in a list are used"
        listed_ops.named(site, why, text)
        raise Blocked(site.node, why)
    values = [has_value(f) for f in fetch.items]
    if fetch.shape == "dict":
        raise Blocked(site.node, "a dict of fetches")
    if all(values):
        if len(values) == 1:
            inner = f"{call}.numpy()"
            return f"[{inner}]" if fetch.shape == "list" else f"({inner},)"
        inner = f"[t.numpy() for t in {call}]"
        return inner if fetch.shape == "list" else f"tuple({inner[1:-1]})"
    if values.count(True) == 0:
        raise Blocked(site.node, "the values of train ops, which are None, are used")
    many = f"{call}.numpy()" if values.count(True) == 1 else f"*[t.numpy() for t in {call}]"
    return _with_nones(site, values, many, "train ops among other fetches, kept as one list")


def _with_nones(site: Site, values: list[bool], many: str, otherwise: str) -> str:
    """What a function gives, before or behind the None of train ops.

    Raises:
        Blocked: they stand in between, or there is no value; ``otherwise``.
    """
    ops = len(values) - values.count(True)
    nones = ", ".join(["None"] * ops)
    if 0 < ops < len(values) and not any(values[:ops]):
        inner = f"{nones}, {many}"
    elif 0 < ops < len(values) and not any(values[-ops:]):
        inner = f"{many}, {nones}"
    else:
        raise Blocked(site.node, otherwise)
    return f"[{inner}]" if site.fetch.shape == "list" else f"({inner})"


def _arguments(site: Site, plan: Plan, here: Callable[[ast.AST], str], tf: str) -> str:
    if site.feed_name is not None:
        if any(element_of(symbol) is not None for symbol in plan.params):
            raise Blocked(site.node, "a feed_dict with a name beside an iterator's next element")
        for symbol in plan.params:
            _keyword(symbol, site, plan)
        return f"**{here(site.feed_name)}"
    fed = {feed.symbol: feed.node for feed in site.feeds}
    for feed in site.feeds:
        if feed.symbol not in plan.params and not droppable(feed.node):
            computed_before(site, feed)
            raise Blocked(feed.node, f"`{feed.symbol.name}` is fed and not needed")
    parts: list[str] = []
    skipped = False
    elements = datasets.arguments([s for s in plan.params if s not in fed], site)
    params = _as_fed(plan.params, site)
    moved = params != list(plan.params)  # then by keyword: Python computes them as they are written
    for symbol in params:
        if element_of(symbol) is not None and symbol not in fed:
            parts.extend(elements.get(symbol, ()))
            continue
        if symbol not in fed and has_default(symbol):
            skipped = True
            continue
        node = fed[symbol]
        source = here(node)
        if isinstance(node, ast.GeneratorExp) and not source.startswith("("):
            source = f"({source})"
        source = " ".join(source.split()) if "\n" in source and "#" not in source else source
        if element_of(symbol) is not None:
            source = datasets.given(symbol, source, site, tf)
        parts.append(f"{_keyword(symbol, site, plan)}={source}" if skipped or moved else source)
    return ", ".join(parts)


def _keyword(symbol: Symbol, site: Site, plan: Plan) -> str:
    """A parameter's name at a call.

    Raises:
        Blocked: a `tf.function` gives what is passed under such a name another one.
    """
    name = plan.names.get(symbol, symbol.name)
    if name.startswith("_"):
        raise Blocked(site.node, f"`{name}` is fed by a name that begins with an underscore")
    return name


def _as_fed(params: Iterable[Symbol], site: Site) -> list[Symbol]:
    """The parameters in the order in which a run computes what it feeds, where that may matter."""
    params = list(params)
    calls = [f.symbol for f in site.feeds if f.symbol in params and not timeless(f.node)]
    if calls == [s for s in params if s in calls]:
        return params
    if any(element_of(s) is not None and s not in calls for s in params):
        raise Blocked(site.node, "what is fed is computed in another order than the elements")
    found = [f.symbol for f in site.feeds if f.symbol in params]
    return found + [s for s in params if s not in found]


def several(fetch: Fetch) -> bool:
    """Whether a fetch is a container of variables."""
    value = fetch.value
    return value.kind is Kind.VARIABLE and (value.items is not None or value.data == "container")


def each(fetch: Fetch, source: str, read: str) -> str:
    """What is read of each variable `v` of a container."""
    keys = [key for key, _ in fetch.value.items or ()]
    nested_dicts.whole(fetch.value, fetch.node)
    if (keys and all(isinstance(key, str) for key in keys)) or _keyed(fetch.value):
        return f"{{name: {read} for name, v in {source}.items()}}"
    return f"[{read} for v in {source}]"


def _keyed(value: Value) -> bool:
    """Whether a container began as a dict that was empty."""
    match value.node:
        case ast.Assign(value=ast.Dict() | ast.Call(func=ast.Name(id="dict"))):
            return True
    return False


def _direct(site: Site, here: Callable[[ast.AST], str], tf: str) -> str:
    """Variables and constants are simply read."""
    if site.feed_name is None and any(not droppable(f.node) for f in site.feeds):
        raise Blocked(site.node, "what is fed isn't needed")
    alone = isinstance(site.stmt, ast.Expr) and site.stmt.value is site.node
    fetch = site.fetch
    if fetch.items is None:
        if idle(fetch) and not alone:
            return "None"
        if fetch.value.kind is Kind.OP:
            if fetch.value.data != "assign" and not (fetch.value.data == QUEUE and alone):
                raise Blocked(site.node, "an op that is made where it is run")
            source = here(fetch.node)
            return source if alone else f"{source}.numpy()"
        return _read(fetch, here, tf)
    return _read_all(site, fetch, here, tf)


def _read_all(site: Site, fetch: Fetch, here: Callable[[ast.AST], str], tf: str) -> str:
    """A structure of variables and constants, as the author had it."""
    if fetch.items is None:
        if fetch.value.kind is Kind.OP and not idle(fetch):
            raise Blocked(site.node, "ops that are made where they are run")
        return _read(fetch, here, tf)
    parts = [_read_all(site, f, here, tf) for f in fetch.items]
    if fetch.shape == "dict":
        if fetch.keys is None or len(fetch.keys) != len(parts):
            raise Blocked(site.node, "a dict of fetches")
        said = [f"{here(key)}: {part}" for key, part in zip(fetch.keys, parts, strict=True)]
        return f"{{{', '.join(said)}}}"
    if fetch.shape == "tuple":
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return f"[{', '.join(parts)}]"


def _flat(fetch: Fetch) -> bool:
    """Whether constants stand in a list or a dict, and none of them in another one."""
    made = [getattr(symbol.step.node, "value", None) for symbol in fetch.uses]
    inner = [v for _, v in fetch.value.items or ()]
    plain = all(isinstance(m, (ast.List, ast.Dict, ast.Call)) for m in made)
    return len(made) == 1 and plain and all(v.items is None for v in inner)


def _read(fetch: Fetch, here: Callable[[ast.AST], str], tf: str) -> str:
    if idle(fetch):
        return "None"
    if isinstance(fetch.value.data, Schedule) and isinstance(fetch.node, ast.Attribute):
        step, name = fetch.value.data.step, fetch.node.attr
        homes = [s.step.region for s in fetch.uses if s.attribute and s.name == name]
        if step.attribute and homes == [step.step.region]:  # the object's, as its step is
            owner = here(fetch.node.value)
            return f"{owner}.{name}({owner}.{step.name}).numpy()"
    source = here(fetch.node)
    if schedule_lists.is_one(fetch.value):
        return source
    listed = fetch.value.data in ("container", VARIABLES)
    if fetch.value.kind is Kind.CONST and fetch.value.items:
        if _flat(fetch):
            return each(fetch, source, "v.numpy()")
        listed = True
    if fetch.value.kind in (Kind.CONST, Kind.TENSOR) and listed:
        return f"{tf}.nest.map_structure(lambda t: t.numpy(), {source})"
    if isinstance(fetch.value.data, Schedule):
        return f"{source}.numpy()"
    if several(fetch):
        return each(fetch, source, "v.numpy()")
    if hasattr(fetch.value.data, "read"):
        source = fetch.value.data.source(None)
        own = f"self.{fetch.node.attr}" if isinstance(fetch.node, ast.Attribute) else ""
        if own and source.partition("(")[0].startswith((own, f"{own}.")):  # of the object
            assert isinstance(fetch.node, ast.Attribute)
            source = f"{here(fetch.node.value)}.{source.removeprefix('self.')}"
        return f"{source}.numpy()"
    return f"{source}.numpy()" if isinstance(fetch.node, ATOMS) else f"({source}).numpy()"
