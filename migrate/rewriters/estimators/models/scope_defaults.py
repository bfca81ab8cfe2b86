"""What a `tf.variable_scope` gives variables by default, variables are given by themselves.

with tf.variable_scope('net', initializer=first):   with tf.variable_scope('net'):
    w = tf.get_variable('w', [4, 2])                    w = tf.get_variable('w', [4, 2], initializer=first)
    y = tf.layers.dense(x @ w, 3)                       y = tf.layers.dense(x @ w, 3, kernel_initializer=first)

Layers of `tf.layers` take the scope's initializer for their kernels, its regularizer for kernels
and biases; those of `contrib.layers` and Keras have their own ones.
"""  # noqa: E501

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph import meaning
from migrate.rewriters.sessions.text import Text

SCOPE, GET = "tensorflow.variable_scope", "tensorflow.get_variable"
KINDS = ("dense", "conv1d", "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose")
LAYERS = frozenset(f"tensorflow.layers.{kind}" for kind in KINDS)
# What has variables with initializers of its own, whatever the scope says.
OWN = frozenset({"tensorflow.layers.batch_normalization", "tensorflow.contrib.layers.flatten"})
PLAIN = frozenset(f"tensorflow.layers.{kind}" for kind in ("flatten", "dropout"))
GIVEN = ("initializer", "regularizer")
Called = Callable[[ast.AST | None], str]


def edits(tree: ast.Module, text: Text, called: Called) -> Iterator[Edit]:
    """The edits of one file."""
    for function in all_of(tree, ast.FunctionDef):
        for stmt in (n for n in walk(function) if isinstance(n, ast.With)):
            found = [i.context_expr for i in stmt.items if called(i.context_expr) == SCOPE]
            if len(found) == 1 and isinstance(found[0], ast.Call):
                yield from _given(function, stmt, found[0], text, called)


def _given(
    function: ast.FunctionDef, stmt: ast.With, scope: ast.Call, text: Text, called: Called
) -> Iterator[Edit]:
    """The edits of one scope; none where something in it may make variables unseen."""
    given = {k.arg: k for k in scope.keywords if k.arg in GIVEN}
    calls = list(_calls(stmt.body))
    if not given or not scope.args or not all(_seen(c, called) for c in calls):
        return
    made = [c for c in calls if called(c) in LAYERS | {GET}]
    if "regularizer" in given and any(called(c) in OWN for c in calls):
        return
    wanted: list[tuple[ast.Call, str, str]] = []  # what is given which word of which argument
    for call in made:
        said = {k.arg for k in call.keywords}
        if None in said or len(call.args) > (2 if called(call) == GET else 3):
            return
        for argument in given:
            own = called(call) == GET
            words = [argument] if own else [f"kernel_{argument}"]
            words += [f"bias_{argument}"] if argument == "regularizer" and not own else []
            if argument == "regularizer" and said & set(words) and not own:
                return  # both would count
            wanted += [(call, argument, w) for w in words if w not in said]
    names = {n.id for n in all_of(function, ast.Name)} | {n.arg for n in all_of(function, ast.arg)}
    sources, lines = {}, list[str]()
    for argument, keyword in given.items():
        assert argument is not None
        source = text.source(keyword.value)
        if isinstance(keyword.value, ast.Call) and sum(a == argument for _, a, _ in wanted) > 1:
            if argument in names:
                return
            lines.append(f"{argument} = {source}")
            source = argument
        sources[argument] = source
    piece = text.piece(stmt)
    if lines:
        at = text.start(piece.line)
        yield Edit(at, at, "".join(f"{piece.indent}{line}\n" for line in lines))
    for keyword in given.values():
        start, end = text.index.span(keyword)
        start = text.text.rindex(",", 0, start)
        yield Edit(start, end, "")
    for call in made:
        more = [f", {w}={sources[a]}" for c, a, w in wanted if c is call]
        last = [*call.args, *(k.value for k in call.keywords)][-1]
        end = text.index.span(last)[1]
        if more:
            yield Edit(end, end, "".join(more))


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """The calls of a block."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Call):
            yield node
        todo += children(node)


def _seen(call: ast.Call, called: Called) -> bool:
    """Whether what a call does in such a scope is seen: no variables of a default."""
    endpoint = called(call)
    if endpoint == SCOPE:
        return not any(k.arg in GIVEN for k in call.keywords)
    if endpoint in LAYERS | OWN | PLAIN | {GET}:
        return True
    if endpoint:
        plain = meaning.is_op(endpoint) or meaning.is_host(endpoint)
        named = endpoint.endswith((".name_scope", "_initializer", "_regularizer"))
        return plain or named or endpoint.startswith(("tensorflow.losses.", "tensorflow.summary."))
    func = call.func
    if isinstance(func, ast.Name):
        return func.id in ("range", "len", "int", "float", "enumerate", "zip", "str", "list")
    known = ("append", "format", "get_shape", "as_list", "items", "keys", "values", "get", "split")
    return isinstance(func, ast.Attribute) and func.attr in known
