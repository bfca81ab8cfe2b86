"""TFM124 tf-logging: `tf.logging`, which writes to the logger that `tf.get_logger()` gives.

`tf.logging.info(…)` has always been `tf.get_logger().info(…)`: the logger named `tensorflow`, whose
level also governs what TensorFlow itself logs. TF 2 has that logger too, so lines keep their
format (`INFO:tensorflow:…`), their stream and their handlers. absl's logging, which the upgrade
guide names, has another format, another default level and another logger: it would not be the
same. `log_every_n`, `log_first_n`, `log_if`, `vlog`, `flush` and `TaskLevelStatusMessage`
have no counterpart and stay on `tf.compat.v1.logging`, which writes to the same logger.

https://www.tensorflow.org/api_docs/python/tf/get_logger
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site
from migrate.rewriters.lost import unknown

LOGGING = Rule(
    "TFM124",
    "tf-logging",
    "tf.logging, the functions of TensorFlow's logger",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/get_logger",
)
# The function of tf.logging -> the logger's method; the arguments are the same.
METHODS = {
    "debug": "debug",
    "error": "error",
    "fatal": "fatal",
    "info": "info",
    "log": "log",
    "warn": "warning",
    "warning": "warning",
    "set_verbosity": "setLevel",
    "get_verbosity": "getEffectiveLevel",
}
LEVELS = ("DEBUG", "ERROR", "FATAL", "INFO", "WARN")


@LOGGING.endpoint(*(f"tensorflow.logging.{name}" for name in METHODS))
def call(site: Site) -> Result | None:
    """Call the logger's method."""
    name = site.endpoint.rpartition(".")[2]
    if site.call is None or _named(site):
        return _kept(site)
    edits = []
    if name == "set_verbosity":
        try:
            bound = site.bind()
        except Unbound:
            return _kept(site)
        argument = bound.get("v")
        if argument is None or bound.hidden:
            return _kept(site)
        if argument.keyword is not None:
            edits.append(Edit(argument.start, argument.value_start, ""))
    target, imports = site.spell("tensorflow.get_logger")
    start, end = site.file.index.span(site.node)
    text = f"{target}().{METHODS[name]}"
    return site.result(
        LOGGING,
        f"{site.shown} is only in tf.compat.v1; tf.get_logger() is the logger that it uses",
        fix=f"tf.get_logger().{METHODS[name]}",
        edits=[Edit(start, end, text), *edits],
        imports=imports,
        drops=target.partition(".")[0] != site.ref.root.id,
    )


@LOGGING.endpoint(*(f"tensorflow.logging.{name}" for name in LEVELS))
def level(site: Site) -> Result | None:
    """A level given to the logger is a string there; elsewhere it stays a number."""
    name = site.endpoint.rpartition(".")[2]
    if site.tail or _named(site) or not _is_set(site):
        return _kept(site)
    start, end = site.file.index.span(site.node)
    return site.result(
        LOGGING,
        f"{site.shown} is only in tf.compat.v1; the logger takes the level's name",
        fix=f'"{name}"',
        edits=[Edit(start, end, f'"{name}"')],
        drops=True,
    )


@LOGGING.endpoint("tensorflow.logging", "tensorflow.logging.*")
def other(site: Site) -> Result | None:
    """What the logger has no method for."""
    return _kept(site) if site.record is not None else unknown(site)


def _kept(site: Site) -> Result | None:
    if site.ref.binding.kind == "alias":
        return None  # the assignment says what it means
    target = V1 + site.endpoint.removeprefix("tensorflow")
    return site.renamed_result(
        LOGGING, target, f"{site.shown} is only in tf.compat.v1: it writes to TensorFlow's logger"
    )


def _named(site: Site) -> bool:
    """Whether it goes by a name of the file's own, which then keeps its meaning."""
    binding = site.ref.binding
    return (
        site.ref.literal is not None or binding.kind == "alias" or binding.target == site.endpoint
    )


def _is_set(site: Site) -> bool:
    """Whether it is the argument of a `set_verbosity` that becomes the logger's `setLevel`."""
    parent = site.ref.parent
    for other in site.file.names.references:
        if other.name != "tensorflow.logging.set_verbosity" or other.call is None:
            continue
        if other.binding.kind != "import" or other.binding.target == other.name:
            continue
        keywords: list[ast.AST] = list(other.call.keywords)
        if parent is other.call or parent in keywords:
            return True
    return False
