"""Exports of models that are sent Examples: signatures to classify, to regress and to predict.

https://www.tensorflow.org/tfx/serving/signature_defs
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.serving import export_outputs

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

PARSING = "tensorflow.estimator.export.build_parsing_serving_input_receiver_fn"
SOURCE = '''def export_saved_model(model, folder, feature_spec):
    """Save a model for TensorFlow Serving, which sends Examples; the time tells the version."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def predict(examples):
        features = tf.io.parse_example(examples, feature_spec)
        return {returned}
{kinds}{restored}
    signatures = {signatures}
    version = int(time.time())
    while tf.io.gfile.exists(path := os.path.join(folder, str(version))):
        version += 1
    type(model)._default_save_signature = None  # Keras's own takes all features for floats
    served = tf.Module()  # a server restores copies of what Keras keeps, these as they are
    served.model, served.values = model, [variable.value for variable in model.variables]
    tf.saved_model.save(served, path, signatures=signatures)
{methods}    return path
'''
CLASSIFY = """
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def classify(inputs):
        found = predict(inputs)
        return {"classes": found["all_classes"], "scores": found["probabilities"]}
"""
REGRESS = """
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def regress(inputs):
        return {"outputs": predict(inputs)["{key}"]}
"""
ANSWER = """
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def {function}(inputs):
        found = predict(inputs)
        return {{outputs}}
"""
RESTORED = """
    nothing = tf.io.parse_example(tf.zeros([0], tf.string), feature_spec)
    model.restore(tf.data.Dataset.from_tensors(nothing))
"""
# What a client sends goes through a function of the receiver first.
COMPUTED = '''\
def export_saved_model(model, folder, receivers, parse, signatures=("serving_default",)):
    """Save a model for TensorFlow Serving, with what it computes of what is sent."""

    @tf.function
    def serve(**received):
        features = {features}
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
OF_HEADS = '''def export_saved_model(model, folder, receivers, parse):
    """Save a model for TensorFlow Serving, with what it computes of what is sent."""

    @tf.function
    def predict(**received):
        features = {features}
        return model.predict_step((features,))
{restored}
    signatures = {"predict": predict.get_concrete_function(**receivers)}
    methods = {}
    if [spec.dtype for spec in receivers.values()] == [tf.string]:  # as Examples are sent
        (sent,) = receivers
{kinds}
        methods = {
{methods}        }
        functions = {{functions}}
        signatures.update((name, functions[kind]) for name, kind in methods.items())
    version = int(time.time())
    while tf.io.gfile.exists(path := os.path.join(folder, str(version))):
        version += 1
    type(model)._default_save_signature = None  # Keras's own takes all features for floats
    served = tf.Module()  # a server restores copies of what Keras keeps, these as they are
    served.model, served.values = model, [variable.value for variable in model.variables]
    tf.saved_model.save(served, path, signatures=signatures)
    file = os.path.join(path, "saved_model.pb")
    with tf.io.gfile.GFile(file, "rb") as stream:
        saved = saved_model_pb2.SavedModel.FromString(stream.read())
    for name, kind in methods.items():
        signature = saved.meta_graphs[0].signature_def[name]
        signature.method_name = f"tensorflow/serving/{kind}"
    with tf.io.gfile.GFile(file, "wb") as stream:
        stream.write(saved.SerializeToString())
    return path
'''
RESTORED_BY = """
    zeros = {k: tf.zeros([d or 1 for d in s.shape], s.dtype) for k, s in receivers.items()}
    model.restore(tf.data.Dataset.from_tensors(zeros){mapped})
"""
# `tf.saved_model.save` calls every signature one that predicts; a server looks at the name.
METHODS = """    file = os.path.join(path, "saved_model.pb")
    with tf.io.gfile.GFile(file, "rb") as stream:
        saved = saved_model_pb2.SavedModel.FromString(stream.read())
    for name, signature in saved.meta_graphs[0].signature_def.items():
        if name in signatures:
            signature.method_name = f"tensorflow/serving/{signatures[name].__name__}"
    with tf.io.gfile.GFile(file, "wb") as stream:
        stream.write(saved.SerializeToString())
"""
# What a head's predictions are exported as, besides `predict`; the first is the default.
KINDS = {
    "BinaryClassHead": {"classification": "classify", "regression": "regress"},
    "MultiClassHead": {"classification": "classify"},
    "RegressionHead": {"regression": "regress"},
    "PoissonRegressionHead": {"regression": "regress"},
    "LogisticRegressionHead": {"regression": "regress"},
}


