"""Reference variables become resource variables, in the graph itself.

TF 2.21 loads a TF 1 graph with `VariableV2` nodes, but without variables that Python sees, and
what it saves of one can't be run. So reads become `ReadVariableOp`, assignments and optimizers' ops
their counterparts for resources; everything else gets the value that a read gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from migrate.checkpoints.errors import CheckpointError

VARIABLES = ("Variable", "VariableV2")
# op on a reference -> (op on a resource, its attributes: new name -> old name)
_TYPED = {"dtype": "T"}
_SCATTERED = {"dtype": "T", "Tindices": "Tindices"}
_SAME = {"T": "T", "Tindices": "Tindices", "use_locking": "use_locking"}
CHANGES: dict[str, tuple[str, dict[str, str]]] = {
    "Assign": ("AssignVariableOp", {"dtype": "T", "validate_shape": "validate_shape"}),
    "AssignAdd": ("AssignAddVariableOp", _TYPED),
    "AssignSub": ("AssignSubVariableOp", _TYPED),
    "CountUpTo": ("ResourceCountUpTo", {"T": "T", "limit": "limit"}),
    "StridedSliceAssign": (
        "ResourceStridedSliceAssign",
        {name: name for name in ("T", "Index", "begin_mask", "end_mask", "ellipsis_mask",
                                 "new_axis_mask", "shrink_axis_mask")},
    ),
    **{
        f"Scatter{kind}": (f"ResourceScatter{kind}", _SCATTERED)
        for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
    },
    **{
        f"ScatterNd{kind}": (f"ResourceScatterNd{kind}", _SAME)
        for kind in ("Add", "Sub", "Update")
    },
    **{
        op: (f"Resource{op}", {**_SAME, "use_nesterov": "use_nesterov"})
        for kind in ("Adadelta", "Adagrad", "AdagradDA", "CenteredRMSProp", "Ftrl", "FtrlV2",
                     "Momentum", "ProximalAdagrad", "ProximalGradientDescent", "RMSProp")
        for op in (f"Apply{kind}", f"SparseApply{kind}")
    },
    **{
        op: (f"Resource{op}", {**_SAME, "use_nesterov": "use_nesterov"})
        for op in ("ApplyGradientDescent", "ApplyAdam", "ApplyAdaMax", "ApplyAddSign",
                   "ApplyPowerSign")
    },
}  # fmt: skip
# Control flow on references is the same on handles: op -> (op, how many of its outputs are theirs)
_FLOW = {
    "RefSwitch": ("Switch", 2), "RefMerge": ("Merge", 1), "RefEnter": ("Enter", 1),
    "RefExit": ("Exit", 1), "RefNextIteration": ("NextIteration", 1),
    "RefIdentity": ("Identity", 1),
}  # fmt: skip
_READ = "/migrate_read"
_RESOURCE = 20  # DT_RESOURCE


def to_resources(graph_def: Any) -> None:
    """Rewrite a GraphDef in place.

    Raises:
        CheckpointError: a node changes a variable in a way that has no counterpart.
    """
    _Rewriter(graph_def).run()


@dataclass(frozen=True)
class _Reference:
    """What a tensor of a reference becomes: a handle, and the node that has to run before it."""

    handle: str
    variable: str
    after: str = ""


class _Rewriter:
    def __init__(self, graph_def: Any) -> None:
        self.graph = graph_def
        self.dtypes: dict[str, int] = {}
        self.references: dict[str, _Reference] = {}  # tensor of a reference -> what it becomes
        self.reads: dict[str, _Reference] = {}  # node that reads -> what

    def run(self) -> None:
        nodes = list(self.graph.node)
        for node in nodes:
            if node.op in VARIABLES:
                self.dtypes[node.name] = node.attr["dtype"].type
                self.references[f"{node.name}:0"] = _Reference(node.name, node.name)
        self._follow(nodes)
        for node in nodes:
            given = self._reference(node.input[0]) if node.input else None
            if node.op in VARIABLES:
                _to_handle(node)
            elif given is None:
                self._value(node)
            elif node.op in CHANGES:
                self._change(node)
            elif node.op in _FLOW:
                self._flow(node)
            elif node.op == "IsVariableInitialized":
                node.op = "VarIsInitializedOp"
                node.input[0] = given.handle
                node.ClearField("attr")
            elif node.op == "Identity":
                self._read(node, given)
            else:
                self._value(node)
        for name, reference in sorted(self.reads.items()):
            read = self.graph.node.add(name=name, op="ReadVariableOp")
            read.input.append(reference.handle)
            if reference.after:
                read.input.append(f"^{reference.after}")
            read.attr["dtype"].type = self.dtypes[reference.variable]

    def _reference(self, name: str) -> _Reference | None:
        return self.references.get(name if ":" in name else f"{name}:0")

    def _follow(self, nodes: list[Any]) -> None:
        """What assignments and control flow give are references again."""
        found = True
        while found:
            found = False
            for node in nodes:
                if not node.input or f"{node.name}:0" in self.references:
                    continue
                given = [self._reference(name) for name in node.input if not name.startswith("^")]
                first = next((one for one in given if one is not None), None)
                if first is None:
                    continue
                if node.op in _FLOW:
                    for output in range(_FLOW[node.op][1]):
                        tensor = f"{node.name}:{output}" if output else node.name
                        self.references[f"{node.name}:{output}"] = _Reference(
                            tensor, first.variable
                        )
                    found = True
                elif node.op in CHANGES and node.op != "CountUpTo" and given[0] is not None:
                    self.references[f"{node.name}:0"] = _Reference(
                        given[0].handle, given[0].variable, node.name
                    )
                    found = True

    def _change(self, node: Any) -> None:
        op, names = CHANGES[node.op]
        copies = {}
        for new, old in {**names, "_class": "_class"}.items():
            if old in node.attr:
                copies[new] = type(node.attr[old])()
                copies[new].CopyFrom(node.attr[old])
        slots = op.startswith(("ResourceApply", "ResourceSparseApply"))
        after = []
        for place, name in enumerate(node.input):
            reference = None if name.startswith("^") else self._reference(name)
            if reference is not None and (place == 0 or slots):
                node.input[place] = reference.handle
                if reference.after:
                    after.append(f"^{reference.after}")
            elif reference is not None:
                node.input[place] = self._reading(name, reference)
        node.input.extend(name for name in dict.fromkeys(after) if name not in node.input)
        node.op = op
        node.ClearField("attr")
        for key, value in copies.items():
            node.attr[key].CopyFrom(value)

    def _flow(self, node: Any) -> None:
        after = []
        for place, name in enumerate(node.input):
            reference = None if name.startswith("^") else self._reference(name)
            if reference is not None:
                node.input[place] = reference.handle
                if reference.after:
                    after.append(f"^{reference.after}")
        node.input.extend(after)
        node.op = _FLOW[node.op][0]
        node.attr["T"].type = _RESOURCE
        node.attr.pop("_output_shapes", None)  # a handle has another shape than its variable

    def _read(self, node: Any, reference: _Reference) -> None:
        node.op = "ReadVariableOp"
        node.input[0] = reference.handle
        if reference.after:
            node.input.append(f"^{reference.after}")
        places = list(node.attr["_class"].list.s)
        node.ClearField("attr")
        node.attr["dtype"].type = self.dtypes[reference.variable]
        if places:
            node.attr["_class"].list.s.extend(places)

    def _value(self, node: Any) -> None:
        """Anything else takes the value that a read gives."""
        if node.op in CHANGES:
            raise CheckpointError(
                f"node {node.name!r} ({node.op}) changes a reference that is not a variable's; "
                "save the model again in TF 1 with use_resource=True"
            )
        for place, name in enumerate(node.input):
            reference = None if name.startswith("^") else self._reference(name)
            if reference is not None:
                node.input[place] = self._reading(name, reference)
        if node.op in _FLOW:
            node.op = _FLOW[node.op][0]

    def _reading(self, name: str, reference: _Reference) -> str:
        giver = name.removesuffix(":0").replace(":", "_") + _READ
        self.reads[giver] = reference
        return giver


def _to_handle(node: Any) -> None:
    dtype, shape = node.attr["dtype"].type, node.attr["shape"].shape
    kept = type(shape)()
    kept.CopyFrom(shape)
    shared = node.attr["shared_name"].s or node.name.encode()
    container = node.attr["container"].s
    places = list(node.attr["_class"].list.s)
    node.op = "VarHandleOp"
    node.ClearField("attr")
    node.attr["dtype"].type = dtype
    node.attr["shape"].shape.CopyFrom(kept)
    node.attr["shared_name"].s = shared
    node.attr["container"].s = container
    if places:
        node.attr["_class"].list.s.extend(places)


def mark_resources(meta_graph: Any) -> None:
    """Say in a MetaGraph's collections that its variables are resources."""
    for key, collection in meta_graph.collection_def.items():
        for place, data in enumerate(collection.bytes_list.value):
            if "variables" not in key:
                continue
            found = _variable_def(data)
            if found is None:
                continue
            found.is_resource = True
            collection.bytes_list.value[place] = found.SerializeToString()


def _variable_def(data: bytes) -> Any:
    from tensorflow.core.framework import variable_pb2

    found = variable_pb2.VariableDef()
    try:
        found.ParseFromString(data)
    except Exception:  # a collection of something else
        return None
    return found if found.variable_name else None
