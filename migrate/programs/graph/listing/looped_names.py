"""``for v in tf.trainable_variables(): print(v.name)``: the loop goes through the names as well.

The names that TF 1 gives the variables of layers are written out where a comprehension asks for
them (`named_variables.read`). A loop that reads nothing but names goes through these alone. The
list may have some of the variables, `tf.trainable_variables("net")`, `[v for v in … if …]`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.made import Gradient
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, same, word

LISTS = T + "trainable_variables"
KEY = T + "GraphKeys.TRAINABLE_VARIABLES"


def check(walker: Any, node: ast.expr, reason: str, *, tag: bool = False) -> None:
    """See whether a name is read of what a loop over the trained variables is at.

    ``tag``: of a summary, which a function makes: what the names are is said before the loop.

    Raises:
        Spelled: it is.
    """
    owner = of(node)
    if owner is None or walker.frame.region is None:
        return
    own, op = owner.id, ".op" if isinstance(getattr(node, "value", None), ast.Attribute) else ""
    loops = all_of(walker.frame.node, ast.For)
    loop = next((n for n in reversed(loops) if holds(n, node)), None)
    if loop is None or loop.orelse:
        return
    target, through = loop.target, loop.iter
    if _counts(loop):
        assert isinstance(target, ast.Tuple)
        assert isinstance(through, ast.Call)
        target, through = target.elts[1], through.args[0]
    if isinstance(through, ast.Name) and isinstance(target, ast.Tuple):
        _computed(walker, node, loop, through, op, reason)
    pairs = _pairs(walker, target, through)
    listed: ast.expr | None
    if pairs is not None:
        target, of_pairs = pairs
        listed = called(walker, of_pairs)
        if listed is None and chosen(walker, of_pairs) is not None:
            listed = of_pairs
    else:
        listed = called(walker, through)
    uses = [n for s in loop.body for n in all_of(s, ast.Name) if n.id == own]
    scope = [n for n in all_of(walker.frame.node, ast.Name) if n.id == own]
    if pairs is None and listed is None and chosen(walker, through) is not None:
        listed = through
    if listed is None or any(not _load(n) for n in uses):
        return
    if not isinstance(target, ast.Name) or target.id != own:
        return
    inside = {id(n) for n in walk(loop)}
    behind = [n for n in scope if id(n) not in inside and _load(n)]
    if any(n.lineno > loop.lineno for n in behind) and not _bound_again(scope, behind, loop):
        return  # the last one, behind the loop
    asked = [n for s in loop.body for n in all_of(s, ast.Attribute) if _id(of(n)) == own]
    reads = [n for n in asked if isinstance(n.value, ast.Attribute) == bool(op)]
    if len(asked) > len(reads):
        return  # both kinds of names
    name = "name" if free(walker, "name") == "name" else free(walker, f"{own}_name")
    root = listed

    def names(source: Source) -> str:
        return f"[{own}{op}.name for {own} in {source(root)}]"

    replaced: list[Written] = [(n, word(name)) for n in reads]
    if pairs is not None:
        whole = loop.target
        replaced.append((whole, lambda source: f"({source(whole)}), {name}"))
        if not tag:
            replaced.append((through, lambda source: f"zip({source(through)}, {names(source)})"))
            raise Spelled(node, reason, replaced)
        every = free(walker, f"{own}_names")
        replaced.append((through, lambda source: f"zip({source(through)}, {every})"))
        raise Spelled(
            node, reason, replaced, [(loop, lambda source: [f"{every} = {names(source)}"])]
        )
    if tag:
        every = free(walker, f"{own}_names")
        replaced.append(
            (target, word(f"{own}, {name}" if target is loop.target else f"({own}, {name})"))
        )
        replaced.append((through, lambda source: f"zip({source(through)}, {every})"))
        raise Spelled(
            node, reason, replaced, [(loop, lambda source: [f"{every} = {names(source)}"])]
        )
    if len(reads) == len(uses):
        replaced += [(target, word(name)), (through, names)]
    else:
        both = f"{own}, {name}"
        replaced.append((target, word(both if target is loop.target else f"({both})")))
        replaced.append((through, lambda source: f"zip({source(through)}, {names(source)})"))
    raise Spelled(node, reason, replaced)


def _computed(
    walker: Any, node: ast.expr, loop: ast.For, pairs: ast.Name, op: str, reason: str
) -> None:
    """``for g, v in optimizer.compute_gradients(loss)``, under a name: it is told what of.

    Raises:
        Spelled: the names of its variables are read, and of nothing else.
    """
    owner, target = of(node), loop.target
    symbol = walker.frame.env.get(pairs.id)
    made = symbol.step.node if symbol is not None else None
    gradient = symbol.value.data if symbol is not None else None
    if owner is None or not isinstance(gradient, Gradient) or not isinstance(made, ast.Assign):
        return
    own, call, listed = owner.id, gradient.call, gradient.variables
    last = target.elts[-1] if isinstance(target, ast.Tuple) else None
    if made.value is not call or not isinstance(last, ast.Name) or last.id != own or _counts(loop):
        return
    if listed is not None and not (called(walker, listed) or chosen(walker, listed) is not None):
        return
    uses = [n for s in loop.body for n in all_of(s, ast.Name) if n.id == own]
    asked = [n for s in loop.body for n in all_of(s, ast.Attribute) if _id(of(n)) == own]
    reads = [n for n in asked if isinstance(n.value, ast.Attribute) == bool(op)]
    inside = {id(n) for n in walk(loop)}
    scope = [n for n in all_of(walker.frame.node, ast.Name) if n.id == own and id(n) not in inside]
    behind = [n for n in scope if _load(n) and n.lineno > loop.lineno]
    if any(not _load(n) for n in uses) or len(asked) > len(reads):
        return
    if behind and not _bound_again(scope, behind, loop):
        return
    tf = _root(walker)
    name, every = (free(walker, f"{own}_{end}") for end in ("name", "names"))
    if tf is None:
        return

    def before(source: Source) -> list[str]:
        of_all = source(listed) if listed is not None else f"{tf}.trainable_variables()"
        return [f"{every} = [{own}{op}.name for {own} in {of_all}]"]

    replaced: list[Written] = [(n, word(name)) for n in reads]
    replaced.append((target, lambda source: f"({source(target)}), {name}"))
    replaced.append((loop.iter, lambda source: f"zip({source(loop.iter)}, {every})"))
    if listed is None:
        end = [*call.args, *(k.value for k in call.keywords)][-1]
        replaced.append((end, same(end, after=f", var_list={tf}.trainable_variables()")))
    raise Spelled(node, reason, replaced, [(made, before)])


def _root(walker: Any) -> str | None:
    """What TensorFlow is called in the function at hand."""
    for n in all_of(walker.frame.node, ast.Attribute):
        endpoint = str(walker.endpoints.get(id(n), ""))
        said, short = ast.unparse(n), endpoint.removeprefix(T)
        if endpoint and said.endswith(f".{short}"):
            return said.removesuffix(f".{short}")
    return None


def of(node: ast.expr) -> ast.Name | None:
    """Whose name is read: ``v.name``, ``v.op.name``."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return None
    inner = node.value
    if isinstance(inner, ast.Attribute) and inner.attr == "op":
        inner = inner.value
    return inner if isinstance(inner, ast.Name) else None


