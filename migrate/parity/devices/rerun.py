"""The kept calls of a step once more: one ulp away at the start, and under ``jit_compile``.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .run_steps import apart, distance
from .xla_kernels import first_lines

if TYPE_CHECKING:
    from .steps_writer import StepsWriter

ULP_RUNS = 5


def judge_jit(writer: StepsWriter) -> None:
    """The kept calls under ``jit_compile=True``; how far one ulp at the start moves them."""

    def plain(number: int) -> Any:
        concrete = writer.plain[number]
        return lambda *values: concrete._call_flat(list(values), concrete.captured_inputs)

    moved = [repeat(writer, plain, perturb=seed + 1) for seed in range(ULP_RUNS)]
    for place, call in enumerate(writer.calls):
        runs = [run[place] for run in moved if run[place]]
        expected = [None if key is None else writer.arrays[key] for key in call["outputs"]]
        call["envelope"] = distances(expected, call["norms"], runs)
    try:
        jitted = repeat(writer, writer.jitted.get)
    except Exception as error:
        writer.notes.append(f"under jit_compile: {first_lines(str(error))}")
        return
    for place, call in enumerate(writer.calls):
        if jitted[place]:
            expected = [None if key is None else writer.arrays[key] for key in call["outputs"]]
            call["jit"] = distances(expected, call["norms"], [jitted[place]])
            call["jit"]["losses"] = [
                float(jitted[place]["outputs"][index].sum()) for index in call["losses"]
            ]


def repeat(writer: StepsWriter, functions: Any, perturb: int | None = None) -> list[dict[str, Any]]:
    """The kept calls once more from the start values, by other functions; what each gave."""
    generator = np.random.RandomState(perturb)
    for name, item in writer.variables.items():
        value = writer.arrays[item["start"]]
        if perturb is not None and value.dtype.kind == "f":
            value = one_ulp(value, generator)
        writer.held[name].assign(value)
    done: list[dict[str, Any]] = []
    for call in writer.calls:
        for name, key in call["set"].items():
            writer.held[name].assign(writer.arrays[key])
        function = functions(call["function"])
        if function is None:
            done.append({})
            continue
        described = writer.functions[call["function"]]
        values = [writer.arrays[key] for key in call["inputs"]]
        if perturb is not None:
            values = [moved_data(value, generator) for value in values]
        inputs = [
            writer.tf.constant(value, kind)
            for value, (kind, _) in zip(values, described["inputs"], strict=True)
        ]
        result = function(*inputs)
        leaves = writer.tf.nest.flatten(result, expand_composites=True)
        outputs = [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")]
        done.append({"outputs": outputs, "norms": writer.norms(call["function"])})
    return done


def distances(
    expected: list[Any], norms: dict[str, float], runs: list[dict[str, Any]]
) -> dict[str, Any]:
    """Largest relative distances of some runs of a call: of its results and variables' norms."""
    outputs = [0.0 for _ in expected]
    far = dict.fromkeys(norms, 0.0)
    for run in runs:
        for place, (one, other) in enumerate(zip(expected, run["outputs"], strict=False)):
            if one is not None:
                outputs[place] = max(outputs[place], distance(one, np.asarray(other)))
        for name, value in norms.items():
            far[name] = max(far[name], apart(value, run["norms"][name]))
    return {"outputs": outputs, "norms": far}


def moved_data(value: Any, generator: Any) -> Any:
    """An argument with its numbers moved by one ulp, but for whole ones: labels, counts, masks."""
    if value.dtype.kind != "f":
        return value
    whole = value == np.trunc(value)
    return np.where(whole, value, one_ulp(value, generator))


def one_ulp(value: Any, generator: Any) -> Any:
    """``value`` with every element moved to the next number up or down, but 0, inf and NaN."""
    up = generator.randint(0, 2, size=value.shape).astype(bool)
    kind = value.dtype.type
    moved = np.where(up, np.nextafter(value, kind(np.inf)), np.nextafter(value, kind(-np.inf)))
    return np.where(np.isfinite(value) & (value != 0), moved, value).astype(value.dtype)
