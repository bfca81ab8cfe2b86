"""TFM229 keras-argument: what Keras 3 doesn't take, or takes in another sense.

TF 2.21's Keras is Keras 3, in graphs too (`tf.compat.v1.keras` is the same). Arguments that it
names otherwise are renamed; those that it doesn't take go where that can't change a value, and are
reported elsewhere, as are the few functions that compute something else. `batch_input_shape`
without a size of the batch is `input_shape`. Lists of numbers that a model is given are arrays.
`predict` shows no progress, as in TF 1: `verbose=0`.

https://keras.io/api/
"""

from __future__ import annotations

import ast

from migrate import symbols
from migrate.engine.calls import Argument, BoundCall, Unbound, bind
from migrate.engine.findings import Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.keras_repeated_ids import repeated_ids
from migrate.symbols.outcomes import ALWAYS, Arguments, Behaviour

ARGUMENT = Rule(
    "TFM229",
    "keras-argument",
    "a call of Keras that Keras 3 doesn't take, or takes in another sense",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/",
)
KERAS = "tensorflow.keras."
# Of what the symbols only say that it changed: argument -> (why it is gone, the safe value).
REMOVED: dict[str, dict[str, tuple[str, str | None]]] = {
    "callbacks.ModelCheckpoint": {
        "period": ("save_freq counts batches, or is 'epoch'", "1"),
        "load_weights_on_restart": ("load_weights() before fit()", "False"),
    },
    "callbacks.ProgbarLogger": {
        "count_mode": ("it counts steps", ALWAYS),
        "stateful_metrics": ("metrics know it", ALWAYS),
    },
    "callbacks.TensorBoard": {
        "batch_size": ("nothing needs it", ALWAYS),
        "write_grads": ("gradients aren't written", "False"),
        "embeddings_layer_names": ("embeddings_metadata names layers", "None"),
        "embeddings_data": ("the layers' weights are shown", "None"),
    },
    "layers.BatchNormalization": {
        "fused": ("it is chosen by the shape", ALWAYS),
        "virtual_batch_size": ("there are no virtual batches", "None"),
        "adjustment": ("there is no adjustment", "None"),
    },
    "utils.to_categorical": {"dtype": ("give the result .astype(...)", None)},
}
RENAMED = {
    "callbacks.LambdaCallback": {
        "on_batch_begin": "on_train_batch_begin",
        "on_batch_end": "on_train_batch_end",
    },
    "utils.to_categorical": {"y": "x"},
}
LAYER: dict[str, tuple[str, str | None]] = {
    "batch_input_shape": ("a keras.Input in front of the layer says it", None),
    "dynamic": ("Keras 3 has no dynamic layers", "False"),
    "weights": ("set_weights() once the layer is built", None),
}
RNN: dict[str, tuple[str, str | None]] = {"time_major": ("transpose around the layer", "False")}
INITIALIZER: dict[str, tuple[str, str | None]] = {
    "dtype": ("given when called", "tf.float32"),
    "verify_shape": ("it never mattered", ALWAYS),
}
# These compute something else.
OTHER = (
    "activations.hard_sigmoid",
    "layers.BatchNormalization",
    "losses.CosineSimilarity",
    "losses.cosine_similarity",
    "metrics.binary_accuracy",
)


def keras_call(site: Site) -> Result | None:
    """Bring a call of Keras to what Keras 3 takes."""
    record = site.record
    assert record is not None
    outcome = record.outcome
    name = site.endpoint.removeprefix(KERAS)
    space = name.partition(".")[0]
    removed = dict(REMOVED.get(name, {}))
    renamed = dict(RENAMED.get(name, {}))
    if isinstance(outcome, Arguments):
        removed |= outcome.removed
        renamed |= {a: b for a, b in outcome.renamed.items() if a != b}
    if space == "layers":
        new = symbols.signature_2(site.endpoint)
        takes = {p.name for p in new.params} if new is not None else set()
        layer = {n: why for n, why in LAYER.items() if n not in takes}
        removed = {n: why for n, why in (layer | removed).items() if n not in takes}
        if name.endswith("RNN"):
            removed |= RNN
    elif space == "initializers":
        removed = INITIALIZER | removed
    result = None
    if site.call is not None and (removed or renamed):
        result = _changed(site, removed, renamed)
    if result is None and name in OTHER and isinstance(outcome, Behaviour) and site.file.tf1:
        result = site.result(ARGUMENT, f"{site.shown} of Keras 3: {outcome.note}")
    if result is None and name == "layers.Embedding":
        result = repeated_ids(site)
    return result


def _changed(
    site: Site, removed: dict[str, tuple[str, str | None]], renamed: dict[str, str]
) -> Result | None:
    assert site.call is not None
    said = {k.arg for k in site.call.keywords}
    if not said & (removed.keys() | renamed.keys()):
        return None
    known = symbols.signature(site.endpoint)
    names = known.positional if known is not None else ()
    file = site.file
    more = [n for n in (*removed, *renamed) if n not in names]
    try:
        call = bind(file.text, file.index, site.call, (*names, *more), varkw=True)
    except Unbound as error:
        return site.result(ARGUMENT, f"{site.shown}: {error}")
    done = []
    for name, (why, safe) in removed.items():
        given = call.get(name)
        if given is None or given.keyword is None:
            continue
        if name == "batch_input_shape" and _input_shape(call, given):
            done.append("`batch_input_shape` is `input_shape`")
        elif safe == ALWAYS or (safe is not None and _is(given.value, safe)):
            call.remove(name)
            done.append(f"`{name}` is gone")
        else:
            gone = f"{site.shown} of Keras 3 has no `{name}`: {why}"
            return site.result(ARGUMENT, gone)
    for name, new in renamed.items():
        given = call.get(name)
        if given is not None and given.keyword is not None:
            call.rename(name, new)
            done.append(f"`{name}` is `{new}`")
    # Only what stands by name is touched: places that moved are another rule's.
    edits = call.finish(lambda *_: True, renamed)
    if not edits:
        return None
    message = f"{site.shown} of Keras 3: {', '.join(done)}"
    renames, imports, drops = site.rename(site.endpoint)
    result = site.result(
        ARGUMENT, message, fix="Keras 3", edits=[*renames, *edits], imports=imports, drops=drops
    )
    result.switch = site.level is Level.COMPAT
    return result


def _input_shape(call: BoundCall, given: Argument) -> bool:
    """`(None, 3)` as `(3,)`, where nothing depends on the size of a batch."""
    shape = given.value
    if not isinstance(shape, (ast.Tuple, ast.List)) or not shape.elts:
        return False
    first = shape.elts[0]
    if not (isinstance(first, ast.Constant) and first.value is None):
        return False
    rest = ", ".join(ast.unparse(e) for e in shape.elts[1:])
    call.replace_value("batch_input_shape", f"({rest},)" if len(shape.elts) == 2 else f"({rest})")
    call.rename("batch_input_shape", "input_shape")
    return True


def _is(node: ast.expr, source: str) -> bool:
    if source == "tf.float32":
        return isinstance(node, ast.Attribute) and node.attr == "float32"
    return ast.dump(node) == ast.dump(ast.parse(source, mode="eval").body)
