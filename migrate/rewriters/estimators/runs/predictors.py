"""`contrib.predictor.from_saved_model`: a signature of a SavedModel as a function of arrays.

    net = tf.contrib.predictor.from_saved_model(path)      net = from_saved_model(path)
    print(net({'x': [[1.]]})['scores'])                    print(net({'x': [[1.]]})['scores'])

https://www.tensorflow.org/guide/saved_model#loading_and_using_a_custom_model
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program

ENDPOINT = "tensorflow.contrib.predictor.from_saved_model"
SOURCE = '''def from_saved_model(export_dir, signature_def_key="serving_default"):
    """A function that gives what a signature of a SavedModel computes of arrays."""
    loaded = {tf}.saved_model.load(export_dir)
    signature = loaded.signatures[signature_def_key or "serving_default"]
    _, specs = signature.structured_input_signature

    def predict(inputs, loaded=loaded):  # which has the variables
        given = {name: {tf}.constant(value, specs[name].dtype) for name, value in inputs.items()}
        return {name: value.numpy() for name, value in signature(**given).items()}

    return predict
'''


def written(program: Program, call: ast.Call) -> None:
    """Let a function of the file load the model.

    Raises:
        Blocked: it is asked for more, or does more than to predict.
    """
    given = program.given(call)
    for name, node in given.items():
        if name not in ("export_dir", "signature_def_key"):
            raise Blocked(node, f"`{name}` of a predictor")
    if "export_dir" not in given or len(call.args) > 2:
        raise Blocked(call, "these arguments of a predictor")
    for use in _uses(program, call):
        above = program.scopes.parents[id(use)]
        if not isinstance(above, ast.Call) or above.func is not use:
            raise Blocked(use, "a predictor that is used for something else, too")
        if len(above.args) != 1 or above.keywords or isinstance(above.args[0], ast.Starred):
            raise Blocked(above, "these arguments of a predictor")
    name = "from_saved_model"
    if name in program.page(call).bound:
        raise Blocked(call, f"`{name}`, which the file has already")
    program.need(call, name, SOURCE)
    program.edit(call.func, name, "a signature of a SavedModel")


def _uses(program: Program, call: ast.Call) -> list[ast.expr]:
    """Where a predictor is read: under its name, or where it is made."""
    above = program.scopes.parents[id(call)]
    if isinstance(above, ast.Call) and above.func is call:
        return [call]
    target = above.targets[0] if isinstance(above, ast.Assign) and above.value is call else None
    if not isinstance(target, ast.Name) or not isinstance(above, ast.Assign):
        raise Blocked(call, "a predictor that has no name")
    if len(above.targets) > 1:
        raise Blocked(call, "a predictor of several names")
    return list(program.reads(target.id, program.scopes.scope(target)))


READERS[ENDPOINT] = written
