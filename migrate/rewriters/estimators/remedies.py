"""What to write instead of what keeps an Estimator, for reasons that don't say it themselves."""

from __future__ import annotations

import re

# What a reason begins or ends with, and the alternative; the first one that fits is said.
TABLE: tuple[tuple[str, str], ...] = (
    (r"the model_fn isn't seen", "give the Estimator a function of the program by its name"),
    (r"a RunConfig that isn't seen", "make it in the function that makes the Estimator"),
    (r"`\*\*` hides arguments", "write the arguments out"),
    (r"arguments are hidden here", "write the arguments out"),
    (r"hooks that aren't (a list|under)", "give a list of the hooks themselves"),
    (r"a head that isn't seen", "make the head where it is given"),
    (r"an input_fn that isn't seen", "give a function of the program, or a lambda that calls one"),
    (r"what an input_fn returns isn't a dataset", "return the dataset itself"),
    (r"an input_fn that returns nothing", "return a dataset"),
    (r"a serving_input_receiver_fn that isn't seen", "give a function of the program by its name"),
    (r"an exporter that isn't TensorFlow's", "call export_saved_model() after training"),
    (r"what a model_fn returns isn't an EstimatorSpec", "return EstimatorSpec(…) itself"),
    (r"metrics that aren't a dict", "give eval_metric_ops a dict of tf.metrics"),
    (r"a metric(_fn)? that isn't seen", "call tf.metrics in the model_fn"),
    (r"no Keras metric for", "write a subclass of tf.keras.metrics.Metric"),
    (r"no Keras optimizer for", "take one of tf.keras.optimizers"),
    (r"no Keras callback for", "write a subclass of tf.keras.callbacks.Callback"),
    (
        r"the optimizer isn't seen|how the optimizer is made|an optimizer that",
        "make the optimizer in the model_fn that minimizes by it",
    ),
    (
        r"a train op that (isn't followed|doesn't count)",
        "return optimizer.minimize(loss, tf.train.get_global_step())",
    ),
    (r"several train ops that count", "let the last train op alone count the global step"),
    (r"a run that waits for other ops", "wait for UPDATE_OPS only, or compute these in the loss"),
    (
        r"a layer in a (while )?loop",
        "make the layers in a function of the module that the model_fn calls",
    ),
    (
        r"a scope whose variables are used again",
        "call one function twice, in a scope with reuse=tf.AUTO_REUSE",
    ),
    (r"what is made depends on", "make layers of numbers that `params` has"),
    (r"evaluation and prediction compute", "do in the input_fns what only one of them does"),
    (r"a variable of another type", "make a variable of float32, and cast what is computed of it"),
    (r"a variable without a shape", "give it its shape, or the array that it begins with"),
    (r"what a variable begins with", "give it an initializer"),
    (r"a regularizer that isn't seen", "make the regularizer where it is given"),
    (r"a batch of what isn't a queue's", "read the files by tf.data"),
    (r"what is received isn't a placeholder", "receive tf.placeholder(…) alone"),
    (r"`[^`]+` in a model_fn isn't seen", "call it before, and give what it returns by `params`"),
    (r"`[^`]+` changes what a model_fn reads", "change it before, or give it by `params`"),
    (r"`[^`]+` gives metrics", "write eval_metric_ops in the model_fn"),
    (r"`[^`]+` trains what it is given", "minimize in the model_fn"),
    (r"`[^`]+` has a decorator", "call it without"),
    (r"`[^`]+` is used for something else than", "keep an input_fn for Estimators"),
    (
        r"(an|the) Estimator (goes where|that has no name|in a container)",
        "keep it under a name of its own",
    ),
    (r"Estimators of one model_fn with", "give all of them the same words"),
    (r"a strategy, and a model_fn that trains nothing", "predict without the strategy"),
)
SAYS = re.compile(r": |; instead")  # what a reason says itself


def told(reason: str) -> str:
    """A reason, with what to write instead where that is known."""
    if SAYS.search(reason):
        return reason
    for begins, instead in TABLE:
        if re.match(begins, reason):
            return f"{reason}; instead: {instead}"
    return reason
