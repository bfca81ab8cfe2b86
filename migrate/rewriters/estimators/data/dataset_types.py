"""What datasets of TF 1 say of their elements: `output_types` and `output_shapes`.

    dataset.output_types     tf.nest.map_structure(lambda spec: spec.dtype, dataset.element_spec)

https://www.tensorflow.org/api_docs/python/tf/data/Dataset#element_spec
"""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.program import Program

SAID = {"output_types": "dtype", "output_shapes": "shape"}


def written(program: Program) -> None:
    """Ask datasets for their elements' specs, where it is seen that they are datasets."""
    for node in program.scopes.walk():
        if not isinstance(node, ast.Attribute) or node.attr not in SAID:
            continue
        if not isinstance(node.ctx, ast.Load) or not _dataset(program, node.value, 0):
            continue
        spec = f"{program.text.source(node.value)}.element_spec"
        new = f"{program.tf}.nest.map_structure(lambda spec: spec.{SAID[node.attr]}, {spec})"
        program.edit(node, new, "TF 2's datasets have specs of their elements")


def _dataset(program: Program, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a dataset of `tf.data`, whatever was done with it since."""
    if depth > 40:
        return False
    if isinstance(node, ast.Call):
        endpoint = program.called(node)
        if endpoint:
            name = endpoint.removeprefix("tensorflow.data.").partition(".")[0]
            return endpoint.startswith("tensorflow.data.") and name.endswith("Dataset")
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return inner is not None and _dataset(program, inner, depth + 1)
    if not isinstance(node, ast.Name):
        return False
    found = program.scopes.bindings(node.id, node)
    every = program.scopes.bound(found[0].scope)[node.id] if found else []
    values = [b.value for b in every if b.kind == "assign"]
    if not values or len(values) != len(every):
        return False
    # One of them begins it; the others go on from the name itself.
    begun = [v for v in values if v is not None and not _goes_on(v, node.id)]
    return len(begun) > 0 and all(_dataset(program, v, depth + 1) for v in begun)


def _goes_on(value: ast.expr, name: str) -> bool:
    """Whether a value is made by methods of what has a name."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name
