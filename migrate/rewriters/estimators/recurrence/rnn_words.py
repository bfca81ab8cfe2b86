"""`dynamic_rnn` in plainer words: it begins with zeros, and time is the second axis.

    initial = cell.zero_state(tf.shape(x)[0], tf.float32)
    outputs, state = tf.nn.dynamic_rnn(         outputs, state = tf.nn.dynamic_rnn(
        cell, x, initial_state=initial)             cell, x, dtype=tf.float32)

    outputs, state = tf.nn.dynamic_rnn(         outputs, state = tf.nn.dynamic_rnn(
        cell, x, time_major=True,                   cell, tf.transpose(x, [1, 0, 2]),
        dtype=tf.float32)                           dtype=tf.float32)
                                                outputs = tf.transpose(outputs, [1, 0, 2])

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dynamic_rnn
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

RNN = "tensorflow.nn.dynamic_rnn"
BOTH = "tensorflow.nn.bidirectional_dynamic_rnn"
# Which cell an argument is the first state of, and where it stands.
STATES = {
    RNN: {"initial_state": "cell"},
    BOTH: {"initial_state_fw": "cell_fw", "initial_state_bw": "cell_bw"},
}
PLACES = {
    RNN: ("cell", "inputs", "sequence_length"),
    BOTH: ("cell_fw", "cell_bw", "inputs", "sequence_length"),
}
Called = Callable[[ast.AST | None], str]


def edits(tree: ast.Module, text: Text, called: Called) -> Iterator[Edit]:
    """The edits of one file."""
    for function in (n for n in all_of(tree, ast.FunctionDef)):
        for stmt in walk(function):
            call = stmt.value if isinstance(stmt, ast.Assign) else None
            if not isinstance(call, ast.Call) or called(call) not in STATES:
                continue
            given: dict[str | None, ast.expr] = {k.arg: k.value for k in call.keywords}
            given |= dict(zip(PLACES[called(call)], call.args, strict=False))
            if None in given or len(call.args) > len(PLACES[called(call)]):
                continue
            assert isinstance(stmt, ast.Assign)
            yield from _zeros(function, text, called(call), call, given)
            if called(call) == RNN:
                yield from _turned(tree, text, called, stmt, call, given)


def _zeros(
    function: ast.FunctionDef,
    text: Text,
    endpoint: str,
    call: ast.Call,
    given: dict[str | None, ast.expr],
) -> Iterator[Edit]:
    """States that begin with zeros, as they do where nothing else is said."""
    states = {k: v for k, v in given.items() if k in STATES[endpoint]}
    found: list[Edit] = []
    kinds = set()
    for name, node in states.items():
        value, stmt = _made(function, node)
        func = value.func if isinstance(value, ast.Call) else None
        if not isinstance(func, ast.Attribute) or func.attr != "zero_state":
            return
        assert isinstance(value, ast.Call)
        zeros: dict[str | None, ast.expr] = {k.arg: k.value for k in value.keywords}
        zeros |= dict(zip(("batch_size", "dtype"), value.args, strict=False))
        cell = given.get(STATES[endpoint][str(name)])
        if not isinstance(cell, ast.Name) or ast.unparse(func.value) != cell.id:
            return
        if set(zeros) != {"batch_size", "dtype"} or (stmt is not None and not alone(stmt, text)):
            return
        kinds.add(text.source(zeros["dtype"]))
        if stmt is not None:
            piece = text.piece(stmt)
            found.append(Edit(text.start(piece.line), text.start(piece.last + 1), ""))
    if not states or len(kinds) != 1:
        return
    if "dtype" not in given:
        name, node = states.popitem()
        keyword = next(k for k in call.keywords if k.value is node)
        start, end = text.index.span(keyword)[0], text.index.span(node)[1]
        found.append(Edit(start, end, f"dtype={kinds.pop()}"))
    found += [_without(text, call, node) for node in states.values()]
    yield from found


def _made(function: ast.FunctionDef, node: ast.expr) -> tuple[ast.expr, ast.Assign | None]:
    """What an argument is, and the statement that gave it the name that only it reads."""
    if not isinstance(node, ast.Name):
        return node, None
    uses = [n for n in all_of(function, ast.Name) if n.id == node.id]
    for stmt in walk(function):
        if isinstance(stmt, ast.Assign) and stmt.targets == [uses[0]] and len(uses) == 2:
            return stmt.value, stmt
    return node, None


def _without(text: Text, call: ast.Call, node: ast.expr) -> Edit:
    """The edit that takes a keyword away, which stands behind another argument."""
    keyword = next(k for k in call.keywords if k.value is node)
    start, end = text.index.span(keyword)[0], text.index.span(node)[1]
    before = text.text[:start].rstrip()
    return Edit(len(before) - before.endswith(","), end, "")


def _turned(
    tree: ast.Module,
    text: Text,
    called: Called,
    stmt: ast.Assign,
    call: ast.Call,
    given: dict[str | None, ast.expr],
) -> Iterator[Edit]:
    """Time as the first axis: sequences are turned before and behind."""
    said, inputs, tf = given.get("time_major"), given.get("inputs"), tensorflow(tree)
    pair = stmt.targets[0].elts if isinstance(stmt.targets[0], ast.Tuple) else []
    names = [n.id for n in pair if isinstance(n, ast.Name)]
    if not isinstance(said, ast.Constant) or said.value is not True or inputs is None or not tf:
        return
    if len(stmt.targets) != 1 or len(names) != 2 or len(pair) != 2 or not alone(stmt, text):
        return
    turned = _transposed(inputs, called)
    new = (
        text.source(turned)
        if turned is not None
        else f"{tf}.transpose({text.source(inputs)}, [1, 0, 2])"
    )
    yield Edit(*text.index.span(inputs), new)
    yield _without(text, call, said)
    if names[0] != "_":
        piece = text.piece(stmt)
        end = text.start(piece.last + 1)
        line = f"{names[0]} = {tf}.transpose({names[0]}, [1, 0, 2])"
        yield Edit(end, end, f"{piece.indent}{line}\n")


def _transposed(node: ast.expr, called: Called) -> ast.expr | None:
    """What is turned to have time first, where that is written."""
    if called(node) != "tensorflow.transpose" or not isinstance(node, ast.Call):
        return None
    given = {k.arg: k.value for k in node.keywords} | dict(
        zip(("a", "perm"), node.args, strict=False)
    )
    perm = given.get("perm")
    turned = perm is not None and ast.unparse(perm).strip("()[]") == "1, 0, 2"
    return given.get("a") if turned and set(given) == {"a", "perm"} else None
