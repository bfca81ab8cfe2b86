"""The functions of a training step, their calls and values, as a folder that others can read.

``capture.py`` and ``replay.py`` give a ``StepsWriter`` every function and every call of it; it
lowers the functions to StableHLO, or says what XLA lacks for them, and writes ``steps.json``, a
module for each function and ``arrays.npz``.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any

import numpy as np

from .rerun import judge_jit
from .xla_kernels import (
    SEED_OPS,
    STRINGS,
    error_place,
    first_lines,
    kinds_in,
    only_told,
    operations_in,
    xla_ops,
)

SCHEMA = 1
CALLS = 8  # calls that are kept ...
BYTES = 192 * 2**20  # ... up to so many bytes of arguments and start values
MODULES = 8  # functions, each with its shapes, that are compiled
DRAWS = frozenset(["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"])
#: Where these are left in a step, in a loop say, another device draws other numbers.
DRAWS_INSIDE = DRAWS | {"StatelessMultinomial"}


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
            "draws": sorted(kinds_in(concrete.graph) & DRAWS_INSIDE),
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
            kind = operation.type
            if operation.graph._get_function(kind):
                continue
            if kind in self.ops:
                if kind in SEED_OPS or not any(
                    item.dtype == self.tf.string for item in operation.outputs
                ):
                    continue
                if only_told(operation):
                    continue
                kind += STRINGS
            place = self._line(operation, lines)
            key = (kind, tuple(place) if place else operation.name)
            found.setdefault(key, {"op": kind, "node": operation.name, "place": place})
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
        norms = self.norms(number)
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

    def norms(self, number: int) -> dict[str, float]:
        """The norm of each variable of a function, as it is now."""
        norms = {}
        for item in self.functions[number]["captured"]:
            name = item.get("variable")
            if name is not None:
                value = self.held[name].numpy()
                self.last[name] = value
                if value.dtype.kind in "fiu":
                    norms[name] = float(np.linalg.norm(value.astype(np.float64)))
        return norms

    def end(self) -> None:
        """Write everything; the values at the end of the kept calls too."""
        self._write()
        judge_jit(self)
        self._write()

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
