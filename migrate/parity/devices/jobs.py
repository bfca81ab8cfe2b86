"""What runs under TensorFlow 2 to take the functions of a training step out of a program.

Two sources, one product. ``capture`` watches a program whose steps are calls of ``tf.function``;
``replay`` builds functions from a recorded graph: the original's, or that of a program that kept
its session. Both give a ``StepsWriter`` every function with its StableHLO, or with what XLA lacks
for it, and every call with its arguments, results and the variables after it.

This runs beside ``recorder.py`` in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any

import numpy as np

SCHEMA = 1
CALLS = 8  # calls that are kept ...
BYTES = 192 * 2**20  # ... up to so many bytes of arguments and start values
ULP_RUNS = 5
STREAM = 2**20  # random numbers that a step may draw at once where its shapes are not fixed
DRAWS = frozenset(["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"])
#: Where these are left in a step, in a loop say, another device draws other numbers.
DRAWS_INSIDE = DRAWS | {"StatelessMultinomial"}
MODULES = 8  # functions, each with its shapes, that are compiled
SEED_OPS = frozenset(["Placeholder", "VarHandleOp", "NoOp", "_Arg", "_Retval", "Switch", "Merge",
                      "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch"])  # fmt: skip


def tensorflow() -> Any:
    import tensorflow as tf

    return tf


def xla_ops(tf: Any) -> frozenset[str]:
    """Names of the operations that XLA has a kernel for."""
    from tensorflow.python.framework import kernels

    tf.function(lambda x: x + 1, jit_compile=True)(1.0)  # the kernels register at first use
    listed = kernels.get_all_registered_kernels().kernel
    return frozenset(item.op for item in listed if item.device_type == "XLA_CPU_JIT") | SEED_OPS


def operations_in(graph: Any, seen: set[Any] | None = None) -> list[Any]:
    """Operations of a function's graph and of the functions that it calls."""
    seen = set() if seen is None else seen
    found = list(graph.get_operations())
    for name, inner in getattr(graph, "_functions", {}).items():
        if name not in seen:
            seen.add(name)
            try:
                found += operations_in(inner.graph, seen)
            except (AttributeError, ValueError):
                continue
    return found


