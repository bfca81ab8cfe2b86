"""Which operations of a function XLA has no kernel for, and what its errors say.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import re
from typing import Any

SEED_OPS = frozenset(["Placeholder", "VarHandleOp", "NoOp", "_Arg", "_Retval", "Switch", "Merge",
                      "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch"])  # fmt: skip

#: Behind an operation that has a kernel, but none for strings.
STRINGS = " of strings"


def xla_ops(tf: Any) -> frozenset[str]:
    """Names of the operations that XLA has a kernel for."""
    from tensorflow.python.framework import kernels

    tf.function(lambda x: x + 1, jit_compile=True)(1.0)  # the kernels register at first use
    listed = kernels.get_all_registered_kernels().kernel
    return frozenset(item.op for item in listed if item.device_type == "XLA_CPU_JIT") | SEED_OPS


def only_told(operation: Any) -> bool:
    """Whether an operation is the text of assertions, which XLA leaves out."""
    readers = [reader for item in operation.outputs for reader in item.consumers()]
    return bool(readers) and all(reader.type == "Assert" for reader in readers)


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


def kinds_in(graph: Any) -> set[str]:
    """Types of the operations of a graph and of the functions that it calls, imported ones too."""
    definition = graph.as_graph_def()
    functions = {item.signature.name: item for item in definition.library.function}
    waiting = list(definition.node)
    found = set()
    while waiting:
        node = waiting.pop()
        found.add(node.op)
        called = [node.op]
        for value in node.attr.values():
            called += [value.func.name, *(item.name for item in value.list.func)]
        for name in called:
            if name in functions:
                waiting += functions.pop(name).node_def
    return found


def first_lines(text: str) -> str:
    """The sentence of an error of XLA's, without node names and advice."""
    text = text.replace("Failed getting HLO text: ", "").strip("'\" ")
    for mark in ("{{function_node", "\nThe op is created at", "\n\tStacktrace", "\ntf2xla"):
        text = text.partition(mark)[0]
    return " ".join(text.split())[:600]


def error_place(text: str, own_line: Any) -> Any:
    """File and line of the program that an error of XLA's names."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', text)
    return own_line([(name if name.startswith("/") else "/" + name, int(n)) for name, n in frames])
