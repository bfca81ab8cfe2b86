"""Run exported training steps with JAX alone: no TensorFlow, no tool, this one file.

    python run_steps.py FOLDER -o RESULT.json [--platform cpu|cuda|tpu] [--tf32]

A folder holds ``export.json`` and, for each side of each program, ``steps.json``, ``arrays.npz``
and a StableHLO module for each function (``steps_writer.py`` writes them). Every call is repeated
in order with its arguments; variables are what the calls make of them. What comes out is compared
with what TensorFlow gave on the CPU: each result, and the norm of each variable after each call.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

RESULT_SCHEMA = 2
#: What TensorFlow's exporter leaves in a module and no other reader knows: it means nothing ...
COPY = "mhlo.copy"
#: ... or it is an operation that XLA reads as a custom call of that name.
PREFIX = "mhlo."


def parse(data: bytes) -> tuple[Any, Any]:
    """The context and the module of StableHLO bytes, without TensorFlow's leftovers."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    context = mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    with context:
        module = ir.Module.parse(data)
        _translate(module.operation)
    return context, module


def _translate(operation: Any) -> None:
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                found = inner.operation
                if found.name == COPY:
                    found.results[0].replace_all_uses_with(found.operands[0])
                    found.erase()
                elif found.name.startswith(PREFIX):
                    _as_custom_call(found)
                else:
                    _translate(found)


def _as_custom_call(operation: Any) -> None:
    from jaxlib.mlir import ir

    attributes = {
        item if isinstance(item, str) else item.name: operation.attributes[
            item if isinstance(item, str) else item.name
        ]
        for item in operation.attributes
    }
    made = ir.Operation.create(
        "stablehlo.custom_call",
        results=[result.type for result in operation.results],
        operands=list(operation.operands),
        attributes={
            "call_target_name": ir.StringAttr.get(operation.name),
            "mhlo.attributes": ir.DictAttr.get(attributes),
            "mhlo.version": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1),
        },
        ip=ir.InsertionPoint(operation),
        loc=operation.location,
    )
    for old, new in zip(operation.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    operation.erase()


def aliases(module: Any) -> dict[int, int]:
    """Which result is the new value of which argument: {result: argument}."""
    attributes = module.operation.attributes
    if "mhlo.input_output_alias" not in attributes:
        return {}
    text = str(attributes["mhlo.input_output_alias"])
    pattern = r"parameter_number = (\d+) : i64\}, output_index = array<i64(?:: (\d+))?>"
    return {int(result or 0): int(argument) for argument, result in re.findall(pattern, text)}


def types(module: Any) -> tuple[list[Any], list[Any]]:
    """Types of the arguments and results of ``main``."""
    from jaxlib.mlir import ir

    for operation in module.body.operations:
        found = operation.operation
        if (
            found.name == "func.func"
            and ir.StringAttr(found.attributes["sym_name"]).value == "main"
        ):
            kind = ir.FunctionType(ir.TypeAttr(found.attributes["function_type"]).value)
            return list(kind.inputs), list(kind.results)
    raise ValueError("the module has no function main")


def shape_of(kind: Any) -> Any:
    """A tensor type as JAX has it."""
    import jax
    import numpy as np
    from jaxlib.mlir import ir

    tensor = ir.RankedTensorType(kind)
    names = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16",
             "i1": "bool", "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64",
             "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
             "complex<f32>": "complex64", "complex<f64>": "complex128"}  # fmt: skip
    name = names[str(tensor.element_type)]
    dtype = jax.numpy.bfloat16 if name == "bfloat16" else np.dtype(name)
    return jax.core.ShapedArray(tuple(tensor.shape), dtype)


def callable_of(data: bytes) -> tuple[Any, dict[int, int], int]:
    """A function of JAX from StableHLO; which result replaces which argument; how many results."""
    import jax
    from jax import export
    from jaxlib.mlir.dialects import stablehlo

    context, module = parse(data)
    with context:
        updated = aliases(module)
        for name in [str(item if isinstance(item, str) else item.name)
                     for item in module.operation.attributes]:  # fmt: skip
            if name.startswith("mhlo."):
                del module.operation.attributes[name]
        given, made = types(module)
        inputs = [shape_of(item) for item in given]
        outputs = [shape_of(item) for item in made]
        artifact = stablehlo.serialize_portable_artifact_str(str(module), "1.8.0")

    def template(*_: Any) -> Any:
        return tuple(jax.numpy.zeros(item.shape, item.dtype) for item in outputs)

    shell = export.export(jax.jit(template, keep_unused=True))(*inputs)
    exported = dataclasses.replace(
        shell, mlir_module_serialized=artifact, module_kept_var_idx=tuple(range(len(inputs)))
    )
    return jax.jit(exported.call), updated, len(outputs)


