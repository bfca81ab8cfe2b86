"""Layers of float64: TF 1's have the type of their inputs, Keras's that which they are told.

Only what surely is float64 counts: placeholders that say so, and iterators over NumPy's doubles.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.made import Layer
from migrate.programs.graph.model import Blocked, Symbol
from migrate.programs.graph.sizing.dtypes import NARROW, OTHERS

SAID = frozenset({"float64", "double"})  # and `float` of NumPy's
TYPES = SAID | NARROW | {"float", "int", "object"}
NUMPY = frozenset({"np", "numpy"})
GENERATORS = frozenset({"RandomState", "default_rng"})
# NumPy's functions that make doubles where they aren't told another type.
MAKE = frozenset(
    """
    rand randn random random_sample uniform normal standard_normal linspace logspace zeros ones eye
    identity loadtxt genfromtxt
    """.split()  # noqa: SIM905
)
# Those, and methods of arrays, that give what they are given.
KEEP = frozenset(
    """
    abs array asarray array_split atleast_2d concatenate copy cos exp expand_dims flatten hstack log
    mean power ravel reshape sin split sqrt square squeeze stack tanh tile transpose vstack
    """.split()  # noqa: SIM905
)
# Methods of datasets that leave the elements' types alone.
SAME = frozenset("batch cache filter prefetch repeat shard shuffle skip take".split())  # noqa: SIM905
# Where a type stands among a function's arguments.
PLACES = {"placeholder": 0, "cast": 1, "constant": 1, "zeros": 1, "ones": 1, "get_variable": 2}


def check(walker: Any, inputs: ast.expr) -> None:
    """See that a layer isn't one of float64.

    Raises:
        Blocked: it surely is.
    """
    if surely(walker, inputs):
        raise Blocked(inputs, "a layer of float64, which Keras would compute in float32")


# Layers that are told it.
TOLD = re.compile(
    r"tensorflow\.(?:contrib\.)?layers\."
    r"(?:dense|conv[123]d|conv[23]d_transpose|fully_connected|linear|relu"
    r"|(?:max|average)_pooling[123]d|(?:max|avg)_pool[23]d|flatten)"
)
PLAIN = ("_regularizer", "_constraint", "normalizer_fn")  # none of these beside it


def layer(walker: Any, made: Layer, inputs: ast.expr) -> None:
    """See whether a layer is one of float64.

    Raises:
        Blocked: it surely is, and can't be told.
    """
    if walker.frame.region is None or walker.frame.region.inputs is not None:
        check(walker, inputs)
    elif surely(walker, inputs):
        given = (node for name, node in made.given.items() if name.endswith(PLAIN))
        if not TOLD.fullmatch(made.endpoint) or not all(
            getattr(node, "value", node) is None for node in given
        ):
            check(walker, inputs)
        made.double = True


def surely(walker: Any, node: ast.expr) -> bool:
    """Whether a tensor surely is of float64."""
    return _Doubles(walker).tensor(node, {})


class _Doubles:
    def __init__(self, walker: Any) -> None:
        self.walker = walker
        self.seen: set[int | str] = set()

    def tensor(self, node: ast.expr, env: Mapping[str, Symbol]) -> bool:
        """Whether a tensor surely is of float64; ``env``: what names meant there."""
        if isinstance(node, ast.BinOp):
            return self.tensor(node.left, env) or self.tensor(node.right, env)
        if isinstance(node, ast.Subscript):
            return self.tensor(node.value, env)
        if isinstance(node, ast.Call):
            return self._op(node, env)
        symbol = env.get(node.id) if isinstance(node, ast.Name) else None
        symbol = symbol or self.walker.symbol_of(node)
        return symbol is not None and self._symbol(symbol)

    def _op(self, node: ast.Call, env: Mapping[str, Symbol]) -> bool:
        endpoint = self.walker.endpoints.get(id(node.func), "")
        last = endpoint.rpartition(".")[2]
        if id(node) in self.walker.layers:
            return bool(self.walker.layers[id(node)].double)
        if not endpoint:
            return False
        if last == "to_double":
            return True
        dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        place = PLACES.get(last)
        if dtype is None and place is not None and place < len(node.args):
            dtype = node.args[place]
        if last == "cast" or dtype is not None:
            return dtype is not None and self._says(dtype)
        args = [*node.args, *(k.value for k in node.keywords)]
        return not last.startswith(OTHERS) and any(self.tensor(a, env) for a in args)

    def _symbol(self, symbol: Symbol) -> bool:
        from migrate.programs.graph.data.iterators import element_of

        if id(symbol) in self.seen:
            return False
        self.seen.add(id(symbol))
        element = element_of(symbol)
        if element is not None:
            source = element.iterator.source or getattr(element.call.func, "value", None)
            parts = self._slices(source, {s.name: s for s in element.iterator.uses})
            if isinstance(parts, ast.Tuple) and element.several:
                place = element.symbols.index(symbol)
                parts = parts.elts[place] if place < len(parts.elts) else None
            return parts is not None and (self.tensor(parts, {}) or self.array(parts))
        made = symbol.step.node
        if not isinstance(made, ast.Assign):
            return False
        return self.tensor(made.value, {s.name: s for s in symbol.step.uses})

    def _slices(self, node: Any, env: Mapping[str, Symbol]) -> ast.expr | None:
        """What a dataset has slices of; None where that isn't seen."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            endpoint = self.walker.endpoints.get(id(node.func), "")
            if endpoint.endswith(("from_tensor_slices", "from_tensors")) and node.args:
                return node.args[0]
            method = node.func.attr
            known = method in SAME or method.startswith("make_")
            return self._slices(node.func.value, env) if known else None
        symbol = env.get(node.id) if isinstance(node, ast.Name) else None
        symbol = symbol or (self.walker.symbol_of(node) if node is not None else None)
        made = symbol.step.node if symbol is not None else None
        if symbol is None or not isinstance(made, ast.Assign) or id(symbol) in self.seen:
            return None
        self.seen.add(id(symbol))
        return self._slices(made.value, {s.name: s for s in symbol.step.uses})

    def _says(self, dtype: ast.expr) -> bool:
        """Whether a type that is given is float64."""
        if isinstance(dtype, ast.Attribute) and dtype.attr == "dtype":
            return self.array(dtype.value)
        return _name(dtype) in SAID

    def array(self, node: ast.expr) -> bool:
        """Whether an array of NumPy's surely is of doubles."""
        if isinstance(node, ast.BinOp):
            return self.array(node.left) or self.array(node.right)
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.array(node.value)
        if isinstance(node, ast.UnaryOp):
            return self.array(node.operand)
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(map(self.array, node.elts))
        if isinstance(node, ast.Attribute):
            return node.attr == "T" and self.array(node.value)
        if isinstance(node, ast.Call):
            return self._made(node)
        if not isinstance(node, ast.Name) or node.id in self.seen:
            return False
        self.seen.add(node.id)
        given = list(_given(self.walker.tree, node.id))
        return bool(given) and all(value is not None and self.array(value) for value in given)

    def _made(self, node: ast.Call) -> bool:
        func = node.func
        if not isinstance(func, ast.Attribute):
            return False
        if func.attr == "astype":
            return len(node.args) == 1 and (
                self._says(node.args[0]) or _name(node.args[0]) == "float"
            )
        dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        typed = (a for a in node.args[1:] if _name(a) in TYPES)
        dtype = dtype or next(typed, None)
        if dtype is not None:
            return self._says(dtype) or _name(dtype) == "float"
        root: ast.expr = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or (root.id not in NUMPY and not self._draws(root.id)):
            return func.attr in KEEP and self.array(func.value)
        return func.attr in MAKE or (func.attr in KEEP and any(map(self.array, node.args)))

    def _draws(self, name: str) -> bool:
        """Whether a name is a generator of NumPy's, `np.random.RandomState(0)`."""
        given = list(_given(self.walker.tree, name))
        made = [v.func for v in given if isinstance(v, ast.Call)]
        return 0 < len(made) == len(given) and all(_name(f) in GENERATORS for f in made)


def _name(dtype: ast.expr) -> object:
    return getattr(dtype, "attr", getattr(dtype, "id", getattr(dtype, "value", None)))


def _given(tree: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """All that a name is given anywhere; None for what isn't told."""
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                elts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                for i, one in enumerate(elts):
                    if isinstance(one, ast.Name) and one.id == name:
                        shown = node.value if len(elts) > 1 else None
                        parts = shown.elts if isinstance(shown, (ast.Tuple, ast.List)) else ()
                        yield parts[i] if i < len(parts) else node.value
        else:
            targets = [getattr(node, "target", None), getattr(node, "optional_vars", None)]
            bound = (n for t in targets if isinstance(t, ast.AST) for n in walk(t))
            said = isinstance(node, ast.arg) and node.arg == name
            if said or any(isinstance(n, ast.Name) and n.id == name for n in bound):
                yield None
