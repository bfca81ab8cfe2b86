"""`export_savedmodel` and its kin: a SavedModel with the signatures that TF 1 wrote.

https://www.tensorflow.org/guide/saved_model
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.heads_and_columns.columns import columns
from migrate.rewriters.estimators.serving import asset_files, export_outputs, receivers, served

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

METHODS = frozenset({"export_savedmodel", "export_saved_model"})
OF_HEADS = ("predict",)  # what heads export where no Examples are sent
ORDER = ("export_dir_base", "serving_input_receiver_fn", "assets_extra", "as_text")
# What changes nothing of what a client sees.
GOES = ("strip_default_attrs",)
SOURCE = '''def export_saved_model(model, folder, receivers, signatures=("serving_default",)):
    """Save what a model predicts for TensorFlow Serving, as a version that the time tells."""

    @tf.function
    def serve(**features):
        return {returned}
{restored}
    concrete = serve.get_concrete_function(**receivers)
    version = int(time.time())
    while tf.io.gfile.exists(path := os.path.join(folder, str(version))):
        version += 1
    type(model)._default_save_signature = None  # Keras's own takes all features for floats
    served = tf.Module()  # a server restores copies of what Keras keeps, these as they are
    served.model, served.values = model, [variable.value for variable in model.variables]
    tf.saved_model.save(served, path, signatures=dict.fromkeys(signatures, concrete))
    return path
'''
# A SavedModel that people read, which TensorFlow loads as well.
AS_TEXT = """\
    file = os.path.join(path, "saved_model.pb")
    with tf.io.gfile.GFile(file, "rb") as stream:
        saved = saved_model_pb2.SavedModel.FromString(stream.read())
    with tf.io.gfile.GFile(f"{file}txt", "w") as stream:
        stream.write(text_format.MessageToString(saved))
    tf.io.gfile.remove(file)
    return path
"""
# A model that goes on from a folder exports its latest checkpoint.
RESTORED = """
    zeros = {k: tf.zeros([d or 1 for d in s.shape], s.dtype) for k, s in receivers.items()}
    model.restore(tf.data.Dataset.from_tensors(zeros))
"""


def exported(program: Program, call: ast.Call, made: Estimator, model: str) -> str:
    """What exports a model, for the call of a method of its Estimator.

    Raises:
        Blocked: the input that is received isn't followed, or an argument.
    """
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        raise Blocked(call, "arguments are hidden here")
    given = dict(zip(ORDER, call.args, strict=False))
    given.update({str(k.arg): k.value for k in call.keywords})
    for name, node in list(given.items()):
        if name in GOES or (isinstance(node, ast.Constant) and not node.value):
            del given[name]
    text = given.get("as_text")
    if isinstance(text, ast.Constant) and text.value is True:
        del given["as_text"]
    else:
        text = None
    folder, receiver = given.pop("export_dir_base", None), given.pop(ORDER[1], None)
    more = asset_files.assets(program, given) + asset_files.checkpoint(program, given, made)
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of an export isn't followed yet")
    if folder is None or receiver is None:
        raise Blocked(call, "an export whose folder or input isn't seen")
    of_one_kind(program, call, text=text is not None)
    new = written(program, call, made, model, program.source(folder), receiver, more)
    above = program.scopes.parents[id(call)]
    return new if isinstance(above, ast.Expr) else f"{new}.encode()"  # TF 1 gave bytes


def of_one_kind(program: Program, call: ast.Call, *, text: bool) -> None:
    """See to it that all exports are ones that people read, or none.

    Raises:
        Blocked: one is of the other kind.
    """
    if program.kept.setdefault("exported as text", text) is not text:
        raise Blocked(call, "`as_text` of some exports only")


def written(
    program: Program,
    call: ast.Call,
    made: Estimator,
    model: str,
    folder: str,
    receiver: ast.expr,
    beside: str = "",
) -> str:
    """The call of the function that exports, which the file gets; ``beside``: more arguments.

    Raises:
        Blocked: the model's signatures aren't those of its predictions.
    """
    if made.signatures is None or "predict" not in made.modes:
        raise Blocked(
            call,
            "an export of more than predictions: a PredictOutput can be a dict of what the spec "
            "predicts",
        )
    own = columns(program)
    if own.used & {"VocabularyColumn", "VocabularyFileColumn"}:
        own.features.add("lookups")
    spec = served.parsed(program, receiver)
    if spec is not None:
        _needed(program, call, served.source(program, call, made))
        return f"export_saved_model({model}, {folder}, {spec}{beside})"
    if made.answers:
        what = (
            "a ClassificationOutput or RegressionOutput, which Examples are sent to: receive them"
        )
        raise Blocked(call, f"{what} by build_parsing_serving_input_receiver_fn")
    received = receivers.received(program, receiver)
    if made.head in ("MultiHead", "MultiLabelHead"):
        raise Blocked(call, f"an export of a {made.head}")
    more = (
        ""
        if made.signatures == (export_outputs.DEFAULT,)
        else f", signatures={list(made.signatures)!r}"
    )
    if received.parsed:
        more = "" if made.head else more
        _needed(program, call, served.computed(program, call, made, optional=received.optional))
        return f"export_saved_model({model}, {folder}, *{received.source}{more}{beside})"
    if made.head and _strings(program, receiver):
        raise Blocked(receiver, "strings that a model with a head receives")
    source = SOURCE.replace("return {returned}", export_outputs.returned(made))
    source = source.replace("{restored}\n", RESTORED if made.folder is not None else "")
    _needed(program, call, source)
    return f"export_saved_model({model}, {folder}, {received.source}{more}{beside})"


def _strings(program: Program, receiver: ast.expr) -> bool:
    """Whether strings are received: one tensor of them a head takes for Examples."""
    function = program.scopes.function(receiver)
    seen = program.scopes.value(receiver) if function is None else function
    return any(program.endpoint(n) == "tensorflow.string" for n in walk(seen))


def _needed(program: Program, call: ast.Call, source: str) -> None:
    """Give the file the function that exports.

    Raises:
        Blocked: it has another one.
    """
    if program.kept.setdefault("exported", source) != source:
        raise Blocked(call, "exports of several kinds of models")
    imports = ["import os", "import time"]
    if program.kept.get("exported as text"):
        source = source.replace("    return path\n", AS_TEXT)
        imports += [
            "from google.protobuf import text_format",
            "from tensorflow.core.protobuf import saved_model_pb2",
        ]
    source = re.sub(r"(?<=[ @\[(=])tf\.", "{tf}.", source)
    program.need(call, "export_saved_model", source, imports)
