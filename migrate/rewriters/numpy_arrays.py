"""What NumPy's functions surely give with dimensions, for `array_numbers`."""

from __future__ import annotations

import ast

# The place of the size among the arguments.
_SIZED = {
    "choice": 1, "randint": 2, "random_integers": 2, "normal": 2, "uniform": 2, "binomial": 2,
    "beta": 2, "poisson": 1, "exponential": 1, "standard_normal": 0, "random_sample": 0,
    "random": 0,
}  # fmt: skip
_EACH = frozenset(
    ("exp", "log", "sqrt", "abs", "square", "round", "sin", "cos", "tanh", "absolute")
)
_LESS = frozenset(
    "argmax argmin sum mean max min amax amin prod std var median".split()  # noqa: SIM905
)
_LATER = range(1, 8)


def of_each(func: ast.Attribute) -> bool:
    """A function of each element."""
    return func.attr in _EACH and _spelled(func.value) == ""


def has_dimensions(call: ast.Call) -> bool:
    """A call that gives an array with dimensions, whatever it is given."""
    func = call.func
    if not isinstance(func, ast.Attribute) or any(isinstance(a, ast.Starred) for a in call.args):
        return False
    given = {k.arg: k.value for k in call.keywords}
    if None in given:
        return False
    module = _spelled(func.value)
    if module == "":
        # An axis but the first is one of an array that has another one.
        axis = given.get("axis", call.args[1] if len(call.args) > 1 else None)
        return func.attr in _LESS and isinstance(axis, ast.Constant) and axis.value in _LATER
    if module != "random":
        return False
    if func.attr in ("rand", "randn"):
        return bool(call.args)
    place = _SIZED.get(func.attr)
    if place is None:
        return False
    size = given.get("size", call.args[place] if len(call.args) > place else None)
    if isinstance(size, (ast.Tuple, ast.List)):
        return bool(size.elts)
    return isinstance(size, ast.Constant) and isinstance(size.value, int)


def _spelled(node: ast.expr) -> str | None:
    """Nothing for NumPy, `random` for `np.random`, None for anything else."""
    if isinstance(node, ast.Name) and node.id in ("np", "numpy"):
        return ""
    if isinstance(node, ast.Attribute) and _spelled(node.value) == "":
        return node.attr
    return None


def name_of(tree: ast.Module) -> str:
    """The name under which a module has NumPy."""
    imports = [n for n in tree.body if isinstance(n, ast.Import)]
    names = [a.asname or a.name for n in imports for a in n.names if a.name == "numpy"]
    return names[0] if names else ""
