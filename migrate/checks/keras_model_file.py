"""TFM242 keras-model-file: `model.save("digits.model")`, which Keras 3 refuses.

TF 1's Keras wrote HDF5 whatever the file was called. Keras 3 takes the format from the name, writes
`.keras`, `.h5` and `.hdf5`, and raises a ValueError for any other. What loads the model needs the
new name, too, and so does a file that was written under the old one.

https://keras.io/api/models/model_saving_apis/model_saving_and_loading/
"""

from __future__ import annotations

from migrate.checks.keras_weights_file import last
from migrate.engine.findings import Applicability
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_generators import uses_keras
from migrate.rewriters.keras_lists import is_model

MODEL = Rule(
    "TFM242",
    "keras-model-file",
    "a file for a model whose name Keras 3 refuses",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/models/model_saving_apis/model_saving_and_loading/",
)
ENDINGS = (".keras", ".h5", ".hdf5")


@MODEL.method("save")
def save(site: MethodSite) -> Result | None:
    """Report a name that is seen to end otherwise."""
    call, node = site.use.call, site.use.node
    if call is None or not uses_keras(site):
        return None
    given = next((k.value for k in call.keywords if k.arg == "filepath"), None)
    ending = last(call.args[0] if call.args else given)
    if ending is None or ending.endswith(ENDINGS) or not is_model(node.value, site.file):
        return None
    return MODEL.report(
        node, "Keras 3 only saves a model to a name that ends in `.keras` or `.h5`", blocks=False
    )
