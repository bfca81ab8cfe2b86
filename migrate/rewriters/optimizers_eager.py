"""TFM412 eager-optimizer: a `tf.train` optimizer in an eager program.

`tf.compat.v1.train.AdamOptimizer` and its kin work eagerly in TF 2.21 and give TF 1.15's numbers,
bit for bit, so an eager program keeps them. But they can't update the variables of Keras 3 layers.
Where a file trains Keras layers by `apply_gradients` or `compile`, Keras's optimizers with TF 1's
epsilon take their place, which agree with TF 1 to rounding at a constant learning rate; RMSProp is
a class of the file whose mean squares start at one. Sparse gradients (`Embedding`), a `global_step`
and decayed rates have no equal there: TF 1's optimizer stays, and `apply_gradients` is handed what
Keras's variables wrap (`v.value`). Where a program keeps its graph, and compiles a model for
`model_to_estimator`, its optimizer is Keras's too. Where a file's updates can't be read the use is
reported.

https://www.tensorflow.org/guide/migrate/migrating_optimizer
"""

from __future__ import annotations

import ast
import re

from migrate.engine.calls import BoundCall, Unbound
from migrate.engine.findings import Edit, Level
from migrate.engine.names import Reference, free_name
from migrate.engine.plan import EAGER
from migrate.engine.rule import Result, Rule, handler_of
from migrate.engine.site import V1, FileContext, MethodSite, Site
from migrate.engine.switch import newline_of
from migrate.engine.trees import named, parents_of
from migrate.rewriters.equal_optimizers import STARTS, TABLE, Keras
from migrate.rewriters.keras_updates import keras_lists

OPTIMIZER = Rule(
    "TFM412",
    "eager-optimizer",
    "a tf.train optimizer in an eager program",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/migrating_optimizer",
)
NAMES = (
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "RMSPropOptimizer",
)
# The classes that are equal where no gradient is sparse and no rate changes.
KERAS = {name: known for name, known in TABLE.items() if not name.startswith("Proximal")}
UPDATES = re.compile(r"\.(?:apply_gradients|compile)\(")
# What a Keras optimizer takes otherwise, or not at all.
OTHERWISE = re.compile(
    r"global_step|\.minimize\(|compute_gradients|get_slot|_decay\(|Embedding|embedding_lookup"
)


@OPTIMIZER.endpoint(*(f"tensorflow.train.{name}" for name in NAMES))
def optimizer(site: Site) -> Result | None:
    """Keep it, from tf.compat.v1; with Keras layers take Keras's."""
    name = site.endpoint.rpartition(".")[2]
    if not site.file.eager:
        return site.result(OPTIMIZER, f"{site.shown} trains through a graph", blocks=True)
    if not _keras(site.file) or not UPDATES.search(site.file.text):
        return site.renamed_result(
            OPTIMIZER,
            f"{V1}.train.{name}",
            f"{site.shown} is only in tf.compat.v1, where it gives the same numbers",
        )
    message = f"{site.shown} can't update the variables of Keras 3 layers"
    found = KERAS.get(name)
    equal = _equal(site.file)
    if not equal and keras_lists(site.file) is not None:
        return site.renamed_result(OPTIMIZER, f"{V1}.train.{name}", f"{message}; what they wrap")
    if found is None or OTHERWISE.search(site.file.text):
        # Where Keras compiles it nothing is gained by a lower level: its training fails there too.
        said = any(r.name in EAGER for r in site.file.names.references)
        return site.result(
            OPTIMIZER, f"{message}, and no Keras optimizer is equal here", blocks=said
        )
    if not equal:
        return site.result(
            OPTIMIZER, f"{message}; Keras's keep to one set of variables", blocks=True
        )
    try:
        edits = _arguments(site.bind(), found)
        if name == "RMSPropOptimizer":
            return _own_class(site, message, edits)
    except Unbound as error:
        return site.result(OPTIMIZER, f"{message}; {error}", blocks=True)
    result = site.renamed_result(OPTIMIZER, f"tensorflow.keras.optimizers.{found.name}", message)
    result.edits.extend(edits)
    return result


@OPTIMIZER.compat(*(f"tensorflow.train.{name}" for name in KERAS if name != "RMSPropOptimizer"))
def compiled(site: Site) -> Result | None:
    """Compile a Keras model with Keras's optimizer: its own is all that Keras 3 takes."""
    found = KERAS[site.endpoint.rpartition(".")[2]]
    if site.call is not None and _keras(site.file) and _only_compiled(site.file, site.call):
        message = f"{site.shown} can't train a Keras 3 model"
        try:
            edits = _arguments(site.bind(), found)
        except Unbound as error:
            return site.result(OPTIMIZER, f"{message}; {error}")
        target = f"tensorflow.keras.optimizers.{found.name}"
        result = site.renamed_result(OPTIMIZER, target, message)
        result.edits.extend(edits)
        return result
    usual = handler_of(site.record.outcome, Level.COMPAT) if site.record is not None else None
    return usual[1](site) if usual is not None and site.file.tf1 else None


