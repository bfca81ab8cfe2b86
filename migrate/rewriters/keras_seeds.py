"""Seeds of a program that becomes Keras: what TF 2's own seed doesn't reach.

Keras 3's initializers and layers of chance take their seeds from Python's ``random``, whatever
``tf.random.set_seed`` was given, so that a program of TF 1 that gave the same numbers in each run
no longer would. ``tf.keras.utils.set_random_seed`` seeds all three: TensorFlow, Python and NumPy.
It is written where the others' numbers stay what they were: the program neither draws from NumPy
nor seeds NumPy or ``random``, or it seeds them beside it.

https://keras.io/api/utils/python_utils/#set_random_seed-function
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of, walk

KERAS = "keras.utils.set_random_seed"
SEEDS = ("set_random_seed", "random.set_random_seed")
# Layers and initializers that draw nothing aren't worth a longer line.
_DRAWING = re.compile(
    r"\bkeras\.(?:Sequential\b|applications\.\w+|"
    r"layers\.(?:\w*Conv\w*|Dense|Embedding|\w*Dropout\w*|Gaussian\w+|RNN|SimpleRNN|LSTM|GRU"
    r"|LSTMCell|GRUCell|SimpleRNNCell|Bidirectional|\w*Attention)\b|"
    r"initializers\.(?:Glorot|He|Lecun|Random|Truncated|Variance|Orthogonal)\w*)"
)
# Generators of their own, and what only asks.
_OWN = frozenset({"RandomState", "Generator", "default_rng", "SeedSequence", "get_state"})
_QUIET = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)


def keras_draws(text: str) -> bool:
    """Whether a module makes something of Keras that draws numbers."""
    return _DRAWING.search(text) is not None


def numpy_draws(tree: ast.AST) -> bool:
    """Whether a module draws from NumPy's global generator, or may: who seeds it lets others."""
    modules, packages = _numpy_names(tree)
    if None in packages:
        return True
    for node in all_of(tree, ast.Attribute):
        inner = node.value
        of_module = isinstance(inner, ast.Name) and inner.id in packages
        of_numpy = (
            isinstance(inner, ast.Attribute)
            and inner.attr == "random"
            and isinstance(inner.value, ast.Name)
            and inner.value.id in modules
        )
        if (of_module or of_numpy) and node.attr not in _OWN:
            return True
    return False


def python_draws(tree: ast.AST) -> bool:
    """Whether a module draws from Python's global generator, or may, or seeds it."""
    names = {
        alias.asname or "random"
        for node in all_of(tree, ast.Import)
        for alias in node.names
        if alias.name == "random"
    }
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "random" and not node.level
        and any(alias.name not in ("Random", "SystemRandom") for alias in node.names)
        for node in walk(tree)
    ) or any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        and node.value.id in names and node.attr not in ("Random", "SystemRandom")
        for node in walk(tree)
    )  # fmt: skip


def python_seeds(tree: ast.AST) -> bool:
    """Whether a module seeds Python's ``random``, or may."""
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "random" and not node.level
        and any(alias.name in ("seed", "*") for alias in node.names)
        for node in walk(tree)
    ) or any(
        isinstance(node, ast.Attribute) and ast.unparse(node) in _python_spelled(tree)
        for node in walk(tree)
    )  # fmt: skip


def _python_spelled(tree: ast.AST) -> set[str]:
    """How a module would write the seed of Python's ``random``."""
    return {
        f"{alias.asname or 'random'}.seed"
        for node in all_of(tree, ast.Import)
        for alias in node.names
        if alias.name == "random"
    }


def _numpy_spelled(tree: ast.AST) -> set[str]:
    """How a module would write the seed of NumPy's global generator."""
    modules, packages = _numpy_names(tree)
    return {f"{m}.random.seed" for m in modules} | {f"{p}.seed" for p in packages}


def _numpy_names(tree: ast.AST) -> tuple[set[str], set[str | None]]:
    """The names of NumPy and of its `random`; None among these: a name taken out of it."""
    modules: set[str] = set()
    packages: set[str | None] = set()
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "numpy.random" and alias.asname:
                    packages.add(alias.asname)
                elif alias.name.split(".")[0] == "numpy":
                    modules.add(alias.asname or "numpy")
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [alias.asname or alias.name for alias in node.names]
            taken = [alias.name for alias in node.names]
            if node.module == "numpy":
                packages.update(own for own, name in zip(names, taken, strict=True)
                                if name == "random")  # fmt: skip
                if "*" in taken:
                    packages.add("random")
            elif node.module == "numpy.random" and not _OWN.issuperset(taken):
                packages.add(None)
    return modules, packages


def seeds_of_keras(
    tree: ast.Module, tensorflow: str, *, draws: bool, seeds: bool
) -> Iterator[tuple[ast.Call, ast.stmt | None]]:
    """The calls of TF 1's seed in a module that may seed all generators.

    With each comes the seed of NumPy's in front of it that has to change places with it, if one
    has. ``draws``: the program draws from NumPy's global generator. ``seeds``: it seeds Python's.
    """
    numpys, pythons = _numpy_spelled(tree), _python_spelled(tree)
    spelled = {f"{tensorflow}.{name}" for name in SEEDS}
    for block in _blocks(tree):
        for at, stmt in enumerate(block):
            call = stmt.value if isinstance(stmt, ast.Expr) else None
            if not (
                isinstance(call, ast.Call)
                and ast.unparse(call.func) in spelled
                and len(call.args) + len(call.keywords) == 1
            ):
                continue
            seed = _number((*call.args, *(k.value for k in call.keywords))[0], tree)
            if seed is None:
                continue
            behind, ahead = block[at + 1 :], block[:at][::-1]
            if seeds and _seeded(behind, pythons) is None:
                own = _seeded(ahead, pythons)
                if own is None or _number(own.args[0], tree) != seed:
                    continue
            if not draws or _seeded(behind, numpys) is not None:
                yield call, None
                continue
            before = _seeded(ahead, numpys)
            if before is None:
                continue
            if _number(before.args[0], tree) == seed:
                yield call, None
            elif block[at - 1].lineno == before.lineno:
                yield call, block[at - 1]


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _number(node: ast.expr, tree: ast.Module) -> int | None:
    """A seed that is a number in the text, as Keras wants it: an ``int`` that NumPy takes."""
    if isinstance(node, ast.Name):
        name = node.id
        bound = [
            n
            for n in walk(tree)
            if (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
            or (isinstance(n, ast.arg) and n.arg == name)
        ]
        given = [s.value for s in all_of(tree, ast.Assign) if s.targets == bound]
        if not given:
            return None
        node = given[0]
    if isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 2**32:
        return node.value
    return None


def _seeded(stmts: Iterable[ast.stmt], spelled: set[str]) -> ast.Call | None:
    """A generator's seed among statements before which nothing is drawn."""
    for stmt in stmts:
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name in spelled and len(call.args) == 1:
            return call
        if not (_idle(stmt) or name.endswith((".set_random_seed", "random.seed"))):
            break
    return None


def _idle(stmt: ast.stmt) -> bool:
    """Whether a statement draws nothing, for sure."""
    if isinstance(stmt, _QUIET):
        return not getattr(stmt, "decorator_list", ())
    if isinstance(stmt, ast.Expr):
        return isinstance(stmt.value, ast.Constant)
    return isinstance(stmt, ast.Assign) and not any(
        isinstance(node, ast.Call) for node in walk(stmt)
    )