class Runner:
    """The calls of one folder, in order."""

    def __init__(self, folder: Path, progress: Any = None) -> None:
        import numpy as np

        self.folder = folder
        self.record = json.loads((folder / "steps.json").read_text(encoding="utf-8"))
        with np.load(folder / "arrays.npz", allow_pickle=False) as stored:
            self.arrays = {key: stored[key] for key in stored.files}
        self.made: dict[int, Any] = {}
        self.progress = progress or (lambda text: None)

    def function(self, number: int) -> Any:
        """A function by its number; None where XLA could not lower it."""
        if number not in self.made:
            described = self.record["functions"][number]
            if described["module"] is None:
                self.made[number] = None
            else:
                data = (self.folder / described["module"]).read_bytes()
                self.made[number] = callable_of(data)
        return self.made[number]

    def run(self) -> list[dict[str, Any]]:
        """Every call: its results' and its variables' distance from what TensorFlow gave."""
        import numpy as np

        variables = {
            name: self.arrays[item["start"]] for name, item in self.record["variables"].items()
        }
        done = []
        for place, call in enumerate(self.record["calls"]):
            described = self.record["functions"][call["function"]]
            for name, key in call["set"].items():
                variables[name] = self.arrays[key]
            made = self.function(call["function"])
            if made is None:
                if described["train"]:
                    reason = described["error"] or "no module"
                    done.append({"call": place, "function": described["name"], "error": reason})
                    return done
                done.append({"call": place, "function": described["name"], "skipped": True})
                continue
            run, updated, _ = made
            arguments = [self.arrays[key] for key in call["inputs"]]
            for item in described["captured"]:
                known = item.get("variable")
                arguments.append(
                    variables[known] if known is not None else self.arrays[item["constant"]]
                )
            results = run(*arguments)
            count = len(call["inputs"])
            own = [value for index, value in enumerate(results) if index not in updated]
            for index, argument in updated.items():
                name = described["captured"][argument - count].get("variable")
                if name is not None:
                    variables[name] = results[index]
            expected = [None if key is None else self.arrays[key] for key in call["outputs"]]
            norms = {
                name: apart(
                    norm, float(np.linalg.norm(np.asarray(variables[name]).astype(np.float64)))
                )
                for name, norm in call["norms"].items()
            }
            done.append(
                {
                    "call": place,
                    "function": described["name"],
                    "train": described["train"],
                    "outputs": [
                        distance(one, np.asarray(other))
                        for one, other in zip(expected, own, strict=False)
                        if one is not None
                    ],
                    "losses": [float(np.asarray(own[i]).sum()) for i in call["losses"]],
                    "norms": norms,
                }
            )
            self.progress(f"call {place + 1} of {len(self.record['calls'])}")
        return done


def distance(expected: Any, found: Any) -> float:
    """Largest distance, relative to the largest element of the expected value."""
    import numpy as np

    if expected.shape != found.shape:
        return float("inf")
    if not expected.size:
        return 0.0
    if expected.dtype.kind not in "fiubc":
        return 0.0 if np.array_equal(expected, found) else float("inf")
    first, second = expected.astype(np.float64), found.astype(np.float64)
    both = np.isfinite(first) & np.isfinite(second)
    if not np.array_equal(first[~both], second[~both], equal_nan=True):
        return float("inf")
    if not both.any():
        return 0.0
    size = float(np.abs(first[both]).max())
    gap = float(np.abs(first[both] - second[both]).max())
    return gap / size if size else gap


def apart(expected: float, found: float) -> float:
    """Distance of two norms, relative to the expected one; one that is no number is infinitely far.

    A variable that holds inf or NaN on both sides is as it should be.
    """
    if expected == found or (math.isnan(expected) and math.isnan(found)):
        return 0.0
    if not (math.isfinite(expected) and math.isfinite(found)):
        return math.inf
    return abs(found - expected) / (abs(expected) or 1.0)


def describe_device() -> dict[str, Any]:
    """Which device and versions this ran with."""
    import jax
    import jaxlib
    import numpy as np

    device = jax.devices()[0]
    return {
        "platform": device.platform,
        "device": getattr(device, "device_kind", str(device)),
        "count": len(jax.devices()),
        "jax": jax.__version__,
        "jaxlib": jaxlib.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "driver": str(getattr(device.client, "platform_version", "")).splitlines()[:3],
    }


def main(argv: list[str] | None = None) -> int:
    """Run every program of a folder; write the result."""
    parser = argparse.ArgumentParser(description="Run exported training steps with JAX alone.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("result.json"))
    parser.add_argument("--platform", choices=["cpu", "cuda", "tpu"])
    parser.add_argument("--tf32", action="store_true", help="allow TF32 in matrix products")
    options = parser.parse_args(argv)
    os.environ["NVIDIA_TF32_OVERRIDE"] = "1" if options.tf32 else "0"
    if options.platform:
        os.environ["JAX_PLATFORMS"] = options.platform
    import jax

    jax.config.update("jax_enable_x64", True)
    if not options.tf32:
        jax.config.update("jax_default_matmul_precision", "highest")
    manifest = json.loads((options.folder / "export.json").read_text(encoding="utf-8"))
    result: dict[str, Any] = {
        "schema": RESULT_SCHEMA, "tf32": options.tf32, "device": describe_device(), "programs": {},
    }  # fmt: skip
    for number, program in enumerate(manifest["programs"]):
        sides: dict[str, Any] = {}
        for side, place in sorted(program["sides"].items()):
            began = time.monotonic()
            name = f"{program['name']} ({side})"
            print(f"[{number + 1}/{len(manifest['programs'])}] {name}", file=sys.stderr, flush=True)
            try:
                calls = Runner(options.folder / place).run()
                sides[side] = {"calls": calls}
            except Exception as error:
                sides[side] = {"error": f"{type(error).__name__}: {str(error)[:600]}"}
            sides[side]["seconds"] = round(time.monotonic() - began, 3)
        result["programs"][program["name"]] = sides
    options.output.write_text(json.dumps(result, indent=1, sort_keys=True), encoding="utf-8")
    print(f"{options.output}: {len(result['programs'])} programs on {result['device']['device']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