def parsed(program: Program, node: ast.expr) -> str | None:
    """The spec that a serving_input_receiver_fn parses Examples by; None for another one.

    Raises:
        Blocked: it is used for something else, too, or receives a set number of Examples.
    """
    value = program.scopes.value(node)
    if program.called(value) != PARSING or not isinstance(value, ast.Call):
        return None
    given = program.given(value)
    spec = given.pop("feature_spec", None)
    if spec is None or given:
        raise Blocked(value, "a receiver of a set number of Examples")
    if node is value:
        return program.source(spec)
    found = program.scopes.lookup(node)
    if found is None or not isinstance(node, ast.Name):
        raise Blocked(node, "a serving_input_receiver_fn that isn't seen")
    if len(program.scopes.uses(found, node.id)) > 1:
        raise Blocked(node, f"`{node.id}` is used more than once")
    program.edit(value, program.source(spec), "what Examples are parsed by")
    return program.source(node)


def source(program: Program, call: ast.Call, made: Estimator) -> str:
    """The function that exports a model with the signatures that TF 1 gives it.

    Raises:
        Blocked: they aren't known.
    """
    if made.head:
        if made.head not in KINDS:
            raise Blocked(call, f"an export of a {made.head}")
        own = KINDS[made.head]
        named = {"serving_default": next(iter(own.values())), **own, "predict": "predict"}
    else:
        assert made.signatures is not None
        named = dict.fromkeys(made.signatures, "predict")
        named |= {name: function for name, (function, _) in made.answers.items()}
    kinds = CLASSIFY if "classify" in named.values() else ""
    if "regress" in named.values():
        key = "logistic" if made.head == "BinaryClassHead" else "predictions"
        kinds += REGRESS.replace("{key}", key)
    if made.answers:
        if not made.keyed:
            raise Blocked(call, "an export of more than predictions that are no dict")
        kinds = "".join(
            ANSWER.replace("{function}", function).replace(
                "{outputs}", ", ".join(f'"{name}": {value}' for name, value in outputs)
            )
            for function, outputs in dict.fromkeys(made.answers.values())
        )
    several = set(named.values()) != {"predict"}
    if several:
        program.bring(call, "from tensorflow.core.protobuf import saved_model_pb2")
    text = SOURCE.replace("return {returned}", export_outputs.returned(made))
    text = text.replace("{kinds}", kinds)
    text = text.replace("{restored}", RESTORED if made.folder is not None else "")
    text = text.replace("{methods}", METHODS if several else "")
    written = "".join(f'        "{name}": {function},\n' for name, function in named.items())
    return text.replace("{signatures}", f"{{\n{written}    }}")


def computed(program: Program, call: ast.Call, made: Estimator, *, optional: bool) -> str:
    """The function that exports a model whose features are computed of what is received.

    ``optional``: of some receivers they aren't.

    Raises:
        Blocked: its signatures aren't known.
    """
    features, mapped = "parse(received)", ".map(parse)"
    if optional:
        features, mapped = f"{features} if parse else received", ".map(parse or dict)"
    restored = RESTORED_BY.replace("{mapped}", mapped) if made.folder is not None else ""
    if not made.head:
        text = COMPUTED.replace("return {returned}", export_outputs.returned(made))
        return text.replace("{features}", features).replace("{restored}", restored)
    if made.head not in KINDS:
        raise Blocked(call, f"an export of a {made.head}")
    program.bring(call, "from tensorflow.core.protobuf import saved_model_pb2")
    own = KINDS[made.head]
    named = {"serving_default": next(iter(own.values())), **own}
    inner = ""
    for kind in dict.fromkeys(own.values()):
        key = "logistic" if made.head == "BinaryClassHead" else "predictions"
        source = CLASSIFY if kind == "classify" else REGRESS.replace("{key}", key)
        source = source.replace("tf.TensorSpec([None], tf.string)", "receivers[sent]")
        source = source.replace("predict(inputs)", "predict(**{sent: inputs})")
        inner += "".join(f"    {line}\n" if line else "\n" for line in source.splitlines())
    text = OF_HEADS.replace("{features}", features).replace("{restored}", restored)
    text = text.replace("{kinds}\n", inner + "\n")
    methods = "".join(f'            "{name}": "{kind}",\n' for name, kind in named.items())
    functions = ", ".join(f'"{kind}": {kind}' for kind in dict.fromkeys(own.values()))
    return text.replace("{methods}", methods).replace("{functions}", functions)
