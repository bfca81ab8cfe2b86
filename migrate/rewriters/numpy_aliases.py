"""TFM804 numpy-alias: a name that NumPy dropped in 1.24, 2.0 or since.

TensorFlow 2.21 needs a NumPy that no longer has what TF1-era programs use: `np.int` and its kin
were Python's own types under another name, `np.float_`, `np.Inf` or `np.product` second names of
what is still there. Each gets the name that means the same. `np.asscalar(a)` is `a.item()`,
`np.in1d` is `np.isin` made flat; `np.lib.pad` and `np.linalg.linalg.norm` lose the module between,
`np.math` is Python's own, and warnings and errors stand in `np.exceptions`. What has no equal is
reported.

https://numpy.org/doc/stable/release/2.0.0-notes.html#numpy-2-0-migration-guide
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.engine.calls import ATOMS, layout
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext, Site
from migrate.engine.trees import walk

NUMPY = Rule(
    "TFM804",
    "numpy-alias",
    "a name that NumPy has dropped",
    module=__name__,
    doc=__doc__,
    url="https://numpy.org/doc/stable/release/2.0.0-notes.html",
)
# Python's own types. NumPy 2 has `np.bool` and `np.long` again, with another meaning.
BUILTINS = {
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "int": "int",
    "long": "int",
    "object": "object",
    "str": "str",
    "unicode": "str",
}
AGAIN = ("bool", "long")
RENAMED = {
    "Inf": "inf",
    "Infinity": "inf",
    "NAN": "nan",
    "NaN": "nan",
    "PINF": "inf",
    "alltrue": "all",
    "bool8": "bool_",
    "bytes0": "bytes_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "infty": "inf",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "object0": "object_",
    "product": "prod",
    "rank": "ndim",
    "round_": "round",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "typeDict": "sctypeDict",
    "uint0": "uintp",
    "unicode_": "str_",
    "void0": "void",
}
#: What `np.exceptions` has, which `np` had.
EXCEPTIONS = (
    *("AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning"),
    *("TooHardError", "VisibleDeprecationWarning"),
)
MONEY = "the package numpy_financial"
GONE = {
    "alen": "len(np.atleast_1d(a))",
    "byte_bounds": "np.lib.array_utils.byte_bounds",
    "cast": "np.asarray(a, dtype)",
    "compare_chararrays": "np.char.compare_chararrays",
    "compat": "nothing: Python 3 has all of it",
    "deprecate": "warnings.warn with DeprecationWarning",
    "disp": "print",
    "fastCopyAndTranspose": "a.T.copy()",
    "find_common_type": "np.promote_types or np.result_type",
    "fv": MONEY,
    "ipmt": MONEY,
    "irr": MONEY,
    "issctype": "isinstance(x, type) and issubclass(x, np.generic)",
    "issubclass_": "issubclass",
    "issubsctype": "np.issubdtype",
    "loads": "pickle.loads",
    "lookfor": "NumPy's documentation",
    "maximum_sctype": "the type itself, spelled out",
    "mirr": MONEY,
    "nbytes": "np.dtype(t).itemsize",
    "nper": MONEY,
    "npv": MONEY,
    "obj2sctype": "np.dtype(x).type",
    "pmt": MONEY,
    "ppmt": MONEY,
    "pv": MONEY,
    "recfromcsv": "np.genfromtxt with dtype=None, delimiter=',' and names=True",
    "recfromtxt": "np.genfromtxt with dtype=None",
    "safe_eval": "ast.literal_eval",
    "sctype2char": "np.dtype(t).char",
    "sctypes": "the types, listed by hand",
    "set_string_function": "np.set_printoptions",
    "source": "inspect.getsource",
    "who": "nothing",
}
# Kinds of types, which NumPy took for one of them where a type is asked for; NumPy 2 refuses.
ABSTRACT = {
    "complexfloating": "complex128",
    "floating": "float64",
    "inexact": "float64",
    "integer": "int_",
    "number": "float64",
    "signedinteger": "int_",
    "unsignedinteger": "uint",
}
# Where a type stands by its place: the second argument.
MAKERS = ("array", "asarray", "empty", "fromstring", "frombuffer", "ones", "zeros", "zeros_like")
CALLS = ("asfarray", "asscalar", "in1d", "msort")
SIGNED = {"NINF": "-{}.inf", "NZERO": "-0.0", "PZERO": "0.0"}
EVERY = (*BUILTINS, *RENAMED, *GONE, *CALLS, *SIGNED, *EXCEPTIONS)
PLAIN = (ast.Assign, ast.AnnAssign, ast.keyword, ast.Return, ast.arguments, ast.List, ast.Tuple)

_NAMES = "|".join(map(re.escape, sorted(EVERY)))
# A pattern that begins with a plain character is found some ten times as fast.
NUMPY.root("numpy", ["."], rf"\.(?:{_NAMES})\b")
NUMPY.root("numpy", ["."], rf"\.(?:{'|'.join(ABSTRACT)})\b")
NUMPY.root("numpy", ["numpy import", "numpy.lib import", "numpy.linalg.linalg import"])
NUMPY.root("numpy", [".math", ".lib.", ".linalg.linalg"])
NUMPY.root("numpy", ["newshape", "copy=False", "copy = False"])


def taken(file: FileContext, name: str) -> bool:
    """Whether a builtin's name is bound to something else anywhere in the file."""
    if "bound" not in file.memo:
        file.memo["bound"] = set(_bound(file.tree))
    return name in file.memo["bound"]


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def plain(site: Site) -> bool:
    """Whether it is written `np.x`, so that its text can be changed."""
    binding = site.ref.binding
    return site.ref.literal is None and binding.kind == "import" and binding.target == "numpy"


