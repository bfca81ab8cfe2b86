"""TFM804, too: NumPy's names by the module between, in `np.exceptions`, and `copy=False`."""

from __future__ import annotations

import ast

from migrate.engine.calls import layout
from migrate.engine.findings import Edit
from migrate.engine.rule import Import, Result
from migrate.engine.site import Site
from migrate.rewriters.numpy_aliases import (
    EVERY,
    EXCEPTIONS,
    NUMPY,
    RENAMED,
    plain,
    report,
    taken,
)

#: What `np.lib` still has of its own; all else that it had was `np`'s.
LIB = frozenset(
    {
        *("Arrayterator", "NumpyVersion", "add_docstring", "add_newdoc", "array_utils", "format"),
        *("introspect", "mixins", "npyio", "recfunctions", "scimath", "stride_tricks"),
        *("tracemalloc_domain", "user_array"),
    }
)


@NUMPY.endpoint(*(f"numpy.{name}" for name in EXCEPTIONS))
def exception(site: Site) -> Result | None:
    """A warning or an error, in the module that has them."""
    return _moved(site, f"numpy.exceptions.{site.endpoint.rpartition('.')[2]}")


@NUMPY.endpoint("numpy.lib.*", "numpy.linalg.linalg.*")
def between(site: Site) -> Result | None:
    """A name by the module that it was made in: NumPy's own, without that module."""
    name = site.endpoint.removeprefix("numpy.lib.").removeprefix("numpy.linalg.linalg.")
    if site.endpoint.startswith("numpy.linalg."):
        return _moved(site, f"numpy.linalg.{name}")
    name = name.removeprefix("function_base.")
    if name.partition(".")[0] in LIB or "." in name or name.startswith("_"):
        return None
    if name in EVERY and name not in RENAMED:
        return report(site, f"what np.{name} became")
    return _moved(site, f"numpy.{RENAMED.get(name, name)}")


@NUMPY.endpoint("numpy.math", "numpy.math.*")
def python_math(site: Site) -> Result | None:
    """Python's `math`, which NumPy let through by accident."""
    message, ref = "np.math is gone from NumPy", site.ref
    if not isinstance(ref.node, ast.Attribute) or not plain(site) or taken(site.file, "math"):
        return site.result(NUMPY, f"{message}; instead: math")
    start = site.file.index.span(ref.root)[0]
    end = site.file.text.index("math", start + len(ref.root.id)) + len("math")
    edits, needed = [Edit(start, end, "math")], [Import("math", "math")]
    return site.result(NUMPY, message, fix="math", edits=edits, imports=needed, drops=True)


def _moved(site: Site, new: str) -> Result:
    binding, message = site.ref.binding, f"{site.endpoint} is gone from NumPy"
    if binding.kind == "import" and binding.target == site.endpoint:
        site.file.renamed[binding] = new
        module, _, name = new.rpartition(".")
        return site.result(NUMPY, message, fix=f"from {module} import {name}")
    text = f"{site.ref.root.id}.{new.partition('.')[2]}"
    if not plain(site):
        return site.result(NUMPY, f"{message}; instead: {new}")
    edits = [Edit(*site.file.index.span(site.node), text)]
    return site.result(NUMPY, message, fix=new, edits=edits, drops=False)


def uncopied(site: Site) -> Result | None:
    """`copy=False` was "no copy where none is needed"; NumPy 2 raises where one is."""
    call = site.call
    given = next((k for k in call.keywords if k.arg == "copy"), None) if call else None
    if call is None or given is None or not isinstance(given.value, ast.Constant):
        return None
    if given.value.value is not False:
        return None
    message = "np.array(copy=False) raises in NumPy 2 where it has to copy"
    text, place = site.file.text, layout(site.file.text, site.file.index, call)
    others = {k.arg for k in call.keywords} - {"copy", "dtype", "order"}
    ours = plain(site) and not others and call.args
    if not ours or "#" in text[place.open : place.close]:
        return site.result(NUMPY, f"{message}; instead: np.asarray(a)")
    at = len(call.args) + call.keywords.index(given)
    edits = [
        Edit(*site.file.index.span(site.node), f"{site.ref.root.id}.asarray"),
        Edit(place.pieces[at - 1].end, place.pieces[at].end, ""),
    ]
    return site.result(NUMPY, message, fix="np.asarray(a)", edits=edits, drops=False)
