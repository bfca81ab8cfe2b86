"""What a model_fn exports of its predictions: `export_outputs` of its spec.

https://www.tensorflow.org/tfx/serving/signature_defs
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import stores

# A function's name, and what its outputs are.
Kind = tuple[str, tuple[tuple[str, str], ...]]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from migrate.rewriters.estimators.program import Estimator, Program

E = "tensorflow.estimator.export."
DEFAULT = "serving_default"
# What answers Examples in other ways than by predictions: the function, its outputs' names.
KINDS = {
    E + "ClassificationOutput": ("classify", {"classes": "classes", "scores": "scores"}),
    E + "RegressionOutput": ("regress", {"value": "outputs"}),
}
AS_TEXT = ("tensorflow.as_string", "tensorflow.strings.as_string")


def outputs(
    program: Program,
    spec: dict[str, ast.expr],
    body: list[ast.stmt],
    resolved: Callable[[ast.expr, Sequence[ast.stmt]], ast.expr],
) -> tuple[tuple[str, ...] | None, tuple[tuple[str, str], ...], dict[str, Kind]]:
    """The signatures that an EstimatorSpec's predictions have; None where others are exported.

    And the outputs that they have, with the predictions that these are: none where they are all
    of the predictions. And the signatures that classify, or regress.

    Args:
        program: Where the spec stands.
        spec: The fields of the spec for predictions.
        body: The statements before it.
        resolved: What a name was given among statements.
    """
    node = spec.get("export_outputs")
    if node is None:
        return (DEFAULT,), (), {}
    value = resolved(node, body)
    if not isinstance(value, ast.Dict):
        return None, (), {}
    names: list[str] = []
    others: dict[str, Kind] = {}
    kinds: set[tuple[tuple[str, str], ...]] = set()
    for key, item in zip(value.keys, value.values, strict=True):
        made = resolved(item, body)
        if not isinstance(made, ast.Call):
            return None, (), {}
        if program.called(made) in KINDS:
            kind = _kind(program, made, body, spec["predictions"], resolved)
            name = key.value if isinstance(key, ast.Constant) else DEFAULT
            if kind is None or not isinstance(name, str):
                return None, (), {}
            names.append(name)
            others[name] = kind
            continue
        if program.called(made) != E + "PredictOutput":
            return None, (), {}
        given = program.given(made)["outputs"]
        if _again(body, made, given):
            return None, (), {}
        if _same(body, given, spec["predictions"], resolved):
            kinds.add(())
        elif chosen := _chosen(body, given, spec["predictions"], resolved):
            kinds.add(chosen)
        else:
            return None, (), {}
        if program.endpoint(key) if key is not None else True:
            names.append(DEFAULT)
        elif isinstance(key, ast.Constant) and isinstance(key.value, str):
            names.append(key.value)
        else:
            return None, (), {}
    if len(names) == 1 and names[0] != DEFAULT:
        names.append(DEFAULT)
        others |= dict.fromkeys([DEFAULT], next(iter(others.values()))) if others else {}
    functions = {function for function, _ in others.values()}
    if others and (kinds - {()} or len(set(others.values())) > len(functions)):
        return None, (), {}  # one function has to answer for all
    kinds |= {()} if others else set()
    if DEFAULT not in names or len(kinds) != 1:
        return None, (), {}
    return tuple(names), kinds.pop(), others


def _kind(
    program: Program,
    made: ast.Call,
    body: list[ast.stmt],
    predictions: ast.expr,
    resolved: Callable[[ast.expr, Sequence[ast.stmt]], ast.expr],
) -> Kind | None:
    """What answers Examples with some predictions, and the source of each; None if not seen."""
    function, called = KINDS[program.called(made)]
    found = []
    for name, node in program.given(made).items():
        value, text = resolved(node, body), "{}"
        if program.called(value) in AS_TEXT and isinstance(value, ast.Call):
            if len(value.args) != 1 or value.keywords:
                return None
            node, text = value.args[0], f"{program.tf}.strings.as_string({{}})"
        one = ast.Dict([ast.Constant(name)], [node])
        if _again(body, made, node):
            return None
        chosen = _chosen(body, one, predictions, resolved) or _chosen(
            body, ast.Dict([ast.Constant(name)], [resolved(node, body)]), predictions, resolved
        )
        if not chosen or not chosen[0][1]:
            return None
        predicted = f'found["{chosen[0][1]}"]'
        found.append((called[name], text.format(predicted)))
    return (function, tuple(sorted(found))) if found else None


def _again(body: list[ast.stmt], made: ast.Call, outputs: ast.expr) -> bool:
    """Whether names in an output are bound once more before the spec is made."""
    at = next((i for i, s in enumerate(body) if made in walk(s)), len(body))
    read = {n.id for n in all_of(outputs, ast.Name)}
    return any(stores(s) & read for s in body[at + 1 :])


def _chosen(
    body: list[ast.stmt],
    outputs: ast.expr,
    predictions: ast.expr,
    resolved: Callable[[ast.expr, Sequence[ast.stmt]], ast.expr],
) -> tuple[tuple[str, str], ...]:
    """Which predictions some outputs are, by their names there and here; none if not all are.

    One output has the name that TF 1 gives it, predictions that are no dict have none.
    """
    whole, given = resolved(predictions, body), resolved(outputs, body)
    known = whole if isinstance(whole, ast.Dict) else None
    written = given if isinstance(given, ast.Dict) else None
    parts = dict(_items(known)) if known is not None else {"": predictions}
    wanted = _items(written) if written is not None else [("output", outputs)]
    if len(parts) != len(known.keys if known else parts):
        return ()
    if not wanted or len(wanted) != len(written.keys if written else wanted):
        return ()
    # What has a name says the same from there on: its names are bound once, it isn't filled.
    bound = [
        (n.id, v)
        for n, v in ((predictions, known), (outputs, written))
        if isinstance(n, ast.Name) and v is not None
    ]
    for name, filled in bound:
        binding = [s for s in body if name in stores(s)]
        read = {n.id for n in all_of(filled, ast.Name)}
        if len(binding) != 1 or any(stores(s) & read for s in body[body.index(binding[0]) + 1 :]):
            return ()
    found = []
    for name, each in wanted:
        subscript = isinstance(each, ast.Subscript) and ast.dump(each.value) == ast.dump(
            predictions
        )
        if subscript and isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant):
            keys = [k for k in parts if k == each.slice.value]
        else:
            keys = [k for k, part in parts.items() if _nameless(part) == _nameless(each)]
        if not keys:
            return ()
        found.append((name, keys[0]))
    return tuple(found)


def _items(node: ast.Dict) -> list[tuple[str, ast.expr]]:
    """The items of a dict that have words as keys."""
    return [
        (k.value, v)
        for k, v in zip(node.keys, node.values, strict=True)
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    ]


def returned(made: Estimator) -> str:
    """What a function that serves a model does with `features`, in its last lines."""
    given = "model.predict_step((features,))"
    if not made.chosen:
        return f"return {given}" if made.keyed else f'return {{"output": {given}}}'
    if len(made.chosen) == 1:
        ((name, key),) = made.chosen
        return f'return {{"{name}": {given}{_item(key)}}}'
    items = ", ".join(f'"{name}": found{_item(key)}' for name, key in made.chosen)
    return f"found = {given}\n        return {{{items}}}"


def _item(key: str) -> str:
    return f'["{key}"]' if key else ""


def _same(
    body: list[ast.stmt],
    outputs: ast.expr,
    predictions: ast.expr,
    resolved: Callable[[ast.expr, Sequence[ast.stmt]], ast.expr],
) -> bool:
    """Whether what is exported is what is predicted: by its name, or written once more."""
    if ast.dump(outputs) == ast.dump(predictions):
        return True
    names = {n.id for n in (outputs, predictions) if isinstance(n, ast.Name)}
    outputs, predictions = resolved(outputs, body), resolved(predictions, body)
    if not isinstance(outputs, ast.Dict) or not isinstance(predictions, ast.Dict):
        return False
    binding = [s for s in body if stores(s) & names]
    later = body[body.index(binding[0]) + 1 :] if binding else []
    read = {n.id for n in all_of(predictions, ast.Name)}
    return (
        len(binding) == len(names)  # none is filled further
        and not any(stores(s) & read for s in later)
        and _nameless(outputs) == _nameless(predictions)
    )


def _nameless(node: ast.expr) -> str:
    """An expression in which the names of tensors don't count."""
    node = copy.deepcopy(node)
    for call in walk(node):
        if isinstance(call, ast.Call):
            call.keywords = [k for k in call.keywords if k.arg != "name"]
    return ast.dump(node)
