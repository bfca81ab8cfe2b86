"""TFM218 assign-function: `tf.assign(v, x)` is `v.assign(x)`.

https://www.tensorflow.org/api_docs/python/tf/Variable#assign

A variable of TF 2 has the methods that TF 1's functions called. What the method doesn't take
(`validate_shape`), and a call whose arguments can't be seen, keeps TF 1's function.
"""

from __future__ import annotations

from migrate.engine.calls import ATOMS, BoundCall, Unbound
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

ASSIGN = Rule(
    "TFM218",
    "assign-function",
    "tf.assign and its like, methods of variables in TF 2",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/Variable#assign",
)


@ASSIGN.endpoint("tensorflow.assign", "tensorflow.assign_add", "tensorflow.assign_sub")
def assign(site: Site) -> Result | None:
    """Call the variable's method."""
    name = site.endpoint.rpartition(".")[2]
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, ASSIGN, str(error))
    edits = _method(site, call, name)
    if edits is None:
        return keep(site, ASSIGN, f"its arguments aren't those of Variable.{name}")
    return site.result(
        ASSIGN,
        f"{site.shown}(v, …) is v.{name}(…) in TF 2",
        fix=f"v.{name}(…)",
        edits=edits,
        drops=True,
    )


def _method(site: Site, call: BoundCall, name: str) -> list[Edit] | None:
    """The edits to a method call; None where they would lose something."""
    ref, value = call.get("ref"), call.get("value")
    if ref is None or value is None or call.hidden or "validate_shape" in call.args:
        return None
    others = [arg for key, arg in call.args.items() if key not in ("ref", "value")]
    if ref.start > value.start or any(arg.keyword is None for arg in others):
        return None
    text = site.file.text
    start = call.layout.start
    if (
        text[start : ref.value_start].count("\n")
        or text[ref.end : value.start].strip(", \t\r\n") != ""
    ):
        return None
    bare = isinstance(ref.value, ATOMS) or text[ref.value_start] == "("
    left, right = ("", "") if bare else ("(", ")")
    return [
        Edit(start, ref.value_start, left),
        Edit(ref.end, value.value_start, f"{right}.{name}("),
    ]
