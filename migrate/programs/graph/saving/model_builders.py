"""`SavedModelBuilder`: what it is told is saved as `tf.saved_model.simple_save`'s is.

``build_tensor_info`` and ``build_signature_def`` go: the signatures of TF 2 are functions. All of
them are predicted by; a signature for another method of TensorFlow Serving's keeps the session.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/saved_model/Builder
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Feed, Fetch, Kind, Value
from migrate.programs.graph.saving import exports

M = T + "saved_model."
ADDS = (
    *("sess", "tags", "signature_def_map", "assets_collection", "legacy_init_op"),
    *("clear_devices", "main_op", "strip_default_attrs", "saver"),
)
PREDICT = "tensorflow/serving/predict"
WHY = "what a SavedModelBuilder is told"


@dataclass(slots=True, eq=False, repr=False)
class Info:
    """A tensor of a signature."""

    node: ast.expr
    value: Value
    fetch: Fetch | None
    idle: bool = True


@dataclass(slots=True, eq=False, repr=False)
class Signature:
    """A signature: what tensors go in and come out, by their keys."""

    node: ast.Call
    inputs: dict[str, Info]
    outputs: dict[str, Info]
    idle: bool = True


@dataclass(slots=True, eq=False, repr=False)
class Saved:
    """The model is written: that was done where it was told what it is."""

    idle: bool = True


@dataclass(slots=True, eq=False, repr=False)
class Builder:
    """A builder of a SavedModel."""

    folder: ast.expr
    told: bool = False
    idle: bool = True

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """What a builder does.

        Raises:
            Blocked: something that isn't followed.
        """
        if attribute == "save" and self.told:
            return Value(Kind.OTHER, Saved(), node=node)
        if attribute != "add_meta_graph_and_variables" or self.told:
            raise Blocked(node, f"`.{attribute}()` of a SavedModelBuilder isn't followed")
        given: dict[str | None, ast.expr] = dict(zip(ADDS, node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords})
        if set(given) - set(ADDS) or "sess" not in given or len(node.args) > len(ADDS):
            raise Blocked(node, f"{WHY} isn't seen")
        exports.placed(walker, node, given.pop("sess"))
        _tags(walker, given.pop("tags", None), node)
        signed: list[exports.Signed] = []
        for key, part in exports.entries(walker, given.pop("signature_def_map", None)):
            data = walker.expression(part).data
            if not isinstance(data, Signature):
                raise Blocked(part, f"{WHY} isn't seen")
            feeds = {k: _fed(walker, k, info) for k, info in data.inputs.items()}
            leaves = {k: _fetched(info) for k, info in data.outputs.items()}
            taken = any(own is data.node for _, own, *_ in signed)
            own = ast.copy_location(ast.Call(part, [], []), node) if taken else data.node
            signed.append((key, own, feeds, leaves))
        for argument, part in given.items():
            _idle(walker, str(argument), part)
        exports.saved(walker, node, self.folder, signed)
        self.told = True
        return HOST


@family(M + "builder.SavedModelBuilder", M + "Builder")
def builder(walker: Any, name: str, node: ast.Call) -> Value:
    """A builder, which is told its folder."""
    given = [*node.args, *(k.value for k in node.keywords)]
    if len(given) != 1 or walker.frame.region is None or walker.nested:
        raise Blocked(node, f"{WHY} isn't seen")
    walker.host(given[0])
    return Value(Kind.OTHER, Builder(given[0]), node=node)


@family(M + "utils.build_tensor_info", M + "build_tensor_info")
def tensor_info(walker: Any, name: str, node: ast.Call) -> Value:
    """A tensor of a signature."""
    given = [*node.args, *(k.value for k in node.keywords)]
    if len(given) != 1:
        raise Blocked(node, f"{WHY} isn't seen")
    with _unread(walker):
        return Value(Kind.OTHER, _info(walker, given[0]), node=node)


@family(
    M + "signature_def_utils.build_signature_def",
    M + "build_signature_def",
    M + "signature_def_utils.predict_signature_def",
    M + "predict_signature_def",
)
def signature(walker: Any, name: str, node: ast.Call) -> Value:
    """A signature of tensors, or of what they are.

    Raises:
        Blocked: it isn't one to predict by.
    """
    names = ("inputs", "outputs", "method_name")
    given: dict[str | None, ast.expr] = dict(zip(names, node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords})
    method = given.pop("method_name", None)
    built = name.endswith("build_signature_def")
    if set(given) != {"inputs", "outputs"} or (method is not None) is not built:
        raise Blocked(node, f"{WHY} isn't seen")
    if method is not None:
        constant = walker.endpoints.get(id(method), "").endswith(".PREDICT_METHOD_NAME")
        if not constant and getattr(method, "value", None) != PREDICT:
            raise Blocked(method, "a SavedModel's signature for another method than `predict`")
    found: dict[str, dict[str, Info]] = {}
    with _unread(walker):
        for which, part in given.items():
            inner = found[str(which)] = {}
            for key, value in exports.entries(walker, part):
                inner[key] = _info(walker, value) if not built else _built(walker, value)
    return Value(Kind.OTHER, Signature(node, found["inputs"], found["outputs"]), node=node)


@contextmanager
def _unread(walker: Any) -> Iterator[None]:
    """What goes reads nothing: the function of the signature does."""
    uses = dict(walker.sink.uses)
    yield
    walker.sink.uses.clear()
    walker.sink.uses.update(uses)


def _built(walker: Any, node: ast.expr) -> Info:
    data = walker.expression(node).data
    if not isinstance(data, Info):
        raise Blocked(node, f"{WHY} isn't seen")
    return data


def _info(walker: Any, node: ast.expr) -> Info:
    value = walker.expression(node)
    tensor = value.kind is Kind.TENSOR and isinstance(node, (ast.Name, ast.Attribute))
    return Info(node, value, walker.fetch(node) if tensor else None)


def _fed(walker: Any, key: str, info: Info) -> Feed:
    return exports.feed(walker, key, info.node, info.value)


def _fetched(info: Info) -> Fetch:
    if info.fetch is None:
        raise Blocked(info.node, "an output of a SavedModel has no name")
    return exports.output(info.node, info.fetch)


def _tags(walker: Any, node: ast.expr | None, at: ast.Call) -> None:
    """See that a model is for serving.

    Raises:
        Blocked: it has other tags.
    """
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else []
    for item in items:
        constant = walker.endpoints.get(id(item), "").endswith(".tag_constants.SERVING")
        constant = constant or walker.endpoints.get(id(item), "") == M + "SERVING"
        if not constant and getattr(item, "value", None) != "serve":
            raise Blocked(item, "another tag of a SavedModel than `serve`")
    if len(items) != 1:
        raise Blocked(node or at, "the tags of a SavedModel aren't seen")


def _idle(walker: Any, argument: str, node: ast.expr) -> None:
    """See that an argument says nothing that a function's SavedModel must be told.

    Raises:
        Blocked: it does.
    """
    if isinstance(node, ast.Constant) and argument != "saver":
        return
    if argument in ("legacy_init_op", "main_op"):
        if walker.expression(node).kind is Kind.INIT:
            return  # tables are ready when a model of TF 2 is loaded
    if argument == "assets_collection" and isinstance(node, ast.Call):
        files = {n for n, e in walker.endpoints.items() if e.endswith(".ASSET_FILEPATHS")}
        if files & {id(a) for a in node.args} and len(files) == 1:
            return  # nothing puts any there
    raise Blocked(node, f"`{argument}` of a SavedModel")
