"""TFM122 python-io: reading and writing TFRecord files went to `tf.io` and `tf.data`.

The writer and its options have a new address. `tf.python_io.tf_record_iterator(path)` gives the
records as `bytes`; in TF 2 `tf.data.TFRecordDataset(path).as_numpy_iterator()` gives the same ones,
in the same order, and also stops with `DataLossError` at a damaged record. With options the old
iterator is kept, from `tf.compat.v1.io`, where it is deprecated but works.

https://www.tensorflow.org/api_docs/python/tf/data/TFRecordDataset
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site

PYTHON_IO = Rule(
    "TFM122",
    "python-io",
    "tf.python_io, whose parts are in tf.io and tf.data",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/data/TFRecordDataset",
)
OPTIONS = ("tensorflow.python_io.TFRecordOptions", "tensorflow.io.TFRecordOptions")
STRINGS = {"NONE": '""', "ZLIB": '"ZLIB"', "GZIP": '"GZIP"'}


@PYTHON_IO.endpoint("tensorflow.python_io.tf_record_iterator", "tensorflow.io.tf_record_iterator")
def iterator(site: Site) -> Result | None:
    """Read by a dataset where only a path is given."""
    kept = f"{V1}.io.tf_record_iterator"
    message = f"{site.shown} is only in tf.compat.v1"
    try:
        call = site.bind()
    except Unbound:
        return site.renamed_result(PYTHON_IO, kept, message)
    if call.hidden or set(call.args) != {"path"}:
        return site.renamed_result(PYTHON_IO, kept, message)
    argument = call.args["path"]
    if argument.keyword is not None:
        call.rename("path", "filenames")
    assert site.call is not None
    edits, imports, drops = site.rename("tensorflow.data.TFRecordDataset")
    if not edits:  # `from tensorflow.python_io import tf_record_iterator`: the name stays
        site.file.renamed.pop(site.ref.binding, None)
        return site.renamed_result(PYTHON_IO, kept, message)
    end = site.file.index.span(site.call)[1]
    return site.result(
        PYTHON_IO,
        f"{site.shown} is only in tf.compat.v1; a dataset reads the same records",
        fix="tf.data.TFRecordDataset(…).as_numpy_iterator()",
        edits=[*edits, *call.finish(), Edit(end, end, ".as_numpy_iterator()")],
        imports=imports,
        drops=drops,
    )


@PYTHON_IO.endpoint("tensorflow.python_io.TFRecordWriter", "tensorflow.python_io.TFRecordOptions")
def moved(site: Site) -> Result | None:
    """The same classes at another address."""
    return site.renamed_result(PYTHON_IO, "tensorflow.io." + site.endpoint.rpartition(".")[2])


@PYTHON_IO.endpoint(
    "tensorflow.python_io.TFRecordCompressionType", "tensorflow.io.TFRecordCompressionType"
)
def compression(site: Site) -> Result | None:
    """Options take the name of the compression; elsewhere the TF 1 constant is kept."""
    member = site.tail[0] if len(site.tail) == 1 else ""
    if member in STRINGS and site.ref.literal is None and _in_options(site):
        start, end = site.file.index.span(site.ref.node)
        return site.result(
            PYTHON_IO,
            f"{site.shown}.{member} is only in tf.compat.v1; tf.io.TFRecordOptions takes a string",
            fix=STRINGS[member],
            edits=[Edit(start, end, STRINGS[member])],
            drops=True,
        )
    return site.renamed_result(
        PYTHON_IO,
        f"{V1}.io.TFRecordCompressionType",
        f"{site.shown} is only in tf.compat.v1",
    )


def _in_options(site: Site) -> bool:
    """Whether it stands as the compression of `TFRecordOptions(…)`."""
    for other in site.file.names.references:
        call = other.call
        if call is None or other.name not in OPTIONS:
            continue
        if call.args and call.args[0] is site.ref.node:
            return True
        for keyword in call.keywords:
            if keyword.arg == "compression_type" and isinstance(keyword.value, ast.expr):
                if keyword.value is site.ref.node:
                    return True
    return False
