"""Code that tf_upgrade_v2 has been over, read as the TF 1 code that it is.

`import tensorflow.compat.v1 as tf` and `tf.compat.v1.placeholder` say TF 1's names in TF 2's
words. Where all of a file can be said in TF 1's, it is: the rules see one language only. What the
file takes from TF 2's own `tf.*` has to mean the same in both, unless it is TF 1's: a file with
`tf.set_random_seed` beside them, which TF 2 doesn't have, was written for 1.13 to 1.15.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate import symbols
from migrate.engine import hints
from migrate.engine.calls import Unbound, bind
from migrate.engine.dimensions import divisions
from migrate.engine.dimensions import whole as whole_division
from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.functions import Stopped, runs_graph
from migrate.engine.names import Names, Reference
from migrate.engine.plan import Place, by_name, of_tf1
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import walk
from migrate.engine.values import values_of
from migrate.symbols.outcomes import Arguments, Behaviour

#: TF 2's functions that TF 1 has too, under another name.
TF1_NAMES = {
    "tensorflow.nn.softmax_cross_entropy_with_logits": (
        "tensorflow.nn.softmax_cross_entropy_with_logits_v2"
    ),
    "tensorflow.where": "tensorflow.where_v2",
}
#: TF 1 takes the arguments of these by name, 0.x had them in another order.
BY_NAME = frozenset(
    f"tensorflow.nn.{name}_cross_entropy_with_logits" for name in ("sigmoid", "sparse_softmax")
)
#: These differ in what is asked of them eagerly or by arguments that only one of them takes.
ALIKE = ("tensorflow.Variable", "tensorflow.nn.dropout", "tensorflow.data.")
#: The same for one tensor of weights.
PARTITIONED = tuple(
    f"tensorflow.nn.{name}" for name in ("embedding_lookup", "nce_loss", "sampled_softmax_loss")
)
#: Only their dtype is given elsewhere.
PLAIN = tuple(f"tensorflow.{name}_initializer" for name in ("zeros", "ones", "constant"))


def as_tf1(document: Document, names: Names, *, alone: bool = True) -> Document:
    """The document with TF 1's names for compat.v1's, line for line; itself, where it has none.

    Dimensions become ints on the way, too: nothing later sees where they are made. Hints of what
    won't be tensors go.

    ``alone``: a session must be in it, not in another file of its program.

    Raises:
        Stopped: it can't be said in TF 1's names, or there is no session in it.
    """
    places = [by_name(r) for r in names.references if r.name.startswith("tensorflow")]
    edits: dict[tuple[int, int], Edit] = {}
    for node in divisions(document.text, document.tree, names.references):
        edit = whole_division(node, document.text, document.index)
        edits[edit.start, edit.end] = edit
    gone = list(hints.dropped(document, names))
    edits |= {(e.start, e.end): e for e in gone}
    places = [p for p in places if not _inside(document, p.ref.node, gone)]
    if not any(place.v1 or _module(place) for place in places):
        return _edited(document, edits)
    if alone and not runs_graph(document.tree, {id(r.node): r.name for r in names.references}):
        raise Stopped(document.tree, "nothing is run here", idle=True)
    told = {id(n) for hint in hints.hints_of(document.tree) for n in walk(hint)}
    whole = False  # whether its `tf` is compat.v1
    taken: set[str] = set()  # names that it imports from there
    first = of_tf1(places)
    for stmt, _, _ in names.imports:
        if isinstance(stmt, ast.ImportFrom) and _taken(stmt):
            _import_from(document, stmt, edits)
            taken |= {a.asname or a.name for a in stmt.names}
        else:
            whole |= _import(document, stmt, edits)
    for place in places:
        if place.v1 and _root(place.ref.node) in taken:
            continue
        if place.v1 or _module(place):
            if not whole or place.ref.name.startswith(f"{V1}.compat."):
                _shorten(document, place.ref, edits)
        elif whole or id(place.ref.node) in told:
            continue
        elif not (first and place.status in ("endpoint", "private")):
            _same(document, names, place, edits)
    return _edited(document, edits)


def _edited(document: Document, edits: dict[tuple[int, int], Edit]) -> Document:
    if not edits:
        return document
    return edited(document, sorted(edits.values(), key=lambda e: e.start))


def _inside(document: Document, node: ast.AST, edits: Iterable[Edit]) -> bool:
    start, end = document.index.span(node)
    return any(e.start <= start and end <= e.end for e in edits)


def _module(place: Place) -> bool:
    return place.ref.name == V1


def _root(node: ast.AST) -> str:
    """The name that an attribute is looked up in."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _taken(stmt: ast.ImportFrom) -> bool:
    """Whether names of compat.v1 itself are imported, each by its name."""
    module = stmt.module or ""
    return f"{module}.".startswith(f"{V1}.") and all(a.name != "*" for a in stmt.names)


def _import_from(
    document: Document, stmt: ast.ImportFrom, edits: dict[tuple[int, int], Edit]
) -> None:
    """`from tensorflow.compat.v1 import estimator` as `from tensorflow import estimator`."""
    start, end = document.index.span(stmt)
    module = f"tensorflow{(stmt.module or '').removeprefix(V1)}"
    names = ", ".join(ast.unparse(a) for a in stmt.names)
    edits[start, end] = Edit(start, end, f"from {module} import {names}")