class StepsWriter:
    """Collects functions, calls and values; writes ``steps.json``, modules and ``arrays.npz``."""

    def __init__(self, folder: str, tf: Any, own_line: Any) -> None:
        self.folder = folder
        self.tf = tf
        self.own_line = own_line
        self.ops = xla_ops(tf)
        self.functions: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.arrays: dict[str, Any] = {}
        self.variables: dict[str, dict[str, Any]] = {}
        self.names: dict[int, str] = {}
        self.held: dict[str, Any] = {}
        self.last: dict[str, Any] = {}
        self.notes: list[str] = []
        self.bytes = 0
        self.draws = False
        self.jitted: dict[int, Any] = {}
        self.plain: dict[int, Any] = {}
        os.makedirs(folder, exist_ok=True)

    # -- functions --

    def add_function(
        self, name: str, concrete: Any, inputs: list[Any], lines: dict[str, Any] | None = None,
        train: bool = False,
    ) -> int:  # fmt: skip
        """Lower a concrete function for these inputs; returns its number."""
        number = len(self.functions)
        operations = operations_in(concrete.graph)
        described: dict[str, Any] = {
            "name": name,
            "train": train,
            "place": self._place(operations, lines),
            "inputs": [[str(item.dtype.name), list(item.shape)] for item in inputs],
            "missing": self._missing(operations, lines),
            "draws": sorted({item.type for item in operations} & DRAWS_INSIDE),
            "module": None,
            "error": "",
            "captured": [],
        }
        self.functions.append(described)
        self.plain[number] = concrete
        if number >= MODULES:
            described["error"] = f"not lowered: more than {MODULES} functions"
            return number
        described["outputs"] = len(concrete.outputs)

        def flat(*values: Any) -> Any:
            return concrete._call_flat(list(values), concrete.captured_inputs)

        jitted = self.tf.function(flat, jit_compile=True, autograph=False)
        try:
            wrapped = jitted.get_concrete_function(*inputs)
            described["captured"] = [self._captured(item) for item in wrapped.captured_inputs]
            module = self._lower(jitted, inputs)
        except Exception as error:
            described["error"] = first_lines(str(error))
            described["error_place"] = error_place(str(error), self.own_line)
            return number
        described["module"] = f"{number}.mlirbc"
        described["bytes"] = len(module)
        with open(os.path.join(self.folder, described["module"]), "wb") as stream:
            stream.write(module)
        self.jitted[number] = jitted
        return number

    def _lower(self, jitted: Any, inputs: list[Any]) -> bytes:
        """StableHLO with every input as an argument; with values XLA would fold some of them."""
        specs = [self.tf.TensorSpec(item.shape, item.dtype) for item in inputs]
        module = jitted.experimental_get_compiler_ir(*specs)(stage="stablehlo_serialized")
        return bytes(module)

    def _captured(self, tensor: Any) -> dict[str, Any]:
        if tensor.dtype == self.tf.resource:
            name = self.names.get(tensor._id)
            if name is None:
                raise ValueError("the function holds a resource that is no variable")
            return {"variable": name}
        return {"constant": self.keep("constant", tensor.numpy())}

    def _missing(self, operations: list[Any], lines: dict[str, Any] | None) -> list[dict[str, Any]]:
        found: dict[tuple[str, Any], dict[str, Any]] = {}
        for operation in operations:
            if operation.type in self.ops or operation.graph._get_function(operation.type):
                continue
            place = self._line(operation, lines)
            key = (operation.type, tuple(place) if place else operation.name)
            found.setdefault(key, {"op": operation.type, "node": operation.name, "place": place})
        return sorted(found.values(), key=lambda item: (item["op"], item["node"]))

    def _line(self, operation: Any, lines: dict[str, Any] | None) -> Any:
        if lines is not None:
            return lines.get(operation.name)
        return self.own_line(
            [(frame.filename, frame.lineno) for frame in operation.traceback or ()]
        )

    def _place(self, operations: list[Any], lines: dict[str, Any] | None) -> Any:
        for operation in reversed(operations):
            place = self._line(operation, lines)
            if place is not None:
                return place
        return None

    # -- values --

    def keep(self, kind: str, value: Any) -> str:
        """Store an array; returns its key."""
        array = np.asarray(value)
        if array.dtype == object:
            array = array.astype("S")
        if str(array.dtype) == "bfloat16":
            array = array.astype(np.float32)
        key = f"{kind}/{len(self.arrays)}"
        self.arrays[key] = array
        self.bytes += array.nbytes
        return key

    def know(self, name: str, variable: Any) -> None:
        """A variable by name; its value now is its start value."""
        base, count = name, 0
        while name in self.held and self.held[name] is not variable:
            count += 1
            name = f"{base}_{count}"
        if name in self.held:
            return
        self.held[name] = variable
        self.names[variable.handle._id] = name
        value = variable.numpy()
        self.last[name] = value
        self.variables[name] = {
            "dtype": variable.dtype.name,
            "shape": list(value.shape),
            "start": self.keep("start", value),
        }

    @property
    def full(self) -> bool:
        """Whether no further call is kept."""
        return len(self.calls) >= CALLS or self.bytes > BYTES

    def before(self, number: int) -> dict[str, str]:
        """Variables of a function that something else than a kept call has changed."""
        changed = {}
        for item in self.functions[number]["captured"]:
            name = item.get("variable")
            if name is None:
                continue
            value = self.held[name].numpy()
            if value.shape != self.last[name].shape or not np.array_equal(
                value, self.last[name], equal_nan=value.dtype.kind == "f"
            ):
                changed[name] = self.keep("set", value)
                self.last[name] = value
        return changed

    def after(
        self, number: int, inputs: list[Any], changed: dict[str, str], outputs: list[Any],
        losses: list[int] | None = None,
    ) -> None:  # fmt: skip
        """Keep a call: arguments, results, and the norm of each variable after it."""
        norms = self._norms(number)
        self.calls.append(
            {
                "function": number,
                "inputs": [self.keep("input", item.numpy()) for item in inputs],
                "set": changed,
                "outputs": [
                    None if item is None else self.keep("output", item) for item in outputs
                ],
                "losses": losses or [],
                "norms": norms,
            }
        )

    def _norms(self, number: int) -> dict[str, float]:
        norms = {}
        for item in self.functions[number]["captured"]:
            name = item.get("variable")
            if name is not None:
                value = self.held[name].numpy()
                self.last[name] = value
                if value.dtype.kind in "fiu":
                    norms[name] = float(np.linalg.norm(value.astype(np.float64)))
        return norms

    def repeat(self, functions: Any, perturb: int | None = None) -> list[dict[str, Any]]:
        """The kept calls once more from the start values, by other functions; what each gave."""
        generator = np.random.RandomState(perturb)
        for name, item in self.variables.items():
            value = self.arrays[item["start"]]
            if perturb is not None and value.dtype.kind == "f":
                value = one_ulp(value, generator)
            self.held[name].assign(value)
        done: list[dict[str, Any]] = []
        for call in self.calls:
            for name, key in call["set"].items():
                self.held[name].assign(self.arrays[key])
            function = functions(call["function"])
            if function is None:
                done.append({})
                continue
            described = self.functions[call["function"]]
            inputs = [
                self.tf.constant(self.arrays[key], kind)
                for key, (kind, _) in zip(call["inputs"], described["inputs"], strict=True)
            ]
            result = function(*inputs)
            leaves = self.tf.nest.flatten(result, expand_composites=True)
            outputs = [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")]
            done.append({"outputs": outputs, "norms": self._norms(call["function"])})
        return done

    def end(self) -> None:
        """Write everything; the values at the end of the kept calls too."""
        self._write()
        self.judge_jit()
        self._write()

    def judge_jit(self) -> None:
        """The kept calls under ``jit_compile=True``; how far one ulp at the start moves them."""

        def plain(number: int) -> Any:
            concrete = self.plain[number]
            return lambda *values: concrete._call_flat(list(values), concrete.captured_inputs)

        moved = [self.repeat(plain, perturb=seed + 1) for seed in range(ULP_RUNS)]
        for place, call in enumerate(self.calls):
            runs = [run[place] for run in moved if run[place]]
            expected = [None if key is None else self.arrays[key] for key in call["outputs"]]
            call["envelope"] = distances(expected, call["norms"], runs)
        try:
            jitted = self.repeat(self.jitted.get)
        except Exception as error:
            self.notes.append(f"under jit_compile: {first_lines(str(error))}")
            return
        for place, call in enumerate(self.calls):
            if jitted[place]:
                expected = [None if key is None else self.arrays[key] for key in call["outputs"]]
                call["jit"] = distances(expected, call["norms"], [jitted[place]])
                call["jit"]["losses"] = [
                    float(jitted[place]["outputs"][index].sum()) for index in call["losses"]
                ]

    def _write(self) -> None:
        record = {
            "schema": SCHEMA,
            "functions": self.functions,
            "calls": self.calls,
            "variables": self.variables,
            "notes": self.notes,
            "full": self.full,
            "draws": self.draws,
            "tensorflow": self.tf.__version__,
        }
        with zipfile.ZipFile(
            os.path.join(self.folder, "arrays.npz"), "w", zipfile.ZIP_DEFLATED
        ) as archive:
            for key in sorted(self.arrays):
                stream = io.BytesIO()
                np.lib.format.write_array(stream, self.arrays[key], allow_pickle=False)
                info = zipfile.ZipInfo(f"{key}.npy", (1980, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, stream.getvalue())
        with open(os.path.join(self.folder, "steps.json"), "w", encoding="utf-8") as out:
            json.dump(record, out, indent=1, sort_keys=True)


def distances(
    expected: list[Any], norms: dict[str, float], runs: list[dict[str, Any]]
) -> dict[str, Any]:
    """Largest relative distances of some runs of a call: of its results and variables' norms."""
    from devices.run_steps import distance  # type: ignore[import-not-found]

    outputs = [0.0 for _ in expected]
    far = dict.fromkeys(norms, 0.0)
    for run in runs:
        for place, (one, other) in enumerate(zip(expected, run["outputs"], strict=False)):
            if one is not None:
                outputs[place] = max(outputs[place], distance(one, np.asarray(other)))
        for name, value in norms.items():
            far[name] = max(far[name], abs(run["norms"][name] - value) / (abs(value) or 1.0))
    return {"outputs": outputs, "norms": far}


def one_ulp(value: Any, generator: Any) -> Any:
    """``value`` with every element moved to the next number up or down."""
    up = generator.randint(0, 2, size=value.shape).astype(bool)
    kind = value.dtype.type
    return np.where(
        up, np.nextafter(value, kind(np.inf)), np.nextafter(value, kind(-np.inf))
    ).astype(value.dtype)


def first_lines(text: str) -> str:
    """The sentence of an error of XLA's, without node names and advice."""
    text = text.replace("Failed getting HLO text: ", "").strip("'\" ")
    for mark in ("{{function_node", "\nThe op is created at", "\n\tStacktrace", "\ntf2xla"):
        text = text.partition(mark)[0]
    return " ".join(text.split())[:600]


def error_place(text: str, own_line: Any) -> Any:
    """File and line of the program that an error of XLA's names."""
    import re

    frames = re.findall(r'File "([^"]+)", line (\d+)', text)
    return own_line([(name if name.startswith("/") else "/" + name, int(n)) for name, n in frames])


# -- programs whose steps are calls of tf.function --------


class Capture:
    """Keeps what a program's outermost calls of ``tf.function`` compute."""

    def __init__(self, job: dict[str, Any], tf: Any, own_line: Any) -> None:
        self.writer = StepsWriter(job["device_steps"]["out"], tf, own_line)
        self.tf = tf
        self.inside = False
        self.numbers: dict[Any, int] = {}
        self.install()

    def install(self) -> None:
        """Watch the one place that every call of a traced function goes through."""
        from tensorflow.python.eager import context
        from tensorflow.python.eager.polymorphic_function import concrete_function

        plain = concrete_function.ConcreteFunction._call_flat
        keeper = self

        def call_flat(concrete: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
            if keeper.inside or keeper.writer.full or not context.executing_eagerly():
                return plain(concrete, tensor_inputs, captured_inputs)
            keeper.inside = True
            try:
                number = keeper.number(concrete, tensor_inputs)
                if number is None:
                    return plain(concrete, tensor_inputs, captured_inputs)
                changed = keeper.writer.before(number)
                result = plain(concrete, tensor_inputs, captured_inputs)
                keeper.writer.after(number, tensor_inputs, changed, keeper.flat(result))
                return result
            finally:
                keeper.inside = False

        concrete_function.ConcreteFunction._call_flat = call_flat

    def number(self, concrete: Any, inputs: list[Any]) -> int | None:
        """The function's number in the writer; None for what is no step, such as an iterator's."""
        tf = self.tf
        if any(item.dtype in (tf.resource, tf.variant) for item in inputs):
            return None
        key = (id(concrete), tuple((item.dtype, tuple(item.shape)) for item in inputs))
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else concrete.name
        if "initialize_variables" in name or feeds_the_step(concrete):
            return None
        if key not in self.numbers:
            if any(not has_value(variable) for variable in concrete.graph.variables):
                return None  # the call that makes its variables; the next one is a plain step
            for variable in concrete.graph.variables:
                self.writer.know(variable.name.split(":")[0], variable)
            name = name.removeprefix("__inference_").rsplit("_", 1)[0]
            train = updates(operations_in(concrete.graph))
            self.numbers[key] = self.writer.add_function(name, concrete, list(inputs), train=train)
        return self.numbers[key]

    def flat(self, result: Any) -> list[Any]:
        """Results in the order of the function's outputs."""
        leaves = self.tf.nest.flatten(result, expand_composites=True)
        return [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")]

    def finish(self, ending: dict[str, Any]) -> None:
        """Write what was kept."""
        if ending.get("code"):
            self.writer.notes.append(f"the program failed: {ending.get('error')}")
        self.inside = True
        self.writer.end()


def feeds_the_step(concrete: Any) -> bool:
    """Whether a function makes or reads a dataset: the host's part of a program."""
    kinds = {operation.type for operation in concrete.graph.get_operations()}
    return any("Dataset" in kind or "Iterator" in kind for kind in kinds)


def has_value(variable: Any) -> bool:
    """Whether a variable was given its start value."""
    return bool(variable.shape.is_compatible_with(variable.numpy().shape))


def updates(operations: list[Any]) -> bool:
    """Whether a function trains: it changes variables by an optimizer's op, or by gradients."""
    kinds = {operation.type for operation in operations}
    if any(kind.startswith(("ResourceApply", "ResourceSparseApply")) for kind in kinds):
        return True
    assigns = any(kind.startswith(("AssignAdd", "AssignSub", "AssignVariable")) for kind in kinds)
    names = (operation.name for operation in operations)
    return assigns and any("gradient" in name.lower() for name in names)


def draw_from_streams(tf: Any, writer: StepsWriter) -> None:
    """Inside functions, random numbers are slices of captured constants.

    XLA's Philox gives its numbers in another order than TensorFlow's kernels, and how other devices
    order them is their own affair. What ``randomness.py`` draws depends on nothing but the shape,
    and is the beginning of one stream whatever the shape: so the stream can be an argument.
    """
    import randomness  # type: ignore[import-not-found]
    from tensorflow.python.framework import ops, tensor_util

    redirect = randomness._Redirect
    streams: dict[Any, Any] = {}

    def drawn(plain: Any) -> Any:
        def draw(self: Any, shape: Any, dtype: Any, *kind: Any) -> Any:
            if not getattr(ops.get_default_graph(), "building_function", False):
                return plain(self, shape, dtype, *kind)
            writer.draws = True
            shape = tf.convert_to_tensor(shape, tf.int32)
            static = tensor_util.constant_value(shape)
            count = STREAM if static is None else int(np.prod(static))
            key = (plain.__name__, dtype, kind, count)
            if key not in streams:
                with tf.init_scope():
                    streams[key] = plain(self, [count], dtype, *kind)
            stream = streams[key]
            if static is None:
                stream = stream[: tf.reduce_prod(shape)]
            return tf.reshape(stream, shape)

        return draw

    for name in ("uniform", "normal", "truncated"):
        setattr(redirect, name, drawn(getattr(redirect, name)))


def capture(job: dict[str, Any], tf: Any) -> Capture:
    """Start keeping the functions of the program that this process is about to run."""
    import recorder  # type: ignore[import-not-found]

    keeper = Capture(job, tf, recorder.own_line)
    draw_from_streams(tf, keeper.writer)
    return keeper


# -- recorded graphs --------


def replay(job: dict[str, Any]) -> int:
    """Build functions from a bundle's graph, call them as its session was called, write all."""
    import recorder

    tf = tensorflow()
    with open(os.path.join(job["bundle"], "record.json"), encoding="utf-8") as stream:
        source = json.load(stream)
    stored = np.load(os.path.join(job["bundle"], "arrays.npz"), allow_pickle=False)
    player = Player(job, tf, source["original"], stored, recorder.own_line)
    player.run()
    recorder.dump(
        job["out"],
        {"schema": SCHEMA, "runtime": recorder.runtime(tf), "exit": {"kind": "exit", "code": 0}},
        {},
    )
    return 0


class Player:
    """A recorded graph as functions of TensorFlow 2."""

    def __init__(
        self, job: dict[str, Any], tf: Any, original: dict[str, Any], stored: Any, own_line: Any
    ) -> None:
        self.tf = tf
        self.original = original
        self.stored = stored
        self.writer = StepsWriter(job["device_steps"]["out"], tf, own_line)
        self.meta = tf.compat.v1.MetaGraphDef()
        self.meta.ParseFromString(stored["original/meta_graph"].tobytes())
        self.variables = self._make_variables()
        self.wrapped = self._wrap()
        self.numbers: dict[Any, int] = {}
        self.draws: dict[Any, list[Any]] = {}

    def _make_variables(self) -> dict[str, Any]:
        made = {}
        for node in self.meta.graph_def.node:
            node.attr.pop("_output_shapes", None)
            if node.op in ("Variable", "VariableV2"):
                raise ValueError(
                    f"{node.name} is a reference variable (use_resource=False), which no function "
                    "of TensorFlow 2 can hold"
                )
            if node.op != "VarHandleOp":
                continue
            dtype = self.tf.dtypes.as_dtype(node.attr["dtype"].type)
            value = self._start(node.name)
            shape = self.tf.TensorShape(node.attr["shape"].shape)
            if value is None:
                if not shape.is_fully_defined():
                    continue
                value = np.zeros(shape.as_list(), dtype.as_numpy_dtype)
            made[node.name] = self.tf.Variable(value, dtype=dtype, shape=shape, name=node.name)
        return made

    def _start(self, name: str) -> Any:
        for key in (f"v/0/{name}", f"original/local/{name}"):
            if key in self.stored.files:
                return self.stored[key]
        return None

    def _wrap(self) -> Any:
        def build() -> None:
            graph = self.tf.compat.v1.get_default_graph()
            handles = {
                f"{name}:0": graph.capture(variable.handle)
                for name, variable in self.variables.items()
            }
            self.tf.graph_util.import_graph_def(self.meta.graph_def, input_map=handles, name="")

        return self.tf.compat.v1.wrap_function(build, [])

    def run(self) -> None:
        """Replay the calls in order, then write."""
        for name, variable in sorted(self.variables.items()):
            self.writer.know(name, variable)
        calls = self.original["calls"]
        first = next((place for place, call in enumerate(calls) if call["train"]), 0)
        for call in calls[first:]:  # the start values are those before the first training step
            if self.writer.full:
                break
            kinds = self.original["sets"][call["set"]]
            try:
                self.call(call, kinds)
            except (self.tf.errors.OpError, ValueError, LookupError) as error:
                if call["train"]:
                    raise
                self.writer.notes.append(f"a call that trains nothing: {first_lines(str(error))}")
        self.writer.end()

    def call(self, call: dict[str, Any], kinds: dict[str, Any]) -> None:
        """One recorded call of the session."""
        names = list(kinds["fetches"])
        losses = []
        for _, name in kinds["losses"]:
            if name not in names:
                names.append(name)
            losses.append(names.index(name))
        feeds = sorted(call["feeds"])
        values = [
            self.tf.constant(self.stored[call["feeds"][name]], self._dtype(name)) for name in feeds
        ]
        key = (
            call["set"],
            tuple((name, tuple(v.shape)) for name, v in zip(feeds, values, strict=True)),
        )
        if not names and not kinds["targets"]:
            return
        if key not in self.numbers:
            drawn = self._drawn(names + kinds["targets"], feeds)
            concrete = self._prune(feeds + drawn, names, kinds["targets"])
            if drawn:
                self.writer.draws = True
                self.draws[key] = self.tf.nest.flatten(
                    self._call(self._prune(feeds, drawn, []), values)
                )
            values += self.draws.get(key, [])
            if not call["train"] and touches_files(concrete.graph):
                return
            self.numbers[key] = self.writer.add_function(
                f"run{call['set']}", concrete, values, self.original.get("lines", {}),
                train=call["train"],
            )  # fmt: skip
        else:
            values += self.draws.get(key, [])
        number = self.numbers[key]
        changed = self.writer.before(number)
        result = self._call(self.writer.plain[number], values)
        leaves = self.tf.nest.flatten(result)
        outputs = [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")][: len(names)]
        self.writer.after(number, values, changed, outputs, losses)

    @staticmethod
    def _call(concrete: Any, values: list[Any]) -> Any:
        return concrete._call_flat(list(values), concrete.captured_inputs)

    def _drawn(self, names: list[str], feeds: list[str]) -> list[str]:
        """Random numbers that a call draws: other devices draw others, so they become feeds."""
        import recorder

        graph = self.wrapped.graph
        reached = recorder.ancestors(
            [graph.get_operation_by_name(name.split(":")[0]) for name in names]
        )
        return sorted(
            operation.outputs[0].name
            for operation in reached
            if operation.type in DRAWS
            and operation._get_control_flow_context() is None
            and operation.outputs[0].name not in feeds
        )

    def _dtype(self, name: str) -> Any:
        return self.wrapped.graph.get_tensor_by_name(name).dtype

    def _prune(self, feeds: list[str], names: list[str], targets: list[str]) -> Any:
        graph = self.wrapped.graph
        fetches = [graph.get_tensor_by_name(name) for name in names]
        fetches += [graph.get_operation_by_name(name) for name in targets]
        inputs = [graph.get_tensor_by_name(name) for name in feeds]
        return self.wrapped.prune(inputs, fetches)


def touches_files(graph: Any) -> bool:
    """Whether a call reads or writes checkpoints."""
    kinds = {operation.type for operation in graph.get_operations()}
    return bool(kinds & {"SaveV2", "RestoreV2", "SaveSlices", "Save", "MergeV2Checkpoints"})