def _write(site: Site, text: str) -> Result:
    span = site.file.index.span(site.node)
    return site.result(
        NUMPY,
        f"np.{site.endpoint.rpartition('.')[2]} is gone from NumPy",
        fix=text,
        edits=[Edit(*span, text)],
        drops=not text.startswith(site.ref.root.id),
    )


def report(site: Site, instead: str) -> Result:
    name = site.endpoint.rpartition(".")[2]
    return site.result(NUMPY, f"np.{name} is gone from NumPy; instead: {instead}")


@NUMPY.endpoint(*(f"numpy.{name}" for name in BUILTINS))
def builtin(site: Site) -> Result | None:
    """Python's own type."""
    name = site.endpoint.rpartition(".")[2]
    if name in AGAIN and not site.file.tf1:
        return None
    new = BUILTINS[name]
    if not plain(site) or taken(site.file, new):
        return report(site, f"Python's {new}")
    return _write(site, new)


@NUMPY.endpoint(*(f"numpy.{name}" for name in RENAMED))
def renamed(site: Site) -> Result | None:
    """The name that is left."""
    new = RENAMED[site.endpoint.rpartition(".")[2]]
    binding = site.ref.binding
    if binding.kind == "import" and binding.target == site.endpoint:
        site.file.renamed[binding] = f"numpy.{new}"
        return site.result(
            NUMPY, f"{site.endpoint} is gone from NumPy", fix=f"from numpy import {new}"
        )
    if not plain(site):
        return report(site, f"np.{new}")
    return _write(site, f"{site.ref.root.id}.{new}")


@NUMPY.endpoint(*(f"numpy.{name}" for name in ABSTRACT))
def abstract(site: Site) -> Result | None:
    """A kind of types where a type is asked for: the type that NumPy took it for."""
    name = site.endpoint.rpartition(".")[2]
    if not _asked_for(site):
        return None  # `np.issubdtype(t, np.floating)` is what they are for
    message = f"np.{name} is a kind of types, which NumPy 2 takes for none of them"
    new = ABSTRACT[name]
    if not plain(site):
        return site.result(NUMPY, f"{message}; instead: np.{new}")
    text = f"{site.ref.root.id}.{new}"
    edits = [Edit(*site.file.index.span(site.node), text)]
    return site.result(NUMPY, message, fix=text, edits=edits)


