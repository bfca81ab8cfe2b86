"""TFM808 scipy-misc: a name of scipy.misc, which SciPy emptied.

TensorFlow 2.21 needs NumPy 2, and that a SciPy whose `scipy.misc` has nothing in it. The functions
for images (`imread`, `imsave`, `imresize`, `imrotate`, `toimage`, `fromimage`) went in 1.2: a file
that uses them gets them as they were, on Pillow, which they were written with. Others would give
other bytes: SciPy's `imsave` stretches floats from their least to their greatest, `imresize` does
so before it resizes, and no other library does. `comb`, `factorial` and `logsumexp` are in
`scipy.special`, ARPACK's `eigsh` is `scipy.sparse.linalg`'s own. NumPy's functions that SciPy gave
under its own name (`from scipy import interp`) are NumPy's. What has no equal is reported.

https://docs.scipy.org/doc/scipy-1.1.0/reference/misc.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from migrate.engine.findings import Edit
from migrate.engine.names import Binding, free_name
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.switch import indent_of, newline_of
from migrate.engine.trees import all_of, walk
from migrate.rewriters.moved_names import Place, moved, places, reported
from migrate.rewriters.pruning import pruned

SCIPY = Rule(
    "TFM808",
    "scipy-misc",
    "a name that scipy.misc has lost",
    module=__name__,
    doc=__doc__,
    url="https://docs.scipy.org/doc/scipy-1.1.0/reference/misc.html",
)
MISC = ("scipy.misc.", "scipy.misc.pilutil.")
# A function -> those that it calls.
IMAGES = {
    "fromimage": (),
    "imread": ("fromimage",),
    "imresize": ("toimage",),
    "imrotate": ("toimage",),
    "imsave": ("toimage",),
    "toimage": (),
}
ARPACK = ("ArpackError", "ArpackNoConvergence", "eigs", "eigsh", "svds")
MOVED = {
    **{f"scipy.misc.{n}": f"scipy.special.{n}" for n in ("comb", "factorial", "factorial2")},
    **{f"scipy.misc.{n}": f"scipy.special.{n}" for n in ("factorialk", "logsumexp")},
    "scipy.misc.common.logsumexp": "scipy.special.logsumexp",
    "scipy.misc.pade": "scipy.interpolate.pade",
    **{f"scipy.sparse.linalg.eigen.arpack.{n}": f"scipy.sparse.linalg.{n}" for n in ARPACK},
    **{f"scipy.sparse.linalg.eigen.{n}": f"scipy.sparse.linalg.{n}" for n in ARPACK},
}
# NumPy's, which were SciPy's own names, too; `scipy.sqrt(-1)` was the complex one.
NUMPY = (
    *("append", "arange", "argmax", "argmin", "argsort", "array", "asarray", "average", "clip"),
    *("concatenate", "cos", "cumsum", "diag", "dot", "exp", "expand_dims", "eye", "float32"),
    *("float64", "floor", "hstack", "inf", "int32", "interp", "linspace", "mean", "median"),
    *("meshgrid", "nan", "newaxis", "ones", "ones_like", "outer", "pi", "reshape", "sin", "std"),
    *("tile", "transpose", "unique", "var", "vstack", "where", "zeros", "zeros_like"),
)
COMPLEX = ("arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt")
MOVED |= {
    **{f"scipy.{n}": f"numpy.{n}" for n in NUMPY},
    **{f"scipy.{n}": f"numpy.emath.{n}" for n in COMPLEX},
    **{f"scipy.{n}": f"numpy.random.{n}" for n in ("rand", "randn")},
}
TOP = (*NUMPY, *COMPLEX, "rand")
REPORTED = {
    "scipy.misc.ascent": "scipy.datasets.ascent, which downloads",
    "scipy.misc.bytescale": "a function of the program's own",
    "scipy.misc.central_diff_weights": "coefficients written down",
    "scipy.misc.derivative": "a difference written out",
    "scipy.misc.electrocardiogram": "scipy.datasets.electrocardiogram, which downloads",
    "scipy.misc.face": "scipy.datasets.face, which downloads",
    "scipy.misc.imfilter": "Pillow's ImageFilter",
    "scipy.misc.imshow": "matplotlib.pyplot.imshow",
    "scipy.misc.info": "help",
    "scipy.misc.lena": "an image of one's own",
    "scipy.misc.who": "nothing",
}
SCIPY.root("scipy", ["misc", "eigen"])
OWN = rf"\bscipy import\b|\bimport scipy as\b|\bscipy\.(?:{'|'.join(TOP)})\b"
SCIPY.root("scipy", TOP, OWN)


@SCIPY.file
def uses(file: FileContext) -> Iterator[Result]:
    """All uses of a file, and its imports that nothing uses."""
    if "scipy" not in file.text:
        return
    images: dict[str, list[Place]] = {}
    for place in places(file, "scipy", _known):
        image = next((place.old.removeprefix(m) for m in MISC if place.old.startswith(m)), "")
        if image in IMAGES:
            images.setdefault(image, []).append(place)
        elif place.old in MOVED:
            yield moved(SCIPY, file, place, MOVED[place.old])
        elif place.old in REPORTED:
            yield reported(SCIPY, place, REPORTED[place.old])
    if images:
        yield from _images(file, images)


def _known(name: str) -> bool:
    image = next((name.removeprefix(m) for m in MISC if name.startswith(m)), "")
    return image in IMAGES or name in MOVED or name in REPORTED


# -- images ------------------------------------------------------------------------------


def _images(file: FileContext, images: dict[str, list[Place]]) -> Iterator[Result]:
    asked = [p for found in images.values() for p in found]
    used = {f: ps for f in images if (ps := [p for p in images[f] if p.ref is not None])}
    features = _features(used)
    where = _where(file, asked)
    array = _module(file, Import("np", "numpy"), where)
    image = _module(file, Import("Image", "PIL", "Image"), where)
    names = {f: _name(file, f, used.get(f, ())) for f in IMAGES if f in features}
    lost = where is None or not array or not image or not all(names.values())
    replaced = {id(p.ref.node) for p in asked if p.ref is not None}
    edits: list[Edit] = []
    if used and where is not None:
        source = pruned(_text(), features)
        for key, text in {"np": array, "Image": image, **names}.items():
            source = source.replace(f"{{{key}}}", text or "")
        edits = [_defined(file, where, source)]
    for function, found in images.items():
        for place in found:
            message = f"{place.old} is gone from SciPy"
            ref = place.ref
            if ref is None and _idle(file, place.binding, set() if lost else replaced):
                file.idle.add(place.binding)
                yield SCIPY.fixed(place.binding.node, message, "no import", [])
            elif ref is None or lost:
                yield reported(SCIPY, place, f"{function} of one's own, with Pillow")
            else:
                new = names[function] or ""
                result = SCIPY.fixed(ref.node, message, f"{new}, in the file", [])
                if file.source(ref.node) != new:
                    result.edits.append(Edit(*file.index.span(ref.node), new))
                result.drops = ref.root
                if edits:
                    result.edits += edits
                    result.imports = _needed(file, features, array, image)
                    edits = []
                yield result


def _needed(file: FileContext, features: set[str], array: str, image: str) -> list[Import]:
    """The imports that the definitions need and the file hasn't."""
    needed = [Import(array, "numpy")] if _imported(file, array) else []
    if features - {"fromimage"} and _imported(file, image):
        needed.append(Import(image, "PIL", "Image"))
    return needed


