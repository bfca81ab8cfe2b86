"""TFM421 keras-random-layer: a Keras layer of chance draws the same numbers in each run.

The seed of Keras 3's Dropout and noise layers is a variable that the layer moves on when it is
called. In a graph of TF 1 that is once, when the graph is built, so each `sess.run` draws the same
numbers; in TF 1.15 each draws anew, as `tf.layers.dropout` and `tf.nn.dropout` do on TF 2.21, too.
Recurrent layers of Keras with `dropout=` draw once as well; they aren't reported. Estimators aren't
concerned: in their graphs the shim draws anew. Nor is code that becomes native, where each call of
a layer is a call.

https://keras.io/api/layers/regularization_layers/dropout/
"""

from __future__ import annotations

from migrate.engine.findings import Applicability, Level
from migrate.engine.rule import Result, Rule, handler_of
from migrate.engine.site import Site

RANDOM_LAYER = Rule(
    "TFM421",
    "keras-random-layer",
    "a Keras layer of chance in a session",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/layers/regularization_layers/dropout/",
)
LAYERS = (
    *("AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise"),
    *("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
)
ESTIMATORS = ("tensorflow.estimator.", "tensorflow.contrib.estimator.", "tensorflow.contrib.tpu.")


@RANDOM_LAYER.compat(*(f"tensorflow.keras.layers.{name}" for name in LAYERS))
def random_layer(site: Site) -> Result | None:
    """Say that it draws once; of Estimators' layers, and of eager ones, what is said elsewhere."""
    file = site.file
    if (
        file.eager
        or not file.tf1
        or any(r.name.startswith(ESTIMATORS) for r in file.names.references)
    ):
        assert site.record is not None
        found = handler_of(site.record.outcome, Level.COMPAT)
        return found[1](site) if found is not None else None
    return site.result(
        RANDOM_LAYER,
        f"{site.shown} of Keras 3 draws the same numbers in every run of a session; "
        "tf.layers.dropout and tf.nn.dropout draw anew",
    )
