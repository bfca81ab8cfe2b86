"""The jax and torch columns: a Keras 3 program under another backend, on the CPU.

Only what is written in Keras alone has other backends. A program whose step is TensorFlow's is not
run, with the line that says so; one that takes something of TensorFlow's beside it is tried. What
is drawn under another backend is what TensorFlow draws (``keras_draws.py``).
"""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import replace
from pathlib import Path

from migrate.parity.bundle import Bundle
from migrate.parity.config import Comparison
from migrate.parity.harness import Harness, Program
from migrate.parity.verdict import CRASHED, NOT_RUN, Result

INSTALL = {
    "jax": "pip install tf1-migrate[tpu]",
    "torch": "pip install torch --index-url https://download.pytorch.org/whl/cpu",
}
#: What of tf makes the step TensorFlow's own: no other backend can run it.
OWN_STEP = ("GradientTape", "function", "Session", "compat.v1.Session", "compat.v1.train",
            "gradients", "compat.v1.gradients", "distribute")  # fmt: skip
#: What of tf.keras and tf is only another name of Keras's or computes nothing in the step.
HARMLESS = ("keras", "random.set_seed", "compat.v1.logging", "get_logger", "config", "data")


def obstacle(program: Program, backend: str) -> str:
    """Why the program can't run under a backend; empty where it can be tried."""
    if not program.is_script:
        return "only scripts are looked at, this is a module"
    path = Path(program.target)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not _uses_keras(tree):
        return "the program does not train by Keras: its step is TensorFlow's"
    own = [use for use in _uses(tree) if _within(use[1], OWN_STEP)]
    if own:
        return f"the program's step is TensorFlow's ({_place(path, own[0])})"
    if importlib.util.find_spec(backend) is None:
        return f"{backend} is not installed: {INSTALL[backend]}"
    return ""


def _uses(tree: ast.AST) -> list[tuple[int, str]]:
    """What a program takes from TensorFlow itself: line and name."""
    names = _tensorflow_names(tree)
    found = []
    for node in ast.walk(tree):
        head, _, rest = _dotted(node).partition(".")
        if head in names and rest and not _within(rest, HARMLESS):
            found.append((getattr(node, "lineno", 0), rest))
    return sorted(found, key=lambda use: (use[0], -len(use[1])))


def _within(name: str, known: tuple[str, ...]) -> bool:
    return any(name == item or name.startswith(f"{item}.") for item in known)


def _place(path: Path, use: tuple[int, str]) -> str:
    return f"{path.name}:{use[0]}: tf.{use[1]}"


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
    if result.verdict == CRASHED:
        # TensorFlow's functions take no arrays of another backend inside of a step.
        path = Path(item.after.target)
        uses = _uses(ast.parse(path.read_text(encoding="utf-8")))
        if uses:
            result.verdict = NOT_RUN
            result.reason = (
                f"the program uses TensorFlow itself ({_place(path, uses[0])}): {result.reason}"
            )
    return result
