"""TFM204 dropout-keep-prob: tf.nn.dropout took the share to keep; it now takes the share to drop.

https://www.tensorflow.org/api_docs/python/tf/nn/dropout

`keep_prob` becomes `rate=1 - keep_prob`, which is what TF 1 computed from it. A literal becomes the
literal of the other share where that is the same number. The second positional argument was
`keep_prob` too, so the new one is always named. `rate=` is TF 2's already.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import BoundCall, Unbound
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

DROPOUT = Rule(
    "TFM204",
    "dropout-keep-prob",
    "tf.nn.dropout with the share to keep",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/nn/dropout",
)


def other_share(text: str) -> str | None:
    """``1 - text`` as a literal, if that is the same float32: "0.75" gives "0.25"."""
    import struct
    from decimal import Decimal, InvalidOperation

    try:
        share = Decimal(text)
    except InvalidOperation:
        return None
    other = 1 - share
    if not 0 <= other <= 1:
        return None
    if struct.pack("f", float(other)) != struct.pack("f", 1 - float(share)):
        return None
    shown = format(other.normalize(), "f")
    return shown if "." in shown else f"{shown}.0"


@DROPOUT.endpoint("tensorflow.nn.dropout")
def dropout(site: Site) -> Result | None:
    """Give the share to drop."""
    if site.call is None:
        return keep(site, DROPOUT, "is passed on as a value, and took the share to keep")
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, DROPOUT, f"{error}, and `keep_prob` may be among them")
    share, rate = call.get("keep_prob"), call.get("rate")
    if share is None:
        if rate is None:
            return keep(site, DROPOUT, "`keep_prob` isn't to be seen here")
        return None if not call.hidden else keep(site, DROPOUT, "`**` hides some arguments")
    if _is_none(share.value):
        if rate is None:
            return keep(site, DROPOUT, "`keep_prob` isn't given")
        call.remove("keep_prob")
    elif rate is not None:
        return site.result(
            DROPOUT, f"{site.shown} has `keep_prob` and `rate`, an error in TF 1", blocks=True
        )
    else:
        call.rename("keep_prob", "rate")
        _invert(site, call)
    return site.result(
        DROPOUT,
        f"{site.shown} takes the share to drop in TF 2, not the share to keep",
        fix="rate",
        edits=call.finish(),
    )


def _invert(site: Site, call: BoundCall) -> None:
    value = call.args["keep_prob"].value
    if isinstance(value, ast.Constant):
        literal = other_share(site.file.source(value))
        if literal is not None:
            call.edits.append(Edit(*site.file.index.span(value), literal))
            return
    call.wrap("keep_prob", "1 - ", atom=True)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
