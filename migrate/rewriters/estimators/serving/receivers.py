"""What a model is served with: a `serving_input_receiver_fn` as the `tf.TensorSpec`s it receives.

    def serving_input_fn():                              def serving_input_fn():
        row = tf.placeholder(tf.string, [None])              row = tf.TensorSpec([None], tf.string)

                                                             def parse(received):
                                                                 row = received["row"]
        features = decode(row)                                   features = decode(row)
        return ServingInputReceiver(                             return features
            features, {'row': row})
                                                             return {'row': row}, parse

What is computed of what a client sends is a function beside the specs.

https://www.tensorflow.org/guide/saved_model#specifying_signatures_during_export
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import reads, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

E = "tensorflow.estimator.export."
RAW = E + "build_raw_serving_input_receiver_fn"
PLACEHOLDER = "tensorflow.placeholder"
CONSTANT = "tensorflow.constant"
# Of a constant that is a Python value.
DTYPES = {"float": "float32", "int": "int32", "bool": "bool", "str": "string", "bytes": "string"}
KINDS = (E + "ServingInputReceiver", E + "TensorServingInputReceiver")
CHANGES = ("pop", "popitem", "update", "setdefault", "clear")
# What makes state, or asks Python: a function of the model's graph can't do that.
STATE = ("tensorflow.contrib.lookup.", "tensorflow.lookup.", "tensorflow.py_func")


@dataclass(slots=True, eq=False, repr=False)
class Received:
    """What the function that exports is given of a receiver."""

    source: str
    parsed: bool = False  # a function that computes features stands beside the specs
    optional: bool = False  # or `None` does


def received(program: Program, node: ast.expr) -> Received:
    """What a serving_input_receiver_fn receives: a dict of `tf.TensorSpec`, as source.

    Raises:
        Blocked: it isn't seen, or what it computes can't be told apart.
    """
    value = program.scopes.value(node)
    if program.called(value) == RAW and isinstance(value, ast.Call):
        return Received(_raw(program, node, value))
    functions = _functions(program, node)
    plain = [_Function(program, f).plain() for f in functions]
    parsed = not all(plain)
    for function in functions:
        known = program.kept.get(("receiver", id(function)))
        if known is None:
            program.kept["receiver", id(function)] = parsed
            _Function(program, function).write(parsed=parsed)
        elif known is not parsed:
            raise Blocked(node, f"`{function.name}` beside receivers of another kind")
    return Received(f"{program.source(node)}()", parsed, parsed and any(plain))


def unread(program: Program) -> None:
    """Receivers that nothing is served with become specs as well: they have placeholders."""
    for node in program.scopes.walk():
        if not isinstance(node, ast.FunctionDef) or ("receiver", id(node)) in program.kept:
            continue
        last = node.body[-1]
        made = program.called(last.value) if isinstance(last, ast.Return) and last.value else ""
        if made in KINDS and not node.args.args and not program.readers(node):
            function = _Function(program, node)
            function.write(parsed=not function.plain())


def _functions(program: Program, node: ast.expr) -> list[ast.FunctionDef]:
    """The functions that an expression may be: one, or those in a dict that is looked into."""
    function = program.scopes.function(node)
    found = [function]
    if isinstance(node, ast.Subscript):
        table = program.scopes.value(node.value)
        if isinstance(table, ast.Dict):
            found = [program.scopes.function(value) for value in table.values]
    value = program.scopes.value(node)
    if isinstance(value, ast.Call):
        found = [_returned(program, value)]
    functions = [f for f in found if f is not None and not f.args.args and not f.decorator_list]
    if len(functions) < len(found) or not found:
        raise Blocked(node, "a serving_input_receiver_fn that isn't seen")
    return functions


def _returned(program: Program, call: ast.Call) -> ast.FunctionDef | None:
    """The function that a function of the program defines and returns."""
    maker = program.scopes.function(call.func)
    if maker is None or maker.decorator_list:
        return None
    returns = [r for r in all_of(maker, ast.Return) if program.scopes.scope(r) is maker]
    value = returns[0].value if len(returns) == 1 and maker.body[-1] is returns[0] else None
    function = program.scopes.function(value) if isinstance(value, ast.Name) else None
    return function if function in maker.body else None


class _Function:
    """A serving_input_receiver_fn of the program."""

    def __init__(self, program: Program, function: ast.FunctionDef) -> None:
        self.program = program
        self.function = function
        returns = all_of(function, ast.Return)
        last = function.body[-1]
        if len(returns) != 1 or not isinstance(last, ast.Return) or last.value is None:
            raise Blocked(function, "a serving_input_receiver_fn that returns several things")
        made = last.value
        if program.called(made) not in KINDS or not isinstance(made, ast.Call):
            raise Blocked(made, "a receiver that isn't seen")
        given = program.given(made)
        features, tensors = given.pop("features", None), given.pop("receiver_tensors", None)
        if features is None or tensors is None or given:
            raise Blocked(made, "these arguments of a receiver")
        self.last, self.made, self.features, self.tensors = last, made, features, tensors

    def plain(self) -> bool:
        """Whether what is received is what the model gets."""
        if self.program.called(self.made) != KINDS[0]:
            return False
        features = self.features
        if isinstance(features, ast.Name) and isinstance(self.tensors, ast.Name):
            found = self.program.scopes.lookup(features)
            if found is not None and isinstance(found.value, ast.Name):
                features = found.value
        if ast.dump(features) != ast.dump(self.tensors):
            return False
        if not isinstance(self.tensors, ast.Name):
            return True
        value = self.program.scopes.value(self.tensors)
        return self.program.called(value) != PLACEHOLDER  # that is wrapped by two names

    def write(self, *, parsed: bool) -> None:
        """Return specs instead of a receiver; ``parsed``: and what computes features of them.

        Raises:
            Blocked: placeholders and what is computed of them can't be told apart.
        """
        program = self.program
        for use in program.readers(self.function):
            above = program.scopes.parents[id(use)]
            if isinstance(above, ast.Call) and above.func is use:
                raise Blocked(use, f"`{self.function.name}` is called, too")
        calls = all_of(self.function, ast.Call)
        for call in calls:
            if program.called(call) == PLACEHOLDER:
                program.edit(call, _spec(program, call))
        if not self.plain():
            self._split()
            return
        for call in calls:
            endpoint = program.called(call)
            if call is self.made or (endpoint and not meaning.is_op(endpoint)):
                continue
            if endpoint == PLACEHOLDER:
                continue
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("items", "keys"):
                raise Blocked(call, "features that are computed of what is received")
        if ast.dump(self.features) != ast.dump(self.tensors):
            alias = program.scopes.lookup(self.features)
            assert alias is not None
            assert isinstance(alias.node, ast.stmt)
            if len(program.scopes.uses(alias, self.features.id)) > 1:  # type: ignore[attr-defined]
                raise Blocked(self.features, "features that are computed of what is received")
            program.remove(alias.node)
        end = ", None" if parsed else ""
        new = program.source(self.tensors) + end
        program.edit(self.made, new, "what the model is served with")

    # -- what is computed ----------------------------------------------------------------------

    def _split(self) -> None:
        """Leave the specs where they are made; the rest becomes a function."""
        program, body = self.program, self.function.body
        received, keys = self._received()
        inside = [any(program.called(n) == PLACEHOLDER for n in walk(s)) for s in body]
        if not any(inside):
            raise Blocked(self.function, "a receiver whose placeholders aren't seen")
        cut = len(inside) - 1 - inside[::-1].index(True)
        moved = [s for s in body[cut + 1 : -1] if not self._gathers(s, received)]
        if any(s in moved for s in body[cut + 1 : -1 - len(moved)]):
            raise Blocked(moved[0], "what is received is put together after it is used")
        self._specs_only(body[: cut + 1])
        self._same(moved, received)
        self._stateless([*moved, self.features])
        taken = {n.id for n in all_of(self.function, ast.Name)}
        name = next(n for n in ("parse", "parse_received", "features_of") if n not in taken)
        text = program.text
        piece = text.piece(moved[0]) if moved else text.piece(self.last)
        base, one = piece.indent, piece.indent + text.unit
        given = received or next(n for n in ("received", "sent") if n not in taken)
        out = f"{base}def {name}({given}):\n"
        read = {n for s in (*moved, self.features) for n in reads(s)}
        for tensor, key in keys.items():
            if tensor in read:
                out += f"{one}{tensor} = {given}[{key}]\n"
        for stmt in moved:
            own = text.piece(stmt)
            start, end = text.index.span(stmt)
            edits = [(e.start, e.end, e.new) for e in program.edits if start <= e.start < end]
            out += text.render(own.first, own.last, base, one, edits)
        result = program.source(self.features)
        if self._alone():
            result = f'{{"feature": {result}}}'
        out += f"{one}return {_shifted(result, text.unit)}\n"
        tensors = program.source(self.tensors)
        if not received and len(keys) == 1 and isinstance(self.tensors, ast.Name):
            tensors = f'{{"input": {tensors}}}'
        out += f"\n{base}return {tensors}, {name}\n"
        start = text.start(piece.first)
        end = text.start((self.last.end_lineno or self.last.lineno) + 1)
        program.edits = [e for e in program.edits if not start <= e.start < end]
        if piece.first > 1 and text.lines[piece.first - 2].strip():
            out = "\n" + out
        program.edits.append(Edit(start, end, out))
        program.say(self.made, "what the model is served with, and what it computes of it")

    def _received(self) -> tuple[str, dict[str, str]]:
        """The name of the dict of what is received, if any; names of tensors with their keys.

        Raises:
            Blocked: it isn't seen.
        """
        program, node = self.program, self.tensors
        value = program.scopes.value(node)
        name = node.id if isinstance(node, ast.Name) else ""
        if program.called(value) == PLACEHOLDER and name:
            return "", {name: '"input"'}
        keys: dict[str, str] = {}
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if key is None:
                    raise Blocked(item, "what is received isn't seen")
                if isinstance(item, ast.Name):
                    keys[item.id] = program.source(key)
                elif program.called(item) != PLACEHOLDER:
                    raise Blocked(item, "what is received isn't a placeholder")
        elif not isinstance(value, ast.DictComp) and ast.unparse(value) != "dict()":
            raise Blocked(node, "what is received isn't seen")
        for tensor in keys:
            found = program.scopes.bound(self.function).get(tensor, [])
            if len(found) != 1 or program.called(found[0].value or node) != PLACEHOLDER:
                raise Blocked(node, f"what `{tensor}` receives isn't seen")
        return name, keys

    def _gathers(self, stmt: ast.stmt, received: str) -> bool:
        """Whether a statement only puts together what is received."""
        return (
            isinstance(stmt, ast.Assign)
            and isinstance(stmt.value, ast.Dict)
            and stores(stmt) == {received}
            and all(isinstance(v, ast.Name) for v in stmt.value.values)
        )

    def _specs_only(self, body: list[ast.stmt]) -> None:
        """Nothing before the last placeholder computes something of another one."""
        program = self.program
        tensors: set[str] = set()
        for stmt in body:
            if any(program.called(n) == PLACEHOLDER for n in walk(stmt)):
                tensors |= stores(stmt)
        for stmt in body:
            for call in (n for n in all_of(stmt, ast.Call)):
                inner = [*call.args, *(k.value for k in call.keywords)]
                if program.called(call) != PLACEHOLDER and any(reads(a) & tensors for a in inner):
                    raise Blocked(call, "what is computed stands between placeholders")

    def _same(self, moved: list[ast.stmt], received: str) -> None:
        """What is received stays what it is: TF 1 would export all that is put into its dict."""
        names = {received} - {""}
        for stmt in moved:
            if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Name):
                names |= stores(stmt) if stmt.value.id in names else set()
        for node in (n for s in (*moved, self.features) for n in walk(s)):
            if isinstance(node, ast.Call):
                own = node.func.value if isinstance(node.func, ast.Attribute) else None
                changed = isinstance(own, ast.Name) and own.id in names
                if changed and node.func.attr in CHANGES:  # type: ignore[attr-defined]
                    raise Blocked(node, "what is received is changed")
                for argument in (*node.args, *(k.value for k in node.keywords)):
                    if isinstance(argument, ast.Name) and argument.id in names:
                        self._kept(node, argument)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if isinstance(node.value, ast.Name) and node.value.id in names:
                    raise Blocked(node, "what is received is changed")
            elif isinstance(node, ast.Name) and node.id in names - {received}:
                continue
            elif isinstance(node, ast.Name) and node.id == received:
                if not isinstance(node.ctx, ast.Load):
                    raise Blocked(node, "what is received is changed")

    def _kept(self, call: ast.Call, argument: ast.Name) -> None:
        """A function that is given the dict of what is received doesn't change it.

        Raises:
            Blocked: it may.
        """
        from migrate.rewriters.estimators.program import parameter

        program = self.program
        if program.called(call) or ast.unparse(call.func) in ("dict", "len", "sorted", "list"):
            return
        function = program.scopes.function(call.func)
        name = parameter(function, call, argument) if function is not None else None
        if function is None or name is None:
            raise Blocked(call, "what is received goes where it isn't seen")
        for node in walk(function):
            if isinstance(node, ast.Name) and node.id == name:
                above = program.scopes.parents[id(node)]
                item = isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Load)
                read = isinstance(above, ast.Attribute) and above.attr not in CHANGES
                if not (item or read) or above.value is not node:  # type: ignore[attr-defined]
                    raise Blocked(node, "what is received may be changed here")

    def _stateless(self, nodes: list[ast.AST]) -> None:
        """What is computed makes no tables or variables.

        Raises:
            Blocked: it does, itself or in a function.
        """
        program, todo, seen = self.program, list(nodes), set()
        while todo:
            for call in (n for n in all_of(todo.pop(), ast.Call)):
                endpoint = program.called(call)
                if endpoint.startswith(STATE) or endpoint.endswith(("Variable", "get_variable")):
                    raise Blocked(call, f"{endpoint.replace('tensorflow', 'tf', 1)} in a receiver")
                function = program.scopes.function(call.func)
                if function is not None and id(function) not in seen:
                    seen.add(id(function))
                    todo.append(function)

    def _alone(self) -> bool:
        """Whether features are one tensor, which a receiver of dicts gives a name.

        Raises:
            Blocked: that isn't seen, and the program asks for that name.
        """
        program = self.program
        if program.called(self.made) != KINDS[0]:
            return False
        value = program.scopes.value(self.features)
        called = program.called(value)
        if isinstance(value, (ast.Dict, ast.DictComp)) or called.endswith("parse_example"):
            return False
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
            return False
        if called:
            return True
        for node in program.scopes.walk():
            if isinstance(node, ast.Constant) and node.value == "feature":
                raise Blocked(self.features, "whether features are a dict isn't seen")
        return False


def _shifted(source: str, unit: str) -> str:
    """An expression whose other lines stand further to the right."""
    first, *rest = source.splitlines()
    return "\n".join([first, *(unit + line for line in rest)])


def _raw(program: Program, node: ast.expr, call: ast.Call) -> str:
    """What `build_raw_serving_input_receiver_fn` is given."""
    given = program.given(call)
    features = given.pop("features", None)
    value = features if features is None else program.scopes.value(features)
    if given or not isinstance(value, ast.Dict) or features is None:
        raise Blocked(call, "raw features that aren't a dict that is seen")
    if isinstance(features, ast.Name):
        own = program.scopes.lookup(features)
        if own is not None and len(program.scopes.uses(own, features.id)) > 1:
            raise Blocked(features, f"`{features.id}` is used more than once")
    if node is not call:
        found = program.scopes.lookup(node)
        if found is None or not isinstance(node, ast.Name):
            raise Blocked(node, "a serving_input_receiver_fn that isn't seen")
        if len(program.scopes.uses(found, node.id)) > 1:
            raise Blocked(node, f"`{node.id}` is used more than once")
    for item in value.values:
        made = program.scopes.value(item)
        if program.called(made) not in (PLACEHOLDER, CONSTANT) or not isinstance(made, ast.Call):
            raise Blocked(item, "a raw feature that is no placeholder")
        if made is not item:
            assert isinstance(item, ast.Name)
            found = program.scopes.lookup(item)
            if found is None or len(program.scopes.uses(found, item.id)) > 1:
                raise Blocked(item, f"`{item.id}` is used more than once")
        program.edit(made, _any_batch(program, made))
    if node is call:
        return program.source(features)
    program.edit(call, program.source(features), "what the model is served with")
    return program.source(node)


def _any_batch(program: Program, call: ast.Call) -> str:
    """The `tf.TensorSpec` of a raw feature: TF 1 takes its dtype and shape, but for the batch's."""
    given = program.given(call)
    shape = given.get("shape")
    if not isinstance(shape, (ast.List, ast.Tuple)) or not shape.elts:
        raise Blocked(call, "a raw feature whose shape isn't seen")
    value = given.get("value")
    dtype = program.source(given["dtype"]) if "dtype" in given else ""
    if not dtype and isinstance(value, ast.Constant):
        kind = DTYPES.get(type(value.value).__name__, "")
        dtype = f"{program.tf}.{kind}" if kind else ""
    if not dtype:
        raise Blocked(call, "a raw feature whose dtype isn't seen")
    rest = ", ".join(["None", *(program.source(n) for n in shape.elts[1:])])
    return f"{program.tf}.TensorSpec([{rest}], {dtype})"


def _spec(program: Program, call: ast.Call) -> str:
    """The `tf.TensorSpec` of a placeholder."""
    given = program.given(call)
    shape = program.source(given["shape"]) if "shape" in given else "None"
    if shape == "None":
        raise Blocked(call, "a placeholder without a shape")
    return f"{program.tf}.TensorSpec({shape}, {program.source(given['dtype'])})"
