"""Compile StableHLO modules for a TPU that is not there: jax and libtpu, in a process of its own.

    python tpu_compile.py JOB.json

A job is ``{"topology": "v5e:2x2", "modules": [...]}``; a module has ``key``, ``path``, ``inputs``
(pairs of dtype and shape) and ``parallel``.
One line of JSON for each module goes to standard output as soon as it is known, so that a crash or
a time limit loses no more than the module it happens in.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

#: libtpu asks the machine which TPU it has; these answers are for a machine that has none.
ABSENT = {
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "TPU_WORKER_ID": "0",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "JAX_PLATFORMS": "cpu",
    "TPU_STDERR_LOG_LEVEL": "3",
    "TPU_MIN_LOG_LEVEL": "3",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


def shard(module: Any, inputs: list[Any], chips: int) -> int:
    """Split the batch over the chips, replicate the rest; returns how many arguments were split."""
    from jaxlib.mlir import ir

    leading = [shape[0] for _, shape in inputs if shape]
    batch = max(set(leading), key=leading.count) if leading else 0
    main = next(
        item.operation for item in module.body.operations
        if item.operation.name == "func.func"
        and ir.StringAttr(item.operation.attributes["sym_name"]).value == "main"
    )  # fmt: skip
    kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    split, attributes = 0, []
    for place, _ in enumerate(kind.inputs):
        text = "{replicated}"
        shape = inputs[place][1] if place < len(inputs) else []
        if shape and shape[0] == batch and batch % chips == 0:
            rest = ",".join(["1"] * (len(shape) - 1))
            text = f"{{devices=[{','.join(filter(None, [str(chips), rest]))}]<=[{chips}]}}"
            split += 1
        attributes.append(ir.DictAttr.get({"mhlo.sharding": ir.StringAttr.get(text)}))
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    result = ir.DictAttr.get({"mhlo.sharding": ir.StringAttr.get("{replicated}")})
    main.attributes["res_attrs"] = ir.ArrayAttr.get([result] * len(kind.results))
    return split


def compile_one(item: dict[str, Any], devices: list[Any]) -> dict[str, Any]:
    """Compile a module for one chip, or split over several; the compiler's own figures."""
    import numpy as np
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir

    sys.path.insert(0, str(Path(__file__).parent))
    import run_steps  # type: ignore[import-not-found]

    sys.path.pop(0)
    context, module = run_steps.parse(Path(item["path"]).read_bytes())
    options = xla_client.CompileOptions()
    chips, split = 1, 0
    with context, ir.Location.unknown():
        if item.get("parallel") and len(devices) > 1:
            split = shard(module, item["inputs"], len(devices))
            chips = len(devices) if split else 1
        options.num_replicas, options.num_partitions = 1, chips
        options.device_assignment = xla_client.DeviceAssignment.create(
            np.arange(chips, dtype="int32").reshape(1, chips)
        )
        if chips > 1:
            options.executable_build_options.use_spmd_partitioning = True
            options.executable_build_options.num_partitions = chips
        began = time.monotonic()
        chosen = tuple(devices[:chips])
        done = devices[0].client.compile(module, xla_client.DeviceList(chosen), options)
    seconds = time.monotonic() - began
    memory = done.get_compiled_memory_stats()
    costs = read(done.cost_analysis) or {}
    return {
        "seconds": round(seconds, 2),
        "chips": chips,
        "split": split,
        "arguments": memory.argument_size_in_bytes,
        "results": memory.output_size_in_bytes,
        "temporary": memory.temp_size_in_bytes,
        "code": memory.generated_code_size_in_bytes,
        "shared": memory.alias_size_in_bytes,
        "flop": costs.get("flops"),
        "bytes accessed": costs.get("bytes accessed"),
        "all-reduce": reductions(done),
    }


def read(figure: Any) -> Any:
    """A figure of a compiled step; None where jaxlib can't read what libtpu wrote.

    Some programs for v6e hold asynchronous updates that jaxlib 0.10.2 doesn't know.
    """
    from jax.errors import JaxRuntimeError

    try:
        return figure()
    except JaxRuntimeError:
        return None


def reductions(done: Any) -> int | None:
    """How many all-reduce operations the compiled step has."""
    text = read(lambda: done.hlo_modules()[0].to_string())
    return None if text is None else len(re.findall(r"= \S.* all-reduce(?:-start)?\(", text))


def say(**values: Any) -> None:
    """One line for the parent."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def main(path: str) -> int:
    """Compile the modules of a job."""
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    os.environ.update(ABSENT)
    import jax
    import jaxlib
    from jax.experimental import topologies

    try:
        described = topologies.get_topology_desc(platform="tpu", topology_name=job["topology"])
    except Exception as error:
        say(failed=f"{type(error).__name__}: {str(error)[:600]}")
        return 1
    devices = list(described.devices)
    say(device=devices[0].device_kind, chips=len(devices), jax=jax.__version__,
        jaxlib=jaxlib.__version__)  # fmt: skip
    for item in job["modules"]:
        say(begin=item["key"])
        try:
            say(key=item["key"], **compile_one(item, devices))
        except Exception as error:
            say(key=item["key"], error=f"{type(error).__name__}: {str(error)[:1500]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
