"""TFM222 shape-items: the items of a TensorShape are ints, and were Dimensions.

https://www.tensorflow.org/guide/migrate/tf1_vs_tf2#tensorshape

A `tf.TensorShape` is made, compared and handed to TensorFlow as before; only what its items are has
changed. It stays where it goes into a call of TensorFlow or of a method, by itself, by a name of
the function or in a list, tuple or dictionary, where `compute_output_shape` returns it, and where
it is only asked about (`isinstance`, `.as_list()`). Where its items may be taken the program keeps
its graph.
"""

from __future__ import annotations

import ast

from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import all_of, children
from migrate.engine.values import values_of

SHAPE = Rule(
    "TFM222",
    "shape-items",
    "a tf.TensorShape whose items may be taken",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/tf1_vs_tf2#tensorshape",
)
# Attributes that hold no Dimension.
ASKED = frozenset(
    {
        "as_list",
        "as_proto",
        "assert_has_rank",
        "assert_is_compatible_with",
        "assert_is_fully_defined",
        "assert_same_rank",
        "is_compatible_with",
        "is_fully_defined",
        "ndims",
        "num_elements",
        "rank",
    }
)
TYPES = frozenset({"isinstance", "issubclass"})
HOLDERS = (ast.List, ast.Tuple, ast.Dict, ast.keyword, ast.IfExp)


def path_to(stmt: ast.AST, node: ast.AST) -> list[ast.AST]:
    """What is around a node, the nearest first, up to its statement."""
    stack: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(stmt, ())]
    while stack:
        here, around = stack.pop()
        if here is node:
            return list(reversed(around))
        stack.extend((child, (*around, here)) for child in children(here))
    return []


@SHAPE.endpoint("tensorflow.TensorShape")
def shape(site: Site) -> Result | None:
    """Leave one that is handed on."""
    node: ast.AST = site.call or site.ref.node
    for around in path_to(site.ref.stmt, node):
        if isinstance(around, HOLDERS):
            node = around
            continue
        if isinstance(around, ast.Call) and node is not around.func and _taken(site, around):
            return None
        if isinstance(around, ast.Attribute) and around.attr in ASKED:
            return None
        if site.call is None and isinstance(around, (ast.arg, ast.AnnAssign, ast.FunctionDef)):
            return None  # an annotation
        if node is site.call and _by_name(site, around):
            return None
        break
    return site.result(
        SHAPE, f"{site.shown}: its items are ints in TF 2, and may be taken", blocks=True
    )


def _by_name(site: Site, stmt: ast.AST) -> bool:
    """Whether a function gives it to Keras, or has a name for it that is only handed on."""
    around = path_to(site.file.tree, stmt)
    function = next((n for n in around if isinstance(n, (ast.FunctionDef, ast.Lambda))), None)
    if not isinstance(function, ast.FunctionDef):
        return False
    if isinstance(stmt, ast.Return):
        return function.name == "compute_output_shape"
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Name):
        return False
    return len(stmt.targets) == 1 and all(
        _handed(site, function, use)
        for use in all_of(function, ast.Name)
        if use.id == stmt.targets[0].id and use is not stmt.targets[0]
    )


def _handed(site: Site, function: ast.FunctionDef, use: ast.Name) -> bool:
    """Whether a use of a shape's name takes none of its items."""
    around = path_to(function, use)
    if isinstance(around[0], ast.keyword):
        around = around[1:]
    here = around[0]
    if isinstance(here, ast.Attribute):
        return here.attr in ASKED
    return isinstance(here, ast.Call) and use is not here.func and _taken(site, here)


def _taken(site: Site, call: ast.Call) -> bool:
    """Whether a call takes a shape as a whole: TensorFlow's, a method's, a check of types."""
    func = call.func
    if isinstance(func, ast.Name) and func.id in TYPES:
        return True
    if site.call is None:
        return False
    return isinstance(func, ast.Attribute) or bool(values_of(site.file).endpoint(func))
