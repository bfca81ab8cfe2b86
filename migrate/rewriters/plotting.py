"""TFM812 plot-argument: an argument or a name that Matplotlib has lost.

TensorFlow 2.21 needs NumPy 2, which Matplotlib takes from 3.9 on. On the way there `hist(normed=)`
became `density=` (so did that of `np.histogram`), `axisbg=` `facecolor=`, `set_axis_bgcolor`
`set_facecolor`, and `spectral` `nipy_spectral`; `cm.get_cmap` is `pyplot.get_cmap`, a window's
title its manager's, seaborn's styles say the release that they are from
(`seaborn-v0_8-whitegrid`), and `gca(projection=)` no longer makes axes: `subplot` does.
`hold(True)` was what all plots do by now, and goes.

https://matplotlib.org/stable/api/prev_api_changes/index.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of

PLOT = Rule(
    "TFM812",
    "plot-argument",
    "an argument or a name that Matplotlib has lost",
    module=__name__,
    doc=__doc__,
    url="https://matplotlib.org/stable/api/prev_api_changes/index.html",
)
PACKAGES = ("matplotlib", "pylab")
#: By the method: an argument's old name and its new one.
ARGUMENTS = {
    **dict.fromkeys(("hist", "hist2d"), ("normed", "density")),
    **dict.fromkeys(("add_axes", "add_subplot", "axes", "subplot"), ("axisbg", "facecolor")),
}
#: NumPy's own: with unequal widths of bins `normed` gave something else.
HISTOGRAMS = {"histogram": 1, "histogram2d": 2, "histogramdd": 1}  # where they take `bins`
METHODS = {"get_axis_bgcolor": "get_facecolor", "set_axis_bgcolor": "set_facecolor"}
TITLE = "set_window_title"
MAPS = {"spectral": "nipy_spectral", "spectral_r": "nipy_spectral_r"}
STYLES = frozenset(
    (
        *("bright", "colorblind", "dark", "dark-palette", "darkgrid", "deep", "muted", "notebook"),
        *("paper", "pastel", "poster", "talk", "ticks", "white", "whitegrid"),
    )
)
WORDS = (
    *("normed", "axisbg", "axis_bgcolor", TITLE, "cm.get_cmap", "spectral", "seaborn"),
    *("projection", ".hold("),
)
PYPLOT = frozenset({"plt", "pylab", "pl", "mpl", "matplotlib.pyplot", "pyplot"})


@PLOT.file
def plots(file: FileContext) -> Iterator[Result]:
    """What a file that plots asks Matplotlib for."""
    if not any(name in file.text for name in PACKAGES):
        return
    if not any(word in file.text for word in WORDS):
        return
    for stmt in all_of(file.tree, ast.Expr):
        yield from _held(file, stmt)
    for call in all_of(file.tree, ast.Call):
        if isinstance(call.func, ast.Attribute):
            yield from _called(file, call, call.func)
    for node in all_of(file.tree, ast.Attribute):
        if node.attr in MAPS and ast.unparse(node.value).split(".")[-1] == "cm":
            yield _renamed(file, node, MAPS[node.attr])


def _called(file: FileContext, call: ast.Call, func: ast.Attribute) -> Iterator[Result]:
    name, owner = func.attr, ast.unparse(func.value)
    given = {k.arg: k for k in call.keywords if k.arg is not None}
    old, new = ARGUMENTS.get(name, ("normed", "density") if name in HISTOGRAMS else ("", ""))
    if old in given:
        message = f".{name}(): `{old}` is `{new}`"
        if name in HISTOGRAMS and not _even(call, given, HISTOGRAMS[name]):
            yield PLOT.report(
                call, f"{message}, which is another where widths of bins differ", blocks=False
            )
        else:
            start = file.index.span(given[old])[0]
            edit = Edit(start, start + len(old), new)
            yield PLOT.fixed(call, message, f"{new}=", [edit])
    elif name in METHODS:
        yield _renamed(file, func, METHODS[name])
    elif name == TITLE and owner.endswith("canvas"):
        end = file.index.span(func)[1]
        at = end - len(name)
        message = f".canvas.{name} is gone from Matplotlib"
        yield PLOT.fixed(func, message, "canvas.manager", [Edit(at, at, "manager.")])
    elif name == "get_cmap" and owner in ("plt.cm", "pylab.cm"):
        edit = Edit(*file.index.span(func.value), owner.removesuffix(".cm"))
        message = f"{owner}.get_cmap is gone from Matplotlib"
        yield PLOT.fixed(func, message, "get_cmap of pyplot", [edit])
    elif name == "gca" and "projection" in given and not call.args:
        new = "subplot" if owner in PYPLOT else "add_subplot"
        end = file.index.span(func)[1]
        message = "gca(projection=) makes no axes any more"
        yield PLOT.fixed(func, message, new, [Edit(end - len(name), end, new)])
    elif name == "use" and owner.endswith("style") and len(call.args) == 1:
        yield from _style(file, call.args[0])


def _style(file: FileContext, node: ast.expr) -> Iterator[Result]:
    """A style of seaborn's, by the name that Matplotlib 3.6 has given it."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    first, _, rest = node.value.partition("-")
    if first == "seaborn" and (rest in STYLES or not rest):
        end = file.index.span(node)[0] + file.text[file.index.span(node)[0] :].index("seaborn")
        end += len("seaborn")
        message = f"the style {node.value!r} is gone from Matplotlib"
        yield PLOT.fixed(node, message, "seaborn-v0_8", [Edit(end, end, "-v0_8")])


def _held(file: FileContext, stmt: ast.Expr) -> Iterator[Result]:
    """``plt.hold(True)``, alone on its line: it goes."""
    match stmt.value:
        case ast.Call(ast.Attribute(owner, "hold"), args, []) if ast.unparse(owner) in PYPLOT:
            message = "hold is gone from Matplotlib"
            kept = [a.value for a in args if isinstance(a, ast.Constant)]
            if len(kept) != len(args) or kept not in ([], [True], ["on"]):
                yield PLOT.report(
                    stmt, f"{message}; instead: clear the axes with cla()", blocks=False
                )
                return
            start, end = file.index.span(stmt)
            first, last = file.text.rfind("\n", 0, start) + 1, file.text.find("\n", end)
            last = len(file.text) if last < 0 else last + 1
            alone = not (file.text[first:start] + file.text[end:last]).strip()
            single = any(
                getattr(n, part, None) == [stmt]
                for n in ast.walk(file.tree)
                for part in ("body", "orelse", "finalbody")
            )
            edit = Edit(first, last, "") if alone and not single else Edit(start, end, "pass")
            yield PLOT.fixed(stmt, message, "nothing", [edit])


def _renamed(file: FileContext, node: ast.Attribute, new: str) -> Result:
    end = file.index.span(node)[1]
    message = f"{node.attr} is gone from Matplotlib"
    return PLOT.fixed(node, message, new, [Edit(end - len(node.attr), end, new)])


def _even(call: ast.Call, given: dict[str, ast.keyword], place: int) -> bool:
    """Whether all bins of a histogram have one width: their number is said, or nothing."""
    bins = given["bins"].value if "bins" in given else None
    if bins is None and len(call.args) > place:
        bins = call.args[place]
    return bins is None or (isinstance(bins, ast.Constant) and isinstance(bins.value, int))
