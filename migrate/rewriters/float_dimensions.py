"""TFM225 float-dimension: a dimension that a division gives is a float, which TF 2.21 refuses.

In Python 3 `channels / groups` is a float. TF 1.15 took `3.0` for the dimension 3 wherever a
static shape is made, and refused `3.5`; TF 2.21 refuses both. `//` gives the int that TF 1.15 made
of it.

https://www.tensorflow.org/api_docs/python/tf/TensorShape
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.engine.dimensions import divisions, whole
from migrate.engine.plan import read
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

FLOAT = Rule(
    "TFM225",
    "float-dimension",
    "a division as a dimension of a static shape",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/TensorShape",
)


@FLOAT.file
def dimensions(file: FileContext) -> Iterator[Result]:
    """Every division in a static shape."""
    for node in divisions(file.text, file.tree, file.names.references):
        if file.tf1 or any(p.v1 for p in map(read, file.names.references)):
            yield FLOAT.fixed(
                node,
                "a dimension is an int in TF 2, and `/` gives a float",
                "`//`",
                [whole(node, file.text, file.index)],
            )
