"""What an export has beside signatures: files that go with it, another checkpoint than the latest.

    model.export_savedmodel(             export_saved_model(
        folder, receiver,                    model, folder, receiver(),
        assets_extra={'words': path})        assets={'words': path})

https://www.tensorflow.org/guide/saved_model
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.runs import checkpoint_paths

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

FUNCTION = "export_saved_model"
COPIED = """\
    for name, source in (assets or {}).items():
        file = os.path.join(path, "assets.extra", name)
        tf.io.gfile.makedirs(os.path.dirname(file))
        tf.io.gfile.copy(source, file, overwrite=True)
    return path
"""
END = "    return path\n"


def assets(program: Program, given: dict[str, ast.expr]) -> str:
    """The argument that says which files go with an export, taken out of what that is given."""
    node = given.pop("assets_extra", None)
    if node is None or (isinstance(node, ast.Constant) and not node.value):
        return ""
    _once(program, "export assets", lambda source: _with_assets(program, source))
    return f", assets={program.source(node)}"


def checkpoint(program: Program, given: dict[str, ast.expr], made: Estimator) -> str:
    """The argument that says which checkpoint is exported, taken out likewise."""
    node = given.get("checkpoint_path")
    found = checkpoint_paths.written(program, made, given)
    if node is not None:
        _once(program, "export checkpoint", lambda source: _with_checkpoint(node, source))
    return found


def _once(program: Program, key: str, change: object) -> None:
    """Change the function that exports, once all that it does else is known."""
    if key in program.kept:
        return
    program.kept[key] = True

    def last() -> None:
        for page in program.pages:
            if FUNCTION in page.needed:
                page.needed[FUNCTION] = change(page.needed[FUNCTION])  # type: ignore[operator]

    program.finish.append(last)


def _argument(source: str, name: str) -> str:
    first, rest = source.split("):\n", 1)
    return f"{first}, {name}=None):\n{rest}"


def _with_assets(program: Program, source: str) -> str:
    head, _, rest = source.rpartition(END)
    copied = COPIED.replace(" tf.", f" {program.tf}.")
    return _argument(f"{head}{copied}{rest}", "assets")


def _with_checkpoint(node: ast.expr, source: str) -> str:
    lines = source.splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if "    model.restore(" in line]
    if len(places) != 1:
        raise Blocked(node, "`checkpoint_path` of an export of such a model")
    lines[places[0]] = lines[places[0]].removesuffix(")\n") + ", checkpoint)\n"
    return _argument("".join(lines), "checkpoint")