def _imported(file: FileContext, name: str) -> bool:
    return not any(_binds(file.tree, name))


def _idle(file: FileContext, binding: Binding, replaced: set[int]) -> bool:
    alias = binding.node
    assert isinstance(alias, ast.alias)
    bound = alias.asname or alias.name
    return (
        not file.path.endswith("__init__.py")
        and not file.starred
        and not any(
            (isinstance(n, ast.Name) and n.id == bound and id(n) not in replaced)
            or (isinstance(n, ast.Constant) and n.value == bound)
            for n in walk(file.tree)
        )
    )


def _name(file: FileContext, function: str, places: Sequence[Place]) -> str | None:
    """What a function is called in the file: as it was imported, where that is one name."""
    bound = {
        p.ref.root.id: p.binding
        for p in places
        if p.ref is not None and isinstance(p.ref.node, ast.Name)
    }
    if len(bound) == 1:
        name, binding = next(iter(bound.items()))
        if (
            file.names.module.bindings.get(name) == [binding]
            and binding.stmt in file.tree.body
            and binding.target.rpartition(".")[2] == function
            and all(file.visible(name, p.ref.scope) for p in places if p.ref is not None)
        ):
            return name
    own = f"scipy_{function}"
    return own if free_name(own, file.text) else None


def _module(file: FileContext, item: Import, where: int | None) -> str:
    """By which name a definition has a module; "": by none."""
    target = f"{item.module}.{item.attribute}".rstrip(".")
    for stmt in file.tree.body:
        if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
            continue
        if where is None or file.index.span(stmt)[1] > where:
            continue
        for alias in stmt.names:
            whole = alias.name
            if isinstance(stmt, ast.ImportFrom):
                whole = f"{stmt.module}.{alias.name}" if not stmt.level else ""
            bound = alias.asname or (alias.name if "." not in alias.name else "")
            if whole == target and bound and _once(file.tree, bound):
                return bound
    for own in (item.name, f"{item.module}_{item.attribute}".rstrip("_")):
        if not any(_binds(file.tree, own)) and free_name(own, file.text):
            return own
    return ""


