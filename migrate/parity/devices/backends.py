"""The jax and torch columns: a Keras 3 program under another backend, on the CPU.

Only what is written in Keras alone has other backends. A program that uses TensorFlow itself, in
its step or beside it, is not run, with the line that says so.
"""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import replace
from pathlib import Path

from migrate.parity.bundle import Bundle
from migrate.parity.config import Comparison
from migrate.parity.harness import Harness, Program
from migrate.parity.verdict import NOT_RUN, Result

INSTALL = {"jax": "pip install tf1-migrate[tpu]", "torch": "pip install torch"}
#: What of tf.keras and tf is only another name of Keras's or computes nothing in the step.
HARMLESS = ("keras", "random.set_seed", "compat.v1.logging", "get_logger", "config")


def obstacle(program: Program, backend: str) -> str:
    """Why the program can't run under a backend; empty where it can be tried."""
    if importlib.util.find_spec(backend) is None:
        return f"{backend} is not installed: {INSTALL[backend]}"
    if not program.is_script:
        return "only scripts are looked at, this is a module"
    path = Path(program.target)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = _tensorflow_names(tree)
    if not _uses_keras(tree):
        return "the program does not train by Keras: its step is TensorFlow's"
    for node in ast.walk(tree):
        dotted = _dotted(node)
        head, _, rest = dotted.partition(".")
        if head in names and rest and not rest.startswith(HARMLESS):
            line = getattr(node, "lineno", 0)
            return f"the program uses TensorFlow itself ({path.name}:{line}: tf.{rest})"
    return ""


def _tensorflow_names(tree: ast.AST) -> set[str]:
    return {
        item.asname or item.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for item in node.names
        if item.name.partition(".")[0] == "tensorflow"
    }


def _uses_keras(tree: ast.AST) -> bool:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in ("fit", "train_on_batch")
               for call in calls)  # fmt: skip


def _dotted(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) and parts else ""


def verify(
    backend: str, golden: Bundle, item: Comparison, harness: Harness, empty: Result
) -> Result:
    """Climb the ladder with the program under another backend."""
    reason = obstacle(item.after, backend)
    if reason:
        empty.verdict, empty.reason = NOT_RUN, reason
        return empty
    harness.options = replace(
        item.options, variables=(("KERAS_BACKEND", backend),), lock_step=False, witness=False
    )
    result = harness.verify(golden, item.after, item.name, empty.before)
    result.device = backend
    return result