def _id(node: ast.Name | None) -> str:
    return node.id if node is not None else ""


def told(walker: Any, loop: ast.For, name: str) -> ast.ListComp | None:
    """The names of variables that a loop goes through under a name, beside the variables."""
    through, target = loop.iter, loop.target
    if not isinstance(through, ast.Call) or getattr(through.func, "id", "") != "zip":
        return None
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(through.args):
        return None
    for one, items in zip(target.elts, through.args, strict=True):
        made = _made(walker, items) if getattr(one, "id", "") == name else None
        if isinstance(made, ast.ListComp):
            return made if of(made.elt) is not None else None
    return None


def _counts(loop: ast.For) -> bool:
    """``for i, v in enumerate(variables):``."""
    pair = isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2
    call = loop.iter
    return (
        pair
        and isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "enumerate"
        and len(call.args) == 1
    )


def _pairs(walker: Any, target: ast.expr, through: ast.expr) -> tuple[ast.Name, ast.expr] | None:
    """``for g, v in pairs:`` of ``pairs = list(zip(gradients, variables))``: the name and these."""
    if not isinstance(target, ast.Tuple) or not isinstance(through, ast.Name):
        return None
    made = _made(walker, through)
    if isinstance(made, ast.Call) and getattr(made.func, "id", "") in ("list", "tuple"):
        made = made.args[0] if len(made.args) == 1 else None
    if not isinstance(made, ast.Call) or getattr(made.func, "id", "") != "zip":
        return None
    own = target.elts[-1]
    if len(target.elts) != 2 or len(made.args) != 2 or not isinstance(own, ast.Name):
        return None
    return own, made.args[1]


def _load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _bound_again(scope: list[ast.Name], behind: list[ast.Name], loop: ast.For) -> bool:
    """Whether what reads the name behind the loop does so behind another binding of it."""
    end = loop.end_lineno or loop.lineno
    later = [n.lineno for n in scope if not _load(n) and n.lineno > end]
    return bool(later) and all(n.lineno < loop.lineno or n.lineno >= min(later) for n in behind)


def chosen(walker: Any, node: ast.expr) -> list[Any] | None:
    """The variables of a list that some of the trained ones are in, as it was made."""
    made = _made(walker, node)
    if made is None or not trained(walker, made):
        return None
    entries: list[Any] | None = walker.listed.get(id(made))
    return entries


def listed(walker: Any, node: ast.expr) -> list[Any]:
    """The variables of a list that has a name, whichever they are; none where that isn't seen."""
    made = _made(walker, node) if isinstance(node, ast.Name) else None
    entries: list[Any] = walker.listed.get(id(made), [])
    return entries


def trained(walker: Any, node: ast.expr) -> bool:
    """Whether an expression asks for trained variables: all, those of a scope or of some names."""
    if isinstance(node, ast.ListComp):
        made = _made(walker, node.generators[0].iter) if len(node.generators) == 1 else None
        return made is not None and trained(walker, made)
    if not isinstance(node, ast.Call):
        return False
    asked = walker.endpoints.get(id(node.func))
    keys = {walker.endpoints.get(id(n)) for n in walk(node)}
    return asked == LISTS or (asked == T + "get_collection" and KEY in keys)


def _made(walker: Any, node: ast.expr) -> ast.expr | None:
    """What a name or an object's attribute was made by; the expression itself otherwise."""
    symbol = None
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
    elif isinstance(node, ast.Attribute):
        owner = walker.expression(node.value)
        symbol = owner.data.attrs.get(node.attr) if owner.kind is Kind.OBJECT else None
    else:
        return node
    made = symbol.step.node if symbol is not None else None
    return made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 else None


def called(walker: Any, node: ast.expr) -> ast.Call | None:
    """The call of `tf.trainable_variables` that a loop goes through, also under a name."""
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        made = symbol.step.node if symbol is not None else None
        if not isinstance(made, ast.Assign):
            return None
        known = walker.kept.get("all", {}).get(id(made.value))
        if known != object_variables.count(walker):
            return None  # there are more by now
        node = made.value
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    return node if walker.endpoints.get(id(node.func)) == LISTS else None
