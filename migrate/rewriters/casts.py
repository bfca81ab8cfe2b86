"""TFM205 cast-function: `tf.to_float(x)` and its like are `tf.cast(x, tf.float32)`.

https://www.tensorflow.org/api_docs/python/tf/cast

The seven functions were `tf.cast` with a type in their name. Where the call can't be seen (it is
passed on, or `**` hides its arguments) TF 1's function is kept from `tf.compat.v1`.
"""

from __future__ import annotations

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

CAST = Rule(
    "TFM205",
    "cast-function",
    "tf.to_float and the other functions that cast to the type in their name",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/cast",
)
TYPES = {
    "to_bfloat16": "bfloat16",
    "to_complex128": "complex128",
    "to_complex64": "complex64",
    "to_double": "float64",
    "to_float": "float32",
    "to_int32": "int32",
    "to_int64": "int64",
}


@CAST.endpoint(*(f"tensorflow.{name}" for name in TYPES))
def cast(site: Site) -> Result | None:
    """Cast, and say to what."""
    kind = TYPES[site.endpoint.removeprefix("tensorflow.")]
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, CAST, str(error))
    arg = call.get("x")
    if arg is None or arg.bare:
        return keep(site, CAST, "what is cast can't be seen")
    dtype, imports = site.spell(f"tensorflow.{kind}")
    call.wrap("x", "", f", dtype={dtype}" if arg.keyword else f", {dtype}")
    edits, needs, drops = site.rename("tensorflow.cast")
    return site.result(
        CAST,
        f"{site.shown} is tf.cast(…, tf.{kind}) in TF 2",
        fix=f"tf.cast(…, tf.{kind})",
        edits=[*edits, *call.finish()],
        imports=[*imports, *needs],
        drops=drops,
    )
