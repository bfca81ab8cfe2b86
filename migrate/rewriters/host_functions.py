"""TFM223 python-function: tf.py_func is tf.numpy_function.

https://www.tensorflow.org/api_docs/python/tf/numpy_function

Arguments behind the types of the results are named: TF 1.15 has a `tf.numpy_function` too, in
which the fourth is the name.
"""

from __future__ import annotations

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.arguments import change_to
from migrate.rewriters.kept import keep
from migrate.symbols.outcomes import Arguments

FUNCTION = Rule(
    "TFM223",
    "python-function",
    "tf.py_func",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/numpy_function",
)
CHANGE = Arguments("tensorflow.numpy_function", keyword_from=3)


@FUNCTION.endpoint("tensorflow.py_func")
def function(site: Site) -> Result | None:
    """Rename it and name what follows."""
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, FUNCTION, str(error))
    if call.hidden:
        return keep(site, FUNCTION, "`**` hides some arguments")
    return change_to(site, CHANGE, CHANGE.target)
