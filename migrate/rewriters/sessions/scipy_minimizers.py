"""SciPy's optimizer in the output: a small class, and what its `minimize` is given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.programs.graph.model import Site
from migrate.programs.graph.optimizing.scipy_minimizers import NAME

IMPORTS = ("import numpy as np", "import scipy.optimize")
# As tf.contrib.opt's: variables in float64 as one vector, SciPy's own words when it has ended.
SOURCE = '''class ScipyOptimizer:
    """A minimizer of SciPy's, over all variables that a function reads, as one vector."""

    def __init__(self, method="L-BFGS-B", **settings):
        self.method, self.settings = method, settings

    def minimize(self, compute, loss_callback=None, step_callback=None):
        {variables}
        ends = np.cumsum([v.shape.num_elements() for v in variables])[:-1]

        def assign(vector):
            for variable, value in zip(variables, np.split(vector, ends)):
                variable.assign({tf}.cast(value.reshape(variable.shape), variable.dtype))

        def pack(tensors):
            flat = [np.ravel({tf}.convert_to_tensor(t)) for t in tensors]
            return np.concatenate(flat).astype("float64")

        def evaluate(vector):
            assign(vector)
            with {tf}.GradientTape() as tape:
                loss, *fetched = compute()
            gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
            if loss_callback is not None:
                loss_callback(*[t.numpy() for t in fetched])
            return float(loss), pack(gradients)

        result = scipy.optimize.minimize(
            evaluate, pack(variables), jac=True, method=self.method,
            callback=step_callback or (lambda xk: None), **self.settings)
        assign(result.x)
        {tf}.get_logger().info(f"Optimization terminated with: {{result.message}}")
'''


WATCHED = """with {tf}.GradientTape() as tape:
            compute()
        variables = tape.watched_variables()"""
LISTED = """variables = self.var_list
        if variables is None:
            with {tf}.GradientTape() as tape:
                compute()
            variables = tape.watched_variables()"""
# What takes a list of variables is another text of the class.
TAKES = (
    ("over all variables that a function reads, as", "over some variables, or all, as"),
    ('method="L-BFGS-B", **settings', 'var_list=None, method="L-BFGS-B", **settings'),
    (
        "self.method, self.settings = method,",
        "self.var_list, self.method, self.settings = var_list, method,",
    ),
)


def defined(module: Any, *, listed: bool) -> None:
    """See to it that the file has the class, ``listed``: one that takes a list of variables."""
    tf = module.tf
    source = SOURCE.format(tf=tf, variables=(LISTED if listed else WATCHED).format(tf=tf))
    for old, new in TAKES if listed else ():
        source = source.replace(old, new)
    module.need(NAME, source, IMPORTS)


def written(site: Site, call: str, here: Callable[[ast.AST], str]) -> str:
    """The call of ``minimize``."""
    assert isinstance(site.node.func, ast.Attribute)
    given = call if site.minimized == "several" else f"[{call}]"
    if site.minimized == "same":  # the loss is what the callback gets
        given = f"[{call}] * 2"
    callbacks = [k for k in site.node.keywords if k.arg in ("loss_callback", "step_callback")]
    parts = [f"lambda: {given}", *(f"{k.arg}={here(k.value)}" for k in callbacks)]
    return f"{here(site.node.func.value)}.minimize({', '.join(parts)})"


__all__ = ["defined", "written"]
