"""TFM113 tf2-endpoint: a name that only TF 2 has, in a file that is kept on `tf.compat.v1`.

Code for several versions of TensorFlow names TF 2's endpoints beside TF 1's: `tf.optimizers.Adam`
behind a test of the version, `tf.random.set_seed` in a function of its own. Where the file's
`tf` becomes `tf.compat.v1`, which lacks them, they are written `tf.compat.v2.x`. In a `try` that
goes on without them they stay as they are: TF 1 had not got them, and so took the other way.

https://www.tensorflow.org/api_docs/python/tf/compat/v2
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate import symbols
from migrate.engine.findings import Level
from migrate.engine.names import attempted
from migrate.engine.plan import read
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext, Site

TF2 = Rule(
    "TFM113",
    "tf2-endpoint",
    "an endpoint of TF 2 in a file that is kept on tf.compat.v1",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/compat/v2",
)


@TF2.file
def of_tf2(file: FileContext) -> Iterator[Result]:
    """Every name of TF 2 that goes with the module that ``tf`` no longer is."""
    if file.level is not Level.COMPAT:
        return
    switching = next((r for r in file.results if r.switch and r.fix is not None), None)
    if switching is None:
        return
    tried = attempted(file.tree)
    for ref in file.names.references:
        rest = ref.name.removeprefix("tensorflow.")
        if (
            ref.guarded
            or id(ref.node) in tried
            or ref.binding.target != "tensorflow"
            or rest.startswith("compat.")
        ):
            continue
        if symbols.resolves(f"{V1}.{rest}"):
            continue
        # A method may be TF 2's where the class isn't: `tf.lite.TFLiteConverter.from_keras_model`.
        if read(ref).status != "tf2" and not symbols.tf2_only(ref.name):
            continue
        result = Site(file, ref, ref.name, None).renamed_result(
            TF2, f"{V1}.compat.v2.{rest}", f"tf.{rest} is TF 2's, and tf is tf.compat.v1 here"
        )
        result.fix = f"tf.compat.v2.{rest}"
        result.requires = [switching]
        yield result