def _only_compiled(file: FileContext, made: ast.Call) -> bool:
    """Whether an optimizer goes to a model's `compile` and nowhere else, by a name or at once."""
    above = parents_of(file.tree)
    parent = above.get(id(made))
    if not isinstance(parent, ast.Assign):
        return _compiles(made, above)
    target = parent.targets[0]
    if len(parent.targets) > 1 or not isinstance(target, ast.Name):
        return False
    uses = [n for n in named(file.tree, target.id) if n is not target]
    return bool(uses) and all(_compiles(n, above) for n in uses)


def _compiles(node: ast.AST, above: dict[int, ast.AST]) -> bool:
    """Whether an expression is the optimizer of a call of `compile`."""
    parent = above.get(id(node))
    keyword = isinstance(parent, ast.keyword)
    call = above.get(id(parent)) if keyword else parent
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "compile"
        and (
            parent.arg == "optimizer" if isinstance(parent, ast.keyword) else node in call.args[:1]
        )
    )


@OPTIMIZER.method("apply_gradients", "minimize")
def update(site: MethodSite) -> Result | None:
    """Hand it the variables that Keras's wrap, where the optimizer stays."""
    file, call = site.file, site.use.call
    if call is None or not file.eager or not _keras(file) or not _made(file):
        return None
    if site.level is Level.NATIVE and _equal(file):
        return None
    updated = (keras_lists(file) or {}).get(call)
    if updated is None:
        return None
    start, end = file.index.span(updated)
    edits = [Edit(start, start, "[v.value for v in "), Edit(end, end, "]")]
    return OPTIMIZER.fixed(
        site.use.node, "tf.train's optimizers can't update Keras 3's variables", ".value", edits
    )


def _arguments(call: BoundCall, known: Keras) -> list[Edit]:
    """Keras's names for the arguments.

    Raises:
        Unbound: one has no counterpart or can't be seen.
    """
    if call.hidden:
        raise Unbound("`**` hides arguments")
    for name, argument in call.args.items():
        if name in ("name", "use_locking"):
            call.remove(name)
        elif name not in known.arguments:
            raise Unbound(f"`{name}` has no counterpart")
        elif argument.keyword is not None and known.arguments[name] != name:
            call.rename(name, known.arguments[name])
    if "epsilon" in known.defaults and "epsilon" not in call.args:
        call.append(f"epsilon={known.defaults['epsilon']}")
    return call.finish(names=known.arguments)


def _own_class(site: Site, message: str, edits: list[Edit]) -> Result:
    """Call a class of the file, which its first use puts below the imports.

    Raises:
        Unbound: there is no place for it.
    """
    file, body = site.file, site.file.tree.body
    tf = file.module_name(site.ref.scope)
    bound = next((s for s in body if any(s is b.stmt for b in site.ref.bindings)), None)
    if tf != site.ref.root.id or bound is None or not free_name("RMSprop", file.text):
        raise Unbound("a class of its own would have no place here")
    start, end = file.index.span(site.node)
    edits.insert(0, Edit(start, end, "RMSprop"))
    uses = [r for r in _made(file) if r.name == site.ref.name]
    if uses[0] is site.ref:
        last = bound
        for stmt in body[body.index(bound) :]:
            if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
                break
            last = stmt
        newline = newline_of(file)
        end = file.text.find(newline, file.index.span(last)[1])
        if any(s.lineno == last.end_lineno and s is not last for s in body):
            raise Unbound("a class of its own would have no place here")
        below = "" if file.text.startswith(2 * newline, end) else "\n"
        added = f"\n\n\n{STARTS.format(tf=tf)}{below}".replace("\n", newline)
        edits.append(Edit(end, end, added))
    return site.result(OPTIMIZER, message, fix="RMSprop", edits=edits)


def _equal(file: FileContext) -> bool:
    """Whether Keras optimizers can take the place of all of a file's."""
    names = [r.name.rpartition(".")[2] for r in _made(file)]
    updates = len(re.findall(r"\.apply_gradients\(", file.text))
    return (
        all(name in KERAS for name in names)
        and not OTHERWISE.search(file.text)
        and updates <= len(names)
    )


def _keras(file: FileContext) -> bool:
    return any(r.name.startswith("tensorflow.keras.") for r in file.names.references)


def _made(file: FileContext) -> list[Reference]:
    names = tuple(f"tensorflow.train.{name}" for name in NAMES)
    return [r for r in file.names.references if r.call is not None and r.name in names]