def _import(document: Document, stmt: ast.stmt, edits: dict[tuple[int, int], Edit]) -> bool:
    """`import tensorflow.compat.v1 as tf` as `import tensorflow as tf`; whether it is one."""
    if isinstance(stmt, ast.ImportFrom):
        module = stmt.module or ""
        if not module.startswith("tensorflow.compat"):
            return False
        if module != "tensorflow.compat" or [a.name for a in stmt.names] != ["v1"]:
            raise Stopped(stmt, f"names are imported from {module}")
        bound = stmt.names[0].asname or "v1"
    else:
        assert isinstance(stmt, ast.Import)
        ours = [a for a in stmt.names if a.name.startswith("tensorflow.compat")]
        if not ours:
            return False
        if len(stmt.names) > 1 or ours[0].name != V1 or ours[0].asname is None:
            raise Stopped(stmt, f"`{ast.unparse(stmt)}` isn't followed")
        bound = ours[0].asname
    start, end = document.index.span(stmt)
    edits[start, end] = Edit(start, end, f"import tensorflow as {bound}")
    return True


def _shorten(document: Document, ref: Reference, edits: dict[tuple[int, int], Edit]) -> None:
    """`tf.compat.v1.placeholder` as `tf.placeholder`."""
    node: ast.expr = ref.node
    if ref.literal is not None:
        raise Stopped(ref.node, "a name of compat.v1 is given as text")
    while isinstance(node, ast.Attribute):
        inner = node.value
        if node.attr == "v1" and isinstance(inner, ast.Attribute) and inner.attr == "compat":
            start, end = document.index.span(node)
            root_start, root_end = document.index.span(inner.value)
            text = document.text[root_start:root_end]
            edits[start, end] = Edit(start, end, text)
            return
        node = inner
    raise Stopped(ref.node, "compat.v1 has a name of its own here")


def _same(
    document: Document, names: Names, place: Place, edits: dict[tuple[int, int], Edit]
) -> None:
    """A name of TF 2's own `tf.*`: TF 1 has to have it, and to take these arguments alike."""
    if place.status == "module":
        return
    record = place.record
    shown = "tf" + place.ref.name.removeprefix("tensorflow")
    if record is None or place.status != "endpoint":
        raise Stopped(place.ref.node, f"TF 1 has no {shown}, and compat.v1 is used beside it")
    name = TF1_NAMES.get(place.endpoint)
    node = place.ref.node
    if name is not None and isinstance(node, ast.Attribute) and not place.tail:
        start, end = document.index.span(node)
        start += document.text[start:end].rindex(node.attr)
        edits[start, end] = Edit(start, end, name.rpartition(".")[2])
        return
    if place.endpoint in BY_NAME and place.ref.call is not None:
        _name(document, place.ref.call, edits)
        return
    if place.endpoint.startswith(PARTITIONED) and _one_tensor(document, names, place.ref):
        return
    if place.endpoint.startswith("tensorflow.data.") and place.tail:
        return
    if place.endpoint.startswith("tensorflow.summary.") and "summary.FileWriter" in document.text:
        return  # tf_upgrade_v2 leaves TF 1's ops under a name that means something else now
    alike = place.endpoint.startswith(ALIKE) or (
        place.endpoint.startswith(PLAIN)
        and place.ref.call is not None
        and all(k.arg == "value" for k in place.ref.call.keywords)
        and len(place.ref.call.args) <= 1
    )
    names_1 = None
    if not isinstance(record.outcome, Behaviour) or alike:
        names_1 = _keywords(place)
    if names_1 is None:
        raise Stopped(node, f"{shown} isn't TF 1's, and compat.v1 is used beside it")
    for keyword, old in names_1.items():
        start, _ = document.index.span(keyword)
        assert keyword.arg is not None
        edits[start, start] = Edit(start, start + len(keyword.arg), old)


def _name(document: Document, call: ast.Call, edits: dict[tuple[int, int], Edit]) -> None:
    """TF 2's order of arguments by name."""
    try:
        bound = bind(document.text, document.index, call, ("labels", "logits", "name"))
    except Unbound as error:
        raise Stopped(call, str(error)) from error
    for edit in bound.finish(lambda place, _: False):
        edits[edit.start, edit.end] = edit


def _one_tensor(document: Document, names: Names, ref: Reference) -> bool:
    """Whether a lookup's weights are one tensor: TF 1 deals a list out, TF 2 cuts it in runs."""
    call = ref.call
    if call is None or "partition" in document.text:
        return False
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("params", "weights"))]
    file = FileContext("", document.text, document.index, document.tree, names)
    return len(given) == 1 and values_of(file).kind(given[0], ref.scope) in ("tensor", "variable")


def _keywords(place: Place) -> dict[ast.keyword, str] | None:
    """TF 1's names for a call's keywords where they differ; None if TF 1 means something else."""
    call = place.ref.call
    outcome = place.record.outcome if place.record is not None else None
    new, old = symbols.signature_2(place.endpoint), symbols.signature(place.endpoint)
    if new is None or old is None or not isinstance(outcome, (Arguments, Behaviour)):
        return {}
    if call is None or place.tail or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    renamed = dict(outcome.renamed) if isinstance(outcome, Arguments) else {}
    given = len(call.args)
    at = [renamed.get(name, name) for name in old.positional[:given]]
    if given > len(new.positional) or at != list(new.positional[:given]):
        return None
    back = {new_name: name for name, new_name in renamed.items()}
    found: dict[ast.keyword, str] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if not old.takes(keyword.arg):
            name = back.get(keyword.arg)
            if name is None:
                return None
            found[keyword] = name
    # What isn't given has the same default.
    said = {*at, *(k.arg for k in call.keywords)}
    differ = outcome.defaults if isinstance(outcome, Arguments) else ()
    return None if any(renamed.get(name, name) not in said for name in differ) else found
