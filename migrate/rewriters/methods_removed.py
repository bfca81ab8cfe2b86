"""TFM806 removed-method: a method that an array, a thread or a test case has lost since Python 3.7.

NumPy 2.3 dropped `array.tostring()`, whose result `tobytes()` gives, and reads no bytes by
`np.fromstring` any more: `np.frombuffer` does, without a copy, so that one is made. Python 3.9
dropped `thread.isAlive()`, and 3.12 the second names of `unittest`'s assertions.

https://numpy.org/doc/stable/release/2.3.0-notes.html
"""

from __future__ import annotations

import ast

from migrate.engine.calls import layout
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite, Site
from migrate.engine.trees import walk

METHODS = Rule(
    "TFM806",
    "removed-method",
    "a method that arrays, threads or test cases have lost",
    module=__name__,
    doc=__doc__,
    url="https://numpy.org/doc/stable/release/2.3.0-notes.html",
)
ASSERTIONS = {
    "assertAlmostEquals": "assertAlmostEqual",
    "assertEquals": "assertEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertNotEquals": "assertNotEqual",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertRegexpMatches": "assertRegex",
    "assert_": "assertTrue",
}


def _leaf(site: MethodSite, new: str) -> Result:
    node = site.use.node
    end = site.file.index.span(node)[1]
    edit = Edit(end - len(node.attr), end, new)
    return METHODS.fixed(node, f".{node.attr}() is gone", f".{new}()", [edit])


def _own(site: MethodSite) -> bool:
    """Whether the file defines such a method, or the name belongs to a module."""
    node = site.use.node
    if any(r.node is node for r in site.file.names.references):
        return True
    return f"def {node.attr}" in site.file.text and any(
        isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == node.attr
        for n in walk(site.file.tree)
    )


@METHODS.method("tostring")
def tostring(site: MethodSite) -> Result | None:
    """An array's bytes."""
    call = site.use.call
    if call is None or call.args or call.keywords or _own(site):
        return None
    return _leaf(site, "tobytes")


@METHODS.method("isAlive")
def is_alive(site: MethodSite) -> Result | None:
    """A thread's."""
    return None if site.use.call is None or _own(site) else _leaf(site, "is_alive")


@METHODS.method(*ASSERTIONS)
def assertion(site: MethodSite) -> Result | None:
    """The assertion's first name."""
    value = site.use.node.value
    if not isinstance(value, ast.Name) or value.id != "self" or _own(site):
        return None
    return _leaf(site, ASSERTIONS[site.use.node.attr])


@METHODS.endpoint("numpy.fromstring")
def fromstring(site: Site) -> Result | None:
    """Binary data is read by `frombuffer`, which doesn't copy."""
    call = site.call
    if call is None or any(k.arg in ("sep", None) for k in call.keywords):
        return None  # text, which fromstring still reads
    if len(call.args) > 3 or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if site.ref.literal is not None or site.ref.binding.target != "numpy":
        return site.result(METHODS, "np.fromstring no longer reads bytes; instead: np.frombuffer")
    edits = [Edit(*site.file.index.span(site.node), f"{site.ref.root.id}.frombuffer")]
    edits.extend(
        Edit(piece.start, piece.start + len("string"), "buffer")
        for piece in layout(site.file.text, site.file.index, call).pieces
        if piece.keyword == "string"
    )
    end = site.file.index.span(call)[1]
    edits.append(Edit(end, end, ".copy()"))
    message = "np.fromstring no longer reads bytes"
    return site.result(METHODS, message, fix="np.frombuffer(…).copy()", edits=edits)


METHODS.root("numpy", ["fromstring"])