def _asked_for(site: Site) -> bool:
    """Whether a name stands where a call asks for a type."""
    parent, root = site.ref.parent, site.ref.root.id
    if isinstance(parent, ast.keyword):
        return parent.arg == "dtype"
    if not isinstance(parent, ast.Call) or site.node not in parent.args:
        return False
    place, func = parent.args.index(site.node), parent.func
    if not isinstance(func, ast.Attribute):
        return False
    numpys = isinstance(func.value, ast.Name) and func.value.id == root
    if numpys:
        return place == (0 if func.attr == "dtype" else 1) and func.attr in (*MAKERS, "dtype")
    return place == 0 and func.attr == "astype"


@NUMPY.endpoint(*(f"numpy.{name}" for name in SIGNED))
def signed(site: Site) -> Result | None:
    """A number with its sign, in parentheses where an operator could take it apart."""
    text = SIGNED[site.endpoint.rpartition(".")[2]].format(site.ref.root.id)
    if not plain(site):
        return report(site, text)
    parent = site.ref.parent
    argument = isinstance(parent, ast.Call) and parent.func is not site.node
    if text.startswith("-") and not (argument or isinstance(parent, PLAIN)):
        text = f"({text})"
    result = _write(site, text)
    if "inf" in text:
        result.drops = None
    return result


@NUMPY.endpoint(*(f"numpy.{name}" for name in CALLS))
def call(site: Site) -> Result | None:
    """Functions that are something else to call now."""
    name, root, node = site.endpoint.rpartition(".")[2], site.ref.root.id, site.call
    instead = {
        "asfarray": "np.asarray(a, dtype=float)",
        "asscalar": "a.item()",
        "in1d": "np.isin(a, b).ravel()",
        "msort": "np.sort(a, axis=0)",
    }[name]
    if not plain(site) or node is None or any(isinstance(a, ast.Starred) for a in node.args):
        return report(site, instead)
    count = 2 if name == "in1d" else 1
    if len(node.args) != count or (node.keywords and name != "in1d"):
        return report(site, instead)
    if any(k.arg not in ("assume_unique", "invert") for k in node.keywords):
        return report(site, instead)
    place = layout(site.file.text, site.file.index, node)
    after = Edit(place.close + 1, place.close + 1, ".ravel()")
    if name == "asscalar":
        given, text = place.pieces[0], site.file.text
        if "#" in text[place.open : given.start] + text[given.end : place.close]:
            return report(site, instead)
        bare = isinstance(node.args[0], ATOMS) and not isinstance(node.args[0], ast.Constant)
        # The call's brackets may be what joins the lines.
        bare = bare and "\n" not in text[given.start : given.end]
        edits = [Edit(place.start, given.start, "" if bare else "(")]
        edits.append(Edit(given.end, place.close + 1, ".item()" if bare else ").item()"))
        drops = True
    else:
        new = {"asfarray": "asarray", "in1d": "isin", "msort": "sort"}[name]
        edits, drops = [Edit(*site.file.index.span(site.node), f"{root}.{new}")], False
        end = place.pieces[-1].end
        extra = {"asfarray": ", dtype=float", "msort": ", axis=0"}.get(name)
        edits.append(Edit(end, end, extra) if extra else after)
    message = f"np.{name} is gone from NumPy"
    return site.result(NUMPY, message, fix=instead, edits=edits, drops=drops)


@NUMPY.endpoint("numpy.reshape")
def reshape(site: Site) -> Result | None:
    """`newshape=` went in NumPy 2.4; by its place the argument is right for every NumPy."""
    node = site.call
    if node is None or not any(k.arg == "newshape" for k in node.keywords):
        return None
    message = "np.reshape has no argument `newshape`"
    first = node.keywords[0]
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred) or first.arg != "newshape":
        return site.result(NUMPY, f"{message}; by its place it is right for every NumPy")
    start, value = site.file.index.span(first)[0], site.file.index.span(first.value)[0]
    if "(" in site.file.text[start:value] or "#" in site.file.text[start:value]:
        return site.result(NUMPY, f"{message}; by its place it is right for every NumPy")
    edits = [Edit(start, value, "")]
    return site.result(NUMPY, message, fix="np.reshape(a, shape)", edits=edits)


@NUMPY.endpoint(*(f"numpy.{name}" for name in GONE))
def gone(site: Site) -> Result | None:
    """Report what has no equal."""
    return report(site, GONE[site.endpoint.rpartition(".")[2]])