def _once(tree: ast.Module, name: str) -> bool:
    return sum(1 for _ in _binds(tree, name)) == 1


def _binds(tree: ast.Module, name: str) -> Iterator[ast.AST]:
    """What binds a name anywhere at the module's level, or may."""
    inner = {
        id(n)
        for f in walk(tree)
        if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))
        for b in (f.body if isinstance(f.body, list) else [f.body])
        for n in walk(b)
    }
    globals_ = {g for n in all_of(tree, ast.Global) for g in n.names}
    for node in walk(tree):
        if id(node) in inner and name not in globals_:
            continue
        if isinstance(node, ast.alias):
            if (node.asname or node.name.partition(".")[0]) == name:
                yield node
        elif isinstance(node, ast.Name):
            if node.id == name and not isinstance(node.ctx, ast.Load):
                yield node
        elif getattr(node, "name", None) == name:
            yield node


def _where(file: FileContext, places: Sequence[Place]) -> int | None:
    """Where the functions stand: behind the imports of what they replace and of what they use."""
    body = file.tree.body
    ours = {id(p.binding.stmt) for p in places}
    first = next((n for n, s in enumerate(body) if isinstance(s, (ast.Import, ast.ImportFrom))), 0)
    for number, stmt in enumerate(body):
        if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
            continue
        names = {f"{getattr(stmt, 'module', '')}.{a.name}".strip(".") for a in stmt.names}
        if id(stmt) in ours or names & {"numpy", "PIL.Image"}:
            first = number
    for stmt in body[first + 1 :]:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            continue
        start = min([stmt.lineno, *(d.lineno for d in getattr(stmt, "decorator_list", ()))])
        while file.text[: file.index.line_start(start)].splitlines()[-1].startswith("#"):
            start -= 1  # what is said of the statement stays above it
        at = file.index.line_start(start)
        if indent_of(file, file.index.span(stmt)[0]) != "":
            return None
        early = any(
            p.ref is not None and p.ref.scope.kind == "module" and p.ref.node.lineno < start
            for p in places
        )
        return None if early else at
    return None


def _defined(file: FileContext, where: int, source: str) -> Edit:
    """The functions with two blank lines on either side."""
    newline = newline_of(file)
    above = file.text[:where].replace("\r", "")
    blanks = len(above) - len(above.rstrip("\n")) - 1
    text = "\n" * max(0, 2 - blanks) + source.rstrip("\n") + "\n" * 3
    return Edit(where, where, text.replace("\n", newline))


@cache
def _text() -> str:
    return Path(__file__).with_name("scipy_images_code.txt").read_text(encoding="utf-8")


def _features(images: dict[str, list[Place]]) -> set[str]:
    """What of the functions is asked for."""
    features = {*images, *(h for f in images for h in IMAGES[f])}
    if "toimage" in images:
        features |= {"full", "axis"}
        if any(_passes(p, name, 5) for p in images["toimage"] for name in ("pal", "mode")):
            features |= {"mode", "pal"}
    if any(_passes(p, "mode", 3) for p in images.get("imresize", ())):
        features |= {"mode", "fromimage"}
    if features & {"imresize", "imrotate"}:
        features |= {"search", "axis"} if "imsave" in features else {"search"}
    return features | ({"search"} if "axis" in features else set())


def _passes(place: Place, keyword: str, number: int) -> bool:
    """Whether a use may give an argument."""
    call = place.ref.call if place.ref is not None else None
    if call is None:
        return True
    return (
        len(call.args) > number
        or any(isinstance(a, ast.Starred) for a in call.args)
        or any(k.arg in (None, keyword) for k in call.keywords)
    )
