"""What a test says in each mode of a model_fn: training, evaluation, prediction."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Literal

Mode = Literal["train", "eval", "predict"]
MODES: tuple[Mode, ...] = ("train", "eval", "predict")
_NAMES: dict[str, Mode] = {
    "TRAIN": "train",
    "EVAL": "eval",
    "PREDICT": "predict",
    "INFER": "predict",
}
KEYS: dict[str, Mode] = {
    f"tensorflow.{module}.ModeKeys.{name}": mode
    for module in ("estimator", "contrib.learn", "python.estimator.model_fn")
    for name, mode in _NAMES.items()
}
WORDS: dict[str, Mode] = {"train": "train", "eval": "eval", "infer": "predict"}


class Tests:
    """The tests of one function on its mode."""

    def __init__(
        self,
        mode: str | None,
        key: Callable[[ast.expr], str],
        flags: Mapping[str, ast.expr],
        switches: frozenset[str] = frozenset(),
    ) -> None:
        self.mode = mode  # what the function calls it
        self.key = key  # an expression's endpoint
        self.flags = flags  # names that a test was given
        self.switches = switches  # arguments that say whether it trains
        self.modes = MODES  # those that it has

    def value(self, node: ast.expr, mode: Mode) -> bool | None:
        """What a test gives in a mode; None where it depends on something else."""
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self.switches:
                return mode == "train"
            inner = self.flags.get(node.id)
            return self.value(inner, mode) if inner is not None else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            known = self.value(node.operand, mode)
            return None if known is None else not known
        if isinstance(node, ast.BoolOp):
            parts = [self.value(v, mode) for v in node.values]
            decisive = isinstance(node.op, ast.Or)
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        if isinstance(node, ast.IfExp):
            test = self.value(node.test, mode)
            if test is None:
                return None
            return self.value(node.body if test else node.orelse, mode)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compared(node.left, node.ops[0], node.comparators[0], mode)
        return None

    def training(self, node: ast.expr) -> bool | None:
        """Whether a test holds in training only (True), or in all but training (False)."""
        told = [self.value(node, mode) for mode in self.modes]
        if None in told or len(set(told)) < 2 or told.count(told[0]) > 1:
            return None
        return told[0]

    def switches_by(self, test: ast.expr) -> bool:
        """Whether a test asks if it trains, and otherwise for settings alone."""
        if self.training(test) is not None:
            return True
        if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
            return False
        told = [v for v in test.values if any(self.value(v, m) is not None for m in self.modes)]
        return bool(told) and all(self.switches_by(v) for v in told)

    def tells(self, node: ast.expr) -> bool:
        """Whether a test is told by the mode."""
        return all(self.value(node, mode) is not None for mode in MODES)

    def settings(self, test: ast.expr) -> list[ast.expr]:
        """What a test asks besides the mode, to go where it holds: settings, known in all modes."""
        if self.tells(test):
            return []
        if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
            return [test]
        found = [part for value in test.values for part in self.settings(value)]
        return [test] if found == test.values else found

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, mode: Mode) -> bool | None:
        if isinstance(op, (ast.In, ast.NotIn)):
            if not self._is_mode(left) or not isinstance(right, (ast.List, ast.Tuple, ast.Set)):
                return None
            keys = [self._key(e) for e in right.elts]
            if None in keys:
                return None
            return (mode in keys) == isinstance(op, ast.In)
        if not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            return None
        same = isinstance(op, (ast.Eq, ast.Is))
        if self._is_mode(right):
            left, right = right, left
        key = self._key(right)
        if self._is_mode(left) and key is not None:
            return (mode == key) == same
        # A flag beside a constant.
        if isinstance(right, ast.Constant) and isinstance(right.value, bool):
            known = self.value(left, mode)
            return None if known is None else (known == right.value) == same
        return None

    def _is_mode(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.mode and self.mode is not None

    def _key(self, node: ast.expr) -> Mode | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return WORDS.get(node.value)
        return KEYS.get(self.key(node))
