"""TFM232 keras-repeated-ids: an `Embedding` that an optimizer of Keras 3 trains.

TF 1.15's optimizers add up the gradients of an id that a batch has twice before they use them.
Keras 3's Adam, Adagrad, Adadelta and others square each by itself, so that a model with an
`Embedding` trains to other numbers: weights off by 0.03 after six steps of Adam(0.01).
With Adam, Adagrad and Adadelta it is 1.15's numbers again where gradients are made dense:

    class DenseAdam(tf.keras.optimizers.Adam):
        def apply(self, grads, trainable_variables=None):
            super().apply([tf.convert_to_tensor(g) for g in grads], trainable_variables)

SGD with momentum, RMSprop, Adamax, Nadam and Ftrl differ in either case: TF 1.15's moved only the
rows that a batch has. Plain SGD is equal. Sessions that become native aren't concerned: what they
are given makes its gradients dense where that is needed.

https://keras.io/api/layers/core_layers/embedding/
"""

from __future__ import annotations

import re

from migrate.engine.findings import Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site

REPEATED = Rule(
    "TFM232",
    "keras-repeated-ids",
    "an Embedding that an optimizer of Keras 3 trains",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/layers/core_layers/embedding/",
)
TRAINS = re.compile(r"\.(?:compile|apply_gradients)\(")
DENSE = re.compile(r"\b(?:Adam|Adagrad|Adadelta)\b|['\"](?:adam|adagrad|adadelta)['\"]")
ROWS = re.compile(
    r"\b(?:RMSprop|Adamax|Nadam|Ftrl|momentum)\b|['\"](?:rmsprop|adamax|nadam|ftrl)['\"]"
)


def repeated_ids(site: Site) -> Result | None:
    """Report an `Embedding` of a file whose Keras optimizer would train it otherwise."""
    file = site.file
    if site.call is None or not file.tf1 or site.level is not Level.NATIVE:
        return None
    if not TRAINS.search(file.text):
        return None
    message = f"the gradients of {site.shown}: "
    if ROWS.search(file.text):
        return site.result(
            REPEATED, message + "an optimizer of Keras 3 moves all rows, TF 1's those of the batch"
        )
    if DENSE.search(file.text):
        return site.result(
            REPEATED,
            message + "an optimizer of Keras 3 doesn't add up those of an id that a batch has "
            "twice; instead: a subclass whose `apply` makes them dense (tf.convert_to_tensor)",
        )
    return None
